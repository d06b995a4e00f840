"use strict";
// The slider over a game's boards: moving it, or following a link to another board, changes the board without loading the page anew.
// Without this file the button beside the slider and the links do the same.

(() => {
  const form = document.querySelector("form.slider");
  const box = document.getElementById("stop");
  const said = document.getElementById("said");
  if (!form || !box || !window.fetch) return;
  const range = form.elements.place;
  const titles = new Map([...document.querySelectorAll("#places option")].map((option) => [option.value, option.label]));
  const ats = new Map([...document.querySelectorAll("#places option")].map((option) => [option.value, option.dataset.at]));
  const titleOf = (place) => titles.get(String(place)) || "";
  let asked = 0;
  let timer;

  form.querySelector("button").hidden = true;

  const shown = async (holder) => {
    // The new picture first, so that nothing flickers; but no longer than people wait.
    const picture = holder.querySelector(".map img");
    if (!picture) return;
    await Promise.race([picture.decode().catch(() => undefined), new Promise((done) => setTimeout(done, 700))]);
  };

  const show = async (place) => {
    asked += 1;
    const mine = asked;
    const address = `${form.action}?place=${place}`;
    range.value = place;
    range.setAttribute("aria-valuetext", titleOf(place));
    box.setAttribute("aria-busy", "true");
    let text;
    try {
      const answer = await fetch(`${address}&part=1`, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(answer.status);
      text = await answer.text();
    } catch {
      if (mine === asked) window.location.href = address;
      return;
    }
    const holder = document.createElement("div");
    holder.innerHTML = text;
    const open = box.querySelector("details.as-table")?.open;
    await shown(holder);
    if (mine !== asked) return;
    if (open) holder.querySelector("details.as-table").open = true;
    const scrolled = box.querySelector(".map .scroll")?.scrollLeft;
    box.replaceChildren(...holder.childNodes);
    document.dispatchEvent(new Event("map-shown"));
    const map = box.querySelector(".map .scroll");
    if (map && scrolled !== undefined) map.scrollLeft = scrolled;
    box.removeAttribute("aria-busy");
    said.textContent = titleOf(place);
    for (const link of document.querySelectorAll(".stops a")) {
      if (link.dataset.place === String(place)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    window.history.replaceState(null, "", `${form.action}?at=${ats.get(String(place))}`);
  };

  // Plays the whole game, from its first board where the last one is shown.
  const play = document.createElement("button");
  play.type = "button";
  play.className = "small play";
  let playing = false;
  const label = () => {
    play.textContent = playing ? "❚❚ Pause" : "▶ Play";
  };
  const pause = () => {
    playing = false;
    label();
  };
  const run = async () => {
    while (playing) {
      await new Promise((done) => setTimeout(done, 1600));
      if (!playing) return;
      if (Number(range.value) >= Number(range.max)) return pause();
      await show(Number(range.value) + 1);
    }
  };
  play.addEventListener("click", async () => {
    playing = !playing;
    label();
    if (!playing) return;
    if (Number(range.value) >= Number(range.max)) await show(0);
    run();
  });
  label();
  form.append(play);

  range.addEventListener("input", () => {
    pause();
    range.setAttribute("aria-valuetext", titleOf(range.value));
    clearTimeout(timer);
    timer = setTimeout(() => show(range.value), 120);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(range.value);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-place]");
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const direction = link.getAttribute("rel");
    show(link.dataset.place).then(() => {
      // Whoever steps on by keyboard stays on the link that steps on.
      if (direction) (box.querySelector(`a[rel=${direction}]`) || range).focus();
    });
  });
})();
