// The chosen label of a model's page: precision and recall, ROC, calibration, and where its scores lie.
"use strict";

(() => {
  const { el, chart, numberText, thousands } = mulberry;
  const place = document.getElementById("label-detail");
  const table = document.querySelector('[data-table="labels"]');
  if (!place || !table) return;
  const { curves, probabilities } = mulberry.data;
  const spec = mulberry.specs.labels;
  const unit = (title) => ({ title, low: 0, high: 1 });
  const three = (v) => numberText(v, 3);

  function sharesOf(c) {
    return c.cut.map((cut, k) => ({
      cut,
      precision: c.hits[k] / (c.hits[k] + c.mistakes[k]),
      recall: c.positives > 0 ? c.hits[k] / c.positives : null,
      alarms: c.negatives > 0 ? c.mistakes[k] / c.negatives : null,
    }));
  }

  function precisionRecall(c, shares, row) {
    const base = c.positives / (c.positives + c.negatives);
    const dots = row.precision !== null && row.recall !== null && row.predicted > 0
      ? [{ x: row.recall, y: row.precision, r: 5, kind: "decided", tip: "as decided" }] : [];
    return chart({
      title: "Precision and recall",
      words: `Precision against recall over all cuts of the scores; as decided: precision ${three(row.precision)}, recall ${three(row.recall)}`,
      x: unit("recall"), y: unit("precision"), dots,
      lines: [{ kind: "guide", points: [[0, base], [1, base]] },
              { kind: "first", points: shares.map((s) => [s.recall, s.precision,
                `cut ${s.cut}\nprecision ${three(s.precision)}\nrecall ${three(s.recall)}`]) }],
    });
  }

  function roc(shares, row) {
    return chart({
      title: `ROC, area ${three(row.auc)}`,
      words: `Recall against the rate of false alarms; area ${three(row.auc)}`,
      x: unit("false positive rate"), y: unit("recall"),
      lines: [{ kind: "guide", points: [[0, 0], [1, 1]] },
              { kind: "first", points: [[0, 0, null], ...shares.map((s) => [s.alarms, s.recall,
                `cut ${s.cut}\nrecall ${three(s.recall)}\nfalse positives ${three(s.alarms)}`])] }],
    });
  }

  function calibration(c) {
    const bins = c.chances.filter(([rows]) => rows > 0);
    const most = Math.max(...bins.map(([rows]) => rows));
    return chart({
      title: "Calibration",
      words: "Share of rows that have the label, by the probability that the model gives",
      x: unit("predicted probability"), y: unit("share that has it"),
      lines: [{ kind: "guide", points: [[0, 0], [1, 1]] },
              { kind: "first", points: bins.map(([rows, yes, mean]) => [mean, yes / rows,
                `predicted ${three(mean)}\nobserved ${three(yes / rows)}\n${thousands(rows)} rows`]) }],
      dots: bins.map(([rows, yes, mean]) => ({ x: mean, y: yes / rows, r: 2 + 4 * Math.sqrt(rows / most), kind: "first",
                                              tip: `${thousands(rows)} rows` })),
    });
  }

  function scores(c, row) {
    const bins = c.with.length, width = (c.high - c.low) / bins || 1;
    const share = (counts, k) => counts[k] / Math.max(1, counts.reduce((a, b) => a + b, 0));
    const columns = [];
    let most = 0;
    for (let k = 0; k < bins; ++k) {
      const from = c.low + k * width;
      for (const [counts, kind, words, shift] of [[c.without, "second", "without it", 0], [c.with, "first", "with it", width / 2]]) {
        const y = share(counts, k);
        most = Math.max(most, y);
        columns.push({ x: from + shift, width: width / 2, y, kind,
                       tip: `scores ${three(from)} to ${three(from + width)}: ${thousands(counts[k])} rows ${words}` });
      }
    }
    const cut = row.threshold;
    const lines = cut !== null && cut >= c.low && cut <= c.high ? [{ kind: "guide", points: [[cut, 0], [cut, most]] }] : [];
    return chart({ title: "Scores of rows with the label (purple) and without (blue)",
                   words: "Distribution of the scores of rows with and without the label; dashed: the threshold",
                   x: { title: "score", low: c.low, high: c.low + bins * width }, y: { title: "share of rows", low: 0, high: most || 1 },
                   columns, lines });
  }

  function show(k) {
    const cells = spec.rows[k];
    const row = { label: cells[0], support: cells[1], predicted: cells[2], precision: cells[3], recall: cells[4],
                  f1: cells[5], auc: cells[6], threshold: cells[7] };
    const c = curves[k];
    const body = el("div", { class: "charts" });
    const facts = `${thousands(row.support)} rows have it, ${thousands(row.predicted)} get it; precision ${three(row.precision)}, `
      + `recall ${three(row.recall)}, F1 ${three(row.f1)}` + (row.threshold === null ? "" : `; threshold ${three(row.threshold)}`);
    place.replaceChildren(el("h3", {}, row.label), el("p", { class: "note" }, facts), body);
    if (!c) {
      body.append(el("p", { class: "note" }, "The page keeps no curves of this label."));
      return;
    }
    const shares = sharesOf(c);
    if (c.positives > 0) body.append(precisionRecall(c, shares, row));
    if (c.positives > 0 && c.negatives > 0) body.append(roc(shares, row));
    if (probabilities && c.chances.some(([rows]) => rows > 0)) body.append(calibration(c));
    if (c.positives + c.negatives > 0) body.append(scores(c, row));
    if (c.positives === 0) body.prepend(el("p", { class: "note" }, "No row of the data has this label: there is no curve."));
    const points = el("div", { class: "table" });
    const folded = el("details", {}, el("summary", {}, "The same as a table"), points);
    folded.addEventListener("toggle", () => {
      if (!folded.open || points.firstChild) return;
      const number = (title, digits = 3) => ({ title, kind: "number", digits });
      mulberry.table(points, {
        columns: [number("cut", 4), number("precision"), number("recall"), number("false positive rate")],
        rows: shares.map((s) => [s.cut, s.precision, s.recall, s.alarms]),
      }, "curve");
      if (!probabilities) return;
      const bins = el("div", { class: "table" });
      points.after(bins);
      mulberry.table(bins, {
        columns: [number("predicted"), number("observed"), { title: "rows", kind: "count", digits: 0 }],
        rows: c.chances.filter(([rows]) => rows > 0).map(([rows, yes, mean]) => [mean, yes / rows, rows]),
      }, "calibration");
    });
    place.append(folded);
  }

  table.addEventListener("choose", (event) => show(event.detail));
  if (spec.rows.length > 0) mulberry.tables.labels.choose(0);
})();
