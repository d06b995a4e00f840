"use strict";
// Where a map is wider than its box, as on a telephone, its middle is shown first. Without this file its west is.

for (const box of document.querySelectorAll(".map .scroll")) box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2;
