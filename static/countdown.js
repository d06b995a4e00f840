"use strict";
// Counts down to a deadline by the service's clock: the page says what time it was there when it was made. Without this file the
// page says how long it was then.

(() => {
  const began = performance.now();
  const words = (count, unit) => `${count}\u00a0${unit}${count === 1 ? "" : "s"}`;
  // As `span_in_words` of the server: seconds only in the last minute.
  const inWords = (seconds) => {
    if (seconds + 600 >= 2 * 86400) return words(Math.round(seconds / 86400), "day");
    if (seconds + 600 >= 2 * 3600) return words(Math.round(seconds / 3600), "hour");
    if (seconds >= 60) return words(Math.round(seconds / 60), "minute");
    return words(seconds, "second");
  };

  for (const element of document.querySelectorAll("time.countdown")) {
    const span = (Date.parse(element.dateTime) - Date.parse(element.dataset.now)) / 1000;
    if (!(span > 0)) continue;
    const capital = /^In/.test(element.textContent);
    let timer;
    const tell = () => {
      const left = Math.ceil(span - (performance.now() - began) / 1000);
      if (left > 0) {
        element.textContent = `${capital ? "In" : "in"}\u00a0${inWords(left)}`;
        return;
      }
      clearInterval(timer);
      element.textContent = capital ? "Time is up" : "time is up";
      const again = document.createElement("a");
      again.href = window.location.pathname;
      again.textContent = "Reload the page";
      element.after("; ", again);
    };
    tell();
    if (span > 0) timer = setInterval(tell, 1000);
  }
})();
