var bench = (() => {
  var __defProp = Object.defineProperty;
  var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
  var __getOwnPropNames = Object.getOwnPropertyNames;
  var __hasOwnProp = Object.prototype.hasOwnProperty;
  var __export = (target, all) => {
    for (var name2 in all)
      __defProp(target, name2, { get: all[name2], enumerable: true });
  };
  var __copyProps = (to, from, except, desc) => {
    if (from && typeof from === "object" || typeof from === "function") {
      for (let key of __getOwnPropNames(from))
        if (!__hasOwnProp.call(to, key) && key !== except)
          __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
    }
    return to;
  };
  var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

  // app/main.js
  var main_exports = {};
  __export(main_exports, {
    Index: () => Index,
    OUTCOMES: () => OUTCOMES,
    VERDICTS: () => VERDICTS,
    app: () => app,
    byId: () => byId,
    draw: () => draw,
    flips: () => flips,
    h: () => h,
    orderOf: () => orderOf,
    outcome: () => outcome,
    select: () => select,
    verdictBy: () => verdictBy,
    visible: () => visible,
    worstFirst: () => worstFirst
  });

  // app/outcome.js
  var OUTCOMES = [
    { name: "right", title: "right", about: "The answer is right." },
    { name: "not-retrieved", title: "not retrieved", about: "The answer is wrong. None of the turns that the gold answer rests on reached the reader." },
    { name: "partly-retrieved", title: "partly retrieved", about: "The answer is wrong. Some of these turns reached the reader." },
    { name: "not-used", title: "retrieved, not used", about: "The answer is wrong, although all of these turns reached the reader." },
    { name: "unknown-evidence", title: "unknown evidence", about: "The answer is wrong. The dataset names no turns that it rests on, or an imported file not those of its blocks." },
    { name: "failed", title: "error", about: "The request ended in an error." },
    { name: "abstained", title: "abstained", about: "The answer says that it does not know, and neither a person nor a judge says whether that is right." },
    { name: "unclear", title: "unclear", about: "Neither a person nor a judge says whether the answer is right, and it shares too much with the gold answer to be wrong and too little to be right. A judge can decide it: bench judge." }
  ];
  var [RIGHT, NONE, PART, ALL, UNKNOWN, FAILED, ABSTAINED, UNCLEAR] = OUTCOMES.keys();
  var WRONG = [UNKNOWN, NONE, PART, ALL];
  var VERDICTS = ["wrong", "right", "unclear", "abstained"];
  function outcome(status, verdict, reach) {
    return status !== 0 ? FAILED : [WRONG[reach], RIGHT, UNCLEAR, ABSTAINED][verdict];
  }
  function verdictBy(column, value) {
    return VERDICTS.indexOf(value >= column.right ? "right" : value <= column.wrong ? "wrong" : "unclear");
  }

  // app/data.js
  var Index = class {
    constructor(data) {
      this.columns = data.columns;
      this.outcomes = OUTCOMES;
      this.cells = data.cells;
      this.series = data.series;
      this.runs = [...new Set(data.cells.map((c) => c.run_id))];
      this.samples = data.samples;
      this.kinds = data.kinds;
      this.questions = data.questions;
      const r = data.requests;
      this.size = r.question.length;
      this.question = Uint32Array.from(r.question);
      this.cell = Uint32Array.from(r.cell);
      this.kind = Int16Array.from(r.kind);
      this.time = Float64Array.from(r.time);
      this.tokens = r.tokens;
      this.cost = r.cost;
      this.calls = r.calls;
      this.has = r.has;
      this.answer = r.answer;
      this.status = Uint8Array.from(r.status);
      this.verdict = Uint8Array.from(r.verdict);
      this.reach = Uint8Array.from(r.reach);
      this.scores = r.scores.map((values) => Float64Array.from(values, (x) => x === null ? NaN : x));
      this.answerText = r.answer.map((a) => a.toLowerCase());
      const q = this.questions;
      this.questionText = q.question.map((text2, i) => (text2 + "\n" + q.gold[i]).toLowerCase());
      this.members = q.question.map(() => []);
      for (let i = 0; i < this.size; i++) this.members[this.question[i]].push(i);
      this.order = Uint32Array.from(this.members.flat());
      this.categories = [...new Set(q.category)];
      this.given = data.judging;
      this.judge(this.given);
    }
    // judge computes the outcomes: by the column that judging.by names, or else by all that
    // is known of answers. judging.column names the one whose values are shown.
    judge(judging) {
      this.judging = judging;
      const k = this.columns.findIndex((c) => c.name === judging.by);
      this.outcome = Uint8Array.from(this.verdict, (v, i) => outcome(this.status[i], k < 0 ? v : verdictBy(this.columns[k], this.scores[k][i]), this.reach[i]));
    }
    // key names a request in a link.
    key(i) {
      const cell = this.cells[this.cell[i]], q = this.question[i];
      return `${cell.run_id}.${cell.id}:${this.samples[this.questions.sample[q]]}:${this.questions.request[q]}`;
    }
    find(key) {
      for (let i = 0; i < this.size; i++) if (this.key(i) === key) return i;
      return -1;
    }
    // runOf is the number of the run that a request is of.
    runOf(i) {
      return this.runs.indexOf(this.cells[this.cell[i]].run_id);
    }
    seriesOf(i) {
      return this.cells[this.cell[i]].series;
    }
  };

  // app/ui.js
  var SVG = "http://www.w3.org/2000/svg";
  var flat = (children) => children.flat(Infinity).filter((c) => c !== null && c !== void 0 && c !== "" && c !== false);
  function fill(element, properties, children) {
    element.append(...flat(children));
    for (const [name2, value] of Object.entries(properties ?? {})) {
      if (value === void 0 || value === null || value === false) continue;
      if (name2.startsWith("on")) listen(element, name2.slice(2), value);
      else if (name2 === "value" || name2 === "checked") (element.given ??= {})[name2] = element[name2] = value;
      else element.setAttribute(name2, value === true ? "" : value);
    }
    return element;
  }
  var heard = (event) => event.currentTarget.listeners[event.type]?.(event);
  function listen(element, name2, listener) {
    if (!element.listeners?.[name2]) element.addEventListener(name2, heard);
    (element.listeners ??= {})[name2] = listener;
  }
  var h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
  var s = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);
  function draw(box, ...children) {
    const focus = document.activeElement;
    update(box, flat(children).map((c) => c instanceof Node ? c : document.createTextNode(c)));
    if (focus !== document.activeElement && box.contains(focus)) focus.focus({ preventScroll: true });
  }
  var keyOf = (node) => node.getAttribute?.("key") ?? null;
  function update(box, children) {
    const given = new Set(children);
    const keyed = new Map([...box.childNodes].filter((c) => keyOf(c) !== null).map((c) => [keyOf(c), c]));
    let at = box.firstChild;
    for (const child of children) {
      while (at && !given.has(at) && keyOf(at) !== null && at !== keyed.get(keyOf(child))) at = at.nextSibling;
      let node = child;
      if (child.parentNode !== box) {
        const key = keyOf(child), old = key !== null ? keyed.get(key) : at && keyOf(at) === null ? at : null;
        if (old && !given.has(old) && old.nodeName === child.nodeName) {
          patch(old, child);
          given.add(old);
          node = old;
        }
      }
      given.add(node);
      if (node === at) at = at.nextSibling;
      else box.insertBefore(node, at);
    }
    for (const old of [...box.childNodes]) if (!given.has(old)) old.remove();
  }
  function patch(old, child) {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.data !== child.data) old.data = child.data;
      return;
    }
    const kept = old.nodeName === "DETAILS" ? "open" : "";
    for (const { name: name2 } of [...old.attributes]) if (name2 !== kept && !child.hasAttribute(name2)) old.removeAttribute(name2);
    for (const { name: name2, value } of child.attributes) if (name2 !== kept && old.getAttribute(name2) !== value) old.setAttribute(name2, value);
    for (const name2 of Object.keys(old.listeners ?? {})) if (!child.listeners?.[name2]) delete old.listeners[name2];
    for (const [name2, listener] of Object.entries(child.listeners ?? {})) listen(old, name2, listener);
    update(old, [...child.childNodes]);
    for (const [name2, value] of Object.entries(child.given ?? {})) if (old[name2] !== value) old[name2] = value;
  }

  // app/text.js
  var HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;
  function visible(text2) {
    return text2.replace(/\r\n/g, "\n").replace(HIDDEN, (c) => {
      const code = c.codePointAt(0);
      if (code < 32) return String.fromCodePoint(9216 + code);
      if (code === 127) return "␡";
      return "[U+" + code.toString(16).toUpperCase().padStart(4, "0") + "]";
    });
  }
  var byId = (id) => document.getElementById("_" + id);
  var said = (text2) => h("bdi", {}, visible(text2));
  var SHOWN = 4e3;
  function passage(text2, needles = []) {
    const box = h("div", { class: "passage", dir: "auto" });
    const fill3 = (part3) => box.replaceChildren(...marked(visible(part3), needles));
    if (text2.length <= SHOWN) {
      fill3(text2);
      return box;
    }
    fill3(text2.slice(0, SHOWN) + "…");
    const more = h(
      "button",
      { type: "button", onclick: () => {
        fill3(text2);
        more.remove();
      } },
      `show all ${count(text2.length)} characters`
    );
    return h("div", {}, box, more);
  }
  function marked(text2, needles) {
    const words = needles.filter((n) => n.length > 1).map((n) => n.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    if (words.length === 0) return [text2];
    return text2.split(new RegExp("(" + words.join("|") + ")", "iu")).map((part3, i) => i % 2 === 1 ? h("mark", {}, part3) : part3).filter((part3) => part3 !== "");
  }
  var count = (n) => n.toLocaleString("en");
  function number(x, column) {
    return Number.isNaN(x) ? "–" : (x * column.scale).toFixed(column.digits);
  }
  function milliseconds(ms) {
    return ms >= 1e4 ? (ms / 1e3).toFixed(1) + " s" : ms.toFixed(ms >= 100 ? 0 : 1) + " ms";
  }
  function facts(pairs2) {
    return h("dl", { class: "facts" }, pairs2.filter(([, value]) => value !== null && value !== void 0).map(([name2, value]) => [h("dt", {}, name2), h("dd", {}, value)]));
  }

  // app/display.js
  var name = (setting) => "recallbench-" + setting;
  var get = (setting) => localStorage.getItem(name(setting)) ?? "";
  var lettersOff = () => get("letters") === "off";
  function set(setting, value) {
    localStorage.setItem(name(setting), value);
    colours();
  }
  function colours() {
    document.documentElement.classList.toggle("light", get("colours") === "light");
    document.documentElement.classList.toggle("dark", get("colours") === "dark");
  }
  function showKeys(keys) {
    const dialog = byId("keys"), choice2 = (value, title2) => h("option", { value }, title2);
    draw(
      dialog,
      h("h2", { id: "_keys-title" }, "Keys and display"),
      h("dl", { class: "facts" }, keys.map(([key, does]) => [h("dt", {}, key.split(" ").map((k) => h("kbd", {}, k))), h("dd", {}, does)])),
      h("p", {}, h("label", {}, h("input", { type: "checkbox", checked: !lettersOff(), onchange: (e) => set("letters", e.target.checked ? "" : "off") }), " single characters are keys")),
      h("p", {}, h("label", {}, "Colours ", h("select", { value: get("colours"), onchange: (e) => set("colours", e.target.value) }, choice2("", "as the system"), choice2("light", "light"), choice2("dark", "dark")))),
      h("form", { method: "dialog" }, h("button", {}, "Close"))
    );
    if (!dialog.open) dialog.showModal();
  }

  // app/print.js
  var MOST = 6;
  var NAMES = 3;
  function columnsOf(table) {
    const taken = [], columns = /* @__PURE__ */ new Map();
    [...table.rows].forEach((row, r) => {
      let at = 0;
      for (const cell of row.cells) {
        while (taken[r]?.has(at)) at++;
        columns.set(cell, [at, cell.colSpan]);
        for (let below = r; below < r + cell.rowSpan; below++) for (let k = 0; k < cell.colSpan; k++) (taken[below] ??= /* @__PURE__ */ new Set()).add(at + k);
        at += cell.colSpan;
      }
    });
    return columns;
  }
  function named(table) {
    const row = [...table.tBodies[0]?.rows[0]?.cells ?? []];
    const leading = (is) => [...row, null].findIndex((c) => c === null || !is(c));
    return leading((c) => c.scope === "row") || Math.max(1, Math.min(NAMES, leading((c) => !c.classList.contains("number"))));
  }
  function part(table, columns, kept) {
    const copy = table.cloneNode(true), cells = [...copy.querySelectorAll("th, td")];
    copy.classList.add("part-of-table");
    [...columns].forEach(([, [at, span]], i) => {
      const left = Array.from({ length: span }, (_, k) => at + k).filter(kept).length;
      if (left > 0) cells[i].colSpan = left;
      else cells[i].remove();
    });
    return copy;
  }
  function split(box) {
    for (const details of box.querySelectorAll("#_request details")) {
      details.fill?.();
      details.open = true;
    }
    for (const table of box.querySelectorAll("table")) {
      const columns = columnsOf(table), all = Math.max(0, ...[...columns.values()].map(([at, span]) => at + span));
      if (all <= MOST) continue;
      const names = named(table), parts = [];
      for (let from = names; from < all; from += MOST - names) parts.push(part(table, columns, (k) => k < names || k >= from && k < from + MOST - names));
      table.after(...parts);
      table.classList.add("in-parts");
    }
  }
  function join(box) {
    for (const copy of box.querySelectorAll(".part-of-table")) copy.remove();
    for (const table of box.querySelectorAll(".in-parts")) table.classList.remove("in-parts");
  }

  // app/app.js
  function parse(hash) {
    const m = /^#\/(?:run\/([\w+-]+)\/?)?(\w*)(?:\/([\w-]+))?(?:\?(.*))?$/.exec(hash);
    if (m) return { key: m[1] ?? "", name: m[2], id: m[3] ?? "", state: Object.fromEntries(new URLSearchParams(m[4] ?? "")) };
    if (hash.includes("=")) return { key: "", name: "requests", state: Object.fromEntries(new URLSearchParams(hash.slice(1))) };
    return { key: "", name: "", state: {} };
  }
  var App = class {
    constructor(pages, newSource) {
      this.pages = pages;
      this.newSource = newSource;
      this.key = null;
      this.page = null;
      this.state = {};
      this.ready = null;
      addEventListener("hashchange", () => this.follow());
      document.addEventListener("keydown", (e) => this.press(e));
      byId("keys-of").addEventListener("click", () => this.showKeys());
      colours();
      addEventListener("beforeprint", () => split(byId("main")));
      addEventListener("afterprint", () => join(byId("main")));
    }
    // part reads a part of the runs, once.
    part(name2) {
      if (!this.parts.has(name2)) this.parts.set(name2, this.source.part(name2));
      return this.parts.get(name2);
    }
    // index is that of requests.
    async index() {
      this.made ??= new Index(await this.part("index"));
      if (this.source.can("runs")) byId("title").textContent = visible([...new Set(this.made.cells.map((c) => c.run))].join(", "));
      return this.made;
    }
    // offered are the pages that the navigation has.
    offered() {
      return this.pages.filter((p) => p.title && (p.apart || this.key !== "" || !this.source.can("runs")) && this.can(p));
    }
    can(page) {
      return !page.needs || this.source.can(page.needs);
    }
    // link is the address of a page, of the same runs unless another key is given.
    link(name2, state = {}, key = this.key) {
      const page = this.pages.find((p) => p.name === name2.split("/")[0]);
      const query = new URLSearchParams(state).toString();
      return "#/" + (key && !page.apart ? `run/${key}/` : "") + name2 + (query ? "?" + query : "");
    }
    // go opens a page, which the browser's Back leaves again.
    go(name2, state, key) {
      const link = this.link(name2, state, key);
      if (link === location.hash) return;
      history.pushState(null, "", link);
      this.follow();
    }
    // note puts the page's state into the address and leaves what is shown to the page.
    note(state, push) {
      this.state = state;
      const link = this.link(this.page.name + (this.id ? "/" + this.id : ""), state);
      if (link !== location.hash) history[push ? "pushState" : "replaceState"](null, "", link);
    }
    // set changes the state and shows the page anew.
    set(changes, push) {
      const state = { ...this.state, ...changes };
      for (const [name2, value] of Object.entries(state)) if (!value) delete state[name2];
      this.note(state, push);
      return this.follow();
    }
    // follow shows what the address names.
    async follow() {
      const at = parse(location.hash);
      if (this.page && location.hash.startsWith("#_")) return;
      if (at.key !== this.key) {
        this.leave();
        this.key = at.key;
        this.source = this.newSource(at.key);
        this.parts = /* @__PURE__ */ new Map();
        this.loaded = /* @__PURE__ */ new Map();
        this.made = null;
        byId("title").textContent = document.title;
        draw(byId("main"));
      }
      const page = this.offered().find((p) => p.name === at.name) ?? this.offered()[0] ?? this.pages[0];
      if (page !== this.page) this.leave();
      this.page = page;
      this.state = at.state;
      this.id = at.id;
      this.frame();
      try {
        if (!this.loaded.has(page)) this.loaded.set(page, page.load?.(this));
        const data = await this.loaded.get(page);
        if (this.page !== page || this.state !== at.state) return;
        this.data = data;
        byId("main").className = page.name;
        draw(byId("main"), page.render(this, data));
        page.drawn?.(this, data);
        this.watch(page, data);
      } catch (err) {
        this.loaded.delete(page);
        draw(
          byId("main"),
          h("p", { class: "error" }, "This page cannot be shown: " + visible(err.message)),
          this.source.can("live") && this.key ? h("p", {}, h("a", { href: this.link("live") }, "How the run stands")) : ""
        );
        if (!err.expected) throw err;
      }
      this.ready ??= performance.now();
    }
    // watch asks for newer data while the page is shown.
    watch(page, data) {
      clearTimeout(this.timer);
      if (!page.every) return;
      this.timer = setTimeout(async () => {
        try {
          const news = document.hidden ? data : await page.again(this, data);
          if (this.page !== page || this.data !== data) return;
          if (news === data) {
            this.watch(page, data);
            return;
          }
          this.loaded.set(page, news);
          await this.follow();
        } catch (err) {
          this.say(err.message);
          this.watch(page, data);
        }
      }, page.every);
    }
    leave() {
      clearTimeout(this.timer);
      if (this.page && this.data !== void 0) this.page.leave?.(this, this.data);
      this.page = null;
      this.data = void 0;
      this.say("");
    }
    // frame draws what stands around the page.
    frame() {
      draw(byId("nav"), this.offered().map((p) => h("a", { href: this.link(p.name), key: p.name, "aria-current": p === this.page ? "page" : null }, p.title)));
    }
    say(text2) {
      byId("status").textContent = text2;
    }
    // showKeys lists the keys of the page.
    showKeys() {
      showKeys([
        ...this.page?.keys ?? [],
        ["[ ]", "previous and next step of a query"],
        ...this.offered().filter((p) => p.letter).map((p) => ["g " + p.letter, p.title]),
        ["?", "this list"]
      ]);
    }
    // press opens pages by g and their letter, and hands other keys to the page.
    press(e) {
      if (e.ctrlKey || e.metaKey || e.altKey || byId("keys").open) return;
      const typing = e.target.matches("input, select, textarea");
      if (!typing && e.key.length === 1 && e.key !== " " && lettersOff()) return;
      const chord = this.chord && !typing;
      this.chord = e.key === "g" && !typing;
      const page = chord && this.offered().find((p) => p.letter === e.key);
      if (page) {
        e.preventDefault();
        this.go(page.name);
      } else if (e.key === "?" && !typing) {
        this.showKeys();
      } else if ((e.key === "[" || e.key === "]") && !typing) {
        this.step(e.key === "]" ? 1 : -1);
      } else if (this.data !== void 0 && !this.chord) {
        this.page.press?.(this, this.data, e);
      }
    }
    // step chooses the next step of the query that is shown.
    step(by) {
      const steps = [...byId("main").querySelectorAll(".answer.chosen .steps button, .chat-memory .steps button")];
      steps[steps.findIndex((b) => b.getAttribute("aria-pressed") === "true") + by]?.click();
    }
  };

  // app/fold.js
  function part2(title2, open, fill3) {
    const element = h("details", {}, h("summary", {}, title2));
    element.fill = () => {
      element.append(fill3());
      element.fill = () => {
      };
    };
    if (open) {
      element.fill();
      element.open = true;
    }
    element.addEventListener("toggle", () => element.fill());
    return element;
  }
  var fill2 = (box, ...children) => box.replaceChildren(...h("div", {}, children).childNodes);
  function later(read, show) {
    const box = h("div", { class: "later", "aria-busy": "true" }, "…");
    (async () => {
      try {
        fill2(box, show(await read()));
      } catch (err) {
        fill2(box, h("p", { class: "none" }, visible(err.message)));
        if (!err.expected) throw err;
      } finally {
        box.removeAttribute("aria-busy");
      }
    })();
    return box;
  }

  // app/structure.js
  var MARKS = {
    created: ["+", "created"],
    deleted: ["−", "deleted"],
    updated: ["~", "updated"],
    "moved-away": ["→", "moved away"],
    "moved-here": ["→", "moved here"]
  };
  var BINS = 5;
  var MOST2 = 500;
  var shade = (w) => "shade w" + Math.max(0, Math.min(BINS - 1, Math.floor(w * BINS)));
  var weight = (w) => h("span", { class: shade(w), title: "relevance" }, w.toFixed(2));
  function structureView(structure, chosen = () => {
  }, node = "") {
    const view = new Outline(structure, chosen);
    if (node) view.reveal(node);
    return h(
      "div",
      { class: "structure" },
      structure.version ? h("p", { class: "fine" }, `version ${structure.version}${structure.base ? `, made from ${structure.base}` : ""}`) : null,
      structure.notes?.map((n) => h("p", { class: "fine" }, said(n))),
      structure.query ? executionView(structure, (step) => view.shadeBy(step), (id) => view.choose(id)) : null,
      structure.kind === "graph" ? graphView(structure) : view.element,
      structure.before ? part2("Versions side by side", false, () => sidesView(structure)) : null
    );
  }
  function sidesView({ kind, base, version, before, nodes }) {
    const views = [before, nodes.filter((n) => !n.ghost)].map((all) => new Outline({ kind, nodes: all }, (id) => views.forEach((v) => v.reveal(id))));
    const changed = nodes.find((n) => n.mark);
    if (changed) for (const v of views) v.reveal(changed.id);
    return h("div", { class: "versions" }, views.map((v, k) => h("section", {}, h("h5", {}, `version ${k ? version : base}`), v.element)));
  }
  var Outline = class {
    constructor(structure, chosen) {
      this.chosen = chosen;
      this.nodes = /* @__PURE__ */ new Map();
      this.below = /* @__PURE__ */ new Map();
      this.weights = /* @__PURE__ */ new Map();
      this.above = /* @__PURE__ */ new Map();
      structure.nodes.forEach((n, i) => this.nodes.set(i, n));
      const byID = new Map(structure.nodes.map((n, i) => [n.id, i]));
      const put = (from, to) => {
        if (!this.below.has(from)) this.below.set(from, []);
        this.below.get(from).push(to);
        if (!this.above.has(to)) this.above.set(to, from);
      };
      const path = [];
      this.tops = [];
      if (structure.kind === "tree") {
        structure.nodes.forEach((n, i) => {
          path.length = n.level - 1;
          if (path.length > 0) put(path.at(-1), i);
          else this.tops.push(i);
          path.push(i);
        });
      } else {
        for (const l of structure.links ?? []) put(byID.get(l.from), byID.get(l.to));
        this.tops = structure.nodes.map((_, i) => i).filter((i) => !this.above.has(i));
      }
      this.open = /* @__PURE__ */ new Set();
      structure.nodes.forEach((n, i) => {
        if (n.weight !== void 0) this.weights.set(n.id, n.weight);
        if (structure.kind === "tree" ? n.about || n.mark : n.about && n.type !== "turn") {
          this.openAbove(i);
        }
      });
      if (this.open.size === 0 && this.tops.length === 1) this.open.add(this.tops[0]);
      this.at = null;
      this.element = h("div", { role: "tree", class: "outline", "aria-label": "what the memory holds", onkeydown: (e) => this.press(e) });
      this.draw();
    }
    openAbove(i) {
      for (let at = this.above.get(i); at !== void 0 && !this.open.has(at); at = this.above.get(at)) this.open.add(at);
    }
    // rows are the visible ones, as {i, key, level}: a node may lie below several.
    *rows(list = this.tops, key = "", level = 1) {
      for (const i of list) {
        const row = { i, key: key + "/" + i, level };
        yield row;
        if (this.open.has(i)) yield* this.rows(this.below.get(i) ?? [], row.key, level + 1);
      }
    }
    draw() {
      const all = [...this.rows()];
      if (!all.some((r) => r.key === this.at)) this.at = all[0]?.key ?? null;
      this.shown = all.slice(0, MOST2);
      const focused = this.element.contains(document.activeElement);
      fill2(
        this.element,
        this.shown.map((r) => this.row(r)),
        all.length > MOST2 ? h("p", { class: "fine" }, `${all.length - MOST2} rows more; fold what is open`) : null
      );
      if (focused) this.element.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
    }
    row({ i, key, level }) {
      const n = this.nodes.get(i), below = this.below.get(i)?.length ?? 0;
      const mark = MARKS[n.mark];
      return h(
        "div",
        {
          role: "treeitem",
          class: ["node", n.ghost ? "ghost" : "", n.about ? "about" : "", n.mark ?? ""].join(" ").trim(),
          "aria-level": level,
          "aria-expanded": below ? String(this.open.has(i)) : null,
          "aria-selected": String(key === this.at),
          tabindex: key === this.at ? "0" : "-1",
          "data-id": n.id,
          onclick: () => {
            this.at = key;
            this.toggle(i);
            this.chosen(n.id);
          }
        },
        s("svg", { width: level * 14, height: 8, "aria-hidden": "true" }),
        h("span", { class: "turner", "aria-hidden": "true" }, below ? this.open.has(i) ? "▾" : "▸" : "·"),
        " ",
        mark ? h("strong", { class: "mark-" + n.mark }, mark[0], " ", mark[1], " ") : "",
        n.about ? h("span", { title: "the request was about it" }, "★ ") : "",
        h("span", { class: "type" }, said(n.type)),
        " ",
        said(n.label),
        this.weights.has(n.id) ? [" ", weight(this.weights.get(n.id))] : "",
        below && !this.open.has(i) ? h("span", { class: "fine" }, ` ${below} below`) : "",
        n.fields?.map(([name2, ...values]) => h("div", { class: "field" }, said(name2), ": ", was(n, name2), said(values.join("; ")))),
        n.was?.filter(([name2]) => !n.fields?.some(([f]) => f === name2)).map(([name2, ...values]) => h("div", { class: "field" }, said(name2), ": ", h("del", {}, said(values.join("; "))))),
        n.text ? passage(n.text) : null
      );
    }
    toggle(i) {
      if (this.open.has(i)) this.open.delete(i);
      else this.open.add(i);
      this.draw();
    }
    choose(id) {
      this.reveal(id);
      this.chosen(id);
    }
    // reveal marks the row of a node and opens what is above.
    reveal(id) {
      for (const [i, n] of this.nodes) if (n.id === id && !n.ghost) this.openAbove(i);
      this.draw();
      this.at = this.shown.find((r) => this.nodes.get(r.i).id === id)?.key ?? this.at;
      this.draw();
    }
    // shadeBy shows the weights that a step gave.
    shadeBy(step) {
      this.weights = new Map(step.candidates.map((c) => [c.id, c.weight]));
      this.draw();
    }
    press(e) {
      const k = this.shown.findIndex((r) => r.key === this.at);
      if (k < 0) return;
      const { i, level } = this.shown[k], below = this.below.get(i)?.length > 0;
      const up = () => {
        for (let j = k; j >= 0; j--) if (this.shown[j].level < level) return j;
        return k;
      };
      let to = k;
      if (e.key === "ArrowDown") to = k + 1;
      else if (e.key === "ArrowUp") to = k - 1;
      else if (e.key === "Home") to = 0;
      else if (e.key === "End") to = this.shown.length - 1;
      else if (e.key === "ArrowRight" && below && this.open.has(i)) to = k + 1;
      else if (e.key === "ArrowRight" && below) this.open.add(i);
      else if (e.key === "ArrowLeft" && this.open.has(i) && below) this.open.delete(i);
      else if (e.key === "ArrowLeft") to = up();
      else if (e.key === "*") for (const all of this.below.keys()) this.open.add(all);
      else if (e.key === "Enter" || e.key === " ") this.chosen(this.nodes.get(i).id);
      else return;
      e.preventDefault();
      e.stopPropagation();
      this.at = this.shown[Math.max(0, Math.min(this.shown.length - 1, to))].key;
      this.draw();
      this.element.querySelector("[tabindex='0']")?.scrollIntoView({ block: "nearest" });
    }
  };
  function was(n, name2) {
    const old = n.was?.find(([f]) => f === name2);
    return old && old.length > 1 ? [h("del", {}, said(old.slice(1).join("; "))), " → "] : old ? h("em", {}, "new ") : "";
  }
  function executionView(structure, shadeBy, choose) {
    const steps = structure.steps ?? [], box = h("div", { class: "step" });
    const show = (k) => {
      const s2 = steps[k];
      fill2(
        box,
        h("p", {}, `reached ${s2.reached}, of the type ${s2.tested}, selected ${s2.selected}${s2.omitted ? `; ${s2.omitted} more are not shown` : ""}`),
        h("ol", {}, s2.candidates.map((c) => h(
          "li",
          {},
          c.matched ? h("strong", { title: "leads to a match" }, "✓ ") : "",
          h("button", { type: "button", class: "plain", onclick: () => choose(c.id) }, said(c.path)),
          " ",
          h("span", { class: "fine" }, `${c.previous.toFixed(3)} × ${c.score.toFixed(3)} = `),
          weight(c.weight),
          c.detail ? part2("condition", false, () => detailView(c.detail)) : null
        )))
      );
      for (const [i, b] of buttons.entries()) b.setAttribute("aria-pressed", String(i === k));
    };
    const buttons = steps.map((s2, k) => h("button", { type: "button", "aria-pressed": "false", onclick: () => {
      show(k);
      shadeBy(steps[k]);
    } }, said(s2.query)));
    return h(
      "section",
      { class: "execution", "aria-label": "query" },
      h("p", {}, h("code", {}, said(structure.query))),
      buttons.length ? h("div", { class: "steps" }, buttons) : null,
      box
    );
  }
  function detailView(d) {
    return h(
      "div",
      {},
      h("code", {}, said(d.condition)),
      " ",
      said(d.operator),
      " ",
      weight(d.score),
      d.text ? passage(d.text) : null,
      d.nodes !== void 0 ? h("span", { class: "fine" }, ` over ${d.nodes} nodes`) : null,
      d.of?.length || d.evidence?.length ? h(
        "ul",
        {},
        d.of?.map((o) => h("li", {}, detailView(o))),
        d.evidence?.map((e) => h("li", {}, said(e.path), detailView(e.detail)))
      ) : null
    );
  }
  var LINE = 20;
  function graphView(structure) {
    const node = new Map(structure.nodes.map((n) => [n.id, n]));
    const links = (structure.links ?? []).filter((l) => node.get(l.to).about).slice(0, MOST2);
    const left = [...new Set(links.map((l) => l.from))], right = structure.nodes.filter((n) => n.about && n.type === "turn").map((n) => n.id);
    const at = (list, id) => (list.indexOf(id) + 0.7) * LINE;
    const name2 = (id) => visible(node.get(id).label).slice(0, 40);
    const turns = Map.groupBy(structure.links ?? [], (l) => l.from);
    return h(
      "div",
      {},
      right.length === 0 ? null : s(
        "svg",
        { class: "links", viewBox: `0 0 600 ${Math.max(left.length, right.length) * LINE + 4}`, role: "img", "aria-label": "entities and the turns that mention them" },
        links.map((l) => s("line", { x1: 250, y1: at(left, l.from) - 4, x2: 390, y2: at(right, l.to) - 4 })),
        left.map((id) => s("text", { x: 244, y: at(left, id), "text-anchor": "end" }, name2(id))),
        right.map((id) => s("text", { x: 396, y: at(right, id) }, "★ " + name2(id)))
      ),
      part2(
        `All entities (${turns.size})`,
        false,
        () => h(
          "table",
          {},
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "entity"), h("th", { scope: "col" }, "type"), h("th", { scope: "col" }, "turns"))),
          h("tbody", {}, [...turns].map(([id, all]) => h(
            "tr",
            {},
            h("th", { scope: "row" }, said(node.get(id).label)),
            h("td", {}, said(node.get(id).type)),
            h("td", {}, said(all.map((l) => node.get(l.to).label).join(" ")))
          )))
        )
      )
    );
  }

  // app/transcript.js
  var PHASES = { query: "", memory: "for the memory, which requests share", judgment: "for the judge" };
  var dollars = (usd2) => usd2 === null || usd2 === void 0 ? "price unknown" : "$" + usd2.toPrecision(3);
  function transcriptView(source, a, others) {
    return h(
      "div",
      { class: "transcript" },
      later(() => source.calls(a.i), (t) => [callsView(t, a), missingView(t.missing)]),
      source.can("prompts") ? others.map((o) => part2(
        ["Prompts beside those of ", said(o.title)],
        false,
        () => later(() => source.prompts(a.i, o.i), (pairs2) => pairs2.map(pairView))
      )) : null
    );
  }
  function callsView(t, a) {
    const seen = /* @__PURE__ */ new Map();
    return h("ol", { class: "calls" }, t.calls.map((c, k) => h("li", {}, part2([
      h("strong", {}, said(c.stage || c.role)),
      " ",
      said(c.served || c.model),
      " ",
      h("span", { class: "fine" }, numbers(c))
    ], false, () => h(
      "div",
      {},
      PHASES[c.phase] ? h("p", { class: "fine" }, PHASES[c.phase]) : null,
      c.messages.map((m) => messageView(t, a, m, m.role, seen, k + 1)),
      messageView(t, a, c.reply, "reply", seen, k + 1),
      facts([
        ["model", said(c.model)],
        ["finish", c.finish ? said(c.finish) : null],
        ...Object.entries(c.params ?? {}).map(([name2, value]) => [said(name2), said(value)]),
        ["recording", said(c.id)]
      ])
    )))));
  }
  function numbers(c) {
    const u = c.usage;
    const parts = [
      `${count(u.input)} tokens read`,
      u.cached ? `${count(u.cached)} of them cached` : "",
      `${count(u.output)} written`,
      u.reasoning ? `${count(u.reasoning)} of them reasoning` : "",
      dollars(c.usd),
      milliseconds(c.took_ms ?? c.ms),
      c.attempts > 1 ? `${c.attempts} attempts` : "",
      c.reused === null ? "recorded or paid: not known" : c.reused ? "recorded" : "paid"
    ];
    return parts.filter((x) => x !== "").join(", ");
  }
  function messageView(t, a, m, role, seen, call) {
    const same = JSON.stringify([role, m.parts]), before = seen.get(same);
    if (before === void 0) seen.set(same, call);
    return h(
      "section",
      { class: "message" },
      h("h5", {}, visible(role)),
      before !== void 0 && before !== call ? h("p", { class: "fine" }, `as in call ${before}`) : m.parts.length === 0 ? h("p", { class: "none" }, "nothing") : m.parts.map((p) => typeof p === "number" ? passage(t.texts[p]) : blockView(a, p.block))
    );
  }
  function blockView(a, k) {
    const b = a.evidence[k];
    const gold = (b.sources ?? []).some((id) => a.gold?.evidence?.includes(id));
    return part2(`evidence ${k + 1}, ${count(b.tokens)} tokens${gold ? " ★" : ""}`, false, () => passage(b.text));
  }
  function missingView(missing) {
    if (missing.length === 0) return null;
    const why = Map.groupBy(missing, (m) => m.why);
    return h("ul", { class: "missing" }, [...why].map(([text2, all]) => h(
      "li",
      {},
      `${all.length} ${all.length === 1 ? "call is" : "calls are"} not shown: `,
      said(text2),
      h("div", { class: "fine" }, said(all.map((m) => m.id).join(" ")))
    )));
  }
  function pairView(p) {
    const title2 = h("h5", {}, visible(p.role));
    if (!p.diff) return h("div", {}, title2, h("p", { class: "fine" }, p.left ? "only this request has the call" : "only the other request has the call"));
    return h(
      "div",
      {},
      title2,
      p.diff.params.length ? facts(p.diff.params.map((d) => [said(d.name), [said(d.left || "none"), " → ", said(d.right || "none")]])) : null,
      p.diff.messages.map((m) => h(
        "section",
        { class: "message" },
        h("h5", {}, visible(m.role)),
        m.op === "same" ? h("p", { class: "fine" }, "the same") : h("div", { class: "diff" }, stretches(m.lines).map(stretchView))
      ))
    );
  }
  var SIGNS = { same: " ", left: "−", right: "+" };
  var AROUND = 3;
  function stretches(lines) {
    const near = lines.map((l, i) => lines.slice(Math.max(0, i - AROUND), i + AROUND + 1).some((o) => o.op !== "same"));
    const out = [];
    lines.forEach((line, i) => {
      if (near[i]) out.push({ line });
      else if (out.at(-1)?.hidden) out.at(-1).hidden.push(line);
      else out.push({ hidden: [line] });
    });
    return out;
  }
  function stretchView(s2) {
    if (s2.line) return lineView(s2.line);
    return part2(`${count(s2.hidden.length)} unchanged ${s2.hidden.length === 1 ? "line" : "lines"}`, false, () => h("div", {}, s2.hidden.map(lineView)));
  }
  function lineView(l) {
    const words = { same: "in both", left: "only in this", right: "only in the other" }[l.op];
    return h(
      "div",
      { class: "diff-" + l.op, title: words },
      h("span", { class: "sign", "aria-label": words }, SIGNS[l.op]),
      h("span", { dir: "auto" }, visible(l.text ?? ""))
    );
  }

  // app/chat.js
  var chat = {
    name: "chat",
    title: "Chat",
    letter: "t",
    needs: "chat",
    apart: true,
    load: (app2) => new Chat(app2),
    render: (app2, c) => c.element,
    drawn: (app2, c) => c.follow(),
    press: (app2, c, event) => c.press(event),
    keys: [["u", "undo"], ["U", "redo"]],
    leave: (app2, c) => c.stop()
  };
  var Chat = class {
    constructor(app2) {
      this.app = app2;
      this.source = app2.source;
      this.id = null;
      this.view = null;
      this.parts = {};
      for (const name2 of ["bar", "talk", "memory", "turn"]) this.parts[name2] = h("section", { class: "chat-" + name2, "aria-label": { bar: "chat", talk: "conversation", memory: "memory", turn: "turn" }[name2] });
      this.fault = h("p", { class: "error", role: "alert", hidden: true });
      this.progress = h("p", { class: "fine", role: "status" });
      this.element = h(
        "div",
        { key: "chat" },
        h("h2", {}, "Chat"),
        this.fault,
        this.parts.bar,
        h("div", { class: "chat-views" }, this.parts.talk, this.parts.memory, this.parts.turn)
      );
    }
    // follow shows the chat that the address names, or all.
    async follow() {
      if (this.app.id !== this.id) {
        this.stop();
        this.id = this.app.id;
        this.view = null;
        for (const box of Object.values(this.parts)) fill2(box);
        await this.attempt(() => this.id ? this.read() : this.begin());
        if (this.id) this.listen();
      } else if (this.view) {
        await this.attempt(() => this.show());
      }
    }
    // attempt does something and says what the server has against it.
    async attempt(act) {
      try {
        this.fault.hidden = true;
        await act();
      } catch (err) {
        if (!err.expected) throw err;
        this.fault.hidden = false;
        fill2(this.fault, said(err.message));
      }
    }
    post(path, body) {
      return this.attempt(() => this.source.ask(`chat/${this.id}/${path}`, body));
    }
    // begin offers the chats that there are, examples, and a memory of one's own.
    async begin() {
      const [chats, examples] = await Promise.all([this.source.ask("chat"), this.source.ask("chat/examples")]);
      const start = (body, requests2) => this.attempt(async () => {
        const { id } = await this.source.ask("chat", body);
        this.app.go("chat/" + id, requests2 ? { text: requests2[0] } : {});
      });
      const field = (name2, title2, attributes) => h("label", {}, title2, " ", h("input", { name: name2, ...attributes }));
      const form = h(
        "form",
        { class: "bar", onsubmit: (e) => {
          e.preventDefault();
          const f = Object.fromEntries(new FormData(form));
          const source = f.xml ? { xml: f.xml } : { dataset: f.dataset, sample: f.sample, options: f.options ? JSON.parse(f.options) : void 0 };
          start({ source, method: f.method, model: f.model, today: f.today });
        } },
        field("dataset", "Dataset"),
        field("sample", "Sample"),
        field("options", "Options of the dataset, as JSON"),
        h("label", {}, "or a tree, as XML ", h("textarea", { name: "xml", rows: 3 })),
        field("method", "Method", { value: "semantic-xpath" }),
        field("model", "Model", { value: "offline" }),
        field("today", "Today", { type: "date" }),
        h("button", {}, "Begin")
      );
      fill2(
        this.parts.bar,
        h("h3", {}, "Examples"),
        h("ul", {}, examples.map((e) => h("li", {}, h("button", { type: "button", onclick: () => start({ source: e.source, method: e.method, today: e.today }, e.requests) }, said(e.name)), " ", said(e.doc)))),
        h("h3", {}, "A memory of your own"),
        form,
        h("h3", {}, `Chats (${chats.length})`),
        h("ul", {}, chats.map((c) => h(
          "li",
          {},
          h("a", { href: this.app.link("chat/" + c.id) }, said(c.time.slice(0, 16).replace("T", " "))),
          " ",
          said(c.method),
          ", ",
          said(c.model === "offline" ? "rules" : c.model),
          ", ",
          said(c.source.sample || "a tree")
        )))
      );
    }
    async read() {
      this.view = await this.source.ask("chat/" + this.id);
      await this.show();
    }
    // listen follows the events of the chat until the page is left.
    listen() {
      this.stream = new AbortController();
      const read = () => this.attempt(() => this.read());
      this.source.stream(`chat/${this.id}/events`, this.stream.signal, { last: 0, heard: (name2, data) => this.heard(name2, data), poll: read, lost: (text2) => this.say(text2) });
    }
    async heard(name2, data) {
      if (name2 === "state") this.say("");
      if (name2 === "stage" && !data.done) this.say(data.stage + " …");
      else if (name2 === "call") this.say(`${data.stage}: ${data.reused ? "recorded" : "paid"}, ${Math.round(data.ms)} ms`);
      else if (name2 === "paid") this.say(dollars(data.usd));
      else if (name2 === "begun") this.say("asked");
      else if (["state", "answer", "failed", "cancelled", "head"].includes(name2)) await this.attempt(() => this.read());
    }
    say(text2) {
      this.progress.textContent = visible(text2);
    }
    stop() {
      this.stream?.abort();
      this.stream = null;
    }
    turn(id) {
      return this.view.turns.find((t) => t.id === id);
    }
    // chosen is the turn that the address names, else the head.
    chosen() {
      return Number(this.app.state.turn ?? this.view.head);
    }
    // path are the turns from the first to the head.
    path() {
      const path = /* @__PURE__ */ new Set();
      for (let t = this.turn(this.view.head); t; t = this.turn(t.parent)) path.add(t.id);
      return path;
    }
    async show() {
      const at = this.chosen();
      this.showBar();
      this.showTalk(at);
      if (!this.view.source.tree) {
        this.showTurn(at);
        return;
      }
      const before = this.app.state.before === "1";
      const of = before ? this.turn(at)?.parent ?? 0 : at;
      const s2 = await this.source.ask(`chat/${this.id}/structure?turn=${of}`);
      if (at !== this.chosen()) return;
      this.showMemory(at, before, s2);
      this.showTurn(at);
    }
    showBar() {
      const v = this.view, head = this.turn(v.head);
      const button = (text2, able, act) => h("button", { type: "button", disabled: !able, onclick: act }, text2);
      draw(this.parts.bar, h(
        "div",
        { class: "bar" },
        h("a", { href: this.app.link("chat") }, "All chats"),
        h("span", {}, said(v.method), ", answered by ", said(v.model === "offline" ? "rules" : v.model)),
        button("Undo", head && !v.busy, () => this.undo()),
        button("Redo", v.redo && !v.busy, () => this.redo()),
        button("Cancel the turn", v.busy, () => this.post("cancel", {})),
        ["chat", "calls"].map((as) => button("Export " + as, true, () => this.export(as)))
      ));
    }
    undo() {
      return this.post("head", { turn: this.turn(this.view.head).parent }).then(() => this.app.set({ turn: "" }));
    }
    redo() {
      return this.post("head", { turn: this.view.redo }).then(() => this.app.set({ turn: "" }));
    }
    press(e) {
      if (!this.view || e.target.matches("input, select, textarea")) return;
      if (e.key === "u" && this.turn(this.view.head)) this.undo();
      else if (e.key === "U" && this.view.redo) this.redo();
    }
    // export hands out a file.
    export(as) {
      return this.attempt(async () => {
        const reply = await this.source.fetch(`chat/${this.id}/export?as=${as}`);
        const url = URL.createObjectURL(await reply.blob());
        const link = h("a", { href: url, download: `chat-${this.id}-${as}.zip` });
        link.click();
        URL.revokeObjectURL(url);
      });
    }
    showTalk(at) {
      const path = this.path(), node = this.app.state.node;
      const touched = (t) => node && ((t.record.nodes ?? []).includes(node) || (t.record.edits ?? []).some((e) => JSON.stringify(e).includes(`"${node}"`)));
      if (!this.form) {
        const text2 = h("textarea", { rows: 2, "aria-label": "request" });
        text2.value = this.app.state.text ?? "";
        text2.addEventListener("keydown", (e) => {
          if (e.key === "Enter" && !e.shiftKey) {
            e.preventDefault();
            this.form.requestSubmit();
          }
        });
        this.form = h("form", { class: "bar", onsubmit: async (e) => {
          e.preventDefault();
          await this.attempt(async () => {
            await this.source.ask(`chat/${this.id}/turn`, { parent: this.view.head, text: text2.value });
            text2.value = "";
            this.app.set({ turn: "", text: "" });
          });
        } }, text2, h("button", {}, "Ask"));
      }
      draw(
        this.parts.talk,
        h("h3", {}, "Conversation"),
        h("ol", { class: "turns" }, this.view.turns.map((t) => h(
          "li",
          { key: t.id, class: [t.id === at ? "chosen" : "", path.has(t.id) ? "" : "aside", touched(t) ? "touched" : ""].join(" ").trim() || null },
          h("button", { type: "button", class: "plain", "aria-pressed": String(t.id === at), onclick: () => this.app.set({ turn: String(t.id) }, true) }, said(t.text)),
          h("p", {}, t.record.error ? h("strong", {}, said(t.record.error.kind + ": " + t.record.error.message)) : said(t.record.answer ?? "")),
          h(
            "p",
            { class: "fine" },
            `turn ${t.id}, version ${t.version}`,
            kinds(t).map((k) => h("span", { class: "kind" }, " ", k)),
            touched(t) ? " ★ reads or changes the node" : "",
            path.has(t.id) ? "" : [" on another branch ", h("button", { type: "button", class: "plain", onclick: () => this.post("head", { turn: t.id }).then(() => this.app.set({ turn: "" })) }, "go there")]
          )
        ))),
        this.progress,
        this.form
      );
    }
    showMemory(at, before, s2) {
      const query = h("input", { size: 30, "aria-label": "a query of your own", placeholder: '//POI[node ~= "art"]' });
      const result = h("div", {});
      fill2(
        this.parts.memory,
        h("h3", {}, `Memory ${before ? "before" : "after"} ${at ? "turn " + at : "the first turn"}`),
        at ? h("button", { type: "button", onclick: () => this.app.set({ before: before ? "" : "1" }) }, before ? "Show it after" : "Show it before") : null,
        structureView(s2, (id) => this.choose(id), this.app.state.node),
        h("form", { class: "bar", onsubmit: (e) => {
          e.preventDefault();
          this.attempt(async () => fill2(result, structureView(await this.source.ask(`chat/${this.id}/query`, { version: s2.version, query: query.value }), (id) => this.choose(id))));
        } }, query, h("button", {}, "What if")),
        result
      );
    }
    // choose marks the turns that read or changed a node.
    choose(id) {
      this.app.note({ ...this.app.state, node: id });
      this.showTalk(this.chosen());
    }
    showTurn(at) {
      const t = this.turn(at);
      if (!t) return fill2(this.parts.turn);
      const r = t.record;
      return fill2(
        this.parts.turn,
        h("h3", {}, `Turn ${at}`),
        facts([
          ["request", said(t.text)],
          ["answer", r.error ? said(r.error.message) : passage(r.answer ?? "")],
          ["version", t.summary ? [`${t.version}: `, said(t.summary)] : String(t.version)],
          ["cost", dollars(r.cost)],
          ["time", `${Math.round(r.time.total_ms)} ms`]
        ]),
        t.evidence?.length ? part2(`Evidence (${t.evidence.length})`, false, () => h("ol", {}, t.evidence.map((e) => h("li", {}, said(e.ID), passage(e.Text))))) : null,
        r.edits?.length ? part2(`Edits (${r.edits.length})`, true, () => passage(JSON.stringify(r.edits, null, 2))) : null,
        r.trace?.length ? part2(`Trace (${r.trace.length})`, false, () => h("ol", {}, r.trace.map((s2) => h("li", {}, h("strong", {}, said(s2.name)), s2.note ? passage(s2.note) : null)))) : null
      );
    }
  };
  function kinds(t) {
    const ops = [...new Set((t.record.edits ?? []).map((e) => e.op))];
    return ops.length ? ops : t.record.nodes?.length ? ["read"] : [];
  }

  // app/source.js
  async function inflate(id) {
    const binary = atob(byId(id).textContent);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(plain).text());
  }
  var Chunks = class _Chunks {
    static KEPT = 48;
    constructor(prefix, firsts) {
      this.prefix = prefix;
      this.firsts = firsts;
      this.read = /* @__PURE__ */ new Map();
    }
    async get(n) {
      let low = 0, high = this.firsts.length - 1;
      while (low < high) {
        const middle = low + high + 1 >> 1;
        if (this.firsts[middle] <= n) low = middle;
        else high = middle - 1;
      }
      const values = this.read.get(low) ?? inflate(this.prefix + low);
      this.read.delete(low);
      this.read.set(low, values);
      if (this.read.size > _Chunks.KEPT) this.read.delete(this.read.keys().next().value);
      return (await values)[n - this.firsts[low]];
    }
  };
  var FileSource = class {
    // A file has what bench report was told to write.
    can(feature) {
      return { calls: byId("c0"), structure: byId("s0"), notes: byId("notes") }[feature] != null;
    }
    async part(name2) {
      const part3 = await inflate(name2);
      if (name2 === "index") {
        this.details = new Chunks("d", part3.chunks.details);
        this.blocks = new Chunks("b", part3.chunks.blocks);
        this.transcripts = new Chunks("c", part3.chunks.calls);
        this.structures = new Chunks("s", part3.chunks.structures);
        this.home = /* @__PURE__ */ new Map();
        part3.requests.question.forEach((q, i) => {
          if (!this.home.has(q)) this.home.set(q, i);
        });
        this.question = part3.requests.question;
      }
      return part3;
    }
    async request(n) {
      const [detail, home] = await Promise.all([this.details.get(n), this.details.get(this.home.get(this.question[n]))]);
      const evidence = await Promise.all((detail.evidence ?? []).map(async (e) => ({ ...await this.blocks.get(e.block), score: e.score })));
      return { ...detail, gold: home.gold, evidence };
    }
    calls(n) {
      return this.transcripts.get(n);
    }
    async structure(n) {
      const s2 = await this.structures.get(n);
      if (s2 === null) throw Object.assign(new Error("what the memory held was not kept"), { expected: true });
      if (s2.like === void 0) return s2;
      const about = new Set(s2.about), all = await this.structures.get(s2.like);
      return { ...all, nodes: all.nodes.map((node) => ({ ...node, about: about.has(node.id) })) };
    }
    // notes are those about run number k of the page.
    async notes(k) {
      return (await inflate("notes"))[k] ?? [];
    }
  };
  var TOKEN = "recallbench-token";
  function takeToken() {
    const given = /^#(.*?)&?token=([\w-]+)$/.exec(location.hash);
    if (!given) return;
    localStorage.setItem(TOKEN, given[2]);
    history.replaceState(null, "", "#" + given[1]);
  }
  var unreached = () => Object.assign(new Error("bench view is not reached; start it again and open the address that it prints"), { expected: true });
  var RETRY = 2e3;
  var pause = (ms, signal) => new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener("abort", resolve);
  });
  var shown = (signal) => new Promise((resolve) => {
    document.addEventListener("visibilitychange", resolve, { once: true });
    signal.addEventListener("abort", resolve);
  });
  var ServerSource = class _ServerSource {
    static FEATURES = ["runs", "live", "chat", "calls", "prompts", "structure", "notes", "annotate", "search"];
    constructor(key) {
      this.key = key;
      this.run = "run/" + key + "/";
    }
    can(feature) {
      return _ServerSource.FEATURES.includes(feature);
    }
    // fetch asks the server for what is below /api/, by POST where there is a body.
    async fetch(path, body, options2) {
      const headers = { ...options2?.headers, Authorization: "Bearer " + (localStorage.getItem(TOKEN) ?? "") };
      if (body !== void 0) headers["Content-Type"] = "application/json";
      let reply;
      try {
        reply = await fetch("/api/" + path, { method: body === void 0 ? "GET" : "POST", body: body === void 0 ? void 0 : JSON.stringify(body), ...options2, headers });
      } catch (err) {
        if (err.name === "AbortError") throw err;
        throw unreached();
      }
      if (!reply.ok && reply.status !== 304) throw Object.assign(new Error((await reply.json()).error), { expected: true, status: reply.status });
      return reply;
    }
    // stream calls heard(name, data, id) with the events below /api/ until signal aborts, those
    // after the id last first. A hidden tab holds no stream. While the server has none to
    // spare, poll is asked every two seconds, which returns the id it has come to; while
    // there is no server, lost is told why.
    async stream(path, signal, { heard: heard2, poll, lost, last }) {
      for (let wait = RETRY; !signal.aborted; await pause(wait, signal)) {
        const stop = new AbortController(), end = () => stop.abort(), hide = () => {
          if (document.hidden) end();
        };
        signal.addEventListener("abort", end);
        document.addEventListener("visibilitychange", hide);
        try {
          if (document.hidden) await shown(signal);
          const reply = await this.fetch(path, void 0, { signal: stop.signal, headers: { "Last-Event-ID": String(last) } });
          wait = RETRY;
          const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
          const read = () => reader.read().catch((err) => {
            throw err.name === "AbortError" ? err : unreached();
          });
          let rest = "";
          for (let r = await read(); !r.done; r = await read()) {
            const events = (rest + r.value).split("\n\n");
            rest = events.pop();
            for (const e of events) {
              const [, id, name2, data] = /^id: (\d+)\nevent: (.*)\ndata: (.*)$/.exec(e) ?? [];
              if (!name2) continue;
              last = id;
              await heard2(name2, JSON.parse(data), id);
            }
          }
        } catch (err) {
          if (err.name === "AbortError") continue;
          try {
            if (err.status !== 429) throw err;
            last = await poll(last) ?? last;
          } catch (why) {
            if (!why.expected) throw why;
            lost(why.message);
            wait = Math.min(2 * wait, 16 * RETRY);
          }
        } finally {
          signal.removeEventListener("abort", end);
          document.removeEventListener("visibilitychange", hide);
        }
      }
    }
    // ask returns what the server has below /api/, null for what has not changed.
    async ask(path, body) {
      const reply = await this.fetch(path, body);
      return reply.status === 304 ? null : reply.json();
    }
    // get asks for what is below /api/run/KEY/.
    get(path) {
      return this.ask(this.run + path);
    }
    async part(name2) {
      const part3 = await this.get(name2);
      if (name2 === "index") this.rev = part3.rev;
      return part3;
    }
    async request(n) {
      const detail = await this.get(`request/${n}?rev=${this.rev}`);
      return { ...detail, evidence: (detail.evidence ?? []).map((e) => ({ ...e.inline, score: e.score })) };
    }
    calls(n) {
      return this.get(`calls/${n}?rev=${this.rev}`);
    }
    // prompts compares those of two requests.
    prompts(n, m) {
      return this.get(`prompts/${n}?with=${m}&rev=${this.rev}`);
    }
    structure(n) {
      return this.get(`structure/${n}?rev=${this.rev}`);
    }
    // notes are those about run number k of the page.
    notes(k) {
      return this.ask(`run/${this.key.split("+")[k]}/notes`);
    }
    // queues are the review queues of run number k, and addQueue draws one.
    queues(k) {
      return this.ask(`run/${this.key.split("+")[k]}/queues`);
    }
    addQueue(k, draw2) {
      return this.ask(`run/${this.key.split("+")[k]}/queues`, draw2);
    }
    addNote(k, note) {
      return this.ask(`run/${this.key.split("+")[k]}/notes`, note);
    }
  };

  // app/flips.js
  var VERDICTS2 = [
    { name: "lost", title: "lost", about: "right in A alone" },
    { name: "gained", title: "gained", about: "right in B alone" },
    { name: "both-wrong", title: "both wrong" },
    { name: "both-right", title: "both right" }
  ];
  function flips(index, a, b) {
    const right = index.outcomes.findIndex((o) => o.name === "right"), unclear = index.outcomes.findIndex((o) => o.name === "unclear");
    const values = index.scores[index.columns.findIndex((c) => c.name === index.judging.column)];
    const value = (i) => index.status[i] === 0 ? values[i] : 0;
    const { questions: questions2 } = index, sets = /* @__PURE__ */ new Map();
    const of = (q) => {
      const name2 = questions2.dataset[q];
      if (!sets.has(name2)) sets.set(name2, { dataset: name2, counts: Object.fromEntries(VERDICTS2.map((v) => [v.name, 0])), unclear: 0, changed: 0, onlyA: 0, onlyB: 0, pairs: [], lone: [/* @__PURE__ */ new Map(), /* @__PURE__ */ new Map()] });
      return sets.get(name2);
    };
    index.members.forEach((members, q) => {
      const i = members.find((m) => index.seriesOf(m) === a), j = members.find((m) => index.seriesOf(m) === b);
      if (i === void 0 && j === void 0) return;
      const set2 = of(q);
      if (i === void 0 || j === void 0) {
        set2.lone[i === void 0 ? 1 : 0].set(questions2.sample[q] + ":" + questions2.request[q], q);
      } else if (index.outcome[i] === unclear || index.outcome[j] === unclear) {
        set2.unclear++;
      } else {
        const x = index.outcome[i] === right, y = index.outcome[j] === right;
        const verdict = x ? y ? "both-right" : "lost" : y ? "gained" : "both-wrong";
        set2.counts[verdict]++;
        set2.pairs.push({ q, a: i, b: j, verdict, loss: value(i) - value(j) });
      }
    });
    for (const set2 of sets.values()) {
      for (const id of set2.lone[0].keys()) if (set2.lone[1].has(id)) set2.changed++;
      set2.onlyA = set2.lone[0].size - set2.changed;
      set2.onlyB = set2.lone[1].size - set2.changed;
      set2.net = set2.counts.gained - set2.counts.lost;
      set2.p = mcNemar(set2.counts.lost, set2.counts.gained);
    }
    return [...sets.values()];
  }
  var worstFirst = (pairs2) => pairs2.toSorted((x, y) => y.loss - x.loss);
  function mcNemar(first, second) {
    const n = first + second, least = Math.min(first, second);
    if (2 * least >= n - 1) return 1;
    let term = -n * Math.LN2, sum = Math.exp(term);
    for (let k = 1; k <= least; k++) {
      term += Math.log((n - k + 1) / k);
      sum += Math.exp(term);
    }
    return Math.min(1, 2 * sum);
  }

  // app/judging.js
  function judgeBy(index, state) {
    const own = index.columns.find((c) => "right" in c && c.name === state.judge);
    const given = own ? { by: own.name, column: own.name } : state.judge === EVERYTHING ? { ...index.given, by: "" } : index.given;
    const changed = index.judging.by !== given.by || index.judging.column !== given.column;
    if (changed) index.judge(given);
    return { column: index.columns.find((c) => c.name === given.column), changed };
  }
  var EVERYTHING = "all";
  var TITLE = "people, judges, f1@span";
  function judges(index) {
    const all = index.columns.filter((c) => "right" in c && c.name !== index.given.by).map((c) => [c.name, c.name]);
    return index.given.by ? [["", index.given.by], [EVERYTHING, TITLE], ...all] : [["", TITLE], ...all];
  }
  function rule(index) {
    const { by } = index.judging, column = index.columns.find((c) => c.name === by);
    if (!by) return "An answer is right or wrong by what people said of it, else by a judge, else by f1@span: right at 70 and more, wrong at 10 and less. What lies between is unclear.";
    const at = (x) => Number((x * column.scale).toPrecision(6));
    return `An answer is right if its ${by} is at least ${at(column.right)}, and ` + (column.wrong === column.right ? "else wrong." : `wrong if it is at most ${at(column.wrong)}. What lies between is unclear.`);
  }

  // app/notes.js
  function notesView(source, index, a) {
    const k = index.runOf(a.i), cell = index.cells[index.cell[a.i]].id, q = index.question[a.i];
    const of = { cell, sample: index.samples[index.questions.sample[q]], request: index.questions.request[q] };
    const box = h("div", { class: "notes-of" });
    const fault = h("p", { class: "error", role: "alert", hidden: true });
    const read = () => fill2(box, later(() => source.notes(k), (notes) => list(notes.filter((n) => n.cell === of.cell && n.sample === of.sample && n.request === of.request))));
    const say = async (kind, value, more) => {
      try {
        await source.addNote(k, { ...of, answer_sha256: a.answer_sha256, kind, value, ...more });
        fault.hidden = true;
        read();
      } catch (err) {
        if (!err.expected) throw err;
        fault.hidden = false;
        fill2(fault, said(err.message));
      }
    };
    const list = (notes) => notes.length === 0 ? h("p", { class: "none" }, "none") : h("ul", {}, notes.map((n) => h(
      "li",
      { class: n.answer_sha256 === a.answer_sha256 ? null : "stale" },
      h("strong", {}, said(n.reviewer)),
      " ",
      said(n.kind),
      ": ",
      n.kind === "note" ? passage(n.value) : said(String(n.value)),
      n.text ? passage(n.text) : "",
      n.answer_sha256 === a.answer_sha256 ? "" : h("em", {}, " (of another answer)"),
      " ",
      source.can("annotate") ? h("button", { type: "button", class: "plain", onclick: () => say(n.kind, null, { replaces: n.id }) }, "take back") : null
    )));
    read();
    return h("div", {}, box, fault, source.can("annotate") ? noteForm(say) : null);
  }
  function noteForm(say) {
    const verdict = (text3, value) => h("button", { type: "button", onclick: () => say("correct", value) }, text3);
    const gold = (value) => h("button", { type: "button", onclick: () => say("gold", value) }, value);
    const text2 = (kind, title2, field) => h("form", { class: "bar", onsubmit: async (e) => {
      e.preventDefault();
      if (field.value) await say(kind, field.value);
      field.value = "";
    } }, h("label", {}, title2, " ", field), h("button", {}, "Add"));
    return h(
      "div",
      { class: "note-form" },
      h("div", { class: "bar" }, "The answer is ", verdict("right", true), verdict("wrong", false), verdict("unsure", "unsure")),
      h("div", { class: "bar" }, "The gold answer is ", ["wrong", "ambiguous", "ok"].map(gold)),
      text2("tag", "Tag", h("input", { size: 16, pattern: "[a-z0-9][a-z0-9\\-]{0,39}", title: "small letters, digits and dashes" })),
      text2("note", "Remark", h("textarea", { rows: 2 }))
    );
  }

  // app/table.js
  function tableView(t) {
    const marks = (numbers2) => numbers2?.length ? h("sup", {}, [...new Set(numbers2)].join(", ")) : null;
    const kind = (i, cell2) => [t.columns[i].number ? "number" : "", cell2?.best ? "best" : ""].join(" ").trim() || null;
    const grouped = t.columns.some((c) => c.group);
    const head = (c, i, span) => h("th", { scope: "col", class: kind(i), rowspan: span }, said(c.head || c.name), marks(c.notes));
    const above = [];
    t.columns.forEach((c, i) => {
      if (!c.group) above.push(head(c, i, 2));
      else if (t.columns[i - 1]?.group === c.group) above.at(-1).setAttribute("colspan", Number(above.at(-1).getAttribute("colspan")) + 1);
      else above.push(h("th", { scope: "colgroup", class: "group", colspan: 1 }, said(c.group)));
    });
    const heads = grouped ? [h("tr", {}, above), h("tr", {}, t.columns.map((c, i) => c.group ? head(c, i) : null))] : h("tr", {}, t.columns.map((c, i) => head(c, i)));
    const entry = (c) => c.best ? h("b", {}, said(c.text)) : said(c.text);
    const cell = (c, i) => h(
      i === 0 ? "th" : "td",
      { scope: i === 0 ? "row" : null, class: kind(i, c) },
      entry(c),
      c.mark ? h("sup", {}, said(c.mark)) : null,
      marks(c.notes)
    );
    return h(
      "section",
      { class: "results" },
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": visible(t.title) },
        h(
          "table",
          {},
          h("caption", {}, said(t.title), marks(t.title_notes)),
          h("thead", {}, heads),
          h("tbody", {}, t.rows.map((row) => h("tr", {}, row.map(cell))))
        )
      ),
      t.notes?.length ? h("ol", { class: "notes" }, t.notes.map((n) => h("li", {}, said(n)))) : null
    );
  }
  function grid(caption, heads, rows) {
    const sorted2 = { up: "ascending", down: "descending" };
    return h("div", { class: "results" }, h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": visible(caption) },
      h(
        "table",
        {},
        h("caption", {}, said(caption)),
        h("thead", {}, h("tr", {}, heads.map((t) => h("th", { scope: "col", class: t.number ? "number" : null, "aria-sort": sorted2[t.sort] ?? null }, t.text)))),
        h("tbody", {}, rows.map((r) => h("tr", { key: r.key }, r.cells.map((c, i) => h("td", { class: heads[i].number ? "number" : null }, c)))))
      )
    ));
  }

  // app/trace.js
  function traceView(steps, options2) {
    return h("ol", { class: "trace" }, steps.map((one) => h(
      "li",
      {},
      h("strong", {}, said(one.name)),
      one.note ? passage(one.note) : null,
      one.data?.tried?.length && one.data.without !== void 0 ? trialsView(one.data, options2) : one.data?.scores?.length ? scoresView(one.data) : one.data ? json(one.data) : null
    )));
  }
  function json(value) {
    return h("div", { class: "json" }, passage(JSON.stringify(value, null, 2)));
  }
  var TOP = 10;
  var BOTTOM = 20;
  var LEFT = 52;
  var STEP = 44;
  var HEIGHT = 150;
  function trialsView({ without, tried }, options2) {
    const { include, expand } = options2?.search ?? {}, all = tried.map((t) => ({ ...t, before: t.nats + t.gain }));
    const lines = (t) => [["include", options2?.profile === "paper" ? Math.max(0, include) : include], ["expand", expand]].filter(([, gain]) => Number.isFinite(gain)).map(([name2, gain]) => [name2, t.before - gain]);
    const known = [without, ...all.flatMap((t) => [t.before, t.nats, ...lines(t).map(([, v]) => v)])];
    const low = Math.min(...known), high = Math.max(...known), width = LEFT + STEP * all.length + 10;
    const y = (v) => TOP + (HEIGHT - TOP - BOTTOM) * (high - v) / (high - low || 1), x = (k) => LEFT + STEP * k;
    const print = (v) => v.toFixed(3), fate = (t) => t.expanded ? "with its messages" : t.included ? "included" : "left out";
    return h(
      "div",
      {},
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "uncertainty by episode" },
        s(
          "svg",
          { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": `uncertainty in nats: ${print(without)} without episodes, ${print(all.at(-1).nats)} after the last of ${all.length}` },
          [low, high].map((v) => s("text", { x: LEFT - 6, y: y(v) + 4, "text-anchor": "end" }, print(v))),
          all.map((t, k) => s(
            "g",
            { class: t.included ? "point" : "point hollow" },
            s("title", {}, visible(`episode ${t.episode}: ${fate(t)}`)),
            lines(t).map(([name2, v]) => s("line", { class: "threshold " + name2, x1: x(k), x2: x(k + 1) - 4, y1: y(v), y2: y(v) })),
            s("path", { class: "join", d: `M${x(k)} ${y(t.before)}H${x(k) + STEP / 2}V${y(t.nats)}` }),
            s("circle", { cx: x(k) + STEP / 2, cy: y(t.nats), r: 4.5 }),
            s("text", { x: x(k) + STEP / 2, y: HEIGHT - 4, "text-anchor": "middle" }, String(t.episode))
          ))
        )
      ),
      h("p", { class: "fine" }, "Nats before and after each episode. Filled ones are included; those below the dashed line are, below the dotted line with their messages."),
      grid(
        "The same in numbers",
        [{ text: "episode" }, { text: "turns" }, ...["before", "after", "gain"].map((text2) => ({ text: text2, number: true })), { text: "outcome" }],
        all.map((t, k) => ({ key: String(k), cells: [String(t.episode), said(`${t.first} to ${t.last}`), print(t.before), print(t.nats), print(t.gain), fate(t)] }))
      )
    );
  }
  function scoresView({ scores, ...rest }) {
    const parts = Object.keys(scores[0]).filter((name2) => typeof scores[0][name2] === "number");
    const bar = (v) => [s("svg", { class: "chart", width: 60, height: 8, "aria-hidden": "true" }, s("rect", { class: "part", width: 60 * Math.max(0, Math.min(1, v)), height: 8 })), " ", v.toFixed(3)];
    return h("div", {}, json(rest), grid(
      "Scores and their parts",
      [{ text: "turn" }, ...parts.map((text2) => ({ text: text2, number: true }))],
      scores.map((one, k) => ({ key: String(k), cells: [said(String(one.turn)), ...parts.map((name2) => bar(one[name2] ?? 0))] }))
    ));
  }

  // app/timeline.js
  var LEFT2 = 150;
  var RIGHT2 = 800;
  var TOP2 = 18;
  var LANE = 22;
  function orderOf(sessions, ids) {
    if (sessions) {
      const turns = sessions.flatMap((one) => one.turns), begins2 = [];
      let at = 0;
      for (const one of sessions) {
        begins2.push({ at, name: one.time ?? one.id });
        at += one.turns.length;
      }
      return { turns, begins: begins2, known: true };
    }
    const numbered = ids.map((id) => ({ id, n: /^D(\d+):(\d+)/.exec(id)?.slice(1).map(Number) }));
    if (numbered.some((t) => !t.n)) return { turns: ids, begins: [], known: false };
    numbered.sort((a, b) => a.n[0] - b.n[0] || a.n[1] - b.n[1]);
    const begins = numbered.map((t, at) => ({ at, name: "D" + t.n[0] })).filter((b, i) => i === 0 || b.name !== "D" + numbered[i - 1].n[0]);
    return { turns: numbered.map((t) => t.id), begins, known: false };
  }
  function stretches2(places) {
    const out = [];
    for (const at of [...new Set(places)].sort((a, b) => a - b)) {
      if (out.length && out.at(-1)[1] === at - 1) out.at(-1)[1] = at;
      else out.push([at, at]);
    }
    return out;
  }
  function timelineView(sessions, answers, gold) {
    const rests = gold.evidence ?? [], ids = [.../* @__PURE__ */ new Set([...rests, ...answers.flatMap((a) => a.evidence.flatMap((b) => b.sources ?? []))])];
    if (ids.length === 0) return null;
    const { turns, begins, known } = orderOf(sessions, ids);
    const place = new Map(turns.map((id, at) => [id, at])), width = (RIGHT2 - LEFT2) / turns.length, x = (at) => Math.round(10 * (LEFT2 + at * width)) / 10;
    const height = TOP2 + LANE * answers.length + 20, of = (list) => list.map((id) => place.get(id)).filter((at) => at !== void 0);
    let free = 0;
    const summary = answers.map((a) => {
      const found = rests.filter((id) => a.evidence.some((b) => b.sources?.includes(id)));
      return { ...a, found, bare: a.evidence.map((b, k) => ({ b, k })).filter(({ b }) => of(b.sources ?? []).length === 0) };
    });
    const title2 = "evidence on the time line of the conversation: " + summary.map((a) => `${a.title} has ${a.found.length} of ${rests.length} gold turns`).join(", ");
    return h(
      "section",
      { "aria-label": "time line" },
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "time line of the evidence" },
        s(
          "svg",
          { class: "chart timeline", viewBox: `0 0 ${RIGHT2 + 10} ${height}`, width: RIGHT2 + 10, height, role: "img", "aria-label": visible(title2) },
          begins.map((b) => {
            const label = x(b.at) >= free ? s("text", { x: x(b.at) + 2, y: height - 4 }, visible(b.name)) : null;
            if (label) free = x(b.at) + 8 * b.name.length;
            return [s("line", { class: "rule", x1: x(b.at), x2: x(b.at), y1: TOP2 - 4, y2: height - 16 }), label];
          }),
          summary.map((a, lane) => s(
            "g",
            {},
            s("text", { x: LEFT2 - 8, y: TOP2 + lane * LANE + 12, "text-anchor": "end" }, visible(a.title).slice(0, 20)),
            a.evidence.map((b, k) => stretches2(of(b.sources ?? [])).map(([first, last]) => s(
              "g",
              { class: "block" },
              s("title", {}, visible(`#${k + 1} ${b.name}: ${turns[first]}${last > first ? " to " + turns[last] : ""}`)),
              s("rect", { x: x(first), y: TOP2 + lane * LANE, width: Math.max(3, x(last + 1) - x(first)), height: LANE - 8 }),
              x(last + 1) - x(first) > 8 * `#${k}`.length + 4 ? s("text", { x: x(first) + 2, y: TOP2 + lane * LANE + 11 }, "#" + (k + 1)) : null
            ))),
            rests.filter((id) => place.has(id)).map((id) => s(
              "text",
              { class: a.found.includes(id) ? "hit" : "miss", x: x(place.get(id) + 0.5), y: TOP2 + lane * LANE + 12, "text-anchor": "middle" },
              s("title", {}, visible(id)),
              a.found.includes(id) ? "★" : "☆"
            ))
          )),
          rests.filter((id) => place.has(id)).map((id) => s("text", { class: "gold-turn", x: x(place.get(id) + 0.5), y: 12, "text-anchor": "middle" }, s("title", {}, visible(id)), "★"))
        )
      ),
      h("p", { class: "fine" }, "★ a gold turn, ☆ one that the method did not retrieve; a bar is evidence with its rank.", known ? "" : " The order of turns is unknown; only those named here are shown."),
      summary.filter((a) => a.bare.length > 0).map((a) => h("p", { class: "fine" }, said(a.title), ", evidence without turns: ", a.bare.map(({ b, k }) => [`#${k + 1} `, said(b.name), " "])))
    );
  }

  // app/request.js
  var MARKS2 = {
    "right": "✓",
    "not-retrieved": "∅",
    "partly-retrieved": "◐",
    "not-used": "✗",
    "unknown-evidence": "?",
    "failed": "!",
    "abstained": "–",
    "unclear": "~"
  };
  function badge(outcome2, long) {
    return h(
      "span",
      { class: "badge " + outcome2.name, title: outcome2.title, role: "img", "aria-label": outcome2.title },
      MARKS2[outcome2.name],
      long ? " " + outcome2.title : ""
    );
  }
  async function requestView(app2, index, i, only, open) {
    const { source } = app2, cell = index.cells[index.cell[i]];
    const all = await Promise.all(index.members[index.question[i]].map(async (m) => ({ ...await source.request(m), i: m })));
    const gold = all[0].gold, sessions = (await app2.part("turns"))[cell.dataset];
    const sample = index.samples[index.questions.sample[index.question[i]]];
    const shown3 = only >= 0 ? all.filter((a) => a.i === only) : all;
    return [
      questionView(index, i, gold),
      comparison(index, i, all, gold, open),
      sessions && !sessions[sample] ? null : timelineView(sessions?.[sample], shown3.map((a) => ({ title: index.series[index.seriesOf(a.i)], evidence: a.evidence })), gold),
      h("div", { class: "answers" }, shown3.map((a) => answerView(source, index, { ...a, gold }, gold, a.i === i)))
    ];
  }
  function questionView(index, i, gold) {
    const q = index.questions, n = index.question[i], cell = index.cells[index.cell[i]];
    const labels = Object.entries(gold.labels ?? {}).map(([k, v]) => `${k}: ${v}`);
    return h(
      "section",
      { class: "question", "aria-label": "question" },
      h("h3", { id: "_asked", tabindex: "-1" }, passage(gold.question)),
      facts([
        ["gold answer", gold.abstain ? h("em", {}, "the conversation does not say") : h("div", { class: "gold-answer" }, passage(gold.answer))],
        ["also right", gold.variants?.map((v) => h("div", {}, said(v)))],
        ["gold evidence", gold.evidence?.length ? sources(gold.evidence, gold.evidence) : h("em", {}, "the dataset names none")],
        ["category", said(q.category[n])],
        ["dataset", [said(cell.dataset), ", sample ", said(index.samples[q.sample[n]]), ", request ", said(q.request[n])]],
        ["labels", labels.length ? said(labels.join(", ")) : null],
        ["expected", gold.expect ? part2("what the request should lead to", false, () => json(gold.expect)) : null]
      ])
    );
  }
  function sources(ids, gold) {
    return h("span", { class: "sources" }, (ids ?? []).map((id) => gold.includes(id) ? h("mark", { class: "gold", title: "the gold answer rests on it" }, "★ ", said(id)) : h("span", {}, said(id))));
  }
  function comparison(index, i, all, gold, open) {
    const head = all.map((a) => h(
      "th",
      { scope: "col", class: a.i === i ? "chosen" : null },
      h("button", { type: "button", onclick: () => open(a.i), "aria-pressed": a.i === i ? "true" : "false" }, said(index.series[index.seriesOf(a.i)]))
    ));
    const line = (name2, cells) => h(
      "tr",
      {},
      h("th", { scope: "row" }, name2),
      cells.map((c, k) => h("td", { class: all[k].i === i ? "chosen" : null }, c))
    );
    const rows = [line("outcome", all.map((a) => badge(index.outcomes[index.outcome[a.i]], true)))];
    index.columns.forEach((column, k) => {
      const values = all.map((a) => index.scores[k][a.i]);
      if (values.every(Number.isNaN)) return;
      const known = values.filter((x) => !Number.isNaN(x));
      const best = column.neutral ? NaN : column.lower ? Math.min(...known) : Math.max(...known);
      const differ = known.some((x) => x !== best);
      rows.push(line([column.name, column.trust ? h("small", {}, " (", said(column.trust), ")") : ""], values.map((x) => differ && x === best ? h("strong", {}, number(x, column)) : number(x, column))));
    });
    for (const id of gold.evidence ?? []) {
      rows.push(line(["rank of ", h("mark", { class: "gold" }, "★ ", said(id))], all.map((a) => {
        const rank = a.evidence.findIndex((b) => b.sources?.includes(id));
        return rank < 0 ? h("span", { title: "not among the sources of the evidence" }, "–") : "#" + (rank + 1);
      })));
    }
    rows.push(line("time", all.map((a) => milliseconds(a.time.total_ms))));
    return h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "methods side by side" },
      h("table", { class: "comparison" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "method"), head)), h("tbody", {}, rows))
    );
  }
  function answerView(source, index, a, gold, chosen) {
    const cell = index.cells[index.cell[a.i]], outcome2 = index.outcomes[index.outcome[a.i]];
    const title2 = index.series[cell.series];
    const failure = a.error ?? (a.status === "ok" ? null : { kind: a.status, message: "" });
    return h(
      "article",
      { class: chosen ? "answer chosen" : "answer", "aria-label": "answer of " + visible(title2) },
      h("header", {}, h("h4", {}, said(title2)), badge(outcome2, true)),
      failure ? h(
        "div",
        { class: "error" },
        h("strong", {}, said(failure.kind), ` after ${a.attempts} ${a.attempts === 1 ? "attempt" : "attempts"}`),
        passage(failure.message)
      ) : null,
      h("h5", {}, "Answer"),
      a.answer ? passage(a.answer) : h("p", { class: "none" }, "none"),
      a.judgement ? judgementView(a.judgement) : null,
      a.why?.length ? part2("What is lacking", true, () => h("ul", {}, a.why.map((w) => h("li", {}, said(w))))) : null,
      evidenceView(a, gold),
      part2("Tokens", false, () => tokens(index, a, cell)),
      part2("Time", false, () => times(a)),
      a.edits?.length ? part2(`Edits (${a.edits.length})`, true, () => json(a.edits)) : null,
      a.nodes?.length ? part2(`Nodes (${a.nodes.length})`, false, () => sources(a.nodes, [])) : null,
      a.trace?.length ? part2(`Trace (${a.trace.length})`, false, () => traceView(a.trace, cell.options)) : null,
      a.calls?.length || a.judgement ? part2(`Calls (${a.calls?.length ?? 0})`, false, () => source.can("calls") ? transcriptView(source, a, besides(index, a)) : h("ul", { class: "ids" }, (a.calls ?? []).map((c) => h("li", {}, said(c))))) : null,
      source.can("structure") ? part2("Memory", false, () => later(() => source.structure(a.i), structureView)) : null,
      source.can("notes") ? part2("Notes", false, () => notesView(source, index, a)) : null,
      h(
        "p",
        { class: "fine" },
        said(`${cell.use} with ${cell.model}, seed ${cell.seed}, cell ${cell.id} of run ${cell.run}`),
        a.attempts > 1 && !failure ? `, ${a.attempts} attempts` : "",
        a.degraded ? h("span", {}, ", had to do with less in: ", said(pairs(a.degraded))) : ""
      )
    );
  }
  function besides(index, a) {
    return index.members[index.question[a.i]].filter((m) => m !== a.i).map((m) => ({ i: m, title: index.series[index.seriesOf(m)] }));
  }
  var pairs = (numbers2) => Object.entries(numbers2).map(([k, v]) => `${k} ${v}`).join(", ");
  function judgementView(j) {
    const verdict = j.correct === null ? "no usable reply" : j.correct ? "right" : "wrong";
    return facts([["judge", [verdict, j.why ? [": ", said(j.why)] : "", j.error ? [" (", said(j.error.kind + ": " + j.error.message), ")"] : ""]]]);
  }
  function evidenceView(a, gold) {
    const rests = gold.evidence ?? [];
    const total = a.evidence.reduce((n, b) => n + b.tokens, 0);
    return h(
      "section",
      { class: "evidence" },
      h("h5", {}, `Evidence (${a.evidence.length})`, a.evidence.length ? h("small", {}, ` ${count(total)} tokens`) : ""),
      a.evidence.length === 0 ? h("p", { class: "none" }, "none") : null,
      a.evidence.map((b, k) => {
        const found = (b.sources ?? []).filter((id) => rests.includes(id));
        const needles = gold.abstain || gold.answer.length > 200 ? [] : [visible(gold.answer)];
        const block = part2([
          h("span", { class: "rank" }, "#" + (k + 1)),
          " ",
          h("strong", {}, said(b.name)),
          " ",
          sources(found, rests),
          h("span", { class: "fine" }, ` ${b.score ? "score " + b.score.toPrecision(3) + ", " : ""}${count(b.tokens)} tokens`)
        ], found.length > 0, () => h(
          "div",
          {},
          passage(b.text, needles),
          h("p", { class: "fine" }, "sources: ", b.sources?.length ? sources(b.sources, rests) : "none")
        ));
        if (found.length > 0) block.classList.add("gold");
        return block;
      })
    );
  }
  function tokens(index, a, cell) {
    const sample = index.questions.sample[index.question[a.i]];
    const built = cell.ingests?.[sample];
    const phases = [];
    if (built) phases.push([`ingest, for all ${count(built.requests)} requests of the sample`, built.usage]);
    for (const [phase, usage] of Object.entries(a.usage ?? {})) phases.push([phase, usage]);
    if (a.judgement?.usage) phases.push(["judge", a.judgement.usage]);
    const lines = phases.flatMap(([phase, usage]) => Object.entries(usage ?? {}).map(([role, u]) => h(
      "tr",
      {},
      h("th", { scope: "row" }, phase),
      h("td", {}, said(role)),
      [u.calls, u.input, u.cached, u.output, u.reasoning].map((n) => h("td", { class: "number" }, count(n ?? 0))),
      h("td", {}, u.counted ? "counted" : "reported")
    )));
    if (lines.length === 0) return h("p", { class: "none" }, "no model was called");
    const heads = ["phase", "role", "calls", "input", "cached", "output", "reasoning", "by"];
    return h(
      "div",
      { class: "scroll" },
      h("table", {}, h("thead", {}, h("tr", {}, heads.map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, lines)),
      h(
        "p",
        { class: "fine" },
        "cost of the query: ",
        a.cost === null ? "unknown" : "$" + a.cost.toPrecision(3),
        a.text_tokens ? ["; tokens as the paper counts them: ", said(pairs(a.text_tokens))] : ""
      )
    );
  }
  function times(a) {
    const stages = Object.entries(a.time.stages_ms ?? {}).sort(([x], [y]) => x < y ? -1 : 1);
    return h("table", {}, h("tbody", {}, [...stages, ["all", a.time.total_ms]].map(([stage, ms]) => h("tr", {}, h("th", { scope: "row" }, said(stage)), h("td", { class: "number" }, milliseconds(ms))))));
  }

  // app/compare.js
  var SHOWN2 = 100;
  var compare = {
    name: "compare",
    title: "Compare",
    letter: "c",
    load: async (app2) => ({ index: await app2.index(), tests: /* @__PURE__ */ new Map() }),
    render,
    drawn: (app2, data) => test(app2, data),
    keys: [["x", "swap the sides"]],
    press(app2, data, e) {
      if (e.key === "x" && !e.target.matches("input, select")) swap(app2, data);
    }
  };
  function sides(app2, { index }) {
    const at = (name2, otherwise) => index.series.includes(app2.state[name2]) ? index.series.indexOf(app2.state[name2]) : otherwise;
    return [at("a", 0), at("b", index.series.length - 1)];
  }
  function swap(app2, data) {
    const [a, b] = sides(app2, data);
    app2.set({ a: data.index.series[b], b: data.index.series[a] }, true);
  }
  async function test(app2, data) {
    const { index, tests } = data, [a, b] = sides(app2, data), id = [a, b, index.judging.column].join();
    if (a === b || tests.has(id) || !app2.source.can("runs")) return;
    tests.set(id, null);
    const names = [...new Set(index.cells.map((c) => c.run))], keys = app2.key.split("+");
    const side = (series) => {
      const cell = index.cells.find((c) => c.series === series);
      return encodeURIComponent(`${keys[names.indexOf(cell.run)]}:${cell.method}@${cell.model}`);
    };
    try {
      tests.set(id, await app2.source.get(`contrast?a=${side(a)}&b=${side(b)}&column=${encodeURIComponent(index.judging.column)}`));
    } catch (err) {
      tests.set(id, { error: err.message });
    }
    if (app2.data === data) app2.follow();
  }
  function render(app2, data) {
    const { index, tests } = data, { state } = app2;
    if (index.series.length < 2) return h("p", { class: "none" }, "There is one method of one run here, and nothing to compare it with.");
    const { column } = judgeBy(index, state), [a, b] = sides(app2, data);
    const choose = (name2, title2, value, values) => h(
      "label",
      {},
      title2,
      h("select", { value, onchange: (e) => app2.set({ [name2]: e.target.value }, true) }, values.map((v) => h("option", { value: v, key: v }, visible(v))))
    );
    const sets = flips(index, a, b), kind = state.show ?? "flips";
    const kept = (p) => kind === "flips" ? p.verdict === "lost" || p.verdict === "gained" : p.verdict === kind;
    const pairs2 = worstFirst(sets.flatMap((s2) => s2.pairs)).filter(kept), most = Number.parseInt(state.most) || SHOWN2;
    const tested = tests.get([a, b, column.name].join());
    const head = (text2) => ({ text: text2, number: true });
    return [
      h("h2", { class: "unseen" }, "Compare"),
      h(
        "form",
        { class: "line-of-fields", "aria-label": "what is compared", onsubmit: (e) => e.preventDefault() },
        choose("a", "A", index.series[a], index.series),
        choose("b", "B", index.series[b], index.series),
        h("button", { type: "button", onclick: () => swap(app2, data) }, "Swap (x)"),
        h("label", {}, "Right by", h("select", { value: state.judge ?? "", onchange: (e) => app2.set({ judge: e.target.value }, true) }, judges(index).map(([value, title2]) => h("option", { value, key: value }, visible(title2)))))
      ),
      a === b ? h("p", { class: "none" }, "Choose two sides.") : [
        grid(
          "Requests that both sides were asked",
          [{ text: "dataset" }, ...["lost", "gained", "net", "both right", "both wrong", "unclear", "only in A", "only in B", "other question", "p (McNemar)"].map(head)],
          sets.map((s2) => ({ key: s2.dataset, cells: [
            said(s2.dataset),
            ...[s2.counts.lost, s2.counts.gained].map(count),
            (s2.net > 0 ? "+" : "") + s2.net,
            ...[s2.counts["both-right"], s2.counts["both-wrong"], s2.unclear, s2.onlyA, s2.onlyB, s2.changed].map(count),
            s2.p.toPrecision(2)
          ] }))
        ),
        h(
          "p",
          { class: "fine" },
          said(rule(index)),
          " Lost is right in A and not in B. McNemar's test takes requests for independent of each other, which requests about one conversation are not; ",
          app2.source.can("runs") ? "the test of bench compare below does not." : h("span", {}, "the tests of bench compare, on ", h("a", { href: app2.link("overview") }, "Overview"), ", do not.")
        ),
        tested?.tables ? tested.tables.map(tableView) : tested?.error ? h("p", { class: "error" }, said(tested.error)) : null,
        options(index, a, b),
        h(
          "div",
          { class: "line-of-fields", role: "group", "aria-label": "which requests" },
          [{ name: "flips", title: "flips" }, ...VERDICTS2].map((v) => h("button", { type: "button", "aria-pressed": v.name === kind ? "true" : "false", title: v.about, onclick: () => app2.set({ show: v.name, most: "" }, true) }, v.title))
        ),
        h("ol", { class: "flips" }, pairs2.slice(0, most).map((p) => flipView(app2, index, column, p))),
        pairs2.length === 0 ? h("p", { class: "none" }, "None.") : null,
        pairs2.length > most ? h("button", { type: "button", onclick: () => app2.set({ most: String(most * 4) }) }, `show more of ${count(pairs2.length)}`) : null
      ]
    ];
  }
  function options(index, a, b) {
    const of = (series) => index.cells.find((c) => c.series === series), [x, y] = [of(a), of(b)];
    const all = { ...x.options, ...y.options }, text2 = (v) => v === void 0 ? "–" : JSON.stringify(v);
    const names = ["use", "model", "seed"].filter((n) => x[n] !== y[n]).map((n) => [n, x[n], y[n]]).concat(Object.keys(all).sort().filter((n) => text2(x.options?.[n]) !== text2(y.options?.[n])).map((n) => [n, text2(x.options?.[n]), text2(y.options?.[n])]));
    return names.length ? h(
      "details",
      {},
      h("summary", {}, `Options that differ (${names.length})`),
      grid("", [{ text: "option" }, { text: "A" }, { text: "B" }], names.map((n) => ({ key: n[0], cells: n.map((t) => said(t)) })))
    ) : null;
  }
  function flipView(app2, index, column, p) {
    const k = index.columns.indexOf(column), side = (name2, i) => h(
      "div",
      { class: "side" },
      h("strong", {}, name2),
      " ",
      badge(index.outcomes[index.outcome[i]], false),
      " ",
      number(index.scores[k][i], column),
      " ",
      index.kind[i] >= 0 ? said("error: " + index.kinds[index.kind[i]]) : said(index.answer[i].slice(0, 300)),
      h("span", { class: "fine" }, ` ${milliseconds(index.time[i])}, ${count(index.tokens[i])} tokens`)
    );
    const evidence = h("details", {}, h("summary", {}, "Evidence that differs"));
    evidence.addEventListener("toggle", async () => {
      if (evidence.children.length > 1) return;
      evidence.append(...await evidenceView2(app2, p));
    });
    return h(
      "li",
      { key: `${p.a} ${p.b}` },
      h("a", { href: app2.link("requests", { r: index.key(p.b) }) }, said(index.questions.question[p.q].slice(0, 300))),
      h("div", {}, h("strong", {}, "gold"), " ", said(index.questions.gold[p.q].slice(0, 300))),
      side("A", p.a),
      side("B", p.b),
      evidence
    );
  }
  async function evidenceView2(app2, p) {
    const all = await Promise.all([p.a, p.b].map((i) => app2.source.request(i))), gold = all[0].gold.evidence ?? [];
    const texts = all.map((r) => new Set(r.evidence.map((e) => e.text)));
    return all.map((r, k) => {
      const only = r.evidence.filter((e) => !texts[1 - k].has(e.text));
      return h(
        "div",
        {},
        h("strong", {}, `only ${"AB"[k]}: ${only.length} of ${r.evidence.length} blocks`),
        h("ul", {}, only.map((e) => h("li", {}, said(e.name), (e.sources ?? []).filter((id) => gold.includes(id)).map((id) => h("mark", { class: "gold" }, "★ ", said(id))), " ", said(e.text.slice(0, 300)))))
      );
    });
  }

  // app/figures.js
  var figures = {
    name: "figures",
    title: "Figures",
    letter: "f",
    load: (app2) => app2.part("figures"),
    render: (app2, all) => [
      h("h2", {}, "Figures"),
      all.length ? h("div", { class: "figures" }, all.map((f) => h(
        "figure",
        {},
        h("img", { src: "data:image/svg+xml;base64," + f.svg, alt: visible(f.title) }),
        h("figcaption", {}, said(f.title), (f.notes ?? []).map((n) => h("div", { class: "fine" }, said(n))))
      ))) : h("p", { class: "none" }, "Nothing can be drawn of these runs.")
    ]
  };

  // app/workers.js
  var number2 = (text2) => ({ text: text2, number: true });
  var text = (text2) => ({ text: text2 });
  var shown2 = 5;
  function workers(progress) {
    if (!progress?.workers?.length) return null;
    const rate = (w) => w.state === "joined" ? (w.requests / Math.max(1, (Date.parse(progress.time) - Date.parse(w.joined)) / 1e3)).toFixed(2) : "–";
    const units = (w) => w.units.slice(0, shown2).join(", ") + (w.units.length > shown2 ? ` and ${count(w.units.length - shown2)} more` : "");
    return grid(
      "Workers",
      [text("worker"), text("state"), text("units under way"), number2("units done"), number2("requests"), number2("a second"), number2("faults"), text("newest fault")],
      progress.workers.map((w) => ({ key: w.name + w.joined, cells: [said(w.name), said(w.state), said(units(w)), count(w.done), count(w.requests), rate(w), count(w.faults), said(w.fault ?? "")] }))
    );
  }

  // app/live.js
  var title = (text2, number3) => ({ text: text2, number: number3 });
  var clock = (seconds) => seconds >= 5400 ? (seconds / 3600).toFixed(1) + " h" : seconds >= 90 ? Math.round(seconds / 60) + " min" : Math.round(seconds) + " s";
  var time = (text2) => (text2 ?? "").replace("T", " ").slice(0, 19);
  var usd = (x) => x === null || x === void 0 ? "unknown" : "$" + x.toFixed(4);
  var Live = class {
    constructor(app2, events) {
      this.app = app2;
      this.state = null;
      this.last = 0;
      this.lost = "";
      this.take(events);
    }
    take(events) {
      for (const e of events) {
        this.last = e.id;
        this.state = e.data;
        this.lost = "";
      }
      return this.last;
    }
    follow() {
      if (this.stop) return;
      this.stop = new AbortController();
      const show = (change) => {
        change();
        return this.app.follow();
      };
      this.app.source.stream("events?run=" + this.app.key, this.stop.signal, {
        last: this.last,
        heard: (event, data, id) => show(() => this.take([{ data, id }])),
        poll: async (last) => {
          const { events } = await this.app.source.get("live?after=" + last);
          await show(() => this.take(events));
          return this.last;
        },
        lost: (text2) => show(() => {
          this.lost = text2;
        })
      });
    }
    leave() {
      this.stop?.abort();
      this.stop = null;
    }
  };
  var live = {
    name: "live",
    title: "Live",
    letter: "l",
    needs: "live",
    load: async (app2) => new Live(app2, (await app2.source.get("live")).events),
    drawn: (app2, data) => data.follow(),
    leave: (app2, data) => data.leave(),
    render(app2, data) {
      const { state } = data;
      const done = state.cells.reduce((n, c) => n + c.done, 0), planned = state.cells.reduce((n, c) => n + c.planned, 0);
      const row = (c) => state.rows.find((r) => r.cells.includes(c.id));
      const mean = (m, { scale, digits }) => m ? [(m.mean * scale).toFixed(digits), m.low === void 0 ? "" : ` (${(m.low * scale).toFixed(digits)} to ${(m.high * scale).toFixed(digits)})`, ` of ${count(m.n)}`] : "–";
      const { progress } = state, budget = progress?.budget.usd;
      const link = (c, sample, request) => h("a", { href: app2.link("requests", { r: `${state.id}.${c}:${sample}:${request}` }) }, said(`${sample} ${request}`));
      return [
        data.lost ? h("p", { class: "error", key: "lost" }, said(data.lost)) : null,
        h("h2", {}, said(`${state.name} ${state.id}`), `: ${state.status}, ${count(done)} of ${count(planned)} requests`),
        h("progress", { max: planned || 1, value: done, "aria-label": "finished requests" }),
        state.resume ? h("p", {}, "Go on with it: ", h("code", {}, said(state.resume))) : null,
        state.scored ? h("p", {}, "The run is scored: ", h("a", { href: app2.link("overview") }, "Overview")) : null,
        facts([
          ["stopped", state.stopped ? said(state.stopped) : state.since ? `last change ${time(state.since)}` : null],
          ["rate", state.building ? "memories are being built" : state.rate ? `${state.rate.toFixed(2)} requests a second` : null],
          ["left", state.left_s === null ? null : clock(state.left_s)],
          ["paid", progress ? [
            usd(progress.paid.usd),
            budget ? [` of ${usd(budget)} `, h("meter", { max: budget, value: progress.paid.usd ?? 0, "aria-label": "share of the budget" })] : "",
            progress.done && progress.paid.usd ? `, about ${usd(progress.paid.usd / progress.done * progress.total)} at the end` : "",
            `, ${count(progress.paid.calls)} calls, ${count(progress.paid.reused)} reused`
          ] : null],
          ["cost of the records", `${usd(state.usd)}, recorded calls included`],
          ["figures", `${clock(state.age_ms / 1e3)} old`],
          ["after the end", state.waiting.length ? said(state.waiting.join(", ")) : null]
        ]),
        grid(
          "Means so far",
          [title("dataset"), title("method"), title("model"), title("finished", true), title("failed", true), title("memories", true), ...state.columns.map((c) => title(c, true))],
          state.cells.map((c) => ({ key: c.id, cells: [said(c.dataset), said(c.method), said(c.model), `${count(c.done)} of ${count(c.planned)}`, count(c.failed), count(c.built), ...state.columns.map((n) => mean(row(c)?.columns[n], state.shown[n]))] }))
        ),
        h("p", { class: "fine" }, "No difference is tested while the run goes on: who looks again and again finds some that are not there."),
        state.faults.length ? grid(
          "Lines that cannot be read",
          [title("file"), title("line", true), title("why")],
          state.faults.map((f, k) => ({ key: String(k), cells: [said(f.file), f.line ? count(f.line) : "", said(f.error)] }))
        ) : null,
        state.errors.length ? grid(
          "Errors",
          [title("kind"), title("count", true), title("first"), title("last"), title("newest message"), title("request")],
          state.errors.map((e) => ({ key: e.kind, cells: [said(e.kind), count(e.count), time(e.first), time(e.last), said(e.message), link(e.cell, e.sample, e.request)] }))
        ) : null,
        workers(progress),
        progress?.accounts?.length ? grid(
          "Limits of accounts",
          [title("account"), title("limit", true), title("in flight", true), title("waiting", true)],
          progress.accounts.map((a) => ({ key: a.name, cells: [said(a.name), count(a.limit), count(a.in_flight), count(a.waiting)] }))
        ) : null
      ];
    }
  };

  // app/chart.js
  var TOP3 = 12;
  var BOTTOM2 = 24;
  var LEFT3 = 48;
  var ticks = (low, high) => {
    const step = 10 ** Math.floor(Math.log10(high - low || 1)), every = [0.2, 0.5, 1, 2].map((f) => f * step).find((x) => (high - low) / x <= 6) ?? step;
    const all = [];
    for (let t = Math.ceil(low / every) * every; t <= high + every / 1e6; t += every) all.push(Number(t.toPrecision(6)));
    return all;
  };
  function errorBars(name2, points) {
    const title2 = visible(name2);
    const known = points.flatMap((p) => [p.value, p.low, p.high]).filter((x2) => Number.isFinite(x2));
    const low = Math.min(...known), high = Math.max(...known), pad = (high - low || 1) * 0.08;
    const width = Math.max(320, LEFT3 + 28 * points.length + 20), height = 220;
    const x = (k) => LEFT3 + 16 + (width - LEFT3 - 32) * (points.length > 1 ? k / (points.length - 1) : 0.5);
    const y = (v) => TOP3 + (height - TOP3 - BOTTOM2) * (high + pad - v) / (high - low + 2 * pad || 1);
    const r = (n) => n.toFixed(1);
    return h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": title2 },
      s(
        "svg",
        { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title2 },
        s("title", {}, title2),
        points.filter((p) => p.band && Number.isFinite(p.low)).map((p) => s("rect", { class: "band", x: LEFT3, width: width - LEFT3, y: r(y(p.high)), height: r(y(p.low) - y(p.high)) })),
        ticks(low - pad, high + pad).map((t) => [s("line", { class: "rule", x1: LEFT3, x2: width, y1: r(y(t)), y2: r(y(t)) }), s("text", { x: LEFT3 - 6, y: r(y(t) + 4), "text-anchor": "end" }, String(t))]),
        points.map((p, k) => s(
          "g",
          { class: "point " + p.mark },
          s("title", {}, visible(`${p.title}: ${p.value}`)),
          p.joined ? s("line", { class: "join", x1: r(x(k - 1)), y1: r(y(points[k - 1].value)), x2: r(x(k)), y2: r(y(p.value)) }) : null,
          Number.isFinite(p.low) ? s("line", { class: "bar-of-error", x1: r(x(k)), x2: r(x(k)), y1: r(y(p.low)), y2: r(y(p.high)) }) : null,
          p.mark === "diamond" ? s("path", { d: `M${r(x(k))} ${r(y(p.value) - 7)}l6 7l-6 7l-6 -7z` }) : s("circle", { cx: r(x(k)), cy: r(y(p.value)), r: 4.5 })
        ))
      )
    );
  }
  var LABELS = 260;
  var ROW = 24;
  function forest(name2, rows) {
    const title2 = visible(name2);
    const known = [0, ...rows.flatMap((r) => [r.value, r.low, r.high]).filter(Number.isFinite)];
    const low = Math.min(...known), high = Math.max(...known), pad = (high - low || 1) * 0.06;
    const width = 720, height = TOP3 + ROW * rows.length + BOTTOM2, foot = height - BOTTOM2;
    const x = (v) => (LABELS + (width - LABELS - 20) * (v - low + pad) / (high - low + 2 * pad)).toFixed(1);
    return h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": title2 },
      s(
        "svg",
        { class: "chart forest", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title2 },
        s("title", {}, title2),
        ticks(low - pad, high + pad).map((t) => [s("line", { class: t === 0 ? "zero" : "rule", x1: x(t), x2: x(t), y1: TOP3, y2: foot }), s("text", { x: x(t), y: foot + 16, "text-anchor": "middle" }, String(t))]),
        rows.map((r, k) => {
          const y = TOP3 + ROW * (k + 0.5), text2 = visible(r.title), bounds = Number.isFinite(r.low) ? ` (${r.low.toPrecision(3)} to ${r.high.toPrecision(3)})` : "";
          return s(
            "g",
            { class: "point " + (r.shown ? "dot" : "hollow") },
            s("title", {}, `${text2}: ${r.value.toPrecision(3)}${bounds}`),
            s("text", { x: LABELS - 12, y: y + 4, "text-anchor": "end" }, text2.length > 42 ? text2.slice(0, 41) + "…" : text2),
            bounds ? s("line", { class: "bar-of-error", x1: x(r.low), x2: x(r.high), y1: y, y2: y }) : null,
            s("circle", { cx: x(r.value), cy: y, r: 4.5 })
          );
        })
      )
    );
  }

  // app/search.js
  var questions = (name2) => (x, i) => x.questions[name2][x.question[i]];
  var TEXTS = {
    question: questions("question"),
    gold: questions("gold"),
    id: questions("request"),
    sample: (x, i) => x.samples[x.questions.sample[x.question[i]]],
    label: (x, i) => Object.entries(x.questions.labels?.[x.question[i]] ?? {}).map(([name2, value]) => `${name2}: ${value}`).join("\n"),
    answer: (x, i) => x.answer[i],
    error: (x, i) => x.kind[i] < 0 ? "" : x.kinds[x.kind[i]] + "\n" + x.answer[i],
    has: (x, i) => ["edits", "judgement", "degraded", "calls"].filter((_, bit) => x.has[i] & 1 << bit).concat(x.kind[i] < 0 ? [] : ["error"]).join(" ")
  };
  var NUMBERS = { time: (x, i) => x.time[i], cost: (x, i) => x.cost[i] ?? NaN, tokens: (x, i) => x.tokens[i], calls: (x, i) => x.calls[i] };
  function search(text2) {
    const words = [], tests = [];
    for (const [all, not, name2, sign, phrase, word] of (text2 ?? "").toLowerCase().matchAll(/(-?)(?:([a-z]+)([:<>]))?(?:"([^"]+)"|([^\s"]+))/g)) {
      const value = phrase ?? word, bound3 = Number.parseFloat(value);
      let test2;
      if (sign === ":" && TEXTS[name2]) test2 = (x, i) => TEXTS[name2](x, i).toLowerCase().includes(value);
      else if (NUMBERS[name2] && sign === ">" && bound3 === bound3) test2 = (x, i) => NUMBERS[name2](x, i) > bound3;
      else if (NUMBERS[name2] && sign === "<" && bound3 === bound3) test2 = (x, i) => NUMBERS[name2](x, i) < bound3;
      else if (not && all.length > 1) test2 = (x, i) => has(x, i, (name2 ?? "") + (sign ?? "") + value);
      else words.push(phrase !== void 0 && !sign ? phrase : all);
      if (test2) tests.push(not ? (x, i) => !test2(x, i) : test2);
    }
    return { words, tests };
  }
  var has = (x, i, word) => x.questionText[x.question[i]].includes(word) || x.answerText[i].includes(word);

  // app/filter.js
  var ORDER = "order";
  var SPREAD = "spread";
  var NUMBERS2 = ["time", "cost", "tokens"];
  function select(index, f, further) {
    const { questions: questions2 } = index;
    const cells = index.cells.map((c) => (!f.run || c.run === f.run) && (!f.dataset || c.dataset === f.dataset) && (!f.model || c.model === f.model));
    const series = f.method ? index.series.indexOf(f.method) : -1;
    const outcome2 = f.outcome ? index.outcomes.findIndex((o) => o.name === f.outcome) : -1;
    const kind = f.error ? index.kinds.indexOf(f.error) : -1;
    const strange = f.method && series < 0 || f.outcome && outcome2 < 0 || f.error && kind < 0;
    const scores = f.column ? index.scores[index.columns.findIndex((c) => c.name === f.column)] : void 0;
    const scale = index.columns.find((c) => c.name === f.column)?.scale ?? 1;
    const least = bound(f.min, -Infinity, scale), most = bound(f.max, Infinity, scale);
    const bounded = scores !== void 0 && (f.min || f.max);
    const { words, tests } = search(f.text);
    const found = words.map((t) => Uint8Array.from(index.questionText, (text2) => text2.includes(t) ? 1 : 0));
    const asked = f.category ? Uint8Array.from(questions2.category, (c) => c === f.category ? 1 : 0) : void 0;
    const differs = f.differ ? index.members.map((m) => m.some((i) => index.outcome[i] !== index.outcome[m[0]])) : void 0;
    const counts = index.series.map(() => index.outcomes.map(() => 0));
    const chosen = [];
    for (const i of strange ? [] : index.order) {
      const q = index.question[i], c = index.cell[i];
      if (!cells[c] || asked && !asked[q] || differs && !differs[q]) continue;
      if (kind >= 0 && index.kind[i] !== kind) continue;
      if (bounded && !(scores[i] >= least && scores[i] <= most)) continue;
      if (!words.every((t, k) => found[k][q] || index.answerText[i].includes(t)) && !further?.has(i)) continue;
      if (!tests.every((test2) => test2(index, i))) continue;
      const s2 = index.cells[c].series, o = index.outcome[i];
      counts[s2][o]++;
      if ((series < 0 || s2 === series) && (outcome2 < 0 || o === outcome2)) chosen.push(i);
    }
    return { chosen: sorted(index, chosen, f), counts };
  }
  function bound(text2, otherwise, scale) {
    const x = Number.parseFloat(text2);
    return Number.isNaN(x) ? otherwise : x / scale;
  }
  function sorted(index, chosen, f) {
    const [by, direction] = (f.sort || ORDER).split("|");
    if (by === ORDER) return chosen;
    let values;
    if (NUMBERS2.includes(by)) values = Float64Array.from(index[by], (x) => x ?? NaN);
    else if (by === SPREAD) values = spread(index);
    else values = index.scores[index.columns.findIndex((c) => c.name === by)];
    if (!values) return chosen;
    const sign = direction === "up" ? 1 : -1;
    const value = Float64Array.from(chosen, (i) => Number.isNaN(values[i]) ? Infinity : sign * values[i]);
    return byValue(chosen, value);
  }
  function byValue(chosen, value) {
    const rank = new Map([...new Float64Array(new Set(value)).sort()].map((x, k) => [x, k]));
    const ranks = Uint32Array.from(value, (x) => rank.get(x));
    const next = new Uint32Array(rank.size + 1);
    for (const k of ranks) next[k + 1]++;
    for (let k = 1; k < next.length; k++) next[k] += next[k - 1];
    const all = new Array(chosen.length);
    for (let i = 0; i < all.length; i++) all[next[ranks[i]]++] = chosen[i];
    return all;
  }
  function spread(index) {
    const scores = index.scores[index.columns.findIndex((c) => c.name === index.judging.column)];
    const values = new Float64Array(index.size).fill(NaN);
    if (!scores) return values;
    for (const members of index.members) {
      const known = members.map((i) => scores[i]).filter((x) => !Number.isNaN(x));
      const distance = known.length > 1 ? Math.max(...known) - Math.min(...known) : NaN;
      for (const i of members) values[i] = distance;
    }
    return values;
  }

  // app/settings.js
  var groupFacts = (group) => facts(group.facts.map((f) => [f.name, f.values.map((v) => h("div", { dir: "auto" }, visible(v)))]));
  var settings = {
    name: "settings",
    title: "Settings",
    letter: "s",
    load: (app2) => app2.part("settings"),
    render: (app2, runs2) => [
      h("h2", {}, "Settings"),
      runs2.map((r) => h(
        "section",
        {},
        h("h3", {}, "Run ", said(r.name)),
        r.groups.map((g) => [h("h4", {}, said(g.title)), groupFacts(g)]),
        r.config ? h("details", {}, h("summary", {}, "config.yaml"), h("pre", { dir: "auto" }, visible(r.config))) : null
      ))
    ]
  };

  // app/overview.js
  var overview = {
    name: "overview",
    title: "Overview",
    letter: "o",
    async load(app2) {
      const [about, tables, index] = await Promise.all([app2.part("overview"), app2.part("tables"), app2.index()]);
      return { about, tables, index };
    },
    render: (app2, { about, tables, index }) => [
      h("h2", { class: "unseen" }, "Overview"),
      (about.verdicts ?? []).map((v) => verdictView(v, about.verdicts.length > 1)),
      outcomesView(app2, index),
      tables.tables.map(tableView),
      (about.verdicts ?? []).filter((v) => v.differences).map(forestView),
      h("details", {}, h("summary", {}, "What the runs are"), about.runs.map((g) => [h("h3", {}, said(g.title)), groupFacts(g)]))
    ]
  };
  function verdictView(v, named2) {
    return h(
      "section",
      { class: "verdict", "aria-label": "verdict" },
      named2 ? h("h3", {}, said(`${v.dataset}, ${v.model}`)) : null,
      h("p", { class: "said-first" }, said(v.text)),
      v.notes?.length ? h("ul", {}, v.notes.map((n) => h("li", {}, said(n)))) : null,
      v.pairs ? h("details", {}, h("summary", {}, "Why: the pairs as bench compare tests them"), tableView(v.pairs)) : null
    );
  }
  function forestView(v) {
    const name2 = `Differences in ${v.column} on ${v.dataset}, ${v.model}, with 95 % intervals`;
    return h(
      "section",
      { "aria-label": "differences" },
      forest(name2, v.differences.map((d) => ({
        title: `${d.side} − ${d.base}`,
        value: d.mean,
        low: d.low ?? NaN,
        high: d.high ?? NaN,
        shown: ["better", "worse", "other"].includes(d.verdict)
      }))),
      h("p", { class: "fine" }, said(`${name2}. A full dot is shown to differ after Holm's adjustment.`))
    );
  }
  function outcomesView(app2, index) {
    const { column } = judgeBy(index, app2.state), { counts } = select(index, {});
    const most = Math.max(1, ...counts.map((c) => c.reduce((x, y) => x + y, 0)));
    const bar = (numbers2, series) => {
      let x = 0;
      const parts = numbers2.map((n, o) => {
        const part3 = n ? s("rect", { class: "part " + index.outcomes[o].name, x: (100 * x / most).toFixed(3), width: (100 * n / most).toFixed(3), height: 10 }, s("title", {}, `${index.outcomes[o].title}: ${n}`)) : null;
        x += n;
        return part3;
      });
      return s("svg", { class: "outcome-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": "outcomes of " + visible(series) }, parts);
    };
    return h(
      "section",
      { "aria-label": "outcomes" },
      h(
        "table",
        { class: "outcomes" },
        h("caption", {}, "What became of the requests. ", said(rule(index)), column.trust ? [" Its judge: ", said(column.trust), "."] : ""),
        h("tbody", {}, index.series.map((series, k) => h(
          "tr",
          {},
          h("th", { scope: "row" }, h("a", { href: app2.link("requests", { method: series }) }, said(series))),
          h("td", { class: "of-bar" }, bar(counts[k], series)),
          h("td", {}, counts[k].map((n, o) => n ? h(
            "a",
            { class: "count", href: app2.link("requests", { method: series, outcome: index.outcomes[o].name }), title: index.outcomes[o].title },
            badge(index.outcomes[o], false),
            " ",
            count(n)
          ) : null))
        )))
      ),
      index.series.length > 1 ? h("p", {}, h("a", { href: app2.link("compare") }, "Two methods compared, flip by flip"), " · ", h("a", { href: app2.link("requests", { differ: "1", sort: "spread|down" }) }, "Requests on which methods disagree")) : null
    );
  }

  // app/groups.js
  function groupings(index) {
    const labels = new Set(index.questions.labels?.flatMap((l) => Object.keys(l ?? {})));
    return ["category", "sample", "outcome", "error", ...[...labels].sort().map((l) => "label " + l)];
  }
  function groupsOf(index, chosen, by) {
    const { questions: questions2 } = index, label = by.startsWith("label ") ? by.slice(6) : "";
    const name2 = (i) => {
      const q = index.question[i];
      if (label) return questions2.labels[q]?.[label] ?? "";
      switch (by) {
        case "sample":
          return index.samples[questions2.sample[q]];
        case "outcome":
          return index.outcomes[index.outcome[i]].title;
        case "error":
          return index.kind[i] < 0 ? "" : index.kinds[index.kind[i]];
        default:
          return questions2.category[q];
      }
    };
    const values = index.scores[index.columns.findIndex((c) => c.name === index.judging.column)];
    const groups = /* @__PURE__ */ new Map();
    for (const i of chosen) {
      const group = name2(i);
      if (!groups.has(group)) groups.set(group, index.series.map(() => ({ n: 0, right: 0, sum: 0, known: 0 })));
      const one = groups.get(group)[index.seriesOf(i)];
      one.n++;
      if (index.outcomes[index.outcome[i]].name === "right") one.right++;
      const value = index.status[i] === 0 ? values[i] : 0;
      if (!Number.isNaN(value)) {
        one.sum += value;
        one.known++;
      }
    }
    return [...groups].map(([group, of]) => ({ name: group, of }));
  }
  function groupsView(index, chosen, by, choose) {
    const column = index.columns.find((c) => c.name === index.judging.column);
    const mean = (s2) => s2.known ? s2.sum / s2.known : NaN;
    const spread2 = (g) => {
      const known = g.of.map(mean).filter((x) => !Number.isNaN(x));
      return known.length > 1 ? Math.max(...known) - Math.min(...known) : 0;
    };
    const groups = groupsOf(index, chosen, by).sort((x, y) => spread2(y) - spread2(x));
    const filter = { category: "category", outcome: "outcome", error: "error" }[by];
    const words = (g) => filter || g.name.includes('"') ? "" : by === "sample" ? `sample:"${g.name}"` : `label:"${by.slice(6)}: ${g.name}"`;
    const value = (g) => by === "outcome" ? index.outcomes.find((o) => o.title === g.name).name : g.name;
    return grid(
      `Mean ${column.name}, share right and number of requests by ${by}; first where methods are furthest apart`,
      [{ text: by }, { text: "apart by", number: true }, ...index.series.map((s2) => ({ text: said(s2), number: true }))],
      groups.slice(0, 200).map((g) => ({ key: g.name, cells: [
        g.name && (filter || words(g)) ? h("button", { type: "button", onclick: () => choose({ [filter]: value(g) }, words(g)) }, said(g.name)) : said(g.name || "none"),
        (spread2(g) * column.scale).toFixed(column.digits),
        ...g.of.map((s2) => s2.n ? `${s2.known ? (mean(s2) * column.scale).toFixed(column.digits) : "–"}, ${Math.round(100 * s2.right / s2.n)} % of ${count(s2.n)}` : "–")
      ] }))
    );
  }

  // app/list.js
  var List = class _List {
    static HEIGHT = 56;
    // as the style sheet has it
    static SPARE = 6;
    // rows made above and below those in sight
    // row(n, selected) makes the element of a row, and picked(n) is called with the
    // row that was chosen.
    constructor(box, row, picked) {
      this.box = box;
      this.row = row;
      this.size = 0;
      this.selected = -1;
      this.made = /* @__PURE__ */ new Map();
      this.space = h("div", { class: "space", role: "presentation" });
      box.append(this.space);
      box.addEventListener("scroll", () => this.draw(), { passive: true });
      new ResizeObserver(() => this.draw()).observe(box);
      this.space.addEventListener("click", (e) => {
        const element = e.target.closest("[data-row]");
        if (element) picked(Number(element.dataset.row));
      });
    }
    // show begins with new rows.
    show(size, selected) {
      this.size = size;
      this.selected = selected;
      this.space.style.height = size * _List.HEIGHT + "px";
      if (selected >= 0) this.reveal(selected);
      else this.box.scrollTop = 0;
      this.redraw();
    }
    // select marks a row and scrolls to it.
    select(n) {
      this.selected = n;
      this.reveal(n);
      this.redraw();
    }
    reveal(n) {
      const top = n * _List.HEIGHT, { scrollTop, clientHeight } = this.box;
      if (top < scrollTop) this.box.scrollTop = top;
      else if (top + _List.HEIGHT > scrollTop + clientHeight) this.box.scrollTop = top + _List.HEIGHT - clientHeight;
    }
    redraw() {
      for (const element of this.made.values()) element.remove();
      this.made.clear();
      this.draw();
    }
    draw() {
      const first = Math.max(0, Math.floor(this.box.scrollTop / _List.HEIGHT) - _List.SPARE);
      const end = Math.min(this.size, Math.ceil((this.box.scrollTop + this.box.clientHeight) / _List.HEIGHT) + _List.SPARE);
      for (const [n, element] of this.made) {
        if (n >= first && n < end) continue;
        element.remove();
        this.made.delete(n);
      }
      for (let n = first; n < end; n++) {
        if (this.made.has(n)) continue;
        const element = this.row(n);
        element.dataset.row = n;
        element.id = "_row-" + n;
        element.setAttribute("role", "option");
        element.setAttribute("aria-posinset", n + 1);
        element.setAttribute("aria-setsize", this.size);
        element.setAttribute("aria-selected", n === this.selected);
        element.style.top = n * _List.HEIGHT + "px";
        this.made.set(n, element);
        this.space.append(element);
      }
      if (this.made.has(this.selected)) this.box.setAttribute("aria-activedescendant", "_row-" + this.selected);
      else this.box.removeAttribute("aria-activedescendant");
    }
  };

  // app/requests.js
  var requests = {
    name: "requests",
    title: "Requests",
    letter: "r",
    load: async (app2) => new Requests(app2, await app2.index()),
    render: (app2, list) => list.element,
    drawn: (app2, list) => list.follow(),
    press: (app2, list, event) => list.press(event),
    keys: [["j k", "next and previous request"], ["Enter", "open it"], ["Esc", "close it, or clear the search"], ["s", "one method or all side by side"], ["/", "search"]]
  };
  var FIELDS = ["run", "dataset", "method", "model", "category", "outcome", "error", "text", "column", "min", "max", "sort", "differ", "rows", "judge", "group"];
  var choice = (id, title2, first) => h("label", {}, title2, h("select", { id: "_f-" + id }, first ? h("option", { value: "" }, first) : null));
  var bound2 = (id, title2) => h("label", {}, title2, h("input", { id: "_f-" + id, type: "number", step: "any" }));
  function skeleton() {
    return h(
      "div",
      { id: "_requests", key: "requests" },
      h("h2", { class: "unseen" }, "Requests"),
      h(
        "form",
        { id: "_filter", "aria-label": "filter of requests" },
        h(
          "div",
          { class: "line-of-fields" },
          h("input", { id: "_f-text", type: "search", "aria-label": "search", placeholder: 'words or "a phrase"', title: "in questions, gold answers and answers; -word for none, answer:word or sample:word for one text, time>500 or cost<0.01 for numbers" }),
          h("label", { class: "check" }, h("input", { id: "_f-differ", type: "checkbox", value: "1" }), "only where outcomes differ"),
          h("button", { type: "reset" }, "Clear")
        ),
        h("details", { class: "fields" }, h("summary", {}, "Filter and order"), h(
          "div",
          { class: "line-of-fields" },
          choice("run", "Run", "all"),
          choice("dataset", "Dataset", "all"),
          choice("method", "Method", "all"),
          choice("model", "Model", "all"),
          choice("category", "Category", "all"),
          choice("outcome", "Outcome", "all"),
          choice("error", "Error", "all"),
          choice("column", "Score", "of any size"),
          bound2("min", "from"),
          bound2("max", "to"),
          choice("judge", "Right by"),
          choice("sort", "Order"),
          choice("rows", "Rows"),
          choice("group", "Group by", "nothing")
        ))
      ),
      h(
        "div",
        { class: "panes" },
        h("div", { id: "_list", role: "listbox", tabindex: "0", "aria-label": "requests" }),
        h(
          "section",
          { id: "_counts", "aria-label": "outcomes", tabindex: "0" },
          h("p", { class: "fine", id: "_judging" }),
          h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "outcomes by method" }, h("table", { id: "_outcomes" })),
          h("div", { id: "_groups" }),
          h("details", {}, h("summary", {}, "What the outcomes mean"), facts(OUTCOMES.map((o) => [o.title, o.about])))
        ),
        h(
          "section",
          { id: "_pane", "aria-label": "request", hidden: true },
          h(
            "div",
            { class: "bar" },
            h("button", { type: "button", id: "_previous" }, "Previous"),
            h("button", { type: "button", id: "_next" }, "Next"),
            h("button", { type: "button", id: "_alone", "aria-pressed": "false" }, "One method only"),
            h("a", { id: "_link" }, "Link to this request"),
            h("button", { type: "button", id: "_close" }, "Close")
          ),
          h("div", { id: "_request" })
        )
      )
    );
  }
  var Requests = class {
    constructor(app2, index) {
      this.app = app2;
      this.index = index;
      this.element = skeleton();
      this.filter = {};
      this.further = {};
      this.chosen = [];
      this.lines = [];
      this.open = -1;
      this.alone = false;
      this.list = new List(this.find("list"), (n) => this.line(n), (n) => this.show(this.lines[n], true, true));
      this.fillForm();
      this.listen();
    }
    find(id) {
      return this.element.querySelector("#_" + id);
    }
    // fillForm offers what there is to choose. A choice of one is left out.
    fillForm() {
      const { index } = this;
      const distinct = (values) => [...new Set(values)];
      const offer = (id, choices) => {
        const field = this.find("f-" + id);
        for (const [value, text2] of choices) field.append(h("option", { value }, visible(text2)));
        field.closest("label").hidden = choices.length < 2;
      };
      const same = (values) => values.map((v) => [v, v]);
      offer("run", same(distinct(index.cells.map((c) => c.run))));
      offer("dataset", same(distinct(index.cells.map((c) => c.dataset))));
      offer("method", same(index.series));
      offer("model", same(distinct(index.cells.map((c) => c.model))));
      offer("category", same(index.categories));
      offer("outcome", index.outcomes.map((o) => [o.name, o.title]));
      offer("error", same(index.kinds));
      this.find("f-error").closest("label").hidden = index.kinds.length === 0;
      offer("group", same(groupings(index)));
      offer("column", same(index.columns.map((c) => c.name)));
      this.find("f-column").closest("label").hidden = index.columns.length === 0;
      const sorts = [[ORDER, "order of the dataset"], [SPREAD + "|down", "where methods differ most"]];
      for (const c of index.columns) sorts.push([c.name + "|up", c.name + ", lowest first"], [c.name + "|down", c.name + ", highest first"]);
      offer("rows", [["requests", "a row for each request"], ["questions", "a row for each question"]]);
      this.find("f-rows").dataset.otherwise = "requests";
      this.find("f-sort").dataset.otherwise = ORDER;
      offer("sort", [...sorts, ...NUMBERS2.map((name2) => [name2 + "|down", `most ${name2} first`])]);
      offer("judge", judges(index));
      if (index.series.length < 2) this.find("f-differ").closest("label").hidden = true;
    }
    listen() {
      const form = this.find("filter");
      form.addEventListener("submit", (e) => e.preventDefault());
      let waiting;
      form.addEventListener("input", (e) => {
        clearTimeout(waiting);
        waiting = setTimeout(() => this.readForm(), e.target.type === "search" ? 120 : 0);
      });
      form.addEventListener("reset", (e) => {
        e.preventDefault();
        clearTimeout(waiting);
        this.filter = {};
        this.writeForm();
        this.apply();
        this.note();
      });
      this.find("close").addEventListener("click", () => this.close());
      this.find("previous").addEventListener("click", () => this.step(-1));
      this.find("next").addEventListener("click", () => this.step(1));
      this.find("alone").addEventListener("click", () => this.toggle());
    }
    readForm() {
      this.filter = {};
      for (const name2 of FIELDS) {
        const field = this.find("f-" + name2);
        const value = field.type === "checkbox" ? field.checked ? "1" : "" : field.value;
        if (value !== (field.dataset.otherwise ?? "")) this.filter[name2] = value;
      }
      this.apply();
      this.note();
    }
    writeForm() {
      for (const name2 of FIELDS) {
        const field = this.find("f-" + name2), value = this.filter[name2] ?? "";
        if (field.type === "checkbox") field.checked = value !== "";
        else field.value = value || (field.dataset.otherwise ?? "");
      }
    }
    // follow takes the state from the address.
    follow() {
      const { state } = this.app;
      this.filter = {};
      for (const name2 of FIELDS) if (state[name2]) this.filter[name2] = state[name2];
      this.writeForm();
      this.apply();
      if (!state.r) {
        this.hide();
        return;
      }
      const i = this.index.find(state.r);
      if (i < 0) this.app.say(`There is no request ${visible(state.r)} on this page.`);
      else if (i !== this.open) this.show(i);
    }
    // state is what the address has of a request under the filter.
    state(i) {
      return i < 0 ? this.filter : { ...this.filter, r: this.index.key(i) };
    }
    // address is a link to that.
    address(i) {
      return this.app.link("requests", this.state(i));
    }
    note(push) {
      this.app.note(this.state(this.open), push);
    }
    // judge takes what says which answers are right from the filter, or else from the page.
    judge() {
      const { changed } = judgeBy(this.index, this.filter);
      if (changed && this.open >= 0) this.show(this.open, true);
      this.find("judging").replaceChildren(
        said(rule(this.index)),
        " A wrong answer is sorted by how much of its gold evidence reached the reader."
      );
    }
    apply() {
      const start = performance.now();
      this.judge();
      const { chosen, counts } = select(this.index, this.filter, this.further.text === this.filter.text ? this.further.found : void 0);
      this.chosen = chosen;
      this.filterTime = performance.now() - start;
      if (this.filter.rows === "questions") {
        const seen = /* @__PURE__ */ new Set();
        this.lines = chosen.filter((i) => !seen.has(this.index.question[i]) && seen.add(this.index.question[i]));
      } else {
        this.lines = chosen;
      }
      this.list.show(this.lines.length, this.place(this.open));
      this.outcomes(counts);
      draw(this.find("groups"), groupings(this.index).includes(this.filter.group) ? groupsView(this.index, chosen, this.filter.group, (values, words) => this.set(words ? { text: [this.filter.text, words].filter(Boolean).join(" ") } : values)) : null);
      this.app.say(this.summary());
      this.searchFurther();
    }
    // searchFurther asks the server for the words, which reads texts that the index cuts.
    async searchFurther() {
      const { text: text2 } = this.filter, { words } = search(text2);
      if (words.length === 0 || this.further.text === text2 || !this.app.source.can("search")) return;
      this.further = { text: text2 };
      try {
        const { requests: found } = await this.app.source.get("search?q=" + encodeURIComponent(words.map((w) => `"${w}"`).join(" ")));
        this.further = { text: text2, found: new Set(found) };
      } catch (err) {
        if (!err.expected) throw err;
      }
      if (this.filter.text === text2 && this.further.found?.size) this.apply();
    }
    // summary says how many requests the filter lets through.
    summary() {
      const { chosen, lines, index } = this;
      if (lines.length === 0) return "Nothing passes the filter.";
      const of = chosen.length < index.size ? `${count(chosen.length)} of ${count(index.size)} requests` : `${count(index.size)} requests`;
      return this.filter.rows === "questions" ? `${count(lines.length)} questions, ${of}` : of;
    }
    // place is the row of a request, or of its question.
    place(i) {
      if (i < 0) return -1;
      if (this.filter.rows !== "questions") return this.lines.indexOf(i);
      return this.lines.findIndex((l) => this.index.question[l] === this.index.question[i]);
    }
    // outcomes counts requests by method and outcome. Each number is a filter.
    outcomes(counts) {
      const { index } = this;
      const cell = (n, all, method, outcome2) => {
        const pressed = (this.filter.method ?? "") === method && (this.filter.outcome ?? "") === outcome2 && (method || outcome2);
        const share = all > 0 ? ` ${(100 * n / all).toFixed(1)}%` : "";
        return h("td", { class: "number" }, h("button", {
          type: "button",
          "aria-pressed": pressed ? "true" : "false",
          onclick: () => this.set({ method: pressed ? "" : method, outcome: pressed ? "" : outcome2 })
        }, count(n), outcome2 ? h("small", {}, share) : ""));
      };
      const row = (name2, method, numbers2) => {
        const all = numbers2.reduce((x, y) => x + y, 0);
        return h(
          "tr",
          {},
          h("th", { scope: "row" }, name2),
          cell(all, 0, method, ""),
          numbers2.map((n, o) => cell(n, all, method, index.outcomes[o].name))
        );
      };
      const sums = index.outcomes.map((_, o) => counts.reduce((n, c) => n + c[o], 0));
      this.find("outcomes").replaceChildren(
        h("caption", {}, "Outcomes by method under the filter. Choose a number to see its requests."),
        h("thead", {}, h(
          "tr",
          {},
          h("th", { scope: "col" }, "method"),
          h("th", { scope: "col", class: "number" }, "all"),
          index.outcomes.map((o) => h("th", { scope: "col", class: "number", title: o.about }, badge(o, false), " ", o.title))
        )),
        h(
          "tbody",
          {},
          index.series.map((s2, k) => row(said(s2), s2, counts[k])),
          index.series.length > 1 ? row("all", "", sums) : null
        )
      );
    }
    set(values) {
      for (const [name2, value] of Object.entries(values)) {
        if (value) this.filter[name2] = value;
        else delete this.filter[name2];
      }
      this.writeForm();
      this.apply();
      this.note();
    }
    // line is a row of the list.
    line(n) {
      const { index } = this, i = this.lines[n], q = index.question[i];
      const shown3 = index.columns.findIndex((c) => c.name === (this.filter.column || this.filter.sort?.split("|")[0]));
      const k = shown3 >= 0 ? shown3 : index.columns.findIndex((c) => c.name === index.judging.column);
      const short = (text2) => said(text2.slice(0, 200));
      if (this.filter.rows === "questions") {
        return h(
          "div",
          { class: "line" },
          h("div", { class: "top" }, short(index.questions.question[q])),
          h(
            "div",
            { class: "low" },
            index.members[q].map((m) => h(
              "span",
              { class: "mini" },
              badge({ ...index.outcomes[index.outcome[m]], title: visible(index.series[index.seriesOf(m)]) + ": " + index.outcomes[index.outcome[m]].title }, false)
            )),
            " ",
            said(index.questions.category[q]),
            " · ",
            short(index.questions.gold[q])
          )
        );
      }
      return h(
        "div",
        { class: "line" },
        h("div", { class: "top" }, badge(index.outcomes[index.outcome[i]], false), " ", short(index.questions.question[q])),
        h(
          "div",
          { class: "low" },
          k >= 0 ? h("span", { class: "score" }, number(index.scores[k][i], index.columns[k])) : "",
          h("strong", {}, said(index.series[index.seriesOf(i)])),
          " · ",
          said(index.questions.category[q]),
          " · ",
          index.kind[i] >= 0 ? said("error: " + index.kinds[index.kind[i]]) : short(index.answer[i])
        )
      );
    }
    // show opens a request.
    async show(i, keepFocus, push) {
      this.open = i;
      this.list.select(this.place(i));
      this.note(push);
      if (this.place(i) < 0) this.app.say("The filter leaves out the request that is open.");
      let view;
      try {
        view = await requestView(this.app, this.index, i, this.alone ? i : -1, (m) => this.show(m, true));
      } catch (err) {
        view = [h("p", { class: "error" }, "This request cannot be read: " + err.message)];
      }
      if (this.open !== i) return;
      const inside = this.find("request").contains(document.activeElement);
      this.find("request").replaceChildren(...view);
      this.find("request").scrollTop = 0;
      this.find("link").href = this.address(i);
      this.find("pane").hidden = false;
      this.element.classList.add("open");
      this.find("counts").hidden = true;
      if (!keepFocus || inside) this.find("asked")?.focus({ preventScroll: true });
    }
    close() {
      if (this.open < 0) return;
      const row = this.place(this.open);
      this.hide();
      this.note(true);
      this.find("list").focus({ preventScroll: true });
      if (row >= 0) this.list.reveal(row);
    }
    // hide shows the counts in place of the request.
    hide() {
      this.open = -1;
      this.find("pane").hidden = true;
      this.find("counts").hidden = false;
      this.element.classList.remove("open");
    }
    step(by) {
      if (this.lines.length === 0) return;
      const at = this.list.selected;
      const n = at < 0 ? 0 : Math.min(this.lines.length - 1, Math.max(0, at + by));
      if (this.open >= 0) this.show(this.lines[n], true);
      else this.list.select(n);
    }
    toggle() {
      this.alone = !this.alone;
      this.find("alone").setAttribute("aria-pressed", this.alone);
      if (this.open >= 0) this.show(this.open, true);
    }
    press(e) {
      const typing = e.target.matches("input, select, textarea");
      if (e.key === "Escape") {
        if (e.target === this.find("f-text")) this.set({ text: "" });
        if (typing) e.target.blur();
        else this.close();
        return;
      }
      if (typing) return;
      const onList = e.target === this.find("list");
      switch (e.key) {
        case "j":
          this.step(1);
          break;
        case "k":
          this.step(-1);
          break;
        case "ArrowDown":
          if (!onList) return;
          this.step(1);
          break;
        case "ArrowUp":
          if (!onList) return;
          this.step(-1);
          break;
        case "Enter":
          if (!onList && e.target !== document.body || this.list.selected < 0) return;
          this.show(this.lines[this.list.selected], false, true);
          break;
        case "/":
          this.find("f-text").focus();
          this.find("f-text").select();
          break;
        case "s":
          this.toggle();
          break;
        default:
          return;
      }
      e.preventDefault();
    }
  };

  // app/review.js
  var review = {
    name: "review",
    title: "Review",
    letter: "v",
    needs: "annotate",
    load: async (app2) => new Review(app2, await app2.index()),
    render: (app2, r) => r.element,
    drawn: (app2, r) => r.follow(),
    press: (app2, r, event) => r.press(event),
    keys: [["1", "right"], ["2", "wrong"], ["3", "unsure"], ["← →", "previous and next answer"]]
  };
  var VALUES = { 1: true, 2: false, 3: "unsure" };
  var Review = class {
    constructor(app2, index) {
      this.app = app2;
      this.index = index;
      this.box = h("div", {});
      this.fault = h("p", { class: "error", role: "alert", hidden: true });
      this.element = h("div", { key: "review" }, h("h2", {}, "Review"), this.fault, this.box);
      this.places = /* @__PURE__ */ new Map();
      for (let i = 0; i < index.size; i++) this.places.set(this.nameOf(i), i);
    }
    nameOf(i) {
      const q = this.index.question[i];
      return [this.index.cells[this.index.cell[i]].id, this.index.samples[this.index.questions.sample[q]], this.index.questions.request[q]].join("\n");
    }
    async attempt(act) {
      try {
        this.fault.hidden = true;
        await act();
      } catch (err) {
        if (!err.expected) throw err;
        this.fault.hidden = false;
        fill2(this.fault, said(err.message));
      }
    }
    // follow shows the queue that the address names, or all.
    follow() {
      return this.attempt(async () => {
        const runs2 = await Promise.all(this.index.runs.map(async (_, k) => ({ k, ...await this.app.source.queues(k), notes: await this.app.source.notes(k) })));
        const queues = runs2.flatMap((r) => r.queues.map((q) => ({ ...q, k: r.k, labels: r.notes.filter((n) => n.kind === "correct" && n.queue === q.name && n.reviewer === r.reviewer) })));
        const queue = queues.find((q) => q.name === this.app.state.queue && String(q.k) === (this.app.state.run ?? "0"));
        if (queue) this.show(queue);
        else this.list(queues);
      });
    }
    list(queues) {
      this.queue = null;
      const form = h(
        "form",
        { class: "bar", onsubmit: (e) => {
          e.preventDefault();
          const f = Object.fromEntries(new FormData(form));
          this.attempt(async () => {
            await this.app.source.addQueue(Number(f.run), { name: f.name, draw: f.draw, n: Number(f.n), seed: Number(f.seed), blind: f.blind === "1" });
            this.app.set({ queue: f.name, run: f.run }, true);
          });
        } },
        h("label", {}, "Name ", h("input", { name: "name", required: true, size: 12 })),
        h("label", {}, "Draw ", h("select", { name: "draw" }, ["stratified", "random", "all"].map((d) => h("option", {}, d)))),
        h("label", {}, "Number ", h("input", { name: "n", type: "number", min: 1, value: "50" })),
        h("label", {}, "Seed ", h("input", { name: "seed", type: "number", min: 0, value: "1" })),
        h("label", {}, "Run ", h("select", { name: "run" }, this.index.runs.map((id, k) => h("option", { value: String(k) }, said(id).textContent)))),
        h("label", {}, h("input", { name: "blind", type: "checkbox", value: "1", checked: true }), " blind"),
        h("button", {}, "Draw a queue")
      );
      fill2(
        this.box,
        h("p", {}, "A stratified draw takes as many of each method and category."),
        form,
        h("ul", {}, queues.map((q) => h(
          "li",
          {},
          h("a", { href: this.app.link("review", { queue: q.name, run: String(q.k) }) }, said(q.name)),
          ` ${q.labels.length} of ${count(q.items.length)} labelled${q.blind ? ", blind" : ""}`
        )))
      );
    }
    labelOf(queue, item) {
      return queue.labels.find((n) => [n.cell, n.sample, n.request].join("\n") === item && n.answer_sha256 === queue.hashes.get(item));
    }
    // show shows an item of a queue. Blind ones do not say whose the answer is until they
    // are labelled.
    show(queue) {
      this.queue = queue;
      queue.hashes = new Map(queue.items.map((it) => [[it.cell, it.sample, it.request].join("\n"), it.answer_sha256]));
      const names = [...queue.hashes.keys()];
      const first = names.findIndex((n) => !this.labelOf(queue, n));
      this.at = Math.max(0, Math.min(names.length - 1, Number(this.app.state.item ?? (first < 0 ? names.length : first + 1)) - 1));
      const item = queue.items[this.at], i = this.places.get(names[this.at]), label = this.labelOf(queue, names[this.at]);
      this.say = (kind, value) => this.attempt(async () => {
        await this.app.source.addNote(queue.k, { cell: item.cell, sample: item.sample, request: item.request, answer_sha256: item.answer_sha256, kind, value, queue: queue.name, blind: queue.blind && !label });
        await this.follow();
      });
      fill2(
        this.box,
        h(
          "div",
          { class: "bar" },
          h("a", { href: this.app.link("review") }, "All queues"),
          said(queue.name),
          ` item ${this.at + 1} of ${names.length}, ${queue.labels.length} labelled`,
          h("button", { type: "button", onclick: () => this.step(-1) }, "Previous"),
          h("button", { type: "button", onclick: () => this.step(1) }, "Next")
        ),
        first < 0 ? h("p", {}, "All are labelled. ", h("code", {}, "bench judge calibrate RUN"), " holds the judges against the labels.") : null,
        queue.agreement ? this.agreementView(queue) : null,
        i === void 0 ? h("p", { class: "none" }, "The run has no such request any more.") : later(() => this.app.source.request(i), (a) => [
          a.answer_sha256 === item.answer_sha256 ? null : h("p", { class: "error" }, "The answer was asked again since the draw; a label of it would count nowhere."),
          facts([
            ["question", passage(a.gold.question)],
            ["gold answer", a.gold.abstain ? "the conversation does not say" : passage(a.gold.answer)],
            ["answer", passage(a.answer || "none")],
            ["label", label ? said(String(label.value)) : null],
            ["method", queue.blind && !label ? null : h("a", { href: this.app.link("requests", { r: this.index.key(i) }) }, said(this.index.series[this.index.seriesOf(i)]))]
          ]),
          noteForm(this.say),
          h("p", { class: "fine" }, "keys: 1 right, 2 wrong, 3 unsure, ← and →")
        ])
      );
    }
    // agreementView is how far people agree, and the items on which they do not.
    agreementView(queue) {
      const { people, right, shared, alpha, low, high, split: split2 } = queue.agreement;
      const place = (it) => this.places.get([it.cell, it.sample, it.request].join("\n"));
      return h("section", { "aria-label": "agreement" }, facts([
        ["labels", said(Object.entries(people).sort().map(([name2, n]) => `${name2} ${n}`).join(", "))],
        ["right", right === null ? null : `${(100 * right).toFixed(1)} % of the answers that the queue stands for`],
        ["Krippendorff's alpha", alpha === null ? null : `${alpha.toFixed(3)}${low === null ? "" : ` (${low.toFixed(3)} to ${high.toFixed(3)})`}, of ${count(shared)} items with two labels or more`]
      ]), split2.length ? h("details", {}, h("summary", {}, `People differ on ${count(split2.length)}`), h("ul", {}, split2.map((it) => h(
        "li",
        {},
        place(it) === void 0 ? said(`${it.sample} ${it.request}`) : h("a", { href: this.app.link("requests", { r: this.index.key(place(it)) }) }, said(`${it.sample} ${it.request}`)),
        said(": " + Object.entries(it.labels).sort().map(([name2, v]) => `${name2} ${v === "true" ? "right" : "wrong"}`).join(", "))
      )))) : null);
    }
    step(by) {
      this.app.set({ item: String(Math.max(1, Math.min(this.queue.items.length, this.at + 1 + by))) }, true);
    }
    press(e) {
      if (!this.queue || e.target.matches("input, select, textarea")) return;
      if (e.key in VALUES) this.say("correct", VALUES[e.key]);
      else if (e.key === "ArrowRight") this.step(1);
      else if (e.key === "ArrowLeft") this.step(-1);
    }
  };

  // app/trend.js
  var CONDITIONS = {
    "dataset": (p) => p.dataset.sha256,
    "categories": (p) => p.dataset.categories,
    "answer key": (p) => p.dataset.answer_key ?? "",
    "judge": (p) => p.run.judge ?? "",
    "reader": (p) => String(!!p.run.offline)
  };
  function trendView(app2, index, runs2) {
    const points = runs2.flatMap((run) => run.rows.map((row2) => ({ run, row: row2, dataset: run.datasets.find((d) => d.label === row2.dataset) ?? {} })));
    const name2 = (p) => [p.row.dataset, p.row.method, p.row.model].join(" · ");
    const all = [...new Set(points.map(name2))].sort();
    const row = all.includes(app2.state.row) ? app2.state.row : all[0];
    const of = points.filter((p) => name2(p) === row).sort((a, b) => a.run.start < b.run.start ? -1 : a.run.start > b.run.start ? 1 : 0);
    const columns = [...new Set(of.flatMap((p) => Object.keys(p.row.columns)))].filter((c) => index.columns[c]);
    if (columns.length === 0) return h("p", { class: "none" }, "These runs have no means.");
    const column = columns.includes(app2.state.column) ? app2.state.column : columns.find((c) => c === of.at(-1).run.headline?.column) ?? columns[0];
    const { scale, digits } = index.columns[column], print = (x) => x === void 0 ? "–" : (x * scale).toFixed(digits);
    const shown3 = of.filter((p) => p.row.columns[column]);
    const choose = (key, title2, values, value) => h("label", {}, title2, h("select", { value, onchange: (e) => app2.set({ [key]: e.target.value }) }, values.map((v) => h("option", { value: v, key: v }, v))));
    const changed = (p, k) => k === 0 ? [] : Object.keys(CONDITIONS).filter((c) => CONDITIONS[c](p) !== CONDITIONS[c](shown3[k - 1]));
    return h(
      "section",
      { class: "trend", "aria-label": "trend" },
      h("div", { class: "line-of-fields" }, choose("row", "Row", all, row), choose("column", "Column", columns, column)),
      errorBars(`${column} of ${row} over ${shown3.length} runs`, shown3.map((p, k) => ({
        value: p.row.columns[column].mean * scale,
        low: p.row.columns[column].low * scale,
        high: p.row.columns[column].high * scale,
        mark: p.run.baseline ? "diamond" : p.run.dirty ? "hollow" : "dot",
        band: p.run.baseline && p.run.name === "main",
        joined: k > 0 && changed(p, k).length === 0,
        title: `${p.run.name} ${(p.run.start ?? "").slice(0, 10)}`
      }))),
      h("p", { class: "fine" }, "Diamonds are baselines, hollow points runs of changed sources. A line joins points that compare. Intervals that overlap are no test: mark two runs and compare them."),
      grid(
        "The same in numbers",
        ["run", "start", { text: column, number: true }, { text: "low", number: true }, { text: "high", number: true }, "what changed"].map((t) => t.text ? t : { text: t }),
        shown3.map((p, k) => {
          const m = p.row.columns[column];
          return { key: p.run.key, cells: [said(p.run.name), (p.run.start ?? "").slice(0, 16), print(m.mean), print(m.low), print(m.high), changed(p, k).join(", ")] };
        })
      )
    );
  }

  // app/runs.js
  var runs = {
    name: "runs",
    title: "Runs",
    letter: "i",
    needs: "runs",
    apart: true,
    every: 5e3,
    load: (app2) => app2.source.ask("runs"),
    async again(app2, index) {
      return await app2.source.ask("runs?since=" + index.rev) ?? index;
    },
    render: render2,
    drawn(app2, index) {
      if (location.hash !== "" || !index.open?.length) return;
      const [first] = index.runs.filter((r) => r.key === index.open[0]);
      app2.go(index.open.length > 1 ? "compare" : goesOn(first) ? "live" : "overview", {}, index.open.join("+"));
    },
    keys: [["c", "compare the marked"], ["t", "trend"]],
    press(app2, index, e) {
      if (e.target.matches("input, select, button")) return;
      if (e.key === "c") compareMarked(app2);
      else if (e.key === "t") app2.set({ trend: app2.state.trend ? "" : "1" }, true);
    }
  };
  var ICONS = { running: "▶", silent: "…", stopped: "■", interrupted: "‖", complete: "✓", shard: "◐", imported: "⇥", baseline: "◆", damaged: "!", unreadable: "!" };
  var goesOn = (run) => ["running", "silent", "stopped", "interrupted"].includes(run.status);
  var FILTERS = {
    dataset: ["Dataset", (r) => r.datasets.map((d) => d.label)],
    method: ["Method", (r) => r.methods],
    model: ["Model", (r) => r.models],
    status: ["Status", (r) => [r.status]],
    judge: ["Judge", (r) => r.judge ? [r.judge] : []],
    offline: ["Reader", (r) => [r.offline ? "offline" : "language model"]],
    tag: ["Tag", (r) => r.tags]
  };
  var dollars2 = (r) => r.paid?.usd ?? (r.paid ? NaN : 0);
  var COLUMNS = {
    name: ["run", (r) => r.name + " " + r.id, (r, app2) => r.error ? said(r.error) : h("a", { href: app2.link(goesOn(r) ? "live" : "overview", {}, r.key) }, said(r.name), " ", said(r.id))],
    status: ["status", (r) => r.status, (r) => [h("span", { "aria-hidden": "true" }, ICONS[r.status] + " "), r.status, r.damage ? [": ", said(r.damage)] : "", r.shard ? " " + r.shard : "", r.offline ? ", offline" : ""]],
    start: ["start", (r) => r.start ?? "", (r) => (r.start ?? "").replace("T", " ").slice(0, 16)],
    datasets: ["datasets", (r) => r.datasets[0]?.label ?? "", (r) => said(r.datasets.map((d) => d.label).join(", "))],
    methods: ["methods", (r) => r.methods.length, (r) => `${count(r.methods.length)} × ${count(r.models.length)} ${r.models.length === 1 ? "model" : "models"}`],
    finished: ["finished", (r) => r.finished ?? -1, (r) => r.finished === null ? "–" : `${count(r.finished)} of ${count(r.planned)}`, true],
    errors: ["errors", (r) => r.errors ?? -1, (r) => r.errors === null ? "–" : count(r.errors), true],
    paid: ["paid", dollars2, (r) => !r.paid ? "" : (r.paid.usd === null ? "price unknown" : "$" + r.paid.usd.toFixed(2)) + (r.paid.reused ? `, ${count(r.paid.reused)} reused` : ""), true],
    best: ["best", (r) => r.headline?.mean.mean ?? -Infinity, (r, app2, index) => headline(r, index)],
    commit: ["commit", (r) => r.commit ?? "", (r) => (r.commit ?? "").slice(0, 8) + (r.dirty ? " dirty" : "")],
    judge: ["judge", (r) => r.judge ?? "", (r) => said([r.judge ?? "", ...r.tags].filter(Boolean).join(", "))]
  };
  function headline(r, index) {
    if (!r.headline) return "";
    const { column, mean, row } = r.headline, { scale, digits } = index.columns[column];
    const print = (x) => (x * scale).toFixed(digits);
    return [`${print(mean.mean)} `, mean.low === void 0 ? "" : `(${print(mean.low)} to ${print(mean.high)}) `, said(`${column}, ${r.rows[row].method}`)];
  }
  var marked2 = (app2) => (app2.state.marked ?? "").split("+").filter(Boolean);
  function compareMarked(app2) {
    if (marked2(app2).length > 1) app2.go("compare", {}, marked2(app2).join("+"));
  }
  function passes(state, r, but) {
    const words = (state.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const text2 = words.length ? JSON.stringify([r.name, r.id, r.path, r.status, r.datasets, r.methods, r.models, r.judge, r.commit, r.tags]).toLowerCase() : "";
    return words.every((w) => text2.includes(w)) && (!state.since || (r.start ?? "") >= state.since) && (!state.until || (r.start ?? "").slice(0, 10) <= state.until) && Object.entries(FILTERS).every(([name2, [, values]]) => name2 === but || !state[name2] || values(r).includes(state[name2]));
  }
  function filterField(app2, index, name2) {
    const [title2, values] = FILTERS[name2], left = /* @__PURE__ */ new Map();
    for (const r of index.runs) for (const v of values(r)) left.set(v, (left.get(v) ?? 0) + (passes(app2.state, r, name2) ? 1 : 0));
    if (left.size < 2 && !app2.state[name2]) return null;
    return h("label", { key: name2 }, title2, h(
      "select",
      { value: app2.state[name2] ?? "", onchange: (e) => app2.set({ [name2]: e.target.value }) },
      h("option", { value: "" }, "all"),
      [...left].sort().map(([v, n]) => h("option", { value: v, key: v }, `${v} (${n})`))
    ));
  }
  function render2(app2, index) {
    const { state } = app2, shown3 = index.runs.filter((r) => passes(state, r));
    const [by, direction] = (state.sort ?? "start|down").split("|"), value = COLUMNS[by]?.[1];
    if (value) shown3.sort((a, b) => (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0) * (direction === "down" ? -1 : 1));
    const keys = marked2(app2);
    const mark = (key, on) => app2.set({ marked: on ? [...keys, key].join("+") : keys.filter((k) => k !== key).join("+") });
    const head = (name2) => {
      const [title2, , , number3] = COLUMNS[name2], next = by === name2 && direction === "up" ? "down" : "up";
      return { number: number3, sort: by === name2 ? direction : "", text: h("button", { type: "button", onclick: () => app2.set({ sort: name2 + "|" + next }) }, title2) };
    };
    const rows = shown3.map((r) => ({ key: r.key, cells: [
      h("input", { type: "checkbox", checked: keys.includes(r.key), "aria-label": "mark " + r.name, onchange: (e) => mark(r.key, e.target.checked) }),
      ...Object.values(COLUMNS).map(([, , cell]) => cell(r, app2, index))
    ] }));
    const date = (name2, title2) => h("label", {}, title2, h("input", { type: "date", value: state[name2] ?? "", onchange: (e) => app2.set({ [name2]: e.target.value }) }));
    return [
      h("h2", {}, "Runs"),
      h(
        "form",
        { class: "line-of-fields", "aria-label": "filter of runs", onsubmit: (e) => e.preventDefault() },
        h("input", { type: "search", "aria-label": "only runs with these words", placeholder: "words", value: state.text ?? "", oninput: (e) => app2.set({ text: e.target.value }) }),
        Object.keys(FILTERS).map((name2) => filterField(app2, index, name2)),
        date("since", "Since"),
        date("until", "Until"),
        h("button", { type: "button", disabled: keys.length < 2, onclick: () => compareMarked(app2) }, "Compare the marked"),
        h("button", { type: "button", "aria-pressed": state.trend ? "true" : "false", onclick: () => app2.set({ trend: state.trend ? "" : "1" }, true) }, "Trend")
      ),
      index.cut ? h("p", { class: "fine" }, "There are more runs than are looked for.") : null,
      state.trend ? trendView(app2, index, shown3) : null,
      grid(`${count(shown3.length)} of ${count(index.runs.length)} runs`, [{ text: h("span", { class: "unseen" }, "marked") }, ...Object.keys(COLUMNS).map(head)], rows)
    ];
  }

  // app/main.js
  var PAGES = [overview, compare, requests, review, figures, settings, live, runs, chat];
  takeToken();
  var file = byId("index") !== null;
  var app = new App(PAGES, (key) => file ? new FileSource() : new ServerSource(key));
  app.follow();
  return __toCommonJS(main_exports);
})();
