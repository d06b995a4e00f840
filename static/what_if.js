"use strict";
// Shows what comes of a what-if without loading the page again, and puts its link where the address is. Without this file each button loads the page.

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.id !== "what-if") return;
  event.preventDefault();
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body: new FormData(form, event.submitter), credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById("what-if");
    if (!answer.ok || !next) throw new Error("no such form");
    const open = form.querySelector("section details")?.open;
    form.replaceWith(next);
    if (open) next.querySelector("section details").open = true;
    const link = next.querySelector("a.share");
    if (link) history.replaceState(null, "", link.href);
    const heading = next.querySelector("[role=alert], h2");
    heading.tabIndex = -1;
    heading.focus();
    heading.scrollIntoView();
  } catch {
    form.submit(); // says in full what is wrong; it may ask to log in
  }
});
