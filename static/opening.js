"use strict";
// Each closed line shows what was set when the page came; once that is changed, it says so.
document.querySelector("form.opening")?.addEventListener("change", (event) => {
  const value = event.target.closest("form.opening > details.options")?.querySelector("summary > .quiet");
  if (value) value.textContent = "changed";
});
