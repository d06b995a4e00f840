"use strict";
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
