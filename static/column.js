"use strict";
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
