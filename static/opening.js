"use strict";
const form = document.querySelector("form.opening");
if (form) {
  const waits = document.getElementById("waits-for-sales");
  const warn = () => {
    const chosen = new FormData(form);
    waits.hidden = chosen.get("every") !== "minutes" || chosen.get("market") === "demo"
      || !["stocks", null].includes(chosen.get("option_rng_source"));
  };
  form.elements.zone_here.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
  form.addEventListener("change", (event) => {
    // Each closed line shows what was set when the page came; once that is changed, it says so.
    const value = event.target.closest("form.opening > details.options")?.querySelector("summary > .quiet");
    if (value) value.textContent = "changed";
    warn();
  });
  warn(); // a page from the browser's history comes with what was chosen before
}
