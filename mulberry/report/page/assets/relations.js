// The graph of relations: the page has the picture; this thins out its arrows, shows figures on
// hover and focus, and keeps the table below in step.
"use strict";

(() => {
  const { el, tip, numberText } = mulberry;
  const relations = mulberry.data && mulberry.data.relations;
  const place = document.getElementById("relations-graph");
  if (!relations || !place) return;
  const { names, arrows } = relations;
  const svg = place.querySelector("svg");
  const spec = mulberry.specs.arrows;
  const tablePlace = document.querySelector('[data-table="arrows"]');
  const parts = arrows.map((_, k) => [...svg.querySelectorAll(`[data-arrow="${k}"]`)]);
  const labels = new Map([...svg.querySelectorAll("[data-label]")].map((g) => [Number(g.dataset.label), g]));
  const largest = Math.max(...arrows.map((a) => Math.abs(a[2])));
  const state = { least: relations.start, firm: false, pinned: null };

  const isShown = (k) => {
    const [helper, learner, score, firm] = arrows[k];
    return Math.abs(score) >= state.least - 1e-12 && (firm || !state.firm)
      && (state.pinned === null || helper === state.pinned || learner === state.pinned);
  };

  const figures = (k) => spec.columns.slice(2).map((column, c) => {
    const cell = spec.rows[k][c + 2];
    const words = column.kind === "share" ? numberText(100 * cell, column.digits) + " %" : numberText(cell, 3);
    return `${column.title} ${words}`;
  }).join("\n");

  const slider = el("input", { type: "range", id: "relations-least", min: relations.faintest, step: "any",
                               max: Math.min(largest, 1.5), value: Math.min(state.least, largest) });
  const shownText = el("output", { for: "relations-least", id: "relations-shown" });
  slider.addEventListener("input", () => {
    state.least = Number(slider.value);
    draw();
  });
  const controls = document.getElementById("relations-controls");
  controls.append(el("label", { for: "relations-least" }, "Smallest score"), slider, shownText);
  if (relations.repeats > 0) {
    const firm = el("input", { type: "checkbox", id: "relations-firm" });
    firm.addEventListener("change", () => {
      state.firm = firm.checked;
      draw();
    });
    controls.append(el("label", {}, firm, ` only arrows seen in at least 80 % of the ${relations.repeats} repeats`));
  }
  const all = el("button", { class: "plain", type: "button", hidden: "", onclick: () => pin(null) }, "Show all labels");
  controls.append(all);

  function pin(label) {
    state.pinned = state.pinned === label ? null : label;
    for (const [l, g] of labels) g.setAttribute("aria-pressed", String(l === state.pinned));
    all.hidden = state.pinned === null;
    draw();
  }

  // Marks some arrows and their labels; the others fade.
  function mark(chosen) {
    const wanted = new Set(chosen);
    const touched = new Set(chosen.flatMap((k) => arrows[k].slice(0, 2)));
    parts.forEach((gs, k) => gs.forEach((g) => { g.style.opacity = chosen.length === 0 || wanted.has(k) ? "" : "0.12"; }));
    for (const [l, g] of labels) g.style.opacity = chosen.length === 0 || touched.has(l) ? "" : "0.3";
  }

  function draw() {
    const shown = arrows.map((_, k) => k).filter(isShown);
    const kept = new Set(shown);
    parts.forEach((gs, k) => gs.forEach((g) => { g.style.display = kept.has(k) ? "" : "none"; }));
    shownText.textContent = `${state.least.toFixed(2)}: ${shown.length} of ${arrows.length} arrows`;
    mulberry.table(tablePlace, { ...spec, rows: shown.map((k) => spec.rows[k]) }, "arrows");
    mark([]);
  }

  parts.forEach((gs, k) => {
    const [helper, learner] = arrows[k];
    for (const g of gs) {
      const line = g.querySelector("polyline");
      if (line) {  // a wide, invisible copy: thin lines are hard to hit
        const wide = line.cloneNode();
        for (const [name, value] of [["stroke", "transparent"], ["stroke-width", "12"], ["pointer-events", "stroke"]]) {
          wide.setAttribute(name, value);
        }
        g.append(wide);
      }
      g.addEventListener("pointermove", (event) => tip.show(`${names[helper]} → ${names[learner]}\n${figures(k)}`, event));
      g.addEventListener("pointerenter", () => mark([k]));
      g.addEventListener("pointerleave", () => { mark([]); tip.hide(); });
    }
  });

  for (const [label, g] of labels) {
    g.setAttribute("tabindex", "0");
    g.setAttribute("role", "button");
    g.setAttribute("aria-pressed", "false");
    g.setAttribute("aria-label", `${names[label]}: only its arrows`);
    g.style.cursor = "pointer";
    const own = () => arrows.map((_, k) => k).filter((k) => isShown(k) && arrows[k].slice(0, 2).includes(label));
    const enter = () => {
      const mine = own();
      mark(mine);
      const helps = mine.filter((k) => arrows[k][0] === label).length;
      tip.show(`${names[label]}\nhelps ${helps}, is helped by ${mine.length - helps}\nEnter or click: only its arrows`, g);
    };
    const leave = () => { mark([]); tip.hide(); };
    g.addEventListener("pointerenter", enter);
    g.addEventListener("focus", enter);
    g.addEventListener("pointerleave", leave);
    g.addEventListener("blur", leave);
    g.addEventListener("click", () => pin(label));
    g.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      pin(label);
    });
  }
  svg.setAttribute("role", "group");  // it has buttons within
  draw();
})();
