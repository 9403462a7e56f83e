// The review page: one question at a time, answered by a key. Where the answers go depends on the
// page: to the server that it came from, which writes each to disk before it sends the next
// question, or into the storage of the browser, from where they are downloaded as a change file.
// Both speak of the same things:
//
//   state     total, answered, yes, no, skipped, changed, undo: whether there is something to undo,
//             and the question to show, or null at the end
//   question  q: its number; row, label, chance, from, and what speaks for the label
"use strict";

(() => {
  const { data, el, thousands, download } = mulberry;
  const section = document.getElementById("review");
  const title = document.getElementById("review-title");

  // The answers of a page that came from a server.
  function fromServer() {
    const token = new URLSearchParams(location.search).get("token") || "";
    async function ask(path, body) {
      const options = { headers: { Authorization: `Bearer ${token}` }, cache: "no-store" };
      if (body) {
        options.method = "POST";
        options.headers["Content-Type"] = "application/json";
        options.body = JSON.stringify(body);
      }
      const answer = await fetch(path, options);
      if (answer.status === 401) throw new Error("moved");
      const text = await answer.text();
      if (!answer.ok && answer.status !== 409) throw new Error(text);
      return JSON.parse(text);
    }
    return {
      state: () => ask("state"),
      answer: (q, answer) => ask("answer", { q, answer }),
      undo: (q) => ask("undo", { q }),
      again: () => ask("again", {}),
    };
  }

  const quoted = (text) =>
    text === "" || /[",\r\n]|^\s|\s$/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;

  // The answers of a page that came from a file: [number of the question, answer], the last one last.
  function fromFile() {
    const questions = data.questions, key = `mulberry-review-${data.store}`;
    let log = [], again = false, kept = true;
    try {
      log = JSON.parse(localStorage.getItem(key) || "[]").filter(([q]) => q < questions.length);
    } catch { log = []; }
    const keep = () => {
      try { localStorage.setItem(key, JSON.stringify(log)); } catch { kept = false; }
    };
    // Without a storage, leaving the page would lose them.
    window.addEventListener("beforeunload", (event) => {
      if (!kept && log.length > 0) event.preventDefault();
    });
    const answers = () => new Map(log);
    function state() {
      const given = answers(), count = { yes: 0, no: 0, skip: 0 };
      let changed = 0;
      for (const [q, answer] of given) {
        ++count[answer];
        if (answer !== "skip" && (answer === "yes" ? "1" : "0") !== questions[q].from) ++changed;
      }
      const open = (question) => !given.has(question.q) || (again && given.get(question.q) === "skip");
      const next = questions.find(open) || null;
      if (next === null) again = false;
      return Promise.resolve({ total: questions.length, answered: count.yes + count.no, yes: count.yes,
        no: count.no, skipped: count.skip, changed, undo: log.length > 0, question: next });
    }
    function lines() {
      const given = answers();
      let out = `${data.key},label,from,to,chance\n`;
      for (const [q, answer] of given) {
        const one = questions[q], to = { yes: "1", no: "0", skip: "" }[answer];
        out += `${quoted(one.row)},${quoted(one.label)},${one.from},${to},${one.chance ?? ""}\n`;
      }
      return out;
    }
    return {
      state,
      answer(q, answer) {
        if (answers().get(q) === "skip") log = log.filter(([other]) => other !== q);
        log.push([q, answer]);
        keep();
        return state();
      },
      undo() {
        log.pop();
        keep();
        return state();
      },
      again() {
        again = true;
        return state();
      },
      save() { download(data.file, "text/csv", lines()); },
    };
  }

  const answers = data.mode === "server" ? fromServer() : fromFile();
  let state = null, busy = true;
  const times = [];  // when questions were answered, of this visit

  // What stays while questions change.
  const bar = el("span"), counts = el("p", { class: "counts" });
  const progress = el("div", { class: "progress", role: "progressbar", "aria-label": "Answered",
    "aria-valuemin": "0" }, bar);
  const trouble = el("div", { class: "trouble", role: "alert", hidden: "" });
  const body = el("div", { class: "columns" });
  const button = (kind, words, key, act) =>
    el("button", { type: "button", class: kind, onclick: act, "aria-keyshortcuts": key[0] }, words,
       el("kbd", { "aria-hidden": "true" }, key[1]));
  const buttons = {
    no: button("no", "No", ["N", "N or ←"], () => give("no")),
    skip: button("pass", "Skip", ["S", "S"], () => give("skip")),
    yes: button("yes", "Yes", ["Y", "Y or →"], () => give("yes")),
    undo: button("undo", "Undo", ["U", "U"], () => undo()),
  };
  const footer = el("div", { class: "answers", role: "group", "aria-label": "Answer" },
    el("div", {}, buttons.undo, buttons.no, buttons.skip, buttons.yes));
  title.setAttribute("aria-live", "polite");
  const saving = el("p", { class: "saving" });
  title.before(progress, counts);
  if (answers.save) document.querySelector("header").append(saving);
  title.after(trouble, body);
  document.body.append(footer);

  const percent = (share) => {
    const value = 100 * share;
    return value > 99 && value < 100 ? "more than 99 %" : value < 1 && value > 0 ? "less than 1 %"
      : `${Math.round(value)} %`;
  };
  const nameOf = (one) => (data.key === "id" ? `${one.row}` : `row ${thousands(one.row)}`);
  const asked = (label) => el("span", { class: "asked" }, label);
  const tags = (labels, more) =>
    el("p", { class: "tags" }, ...labels.flatMap((label) => [el("span", { class: "tag" }, label), " "]),
       more > 0 ? el("span", { class: "quiet" }, `and ${thousands(more)} more`) : null);

  // The text with the words that speak for the label marked: whole words, in any case.
  function marked(text, words) {
    const out = [];
    const letters = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const parts = [...new Set(words.flatMap((word) => word.split(/\s+/)))].filter((word) => word.length > 1);
    if (parts.length === 0) return [text];
    let find;
    try {
      find = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${parts.map(letters).join("|")})(?![\\p{L}\\p{N}_])`, "giu");
    } catch { return [text]; }
    let from = 0;
    for (const match of text.matchAll(find)) {
      out.push(text.slice(from, match.index), el("mark", {}, match[0]));
      from = match.index + match[0].length;
    }
    out.push(text.slice(from));
    return out;
  }

  // A value on a line from far below the mean to far above it, and where rows with the label are.
  function strip(feature, label) {
    const place = (z) => `${(50 + (50 * Math.max(-3, Math.min(3, z))) / 3).toFixed(1)}%`;
    const words = (z) => (z > 1.5 ? "very high" : z > .4 ? "high" : z < -1.5 ? "very low" : z < -.4 ? "low" : "average");
    const usual = el("i", { class: "usual" }), here = el("i", { class: "here" });
    usual.style.left = place(feature.usual);
    here.style.left = place(feature.place);
    const line = el("div", { class: "strip", role: "img",
      "aria-label": `${words(feature.place)}; with ${label} usually ${words(feature.usual)}` }, usual, here);
    return el("tr", {}, el("th", { scope: "row" }, feature.name), el("td", {}, line),
      el("td", { class: "value" }, feature.value));
  }

  function rowPart(question) {
    const out = el("div", {});
    for (const text of question.texts) {
      out.append(el("h3", {}, question.texts.length > 1 ? text.name : "Text"),
        el("div", { class: "prose", tabindex: "0", role: "region", "aria-label": text.name },
           ...marked(text.text, question.words), text.cut ? "…" : ""));
    }
    out.append(el("h3", {}, "Its labels"));
    out.append(question.labels.length > 0 ? tags(question.labels, question.more_labels)
      : el("p", { class: "quiet" }, "none so far"));
    if (question.features.length > 0) {
      out.append(el("h3", {}, "What stands out"),
        el("table", { class: "strips" }, el("tbody", {}, ...question.features.map((f) => strip(f, question.label)))),
        el("p", { class: "legend", "aria-hidden": "true" }, el("span", {}, el("i", { class: "here" }), "this row"),
           el("span", {}, el("i", { class: "usual" }), `usual with ${question.label}`)));
    }
    return out;
  }

  function whyPart(question) {
    const has = question.from === "1", list = el("ul", { class: "why" });
    if (question.chance !== null) {
      list.append(el("li", {}, `A model that has not seen this row gives it a chance of ${percent(question.chance)}.`));
    }
    for (const one of question.related) {
      const part = `${thousands(one.both)} of ${thousands(one.rows)} other rows with `;
      list.append(el("li", {}, has ? `Only ${part}` : part, el("b", {}, one.label),
        one.both === 1 ? " has it" : " have it", `; of all rows, ${percent(question.share)}.`));
    }
    if (question.words.length > 0) list.append(el("li", {}, "Words that speak for it are marked in the text."));
    const out = el("div", {}, el("h3", {}, has ? "Why it is doubted" : "Why it is suggested"), list);
    if (question.near.length > 0) {
      const with_it = question.near.filter((one) => one.has === "1").length;
      out.append(el("h3", {}, "Rows most like this one"),
        el("p", {}, `${with_it} of ${question.near.length} have it.`),
        el("ul", { class: "near" }, ...question.near.map((one) => {
          const sign = { 1: ["✓", "has", "has it"], 0: ["✗", "lacks", "does not have it"] }[one.has] ||
            ["?", "unknown", "unknown"];
          return el("li", {}, el("span", { class: `sign ${sign[1]}`, role: "img", "aria-label": sign[2] }, sign[0]),
            el("div", {}, el("p", {}, one.excerpt || nameOf(one)),
               el("p", { class: "quiet" }, one.labels.join(", ") || "no labels")));
        })));
    }
    return out;
  }

  function endPart() {
    const out = el("div", { class: "end" });
    const figures = [["yes", state.yes], ["no", state.no], ["skipped", state.skipped], ["labels changed", state.changed]];
    out.append(el("dl", { class: "figures done-figures" }, ...figures.map(([name, value]) =>
      el("div", {}, el("dt", {}, name), el("dd", {}, thousands(value))))));
    if (state.skipped > 0) {
      out.append(el("p", {}, el("button", { type: "button", class: "plain", onclick: () => act(() => answers.again()) },
        `Look at the ${thousands(state.skipped)} skipped again`)));
    }
    if (answers.save) {
      out.append(el("p", {}, el("button", { type: "button", class: "plain", onclick: () => answers.save() },
        "Download the answers")));
    }
    out.append(el("p", {}, data.mode === "server" ? `The answers are in ${data.file}. This writes the corrected data:`
      : "This writes the corrected data:"), el("pre", { tabindex: "0" }, el("code", {}, data.apply)));
    if (data.mode === "server") out.append(el("p", { class: "quiet" }, "Ctrl-C in the terminal ends the server."));
    return out;
  }

  // "about 4 minutes left", once there is something to judge by: the usual pace, pauses left out.
  function timeLeft() {
    const gaps = times.slice(1).map((time, k) => time - times[k]).sort((a, b) => a - b);
    const left = state.total - state.answered - state.skipped;
    if (gaps.length < 5 || left <= 0) return "";
    const minutes = (gaps[gaps.length >> 1] * left) / 60000;
    return minutes < 1 ? "less than a minute left" : `about ${Math.round(minutes)} minute${minutes < 1.5 ? "" : "s"} left`;
  }

  function show(next) {
    const before = state && state.question;
    state = next;
    const question = state.question, seen = state.answered + state.skipped;
    bar.style.width = `${state.total > 0 ? (100 * seen) / state.total : 100}%`;
    progress.setAttribute("aria-valuemax", String(state.total));
    progress.setAttribute("aria-valuenow", String(seen));
    progress.setAttribute("aria-valuetext", `${seen} of ${state.total}`);
    const save = answers.save && seen > 0
      ? el("button", { type: "button", class: "plain", onclick: () => answers.save() }, "Download the answers") : null;
    counts.replaceChildren(el("span", {}, `${thousands(seen)} of ${thousands(state.total)}`),
      el("span", {}, `${thousands(state.changed)} label${state.changed === 1 ? "" : "s"} changed`),
      state.skipped > 0 ? el("span", {}, `${thousands(state.skipped)} skipped`) : "",
      el("span", { class: "right-end" }, timeLeft()));
    saving.replaceChildren(...(save ? [save] : []));
    for (const kind of ["yes", "no", "skip"]) buttons[kind].disabled = question === null;
    buttons.undo.disabled = !state.undo;
    trouble.hidden = true;
    if (question === null) {
      title.replaceChildren(state.total === 0 ? "Nothing to ask: every label looks right." : "Done. Thank you.");
      body.replaceChildren(endPart());
    } else {
      title.replaceChildren(`Does ${nameOf(question)} have `, asked(question.label), "?");
      body.replaceChildren(rowPart(question), whyPart(question));
    }
    if (!before || !question || before.row !== question.row) window.scrollTo(0, 0);
    document.body.dataset.question = question ? String(question.q) : "end";
    document.body.dataset.ready = "true";
  }

  function complain(error, again) {
    const moved = error.message === "moved";
    trouble.replaceChildren(el("p", {}, moved
      ? "The server was started again: open the address that it printed last. All earlier answers are there."
      : error instanceof TypeError
        ? "The server does not answer. All answers up to here are on disk; this one is not."
        : error.message),
      el("button", { type: "button", class: "plain", onclick: () => act(again) }, "Try again"));
    trouble.hidden = false;
  }

  // One thing at a time; what fails can be tried again.
  async function act(what) {
    if (busy) return;
    busy = true;
    try {
      show(await what());
    } catch (error) {
      complain(error, what);
    }
    busy = false;
  }

  function flash(kind) {
    buttons[kind].classList.add("pressed");
    setTimeout(() => buttons[kind].classList.remove("pressed"), 150);
  }
  function give(answer) {
    if (busy || !state || state.question === null) return;
    flash(answer);
    times.push(Date.now());
    const { q } = state.question;
    act(() => answers.answer(q, answer));
  }
  function undo() {
    if (busy || !state || !state.undo) return;
    flash("undo");
    act(() => answers.undo(state.last));
  }

  const keys = { y: "yes", n: "no", s: "skip", u: "undo", arrowright: "yes", arrowleft: "no" };
  document.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const kind = keys[event.key.toLowerCase()];
    // Arrows scroll a long text that has the focus.
    const scrolls = event.key.startsWith("Arrow") && event.target.closest && event.target.closest(".prose, pre");
    if (!kind || scrolls) return;
    event.preventDefault();
    if (kind === "undo") undo();
    else give(kind);
  });
  busy = false;
  act(() => answers.state());
  section.setAttribute("data-mode", data.mode);
})();
