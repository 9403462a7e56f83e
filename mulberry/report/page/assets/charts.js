// Small charts that answer to the pointer: lines, dots and columns over two axes.
"use strict";

mulberry.chart = (() => {
  const { el, tip } = mulberry;
  const wide = 300, tall = 230, left = 44, right = 10, top = 10, bottom = 40;

  const round = (v) => Number(v.toPrecision(3)).toString().replace(/^-/, "−");

  // About four round numbers within an axis.
  function ticks(low, high) {
    const raw = (high - low) / 4 || 1;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.999);
    const out = [];
    for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) out.push(v);
    return out;
  }

  // spec: title, words (what it shows), x and y ({title, low, high}), lines [{points: [[x, y, tip]],
  // kind: "first" | "second" | "guide"}], dots [{x, y, r, kind, tip}], columns [{x, width, y, kind, tip}].
  return function chart(spec) {
    const px = (v) => left + (v - spec.x.low) / (spec.x.high - spec.x.low || 1) * (wide - left - right);
    const py = (v) => tall - bottom - (v - spec.y.low) / (spec.y.high - spec.y.low || 1) * (tall - top - bottom);
    const svg = el("svg", { viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": spec.words, class: "chart" });
    for (const v of ticks(spec.y.low, spec.y.high)) {
      svg.append(el("line", { class: "grid", x1: left, x2: wide - right, y1: py(v), y2: py(v) }),
                 el("text", { x: left - 6, y: py(v) + 4, "text-anchor": "end" }, round(v)));
    }
    for (const v of ticks(spec.x.low, spec.x.high)) {
      svg.append(el("text", { x: px(v), y: tall - bottom + 16, "text-anchor": "middle" }, round(v)));
    }
    svg.append(el("line", { class: "axis", x1: left, x2: wide - right, y1: py(spec.y.low), y2: py(spec.y.low) }),
               el("text", { class: "axis-title", x: (left + wide - right) / 2, y: tall - 6, "text-anchor": "middle" }, spec.x.title),
               el("text", { class: "axis-title", x: 11, y: (top + tall - bottom) / 2, "text-anchor": "middle",
                            transform: `rotate(-90 11 ${(top + tall - bottom) / 2})` }, spec.y.title));
    for (const c of spec.columns || []) {
      const shape = el("rect", { class: c.kind, x: px(c.x), width: Math.max(0.5, px(c.x + c.width) - px(c.x) - 1),
                                 y: py(c.y), height: Math.max(0, py(spec.y.low) - py(c.y)) });
      shape.append(el("title", {}, c.tip));
      svg.append(shape);
    }
    for (const line of spec.lines || []) {
      svg.append(el("polyline", { class: `line ${line.kind}`,
                                  points: line.points.map(([x, y]) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join(" ") }));
    }
    for (const d of spec.dots || []) {
      const shape = el("circle", { class: d.kind, cx: px(d.x), cy: py(d.y), r: d.r || 4 });
      shape.append(el("title", {}, d.tip));
      svg.append(shape);
    }
    // The point of a line nearest to the pointer.
    const known = (spec.lines || []).flatMap((line) => line.points.filter((p) => p[2]));
    if (known.length > 0) {
      const mark = el("circle", { class: "mark", r: 4, visibility: "hidden" });
      svg.append(mark);
      svg.addEventListener("pointermove", (event) => {
        const box = svg.getBoundingClientRect();
        const x = (event.clientX - box.left) * wide / box.width, y = (event.clientY - box.top) * tall / box.height;
        const distance = (p) => (px(p[0]) - x) ** 2 + (py(p[1]) - y) ** 2;
        const near = known.reduce((a, b) => (distance(b) < distance(a) ? b : a));
        mark.setAttribute("cx", px(near[0]));
        mark.setAttribute("cy", py(near[1]));
        mark.setAttribute("visibility", "visible");
        tip.show(near[2], event);
      });
      svg.addEventListener("pointerleave", () => {
        mark.setAttribute("visibility", "hidden");
        tip.hide();
      });
    }
    return el("figure", { class: "small" }, el("figcaption", {}, spec.title), svg);
  };
})();
