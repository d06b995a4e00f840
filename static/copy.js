"use strict";
// A button that copies a field's text. Without this file the button stays hidden, and the text can be selected.

for (const button of document.querySelectorAll("button[data-copies]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).value);
    button.textContent = "Copied";
  });
}
