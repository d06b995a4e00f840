"use strict";
// The order page without this file works as well: each button brings the page back. Here the same buttons ask for the parts that change.
// What is asked goes out one after the other, each with the text as it then is; an answer to a text that somebody has typed on meanwhile
// is not written over it, but asked for again. So pointing and typing never lose each other's work.

(() => {
  const form = document.getElementById("orders");
  const box = document.getElementById("id_text");
  if (!form || !box) return;
  const where = box.dataset.point;
  const { unkept } = form.dataset; // said where only a button keeps the text, which is no draft
  const status = document.getElementById("added");
  const LEFT_TO_THE_PAGE = ["send", "send-anyway", "discard", "away", "keep-this", "keep-ahead", "cancel-ahead"];

  // --- asking the service ---

  const waiting = [];
  let busy = false;
  let asked = box.value; // the text that the service has kept last
  let pause;

  // Between press and release nothing is replaced: a button that went away under the finger would never be clicked.
  let held = null;
  const hold = (end) => {
    if (held) return;
    held = new Promise((letGo) => {
      const done = () => {
        for (const name of end) window.removeEventListener(name, done, true);
        setTimeout(() => { held = null; letGo(); }, 0); // after the click that follows
      };
      for (const name of end) window.addEventListener(name, done, true);
    });
  };
  form.addEventListener("pointerdown", () => hold(["pointerup", "pointercancel", "blur"]));
  form.addEventListener("keydown", (event) => { if (event.key === " " && event.target.tagName === "BUTTON") hold(["keyup", "blur"]); });

  const say = (words, fault) => {
    if (!status) return;
    if (status.textContent !== words) status.textContent = words; // a screen reader says it once
    status.classList.toggle("fault", Boolean(fault));
  };

  // In a wide window the status stands far below the panel, so the panel shows what was wrong as well.
  const explain = (fault) => {
    const panel = fault && form.querySelector(".panel.chosen");
    if (!panel) return;
    const line = Object.assign(document.createElement("p"), { className: "wrong", textContent: fault });
    line.setAttribute("aria-hidden", "true");
    panel.append(line);
  };

  // Where a screen reader reads what is new, only what differs is replaced: it says the line that has changed, and not all of them.
  const renew = (old, fresh) => {
    const before = [...old.childNodes];
    const after = [...fresh.childNodes];
    after.forEach((one, at) => {
      const was = before[at];
      if (!was) old.append(one);
      else if (was.isEqualNode(one)) return;
      else if (was.firstElementChild && was.cloneNode().isEqualNode(one.cloneNode())) renew(was, one);
      else was.replaceWith(one);
    });
    for (const one of before.slice(after.length)) one.remove();
  };

  const replace = (parts) => {
    const active = document.activeElement;
    const key = active && form.contains(active) && (active.value !== undefined || active.getAttribute("href"))
      ? [active.tagName, active.name || "", active.tagName === "BUTTON" ? active.value : active.getAttribute("href") || ""] : null;
    const inside = active && active.closest(".panel");
    for (const [id, html] of Object.entries(parts)) {
      const place = document.getElementById(id);
      if (!place || place.innerHTML === html) continue;
      if (place.ariaLive) {
        const fresh = place.cloneNode();
        fresh.innerHTML = html;
        renew(place, fresh);
      } else place.innerHTML = html;
    }
    if (!key || document.contains(active)) return;
    const same = [...form.querySelectorAll(key[0])].find((one) => (one.name || "") === key[1]
      && (key[0] === "BUTTON" ? one.value : one.getAttribute("href") || "") === key[2]);
    if (same && !same.disabled) same.focus({ preventScroll: true });
    else if (inside) inside.querySelector("h3").focus({ preventScroll: true });
  };

  const ask = async (what) => {
    const text = box.value;
    const body = new FormData(form);
    for (const [name, value] of Object.entries(what.fields || {})) body.set(name, value);
    body.set("do", what.do);
    const answer = await fetch(where, { method: "POST", body, headers: { Accept: "application/json" } });
    if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
    const told = await answer.json();
    while (held) await held;
    if (box.value !== text) {
      // Typed on meanwhile: the answer is to an older text. What was pointed at is done to the newer one.
      document.getElementById("kept-at").value = told.kept;
      if (what.do !== "read") waiting.unshift(what);
      else waiting.push({ do: "read" });
      return;
    }
    if (told.text !== text) box.value = told.text;
    if (!unkept) asked = box.value;
    document.getElementById("kept-at").value = told.kept;
    replace(told.parts);
    explain(told.fault);
    say(told.fault || (what.do === "read" ? (told.kept ? "Kept, not sent yet." : "") : unkept || "Written. Not sent yet."), told.fault);
  };

  const goOn = async () => {
    if (busy) return;
    busy = true;
    try {
      while (waiting.length) await ask(waiting.shift());
    } catch {
      waiting.length = 0;
      say("The service could not be reached; what you wrote stands here and is not kept yet.", true);
    }
    busy = false;
  };

  const point = (what, fields) => { clearTimeout(pause); waiting.push({ do: what, fields }); goOn(); };

  // --- buttons, fields, typing ---

  let sending = false;
  form.addEventListener("submit", (event) => {
    const what = event.submitter ? event.submitter.value : "";
    if (!event.submitter || LEFT_TO_THE_PAGE.includes(what)) {
      sending = true;
      clearTimeout(pause);
      waiting.length = 0;
      return;
    }
    event.preventDefault();
    // Enter in a field: its change has been asked for, and the answer's words stay.
    if (event.submitter.tabIndex < 0) return;
    if (what === "check" || what === "keep") {
      point("read");
      document.getElementById("writing").scrollIntoView({ block: "start" });
    } else point(what);
  });

  form.addEventListener("change", (event) => {
    const what = event.target.dataset.do;
    if (what) point(what, event.target.type === "checkbox" ? {} : { [event.target.name]: event.target.value });
  });

  box.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => point("read"), 500);
  });

  window.addEventListener("beforeunload", (event) => {
    if (!sending && (box.value !== asked || waiting.length)) event.preventDefault();
  });

  // --- areas ---

  // A panel at the foot of a telephone covers half the map: the area that it is about moves above it.
  const uncover = (area, panel) => {
    const { top, bottom } = form.querySelector(`.hits a[data-area="${CSS.escape(area)}"] .wash`).getBoundingClientRect();
    const covered = Math.min(bottom + 8 - panel.getBoundingClientRect().top, top - 8);
    if (covered > 0) window.scrollBy(0, covered);
  };
  const choose = (area, focus) => {
    form.classList.toggle("choosing", Boolean(area)); // first: the hint gets shorter, and the map moves
    for (const panel of form.querySelectorAll(".panel")) {
      const here = panel.dataset.area === area;
      panel.classList.toggle("chosen", here);
      if (here && focus) {
        panel.querySelector("h3").focus({ preventScroll: true });
        if (getComputedStyle(panel).position !== "fixed") panel.scrollIntoView({ block: "nearest" });
        else uncover(area, panel);
      }
    }
    for (const link of form.querySelectorAll("a[data-area]")) {
      if (link.dataset.area === area) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    chosen = area;
  };
  let chosen = "";
  const fromAddress = () => {
    const panel = window.location.hash && document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
    if (panel && panel.classList.contains("panel")) choose(panel.dataset.area, false);
  };
  form.addEventListener("click", (event) => {
    if (event.target.closest(".panel .close")) {
      const back = form.querySelector(`.areas a[data-area="${CSS.escape(chosen)}"]`);
      choose("", false);
      if (back) back.focus({ preventScroll: true });
      return;
    }
    const link = event.target.closest("a[data-area]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(link.dataset.area, true);
  });
  new MutationObserver(() => { if (chosen) choose(chosen, false); }).observe(document.getElementById("areas") || form, { childList: true });
  window.addEventListener("hashchange", fromAddress);
  document.documentElement.classList.add("scripted");
  fromAddress();

  // --- the lists ---

  const limit = (fieldset) => {
    const select = fieldset.querySelector("select[name$='-area']");
    const option = select && select.selectedOptions[0];
    if (!option || !option.dataset.nations) return;
    const allowed = option.dataset.nations.split("|");
    for (const target of fieldset.querySelectorAll(".target")) {
      const here = allowed.includes(target.dataset.nation);
      target.hidden = !here;
      const tick = target.querySelector("input");
      if (!here) tick.checked = false;
      else if (allowed.length === 1) tick.checked = true;
    }
    const partner = fieldset.querySelector("select[name$='-nations']");
    if (!partner) return;
    for (const one of partner.options) {
      one.hidden = one.disabled = !allowed.includes(one.value);
    }
    if (partner.selectedOptions.length === 0 || partner.selectedOptions[0].disabled) {
      partner.value = allowed[0];
    }
  };

  for (const fieldset of form.querySelectorAll("fieldset.verb")) {
    limit(fieldset);
    fieldset.addEventListener("change", (event) => {
      if (event.target.name && event.target.name.endsWith("-area")) limit(fieldset);
    });
  }
})();

// Adds up the entries of a column while they are picked. Without this file the sum comes back with the page.
(() => {
  for (const table of document.querySelectorAll(".column-of-two")) {
    const sum = table.querySelector(".sum");
    const most = Number(table.dataset.most);
    const count = () => {
      const picked = [...table.querySelectorAll("input:checked")].reduce((points, one) => points + Number(one.dataset.points), 0);
      sum.textContent = String(picked);
      sum.classList.toggle("over", picked > most);
    };
    table.addEventListener("change", count);
    count();
  }
})();
