"use strict";
// What scripts do on every page: deadlines count down, wide maps begin at the reader's home, what happens in the game is told, addresses can be copied.

// Counts down to a deadline by the service's clock: the page says what time it was there when it was made. Without this file the
// page says how long it was then.

(() => {
  const began = performance.now();
  const words = (count, unit) => `${count}\u00a0${unit}${count === 1 ? "" : "s"}`;
  // As `span_in_words` of the server: seconds only in the last minute.
  const inWords = (seconds) => {
    if (seconds + 600 >= 2 * 86400) return words(Math.round(seconds / 86400), "day");
    if (seconds + 600 >= 2 * 3600) return words(Math.round(seconds / 3600), "hour");
    if (seconds >= 60) return words(Math.round(seconds / 60), "minute");
    return words(seconds, "second");
  };

  for (const element of document.querySelectorAll("time.countdown")) {
    const span = (Date.parse(element.dateTime) - Date.parse(element.dataset.now)) / 1000;
    if (!(span > 0)) continue;
    const capital = /^In/.test(element.textContent);
    let timer;
    const tell = () => {
      const left = Math.ceil(span - (performance.now() - began) / 1000);
      if (left > 0) {
        element.textContent = `${capital ? "In" : "in"}\u00a0${inWords(left)}`;
        return;
      }
      clearInterval(timer);
      element.textContent = capital ? "Time is up" : "time is up";
      const again = document.createElement("a");
      again.href = window.location.pathname;
      again.textContent = "Reload the page";
      element.after("; ", again);
    };
    tell();
    if (span > 0) timer = setInterval(tell, 1000);
  }
})();

// Where a map is wider than its box, as on a telephone, the reader's home is shown first, else the west; a shade marks each side on which
// there is more. Without this file the west is shown, and its east is shaded. A page that puts in another map says so (`map-shown`).

(() => {
  const prepare = () => {
    for (const box of document.querySelectorAll(".pan:not([data-more]) > .scroll")) {
      const mark = () => {
        const left = box.scrollLeft > 4;
        const right = box.scrollLeft < box.scrollWidth - box.clientWidth - 4;
        box.parentElement.dataset.more = `${left ? "left" : ""} ${right ? "right" : ""}`;
      };
      box.scrollLeft = (Number(box.dataset.start || 0) / 100) * box.scrollWidth - box.clientWidth / 2;
      box.addEventListener("scroll", mark, { passive: true });
      window.addEventListener("resize", mark);
      mark();
    }
  };
  document.addEventListener("map-shown", prepare);
  prepare();
})();

// Shows what has happened in the game since this page was made: asks the game's state address, which says in how many seconds to ask again.
// A hidden page asks once a minute, so that its title in the row of tabs says whether orders are due. Without this file, pages that wait for a
// result load themselves again.

(() => {
  const { address, follow } = document.currentScript.dataset;
  if (!address) return;
  const bar = document.getElementById("news");
  const title = document.title;
  const picture = document.querySelector("link[rel=icon]");
  const usual = picture.href;
  const due = usual.replace("%3C/svg", "%3Ccircle cx='24' cy='8' r='7.5' fill='%23f4d27a' stroke='%23fff'/%3E%3C/svg");
  const at = new URL(address, window.location.href);
  let timer;

  const show = (news) => {
    const lines = news.map(({ text, links }) => {
      const line = document.createElement("p");
      line.append(text);
      for (const [label, href] of links) {
        const link = document.createElement("a");
        link.href = href;
        link.textContent = label;
        line.append(" ", link);
      }
      return line;
    });
    const text = lines.map((line) => line.textContent).join();
    if (bar.dataset.text === text) return; // said already, perhaps closed: a screen reader need not say it again
    bar.dataset.text = text;
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "×";
    close.setAttribute("aria-label", "Close");
    close.addEventListener("click", () => {
      bar.hidden = true;
    });
    bar.replaceChildren(close, ...lines);
    bar.hidden = !lines.length;
  };

  const ask = async () => {
    clearTimeout(timer);
    let again = 2;
    try {
      const answer = await fetch(at, { credentials: "same-origin" });
      if (!answer.ok || answer.redirected) return; // logged out, or the game is no longer ours to see
      const told = await answer.json();
      at.searchParams.set("seen", told.seen);
      if (follow !== undefined && told.follow) {
        window.location.assign(told.follow);
        return;
      }
      show(told.news);
      document.title = told.wanted ? `Your orders: ${title}` : title;
      const wanted = told.wanted ? due : usual;
      if (picture.href !== wanted) picture.href = wanted;
      again = told.again;
    } catch {
      // The service or the network is away for a moment.
    }
    if (again) timer = setTimeout(ask, (document.hidden ? 60 : again) * 1000);
  };

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) ask();
  });
  timer = setTimeout(ask, 2000); // the page itself is news
})();

// A button that copies a field's text. Without this file the button stays hidden, and the text can be selected.

for (const button of document.querySelectorAll("button[data-copies]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).value);
    button.textContent = "Copied";
  });
}
