"use strict";
// Makes the frame of a letter as high as the letter. No script runs inside: the frame allows none.

(() => {
  const frame = document.querySelector("iframe.letter");
  const fit = () => {
    const page = frame.contentDocument?.documentElement;
    if (page) frame.style.height = `${page.scrollHeight + 4}px`;
  };
  frame.addEventListener("load", fit);
  window.addEventListener("resize", fit);
  fit();
})();
