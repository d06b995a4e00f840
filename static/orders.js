"use strict";
// The order page without this file works as well: here it only keeps to what the chosen area allows, and asks before text is lost.

(() => {
  const form = document.getElementById("orders");
  if (!form) return;

  const limit = (fieldset) => {
    const select = fieldset.querySelector("select[name$='-area']");
    const option = select && select.selectedOptions[0];
    if (!option || !option.dataset.nations) return;
    const allowed = option.dataset.nations.split("|");
    for (const target of fieldset.querySelectorAll(".target")) {
      const here = allowed.includes(target.dataset.nation);
      target.hidden = !here;
      const box = target.querySelector("input");
      if (!here) box.checked = false;
      else if (allowed.length === 1) box.checked = true;
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

  const text = () => document.getElementById("id_text").value;
  const loaded = text();
  let sending = false;
  form.addEventListener("submit", () => { sending = true; });
  window.addEventListener("beforeunload", (event) => {
    if (!sending && text() !== loaded) event.preventDefault();
  });
})();
