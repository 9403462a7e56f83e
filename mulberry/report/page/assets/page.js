// What every page does: tables that sort, search and show parts; tips; the marked entry of the
// contents. Names from users' files only ever become text nodes, never markup.
"use strict";

const mulberry = (() => {
  const page = JSON.parse(document.getElementById("page-data").textContent);

  // A new element: el("p", {class: "note"}, "words", child). Attributes that are null are left out;
  // those that begin with "on" are listeners.
  function el(tag, attributes = {}, ...children) {
    const svg = ["svg", "g", "path", "circle", "line", "rect", "text", "polyline", "title"].includes(tag);
    const out = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag)
                    : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined) continue;
      if (name.startsWith("on")) out.addEventListener(name.slice(2), value);
      else out.setAttribute(name, value);
    }
    out.append(...children.filter((child) => child !== null && child !== undefined));
    return out;
  }

  const thousands = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

  // As the tables of the command: fixed decimals, or scientific if those would all be 0.
  function numberText(value, digits) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    if (digits === 0) return value < 0 ? "−" + thousands(Math.round(-value)) : thousands(Math.round(value));
    const fixed = value.toFixed(digits);
    if (value !== 0 && Number(fixed) === 0) return value.toExponential(2);
    return Math.abs(value) >= 1e9 ? value.toExponential(3) : fixed.replace(/^-/, "−");
  }

  // Cells are a text, a number, null, or an object: v the value, best, mark, and tags.
  const valueOf = (cell) => (cell !== null && typeof cell === "object" && "v" in cell ? cell.v : cell);

  function cellText(column, cell) {
    const value = valueOf(cell);
    if (Array.isArray(value)) return value.map((tag) => tag.replace(/^[-+=] /, "")).join(", ");
    if (typeof value !== "number" && value !== null) return String(value);
    if (column.kind === "share") return value === null ? "–" : numberText(100 * value, column.digits) + " %";
    return numberText(value, column.kind === "count" ? 0 : column.digits);
  }

  const tagClass = { "-": "tag missed", "+": "tag wrong", "=": "tag right-one" };

  function fillCell(td, column, cell, top) {
    const value = valueOf(cell);
    if (Array.isArray(value)) {
      for (const tag of value) {
        const known = /^[-+=] /.test(tag);
        td.append(el("span", { class: known ? tagClass[tag[0]] : "tag" }, known ? tag.slice(2) : tag), " ");
      }
      return;
    }
    if (column.bar && typeof value === "number") {
      const part = top > 0 ? Math.max(0, Math.min(1, value / top)) : 0;
      const bar = el("span", { class: "bar", "aria-hidden": "true" });
      bar.style.backgroundSize = `${(100 * part).toFixed(1)}% 100%`;
      td.append(bar);
    }
    const words = cellText(column, cell) + (cell && cell.mark ? " " + cell.mark : "");
    if (cell && cell.best) td.append(el("span", { class: "best" }, words));
    else td.append(column.bar ? el("span", { class: "number" }, words) : words);
  }

  // By value; texts as people sort them, with numbers within them; what is empty comes last.
  function comparing(column, descending) {
    const sign = descending ? -1 : 1;
    return (a, b) => {
      const x = valueOf(a.cells[column]), y = valueOf(b.cells[column]);
      const noX = x === null || x === "", noY = y === null || y === "";
      if (noX || noY) return noX - noY || a.place - b.place;
      const order = typeof x === "number" && typeof y === "number"
        ? x - y
        : String(x).localeCompare(String(y), undefined, { numeric: true });
      return sign * order || a.place - b.place;
    };
  }

  function csvOf(spec) {
    const quoted = (text) => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
    const line = (cells) => cells.map(quoted).join(",") + "\r\n";
    const plain = (cell) => {
      const value = valueOf(cell);
      return value === null ? "" : Array.isArray(value) ? value.join("; ") : String(value);
    };
    return line(spec.columns.map((c) => c.title)) + spec.rows.map((row) => line(row.map(plain))).join("");
  }

  function download(name, type, text) {
    const link = el("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // Draws the table `spec` into `place`. Large ones show a part. Returns {choose(row)}.
  function table(place, spec, id) {
    const few = 12, part = spec.part || 25;
    const rows = spec.rows.map((cells, k) => ({ cells, place: k }));
    let order = rows, shown = part, sorted = spec.sorted ? { ...spec.sorted } : null, wanted = "";
    const top = spec.columns.map((column, c) =>
      column.bar ? spec.rows.reduce((most, row) => Math.max(most, valueOf(row[c]) || 0), 0) : 0);
    const body = el("tbody");
    const count = el("span", { class: "count", role: "status" });
    const more = el("button", { class: "plain", type: "button", onclick: () => grow(shown * 4) }, "Show more");
    const heads = spec.columns.map((column, c) => {
      const button = el("button", { type: "button", title: column.help || null, onclick: () => sortBy(c) },
                        column.title);
      return el("th", { scope: "col", class: column.kind === "text" ? null : "right" },
                column.title === "" ? "" : button);
    });

    function matches(row) {
      return wanted === "" || row.cells.some((cell, c) => cellText(spec.columns[c], cell).toLowerCase().includes(wanted));
    }
    function grow(to) {
      shown = to;
      draw();
    }
    function sortBy(c) {
      const text = spec.columns[c].kind === "text";
      sorted = sorted && sorted.column === c ? { column: c, down: !sorted.down } : { column: c, down: !text };
      shown = part;
      draw();
    }
    function rowElement(row) {
      const out = el("tr");
      row.cells.forEach((cell, c) => {
        const column = spec.columns[c];
        const td = el(c === 0 && spec.headed ? "th" : "td",
                      { class: column.kind === "text" ? null : "right", scope: c === 0 && spec.headed ? "row" : null });
        if (c === 0 && spec.choose) {
          td.append(el("button", { class: "name", type: "button" }, cellText(column, cell)));
        } else {
          fillCell(td, column, cell, top[c]);
        }
        if (c === 0 && cellText(column, cell).length > 100) {  // a name like a page shows its first lines
          td.title = cellText(column, cell);
          td.replaceChildren(el("div", { class: "long" }, ...td.childNodes));
        }
        out.append(td);
      });
      if (spec.choose) {
        out.className = "choice";
        out.setAttribute("aria-selected", String(spec.chosen === row.place));
        out.addEventListener("click", () => choose(row.place));
      }
      return out;
    }
    function draw() {
      order = rows.filter(matches);
      if (sorted) order = [...order].sort(comparing(sorted.column, sorted.down));
      heads.forEach((th, c) => {
        if (sorted && sorted.column === c) th.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
        else th.removeAttribute("aria-sort");
      });
      body.replaceChildren(...order.slice(0, shown).map(rowElement));
      count.textContent = order.length > shown
        ? `${thousands(shown)} of ${thousands(order.length)} rows`
        : wanted !== "" ? `${thousands(order.length)} of ${thousands(rows.length)} rows` : "";
      more.hidden = order.length <= shown;
    }
    function choose(row) {
      spec.chosen = row;
      draw();
      place.dispatchEvent(new CustomEvent("choose", { detail: row, bubbles: true }));
    }

    const tools = el("div", { class: "table-tools" });
    if (rows.length > few) {
      const search = el("input", { type: "search", placeholder: spec.search || "Search", "aria-label": spec.search || "Search" });
      search.addEventListener("input", () => {
        wanted = search.value.trim().toLowerCase();
        shown = part;
        draw();
      });
      tools.append(search, count, el("button", { class: "plain", type: "button",
        onclick: () => download(`${id}.csv`, "text/csv", csvOf(spec)) }, "Save as CSV"));
    }
    const scroll = el("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": spec.caption || id },
      el("table", {}, spec.caption ? el("caption", {}, spec.caption) : null, el("thead", {}, el("tr", {}, ...heads)), body));
    place.replaceChildren(...(rows.length > few ? [tools] : []), scroll, more);
    if (spec.left_out) place.append(el("p", { class: "note" }, spec.left_out));
    draw();
    return { choose };
  }

  // One tip for the page: tip.show(words, element or event), tip.hide().
  const tip = (() => {
    const box = el("div", { class: "tip", role: "tooltip", hidden: "" });
    document.body.append(box);
    return {
      show(words, at) {
        box.textContent = words;
        box.hidden = false;
        const place = at.getBoundingClientRect ? at.getBoundingClientRect()
          : { left: at.clientX + 12, bottom: at.clientY + 10, top: at.clientY - 10 };
        const room = document.documentElement.clientWidth - box.offsetWidth - 8;
        box.style.left = `${Math.max(8, Math.min(place.left, room)) + window.scrollX}px`;
        const below = place.bottom + 8 + box.offsetHeight < window.innerHeight;
        box.style.top = `${(below ? place.bottom + 6 : place.top - box.offsetHeight - 6) + window.scrollY}px`;
      },
      hide() { box.hidden = true; },
    };
  })();

  // The entry of the contents whose section is in view.
  function markContents() {
    const links = [...document.querySelectorAll(".contents a")];
    const inView = new Map();
    const watch = new IntersectionObserver((entries) => {
      for (const entry of entries) inView.set(entry.target.id, entry.isIntersecting);
      const first = links.find((link) => inView.get(link.hash.slice(1)));
      if (!first) return;
      for (const link of links) link.removeAttribute("aria-current");
      first.setAttribute("aria-current", "true");
    }, { rootMargin: "-15% 0px -60% 0px" });
    for (const link of links) watch.observe(document.getElementById(link.hash.slice(1)));
  }

  const tables = {};
  for (const place of document.querySelectorAll("[data-table]")) {
    const id = place.dataset.table;
    if (page.tables[id]) tables[id] = table(place, page.tables[id], id);
  }
  markContents();
  return { data: page.data, specs: page.tables, tables, el, table, tip, numberText, thousands, download };
})();
