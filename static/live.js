"use strict";
// Shows what has happened in the game since this page was made: asks the game's state address, which says in how many seconds to ask again.
// A hidden page asks once a minute, so that its title in the row of tabs says whether orders are due. Without this file, pages that wait for a
// result load themselves again.

(() => {
  const { address, icon, follow } = document.currentScript.dataset;
  const bar = document.getElementById("news");
  const title = document.title;
  const picture = document.querySelector("link[rel=icon]");
  const usual = picture.href;
  const at = new URL(address, window.location.href);
  let timer;

  const show = (news) => {
    const lines = news.map(({ text, links }) => {
      const line = document.createElement("p");
      line.append(text);
      for (const [label, href] of links) {
        const link = document.createElement("a");
        link.href = href;
        link.textContent = label;
        line.append(" ", link);
      }
      return line;
    });
    const text = lines.map((line) => line.textContent).join();
    if (bar.dataset.text === text) return; // said already, perhaps closed: a screen reader need not say it again
    bar.dataset.text = text;
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "×";
    close.setAttribute("aria-label", "Close");
    close.addEventListener("click", () => {
      bar.hidden = true;
    });
    bar.replaceChildren(close, ...lines);
    bar.hidden = !lines.length;
  };

  const ask = async () => {
    clearTimeout(timer);
    let again = 2;
    try {
      const answer = await fetch(at, { credentials: "same-origin" });
      if (!answer.ok || answer.redirected) return; // logged out, or the game is no longer ours to see
      const told = await answer.json();
      at.searchParams.set("seen", told.seen);
      if (follow !== undefined && told.follow) {
        window.location.assign(told.follow);
        return;
      }
      show(told.news);
      document.title = told.wanted ? `Your orders: ${title}` : title;
      const wanted = told.wanted ? icon : usual;
      if (picture.href !== wanted) picture.href = wanted;
      again = told.again;
    } catch {
      // The service or the network is away for a moment.
    }
    if (again) timer = setTimeout(ask, (document.hidden ? 60 : again) * 1000);
  };

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) ask();
  });
  ask();
})();
