"use strict";
// The pages on which orders are taken down by telephone. Without this file a button brings the page back with everything typed.
// Here saves and new phases come into the table sheet as it stands: what a person has typed since is never replaced, nor is the phase it was typed for.

(() => {
  const form = document.getElementById("down");
  if (!form) return;
  const boxes = () => [...form.querySelectorAll("textarea")];
  const status = document.getElementById("saving");
  const told = document.getElementById("told");
  let leaving = false;

  window.addEventListener("beforeunload", (event) => {
    if (!leaving && boxes().some((box) => box.value !== box.defaultValue)) event.preventDefault();
  });

  if (form.dataset.leaves !== undefined) {
    // The page of one seat leads back to the call sheet: what is typed after the button would not be saved, so the field says no.
    const lock = (saving) => {
      leaving = saving;
      for (const box of boxes()) box.readOnly = saving;
      status.textContent = saving ? "Saving …" : "";
    };
    form.addEventListener("submit", () => lock(true));
    window.addEventListener("pageshow", () => lock(false));
    return;
  }

  // --- the table sheet ---

  // `sent`: what the service has of each field; all else was typed since, and stays.
  const renew = (page, sent) => {
    const next = page.getElementById("down");
    const nameOf = (row) => row.querySelector("textarea").name;
    const touched = (row) => [...row.querySelectorAll("textarea, select")].some((one) => one.value !== (sent.get(one.name) ?? ""));
    const typed = new Map([...form.querySelectorAll(".dictated")].filter(touched).map((row) => [nameOf(row), row]));
    const newPhase = next.elements.phase.value !== form.elements.phase.value;
    const news = [...page.querySelectorAll("main > .notices"), ...page.getElementById("told").children];
    if (sent.size || news.length || newPhase) told.replaceChildren(...news);
    const active = document.activeElement;
    const place = active.tagName === "TEXTAREA" ? [active.name, active.selectionStart, active.selectionEnd] : null;
    const fields = document.getElementById("fields");
    for (const row of [...fields.children]) if (typed.get(nameOf(row)) !== row) row.remove();
    if (newPhase && typed.size) {
      status.textContent = "This phase has closed. What is typed here was for it: save it, or empty the fields to see the next phase.";
      return;
    }
    if (sent.size || newPhase) status.textContent = typed.size ? "What you typed since then is not saved yet." : "";
    for (const id of ["phase", "due", "sent"]) document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
    form.elements.phase.value = next.elements.phase.value;
    form.dataset.again = next.dataset.again;
    let before = null;
    for (const row of next.querySelectorAll(".dictated")) {
      const kept = typed.get(nameOf(row));
      if (!kept && before) before.after(row);
      else if (!kept) fields.prepend(row);
      before = kept || row;
    }
    if (!typed.size) document.getElementById("back").replaceChildren(...page.getElementById("back").childNodes);
    if (document.contains(active) && active !== document.body && !active.closest(".send")) return;
    const same = place && form.elements[place[0]];
    const box = same || form.querySelector("[aria-invalid]") || boxes()[0];
    if (box) box.focus({ preventScroll: true });
    if (same) box.setSelectionRange(place[1], place[2]);
  };

  const fetched = async (how, sent) => {
    const answer = await fetch(window.location.pathname, how);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.ok && page.getElementById("told")) return page;
    if (answer.redirected && boxes().every((box) => !box.value)) { // the game is over, or the gamesmaster has logged out
      leaving = true;
      window.location.assign(answer.url);
    }
    throw new Error(String(answer.status));
  };

  let busy = Promise.resolve();
  let round = 0; // changes when a save begins and when it ends
  let saving = 0;
  const save = async (button) => {
    const sent = new Map([...form.querySelectorAll("textarea, select")].map((one) => [one.name, one.value]));
    const body = new FormData(form);
    body.set("do", button);
    status.textContent = "Saving …";
    try {
      const page = await fetched({ method: "POST", body });
      form.elements.others_pass.checked = false;
      renew(page, sent);
      form.dispatchEvent(new Event("input")); // an older reading may still be on its way
    } catch {
      status.textContent = "The service could not be reached. What you typed is still here, and may not be saved. Press again.";
    }
    saving -= 1;
    round += 1;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter ? event.submitter.value : "down";
    saving += 1;
    round += 1;
    busy = busy.then(() => save(button));
  });

  const look = async () => {
    const asked = round;
    if (!saving && !document.hidden) {
      try {
        const page = await fetched({});
        if (round === asked) renew(page, new Map());
      } catch {
        // The service or the network is away for a moment.
      }
    }
    setTimeout(look, form.dataset.again * 1000);
  };
  setTimeout(look, form.dataset.again * 1000);
})();
