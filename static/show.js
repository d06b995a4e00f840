"use strict";
// Plays a report: each attack with its odds, the stock, its sales with the last digit rolling in, the row of the table, and what leaves the
// map. About twenty seconds, skipped by a button or Esc. Whoever prefers less motion sees still pictures. Everything is on the page below.

(() => {
  const fights = [...document.querySelectorAll(".story .fight")];
  const place = document.getElementById("play-report");
  if (!fights.length || !place || !window.HTMLDialogElement) return;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const each = Math.min(6000, Math.max(1500, 20000 / fights.length));
  const make = (name, css = "", text = "") => Object.assign(document.createElement(name), { className: css, textContent: text });

  const stage = make("dialog", "show");
  stage.setAttribute("aria-label", "The report, played");
  const scene = make("div", "scene");
  scene.tabIndex = 0; // it scrolls where the window is small
  const bar = make("div", "show-bar");
  const count = make("span", "quiet");
  const next = make("button", "small", "Next");
  const skip = make("button", "small quiet", "Skip");
  bar.append(count, next, skip);
  stage.append(scene, bar);
  document.body.append(stage);

  let timers = [];
  const later = (work, share) => timers.push(setTimeout(work, still.matches ? 0 : each * share));
  const stop = () => {
    timers.forEach(clearTimeout);
    timers = [];
  };

  const roll = (digit, box) => {
    if (still.matches) return;
    box.textContent = "0";
    const ends = performance.now() + each * 0.22;
    const turn = () => {
      if (performance.now() >= ends || !stage.open) {
        box.textContent = digit;
        box.classList.add("landed");
        return;
      }
      box.textContent = String(Math.floor(Math.random() * 10));
      timers.push(setTimeout(turn, 60));
    };
    turn();
  };

  const show = (at) => {
    stop();
    if (at >= fights.length) {
      stage.close();
      return;
    }
    const fight = fights[at];
    const { stock, hundreds, digit, after, odds } = fight.dataset;
    count.textContent = `Attack ${at + 1} of ${fights.length}`;
    next.onclick = () => show(at + 1);
    const title = make("h2");
    title.append(...[...fight.querySelector("h3").childNodes].map((node) => node.cloneNode(true)));
    scene.replaceChildren(title);

    const picture = fight.querySelector(".where picture");
    if (picture) {
      const map = make("div", "show-map");
      const before = picture.cloneNode(true);
      before.querySelector("img").loading = "eager";
      map.append(before);
      if (after) {
        const left = before.cloneNode(true);
        for (const one of left.querySelectorAll("source, img")) {
          const attribute = one.localName === "img" ? "src" : "srcset";
          one.setAttribute(attribute, `${one.getAttribute(attribute)}&after=1`);
        }
        left.className = "show-after";
        const image = left.querySelector("img");
        image.alt = image.alt.replace(" before ", " after ");
        map.append(left);
        later(() => left.classList.add("there"), 0.78);
      }
      scene.append(map);
    }
    const told = make("div", "show-told");
    scene.append(told);
    if (odds) told.append(make("p", "show-odds", odds));
    if (stock && hundreds) {
      later(() => {
        const line = make("p", "show-sales");
        const last = make("strong", "show-digit", digit);
        line.append(make("span", "symbols", stock), ` ${hundreds.slice(0, -1)}`, last, make("span", "quiet", " hundreds of shares"));
        told.append(line);
        roll(hundreds.slice(-1), last);
      }, 0.16);
    } else if (digit) {
      later(() => told.append(make("p", "show-sales", `Rolled: ${digit}`)), 0.16);
    }
    const row = fight.querySelector(".one-row");
    if (row) {
      later(() => {
        const table = row.cloneNode(true);
        told.append(table);
        later(() => table.classList.add("lit"), 0.08);
      }, 0.46);
    }
    // Nothing is rolled for an attack that is void: its sentence comes at once.
    later(() => told.append(make("p", "show-result", fight.querySelector(".told").textContent)), digit ? 0.68 : 0);
    timers.push(setTimeout(() => show(at + 1), each));
  };

  skip.addEventListener("click", () => stage.close());
  stage.addEventListener("close", () => {
    stop();
    fights.at(-1).querySelector("h3").scrollIntoView({ block: "center" });
  });
  const play = make("button", "quiet", "▶ Play the report");
  play.type = "button";
  play.addEventListener("click", () => {
    stage.showModal();
    show(0);
  });
  place.append(play);
})();
