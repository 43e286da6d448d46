var bench = (() => {
  var __defProp = Object.defineProperty;
  var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
  var __getOwnPropNames = Object.getOwnPropertyNames;
  var __hasOwnProp = Object.prototype.hasOwnProperty;
  var __export = (target, all) => {
    for (var name in all)
      __defProp(target, name, { get: all[name], enumerable: true });
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
    words: () => words
  });

  // app/ui.js
  var SVG = "http://www.w3.org/2000/svg";
  var flat = (children) => children.flat(Infinity).filter((c) => c !== null && c !== void 0 && c !== "" && c !== false);
  function fill(element, properties, children) {
    element.append(...flat(children));
    for (const [name, value] of Object.entries(properties ?? {})) {
      if (value === void 0 || value === null || value === false) continue;
      if (name.startsWith("on")) listen(element, name.slice(2), value);
      else if (name === "value" || name === "checked") (element.given ??= {})[name] = element[name] = value;
      else element.setAttribute(name, value === true ? "" : value);
    }
    return element;
  }
  var heard = (event) => event.currentTarget.listeners[event.type]?.(event);
  function listen(element, name, listener) {
    if (!element.listeners?.[name]) element.addEventListener(name, heard);
    (element.listeners ??= {})[name] = listener;
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
    for (const { name } of [...old.attributes]) if (name !== kept && !child.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of child.attributes) if (name !== kept && old.getAttribute(name) !== value) old.setAttribute(name, value);
    for (const name of Object.keys(old.listeners ?? {})) if (!child.listeners?.[name]) delete old.listeners[name];
    for (const [name, listener] of Object.entries(child.listeners ?? {})) listen(old, name, listener);
    update(old, [...child.childNodes]);
    for (const [name, value] of Object.entries(child.given ?? {})) if (old[name] !== value) old[name] = value;
  }

  // app/text.js
  var HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;
  function visible(text) {
    return text.replace(/\r\n/g, "\n").replace(HIDDEN, (c) => {
      const code = c.codePointAt(0);
      if (code < 32) return String.fromCodePoint(9216 + code);
      if (code === 127) return "␡";
      return "[U+" + code.toString(16).toUpperCase().padStart(4, "0") + "]";
    });
  }
  var byId = (id) => document.getElementById("_" + id);
  var said = (text) => h("bdi", {}, visible(text));
  var SHOWN = 4e3;
  function passage(text, needles = []) {
    const box = h("div", { class: "passage", dir: "auto" });
    const fill3 = (part3) => box.replaceChildren(...marked(visible(part3), needles));
    if (text.length <= SHOWN) {
      fill3(text);
      return box;
    }
    fill3(text.slice(0, SHOWN) + "…");
    const more = h(
      "button",
      { type: "button", onclick: () => {
        fill3(text);
        more.remove();
      } },
      `show all ${count(text.length)} characters`
    );
    return h("div", {}, box, more);
  }
  function marked(text, needles) {
    const words2 = needles.filter((n) => n.length > 1).map((n) => n.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    if (words2.length === 0) return [text];
    return text.split(new RegExp("(" + words2.join("|") + ")", "iu")).map((part3, i) => i % 2 === 1 ? h("mark", {}, part3) : part3).filter((part3) => part3 !== "");
  }
  var count = (n) => n.toLocaleString("en");
  function number(x, column) {
    return Number.isNaN(x) ? "–" : (x * column.scale).toFixed(column.digits);
  }
  function milliseconds(ms) {
    return ms >= 1e4 ? (ms / 1e3).toFixed(1) + " s" : ms.toFixed(ms >= 100 ? 0 : 1) + " ms";
  }
  function facts(pairs2) {
    return h("dl", { class: "facts" }, pairs2.filter(([, value]) => value !== null && value !== void 0).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  }

  // app/outcome.js
  var OUTCOMES = [
    { name: "right", mark: "✓", title: "right", about: "The answer is right." },
    { name: "not-retrieved", mark: "∅", title: "wrong, not retrieved", about: "The answer is wrong. None of the turns that the gold answer rests on reached the reader." },
    { name: "partly-retrieved", mark: "◐", title: "wrong, partly retrieved", about: "The answer is wrong. Some of these turns reached the reader." },
    { name: "not-used", mark: "✗", title: "wrong, retrieved", about: "The answer is wrong, although all of these turns reached the reader." },
    { name: "unknown-evidence", mark: "✗", title: "wrong", about: "The answer is wrong. The dataset names no turns that it rests on, or an imported file not those of its evidence." },
    { name: "failed", mark: "!", title: "error", about: "The question ended in an error." },
    { name: "abstained", mark: "–", title: "abstained", about: "The answer says that it does not know, and neither a person nor a judge says whether that is right." },
    { name: "unclear", mark: "~", title: "unclear", about: "Neither a person nor a judge says whether the answer is right, and it shares too much with the gold answer to be wrong and too little to be right. A judge can decide it: bench judge." }
  ];
  var [RIGHT, NONE, PART, ALL, UNKNOWN, FAILED, ABSTAINED, UNCLEAR] = OUTCOMES.keys();
  var WRONG = [UNKNOWN, NONE, PART, ALL];
  var isWrong = (outcome2) => WRONG.includes(outcome2) || outcome2 === FAILED;
  var isRight = (outcome2) => outcome2 === RIGHT;
  var isUnclear = (outcome2) => outcome2 === UNCLEAR;
  var VERDICTS = ["wrong", "right", "unclear", "abstained"];
  function outcome(status, verdict, reach) {
    return status !== 0 ? FAILED : [WRONG[reach], RIGHT, UNCLEAR, ABSTAINED][verdict];
  }
  var evidenceOutcome = (status, reach) => status !== 0 ? FAILED : [UNCLEAR, NONE, PART, RIGHT][reach];
  function verdictBy(column, value) {
    return VERDICTS.indexOf(value >= column.right ? "right" : value <= column.wrong ? "wrong" : "unclear");
  }
  function badge(o, long, name) {
    return h("span", { class: "outcome " + o.name + (long ? " long" : ""), title: o.about, role: long ? null : "img", "aria-label": long ? null : name ? visible(`${name}: ${o.title}`) : o.title }, h("span", { class: "mark", "aria-hidden": long ? "true" : null }, o.mark), long ? " " + o.title : "");
  }
  function outcomeBar(index, counts, most, name) {
    let x = 0;
    return s(
      "svg",
      { class: "outcome-bar", width: "100%", height: 14, role: "img", "aria-label": visible(`outcomes of ${name}: ${counts.map((n, o) => n ? `${n} ${index.outcomes[o].title}` : "").filter(Boolean).join(", ")}`) },
      counts.map((n, o) => {
        const part3 = n ? s("rect", { class: "part " + index.outcomes[o].name, x: (100 * x / most).toFixed(3) + "%", width: (100 * n / most).toFixed(3) + "%", height: 14 }) : null;
        x += n;
        return part3;
      })
    );
  }

  // app/data.js
  var Index = class {
    constructor(data) {
      this.columns = data.columns;
      this.outcomes = OUTCOMES;
      this.cells = data.cells;
      this.series = data.series;
      this.runs = [...new Set(data.cells.map((c) => c.run_id))];
      this.datasets = data.datasets;
      this.categories = data.categories;
      this.samples = data.samples;
      this.kinds = data.kinds;
      this.questions = data.questions;
      this.disputed = new Set(data.questions.disputed);
      const r = data.requests;
      this.size = r.question.length;
      this.question = Uint32Array.from(r.question);
      this.cell = Uint32Array.from(r.cell);
      this.kind = Int16Array.from(r.kind);
      this.status = Uint8Array.from(r.status);
      this.verdict = Uint8Array.from(r.verdict);
      this.reach = Uint8Array.from(r.reach);
      this.scores = r.scores.map((values) => values && Float64Array.from(values, (x) => x === null ? NaN : x));
      this.members = this.questions.request.map(() => []);
      this.places = new Int32Array(this.members.length * this.series.length).fill(-1);
      for (let i = 0; i < this.size; i++) {
        this.members[this.question[i]].push(i);
        this.places[this.question[i] * this.series.length + this.seriesOf(i)] = i;
      }
      this.given = data.judging;
      this.judge(this.given);
    }
    // judge computes the outcomes: by the column that judging.by names, or else by all that
    // is known of answers. judging.column names the one whose values are shown.
    judge(judging) {
      this.judging = judging;
      const k = this.columns.findIndex((c) => c.name === judging.by);
      this.outcome = Uint8Array.from(this.verdict, (v, i) => judging.by === "evidence" ? evidenceOutcome(this.status[i], this.reach[i]) : outcome(this.status[i], k < 0 ? v : verdictBy(this.columns[k], this.scores[k][i]), this.reach[i]));
    }
    // at is the request of a question in a series; negative for none.
    at(q, series2) {
      return this.places[q * this.series.length + series2];
    }
    // key names a request in a link.
    key(i) {
      const cell = this.cells[this.cell[i]], q = this.question[i];
      return `${cell.run_id}.${cell.id}:${this.samples[this.questions.sample[q]]}:${this.questions.request[q]}`;
    }
    // find is the request of a key; one without the run, ".CELL:SAMPLE:REQUEST", is the first of any run.
    find(key) {
      for (let i = 0; i < this.size; i++) if (key[0] === "." ? this.key(i).endsWith(key) : key.startsWith(this.cells[this.cell[i]].run_id) && this.key(i) === key) return i;
      return -1;
    }
    // runOf is the number of the run that a request is of.
    runOf(i) {
      return this.runs.indexOf(this.cells[this.cell[i]].run_id);
    }
    seriesOf(i) {
      return this.cells[this.cell[i]].series;
    }
    // seriesNamed is the series of a method with a model in a run.
    seriesNamed(run, method, model) {
      const cell = this.cells.find((c) => c.run_id === run && c.method === method && c.model === model);
      return cell && this.series[cell.series];
    }
  };

  // app/display.js
  var prefix = "recallbench-";
  var get = (setting) => localStorage.getItem(prefix + setting) ?? "";
  var lettersOff = () => get("letters") === "off";
  function set(setting, value) {
    localStorage.setItem(prefix + setting, value);
    colours();
  }
  function colours() {
    document.documentElement.classList.toggle("light", get("colours") === "light");
    document.documentElement.classList.toggle("dark", get("colours") === "dark");
  }
  function showKeys(keys) {
    const dialog = byId("keys"), choice = (value, title2) => h("option", { value }, title2);
    draw(
      dialog,
      h("h2", { id: "_keys-title" }, "Keys and display"),
      h("dl", { class: "facts" }, keys.map(([key, does]) => [h("dt", {}, key.split(" ").map((k) => h("kbd", {}, k))), h("dd", {}, does)])),
      h("p", {}, h("label", {}, h("input", { type: "checkbox", checked: !lettersOff(), onchange: (e) => set("letters", e.target.checked ? "" : "off") }), " single characters are keys")),
      h("p", {}, h("label", {}, "Colours ", h("select", { value: get("colours"), onchange: (e) => set("colours", e.target.value) }, choice("", "as the system"), choice("light", "light"), choice("dark", "dark")))),
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
    for (const details of box.querySelectorAll("#_pane details")) {
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
    if (m) return { key: m[1] ?? "", name: m[2] === "requests" ? "questions" : m[2], id: m[3] ?? "", state: Object.fromEntries(new URLSearchParams(m[4] ?? "")) };
    if (hash.includes("=")) return { key: "", name: "questions", state: Object.fromEntries(new URLSearchParams(hash.slice(1))) };
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
    part(name) {
      if (!this.parts.has(name)) this.parts.set(name, this.source.part(name));
      return this.parts.get(name);
    }
    // index is that of requests.
    async index() {
      this.made ??= new Index(await this.part("index"));
      this.names = [...new Set(this.made.cells.map((c) => c.run))].join(", ");
      this.frame();
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
    link(name, state = {}, key = this.key) {
      const page = this.pages.find((p) => p.name === name.split("/")[0]);
      const query = new URLSearchParams(state).toString();
      return "#/" + (key && !page.apart ? `run/${key}/` : "") + name + (query ? "?" + query : "");
    }
    // go opens a page, which the browser's Back leaves again.
    go(name, state, key) {
      const link = this.link(name, state, key);
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
      for (const [name, value] of Object.entries(state)) if (!value) delete state[name];
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
        this.names = "";
        draw(byId("main"));
      }
      const page = this.offered().find((p) => p.name === at.name) ?? this.offered()[0] ?? this.pages[0];
      if (page !== this.page) this.leave();
      this.page = page;
      this.state = at.state;
      this.id = at.id;
      this.frame();
      try {
        if (!this.loaded.has(page)) {
          this.loaded.set(page, page.load?.(this));
          draw(byId("main"), h("p", { class: "none", key: "loading", "aria-busy": "true" }, "Loading …"));
        }
        const data = await this.loaded.get(page);
        if (this.page !== page || this.state !== at.state) return;
        this.data = data;
        byId("main").className = page.name;
        document.body.className = "on-" + page.name + (page.name === "questions" && at.state.r ? " opened" : "");
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
      const link = (p) => h("a", { href: this.link(p.name), key: p.name, "aria-current": p === this.page ? "page" : null }, p.title), all = this.offered();
      draw(byId("places"), all.filter((p) => p.apart).map(link));
      draw(byId("nav"), this.page?.apart ? "" : all.filter((p) => !p.apart).map(link));
      byId("title").textContent = visible(this.page?.apart ? this.page.title : this.names || (this.source.can("runs") ? "…" : document.title));
      byId("title").classList.toggle("unseen", !!this.page?.apart);
      byId("nav").hidden = !!this.page?.apart;
      const nav = byId("nav"), current = nav.querySelector("[aria-current]");
      if (current) nav.scrollLeft = current.offsetLeft - nav.offsetLeft - 60;
    }
    say(text) {
      byId("status").textContent = text;
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
      const steps = [...byId("main").querySelectorAll(".inside .steps button, .chat-memory .steps button")];
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

  // app/parts.js
  var card = (title2, ...children) => h("section", { class: "card" }, h("h3", {}, said(title2)), children);
  function tiles(pairs2) {
    return h("dl", { class: "tiles" }, pairs2.filter(([, value]) => value !== null && value !== void 0 && value !== "").map(([name, value, note]) => h("div", { class: "tile" }, h("dt", {}, name), h("dd", {}, value), note ? h("dd", { class: "fine" }, note) : null)));
  }
  function choose(title2, value, choices, chosen) {
    if (choices.length < 2 && !value) return null;
    return h(
      "label",
      { class: "field", key: title2 },
      h("span", {}, title2),
      h("select", { value, onchange: (e) => chosen(e.target.value) }, choices.map(([v, text]) => h("option", { value: v, key: v }, visible(text))))
    );
  }
  var chip = (title2, on, press, about) => h("button", { type: "button", class: "chip", key: title2, "aria-pressed": String(!!on), title: about, onclick: press }, title2);
  var scroll = (title2, ...children) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": visible(title2) }, children);

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
    return h("div", { class: "versions" }, views.map((v, k) => h("section", {}, h("h3", {}, `version ${k ? version : base}`), v.element)));
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
        n.fields?.map(([name, ...values]) => h("div", { class: "field" }, said(name), ": ", was(n, name), said(values.join("; ")))),
        n.was?.filter(([name]) => !n.fields?.some(([f]) => f === name)).map(([name, ...values]) => h("div", { class: "field" }, said(name), ": ", h("del", {}, said(values.join("; "))))),
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
  function was(n, name) {
    const old = n.was?.find(([f]) => f === name);
    return old && old.length > 1 ? [h("del", {}, said(old.slice(1).join("; "))), " → "] : old ? h("em", {}, "new ") : "";
  }
  function executionView(structure, shadeBy, choose2) {
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
          h("button", { type: "button", class: "plain", onclick: () => choose2(c.id) }, said(c.path)),
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
    const name = (id) => visible(node.get(id).label).slice(0, 40);
    const turns = Map.groupBy(structure.links ?? [], (l) => l.from);
    return h(
      "div",
      {},
      right.length === 0 ? null : scroll("entities and the turns that mention them", s(
        "svg",
        { class: "links", viewBox: `0 0 600 ${Math.max(left.length, right.length) * LINE + 4}`, role: "img", "aria-label": "entities and the turns that mention them" },
        links.map((l) => s("line", { x1: 250, y1: at(left, l.from) - 4, x2: 390, y2: at(right, l.to) - 4 })),
        left.map((id) => s("text", { x: 244, y: at(left, id), "text-anchor": "end" }, name(id))),
        right.map((id) => s("text", { x: 396, y: at(right, id) }, "★ " + name(id)))
      )),
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
      h("p", { class: "title" }, said(t.title), marks(t.title_notes)),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": visible(t.title) },
        h(
          "table",
          {},
          h("caption", { class: "unseen" }, said(t.title)),
          h("thead", {}, heads),
          h("tbody", {}, t.rows.map((row) => h("tr", {}, row.map(cell))))
        )
      ),
      t.notes?.length ? h("ol", { class: "notes" }, t.notes.map((n) => h("li", {}, said(n)))) : null
    );
  }
  function grid(caption, heads, rows, unseen) {
    const sorted2 = { up: "ascending", down: "descending" };
    return scroll(caption, h(
      "table",
      { class: "grid" },
      h("caption", { class: unseen ? "unseen" : null }, said(caption)),
      h("thead", {}, h("tr", {}, heads.map((t) => h("th", { scope: "col", class: t.number ? "number" : null, "aria-sort": sorted2[t.sort] ?? null }, t.text)))),
      h("tbody", {}, rows.map((r) => h("tr", { key: r.key }, r.cells.map((c, i) => h("td", { class: heads[i].number ? "number" : null }, c)))))
    ));
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
        ...Object.entries(c.params ?? {}).map(([name, value]) => [said(name), said(value)]),
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
      h("h4", {}, visible(role)),
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
    return h("ul", { class: "missing" }, [...why].map(([text, all]) => h(
      "li",
      {},
      `${all.length} ${all.length === 1 ? "call is" : "calls are"} not shown: `,
      said(text),
      h("div", { class: "fine" }, said(all.map((m) => m.id).join(" ")))
    )));
  }
  function pairView(p) {
    const title2 = h("h4", {}, visible(p.role));
    if (!p.diff) return h("div", {}, title2, h("p", { class: "fine" }, p.left ? "only this request has the call" : "only the other request has the call"));
    return h(
      "div",
      {},
      title2,
      p.diff.params.length ? facts(p.diff.params.map((d) => [said(d.name), [said(d.left || "none"), " → ", said(d.right || "none")]])) : null,
      p.diff.messages.map((m) => h(
        "section",
        { class: "message" },
        h("h4", {}, visible(m.role)),
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
    const words2 = { same: "in both", left: "only in this", right: "only in the other" }[l.op];
    return h(
      "div",
      { class: "diff-" + l.op, title: words2 },
      h("span", { class: "sign", "aria-label": words2 }, SIGNS[l.op]),
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
      for (const name of ["bar", "talk", "memory", "turn"]) this.parts[name] = h("section", { class: "chat-" + name, "aria-label": { bar: "chat", talk: "conversation", memory: "memory", turn: "turn" }[name] });
      this.fault = h("p", { class: "error", role: "alert", hidden: true });
      this.progress = h("p", { class: "fine", role: "status" });
      this.element = h(
        "div",
        { key: "chat" },
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
      const [chats, examples, choices] = await Promise.all([this.source.ask("chat"), this.source.ask("chat/examples"), this.source.ask("chat/choices", { dataset: "sample" })]);
      const start = (body, requests) => this.attempt(async () => {
        const { id } = await this.source.ask("chat", body);
        this.app.go("chat/" + id, requests ? { text: requests[0] } : {});
      });
      const list = (name, values, value, more) => h("select", { name, value, ...more }, values.map((v) => h("option", { value: v }, visible(v)))), field = (title2, input) => h("label", { class: "field" }, h("span", {}, title2), input);
      const samples = list("sample", choices.samples), sizes = { tasks: { turns: "multi" } };
      const dataset = list("dataset", choices.datasets, "sample", { onchange: () => this.attempt(async () => {
        const { samples: all } = await this.source.ask("chat/choices", { dataset: dataset.value, options: sizes[dataset.value] });
        samples.replaceChildren(...all.map((id) => h("option", { value: id }, visible(id))));
      }) });
      const method = list("method", choices.methods, "flat-rag");
      const form = h(
        "form",
        { class: "fields", onsubmit: (e) => {
          e.preventDefault();
          const f = Object.fromEntries(new FormData(form));
          start({ source: f.xml ? { xml: f.xml } : { dataset: f.dataset, sample: f.sample, options: sizes[f.dataset] }, method: f.method, model: f.model, today: f.today });
        } },
        field("Data", dataset),
        field("Conversation or tree", samples),
        field("Method", method),
        field("Answered by", list("model", choices.models)),
        field("Today", h("input", { name: "today", type: "date" })),
        h("details", { class: "wide" }, h("summary", {}, "A tree of your own in place of the data"), h("textarea", { name: "xml", rows: 6, "aria-label": "tree, as XML", placeholder: "<Itinerary>…</Itinerary>" })),
        h("button", { class: "main" }, "Begin")
      );
      fill2(
        this.parts.bar,
        h("h2", { class: "lead" }, "Talk to a memory"),
        h("p", { class: "sub" }, "Begin with an example, or with data of your choice. Turns can be undone, and go on in branches."),
        h("div", { class: "examples" }, examples.map((e) => h(
          "section",
          { class: "card" },
          h("h3", {}, said(e.name)),
          h("p", {}, said(e.doc)),
          h("p", { class: "fine" }, said(e.method)),
          h("button", { type: "button", onclick: () => start({ source: e.source, method: e.method, today: e.today }, e.requests) }, "Begin ", said(e.name))
        ))),
        card("A memory of your choice", form),
        chats.length ? card(`Earlier chats (${chats.length})`, grid("Earlier chats", [{ text: "begun" }, { text: "memory" }, { text: "method" }, { text: "answered by" }], chats.map((c) => ({ key: c.id, cells: [
          h("a", { href: this.app.link("chat/" + c.id) }, said(c.time.slice(0, 16).replace("T", " "))),
          said(c.source.sample || "a tree"),
          said(c.method),
          said(c.model || "stand-in")
        ] })), true)) : ""
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
      this.source.stream(`chat/${this.id}/events`, this.stream.signal, { last: 0, heard: (name, data) => this.heard(name, data), poll: read, lost: (text) => this.say(text) });
    }
    async heard(name, data) {
      if (name === "state") this.say("");
      if (name === "stage" && !data.done) this.say(data.stage + " …");
      else if (name === "call") this.say(`${data.stage}: ${data.reused ? "recorded" : "paid"}, ${Math.round(data.ms)} ms`);
      else if (name === "paid") this.say(dollars(data.usd));
      else if (name === "begun") this.say("asked");
      else if (["state", "answer", "failed", "cancelled", "head"].includes(name)) await this.attempt(() => this.read());
    }
    say(text) {
      this.progress.textContent = visible(text);
    }
    stop() {
      this.stream = this.stream?.abort();
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
      const button = (text, able, act) => h("button", { type: "button", disabled: !able, onclick: act }, text);
      draw(this.parts.bar, h(
        "div",
        { class: "bar" },
        h("a", { href: this.app.link("chat") }, "← All chats"),
        h("strong", {}, said(v.source.sample || "A tree")),
        h("span", { class: "fine" }, said(v.method), ", answered by ", said(v.model || "stand-in")),
        button("Undo", head && !v.busy, () => this.undo()),
        button("Redo", v.redo && !v.busy, () => this.redo()),
        v.busy ? button("Cancel the turn", true, () => this.post("cancel", {})) : null,
        v.turns.length ? [button("Export", true, () => this.export("chat")), button("Export with calls", true, () => this.export("calls"))] : null,
        v.turns.length && v.source.dataset ? button("Ask all again", !v.busy, () => this.again()) : null
      ));
    }
    // again begins a chat like this one and asks the same, one after the other.
    again() {
      return this.attempt(async () => {
        const v = this.view, path = this.path(), { id } = await this.source.ask("chat", { source: v.source, method: v.method, options: v.options, model: v.model, mode: v.mode, seed: v.seed, today: v.today });
        this.app.go("chat/" + id, {});
        for (let parent = 0, left = v.turns.filter((t) => path.has(t.id)); left.length; left = left.slice(1)) {
          parent = (await this.source.ask(`chat/${id}/turn`, { parent, text: left[0].text })).turn;
          while ((await this.source.ask("chat/" + id)).busy) await new Promise((done) => setTimeout(done, 200));
        }
      });
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
        const text = h("textarea", { rows: 3, "aria-label": "what to ask", placeholder: "Ask, or say what to change. Enter sends." });
        text.value = this.app.state.text ?? "";
        text.addEventListener("keydown", (e) => {
          if (e.key === "Enter" && !e.shiftKey) {
            e.preventDefault();
            this.form.requestSubmit();
          }
        });
        this.form = h("form", { class: "say", onsubmit: async (e) => {
          e.preventDefault();
          await this.attempt(async () => {
            await this.source.ask(`chat/${this.id}/turn`, { parent: this.view.head, text: text.value });
            text.value = "";
            this.app.set({ turn: "", text: "" });
          });
        } }, text, h("button", { class: "main" }, "Ask"));
      }
      draw(
        this.parts.talk,
        h("h2", {}, "Conversation"),
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
      const query = h("input", { class: "grow", "aria-label": "a query of your own", placeholder: '//POI[node ~= "art"]' });
      const result = h("div", {});
      fill2(
        this.parts.memory,
        h("h2", {}, `Memory ${before ? "before" : "after"} ${at ? "turn " + at : "the first turn"}`),
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
      if (!t) return fill2(this.parts.turn, h("h2", {}, "Turn"), h("p", { class: "none" }, "What a turn read and changed stands here."));
      const r = t.record;
      return fill2(
        this.parts.turn,
        h("h2", {}, `Turn ${at}`),
        facts([
          ["asked", said(t.text)],
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
  var inflateAll = async (prefix2, firsts) => (await Promise.all(firsts.map((_, i) => inflate(prefix2 + i)))).flat().map((t) => t.toLowerCase());
  var Chunks = class _Chunks {
    static KEPT = 48;
    constructor(prefix2, firsts) {
      this.prefix = prefix2;
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
    async part(name) {
      const part3 = await inflate(name);
      if (name === "index") {
        this.chunks = part3.chunks;
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
      return byId("notes") ? (await inflate("notes"))[k] ?? [] : [];
    }
    // ranking is the overview by a column.
    ranking(column, columns) {
      return inflate("ranking" + columns.indexOf(column));
    }
    // search returns the requests whose texts have all words.
    async search(words2) {
      this.texts ??= Promise.all([inflateAll("q", this.chunks.questions), inflateAll("a", this.chunks.answers)]);
      const [questions, answers] = await this.texts;
      return [...this.question.keys()].filter((i) => words2.every((w) => questions[this.question[i]].includes(w) || answers[i].includes(w)));
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
    static FEATURES = ["runs", "live", "chat", "calls", "prompts", "structure", "notes", "annotate"];
    constructor(key) {
      this.key = key;
      this.run = "run/" + key + "/";
    }
    can(feature) {
      return _ServerSource.FEATURES.includes(feature);
    }
    // fetch asks the server for what is below /api/, by POST where there is a body.
    async fetch(path, body, options) {
      const headers = { ...options?.headers, Authorization: "Bearer " + (localStorage.getItem(TOKEN) ?? "") };
      if (body !== void 0) headers["Content-Type"] = "application/json";
      let reply;
      try {
        reply = await fetch("/api/" + path, { method: body === void 0 ? "GET" : "POST", body: body === void 0 ? void 0 : JSON.stringify(body), ...options, headers });
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
              const [, id, name, data] = /^id: (\d+)\nevent: (.*)\ndata: (.*)$/.exec(e) ?? [];
              if (!name) continue;
              last = id;
              await heard2(name, JSON.parse(data), id);
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
    async part(name) {
      const part3 = await this.get(name);
      if (name === "index") this.rev = part3.rev;
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
    // ranking is the overview by a column.
    ranking(column) {
      return this.get("overview?column=" + encodeURIComponent(column));
    }
    async search(words2) {
      return (await this.get("search?q=" + encodeURIComponent(words2.map((w) => `"${w}"`).join(" ")))).requests;
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

  // app/chart.js
  function ticks(low, high, most = 5) {
    const step = 10 ** Math.floor(Math.log10(high - low || 1)), every = [0.1, 0.2, 0.5, 1, 2].map((f) => f * step).find((x) => (high - low) / x <= most) ?? step;
    const all = [];
    for (let t = Math.ceil(low / every) * every; t <= high + every / 1e6; t += every) all.push(Number(t.toPrecision(6)));
    return all;
  }
  function scaleOf(values, around = 0.04) {
    const known = values.filter((x) => Number.isFinite(x));
    const low = Math.min(...known), high = Math.max(...known), pad = (high - low || Math.abs(high) || 1) * around;
    const from = low - pad, to = high + pad;
    return { from, to, at: (v) => `${(100 * (v - from) / (to - from)).toFixed(2)}%` };
  }
  function dots(title2, rows, { line, zero, small } = {}) {
    const of = rows.flatMap((r) => r.estimate ? [r.estimate.mean, r.estimate.low, r.estimate.high] : []);
    const scale = scaleOf(zero ? [0, ...of] : of), marks = ticks(scale.from, scale.to, small ? 3 : 5);
    const through = zero ? 0 : line;
    const plot = ({ estimate: e, kind }) => s(
      "svg",
      { class: "lane " + kind, width: "100%", "aria-hidden": "true" },
      marks.map((t) => s("line", { class: "rule", x1: scale.at(t), x2: scale.at(t), y1: 0, y2: "100%" })),
      through !== void 0 ? s("line", { class: "through", x1: scale.at(through), x2: scale.at(through), y1: 0, y2: "100%" }) : null,
      e && Number.isFinite(e.low) ? s("line", { class: "interval", x1: scale.at(e.low), x2: scale.at(e.high), y1: "50%", y2: "50%" }) : null,
      e ? s("circle", { class: "dot", cx: scale.at(e.mean), cy: "50%", r: small ? 4.5 : 6 }) : null
    );
    return h(
      "table",
      { class: small ? "plot small" : "plot" },
      h("caption", { class: "unseen" }, said(title2)),
      h("colgroup", {}, h("col", { class: "of-name" }), h("col", {}), h("col", { class: "of-words" })),
      h("thead", { class: "unseen" }, h("tr", {}, ["row", "plot", "value"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, rows.map((r) => h(
        "tr",
        {},
        h("th", { scope: "row" }, r.link ? h("a", { href: r.link }, said(r.name)) : said(r.name)),
        h("td", { class: "of-lane" }, plot(r)),
        h("td", { class: "of-words" }, r.estimate ? h("b", {}, r.estimate.text) : h("span", { class: "fine" }, "no value"), r.words ? h("span", { class: "words " + r.kind }, said(r.words)) : "")
      ))),
      small ? null : h("tfoot", { "aria-hidden": "true" }, h("tr", {}, h("td", {}), h("td", { class: "of-lane" }, s(
        "svg",
        { class: "lane", width: "100%", height: 20 },
        marks.map((t) => s("text", { x: scale.at(t), y: 14, "text-anchor": "middle" }, String(t)))
      )), h("td", {})))
    );
  }
  function scatter(title2, points, xName, yName) {
    const known = points.filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y)), HEIGHT2 = 260, FOOT = 34, TOP2 = 22, LEFT2 = 9;
    if (known.length === 0) return h("p", { class: "none" }, "There is nothing to draw.");
    const positive = known.map((p) => p.x).filter((x2) => x2 > 0), logs = positive.length === known.length && Math.max(...positive) > 20 * Math.min(...positive);
    const of = (x2) => logs ? Math.log10(x2) : x2, x = scaleOf(known.map((p) => of(p.x)), 0.08), y = scaleOf(known.map((p) => p.y), 0.08);
    const placeX = (v) => LEFT2 + (100 - LEFT2) * (v - x.from) / (x.to - x.from), placeY = (v) => TOP2 + (HEIGHT2 - TOP2 - FOOT) * (y.to - v) / (y.to - y.from);
    const xs = logs ? Array.from({ length: 12 }, (_, k) => k - 3).filter((e) => e >= x.from && e <= x.to) : ticks(x.from, x.to, 4);
    const named2 = known.map((p) => ({ ...p, left: placeX(of(p.x)), top: placeY(p.y) })).sort((a, b) => a.top - b.top);
    const names = known.length <= 5;
    let above = -Infinity;
    for (const p of named2) above = p.at = Math.max(p.top + 4, above + 16);
    return s(
      "svg",
      { class: "scatter", width: "100%", height: HEIGHT2, role: "img", "aria-label": visible(`${title2}: ${points.map((p) => `${p.name} ${p.y} at ${p.x}`).join(", ")}`) },
      ticks(y.from, y.to).map((t) => [s("line", { class: "rule", x1: LEFT2 + "%", x2: "100%", y1: placeY(t), y2: placeY(t) }), s("text", { x: LEFT2 - 1 + "%", y: placeY(t) + 4, "text-anchor": "end" }, String(t))]),
      xs.map((t) => s("text", { x: placeX(t) + "%", y: HEIGHT2 - 18, "text-anchor": "middle" }, (logs ? 10 ** t : t).toLocaleString("en"))),
      s("text", { class: "axis", x: LEFT2 + "%", y: 12 }, yName),
      s("text", { class: "axis", x: "100%", y: HEIGHT2 - 2, "text-anchor": "end" }, xName + (logs ? ", logarithmic" : "")),
      named2.map((p) => s(
        "g",
        { class: p.kind },
        s("title", {}, visible(p.name)),
        s("circle", { class: "dot", cx: p.left + "%", cy: p.top, r: names ? 6 : 10 }),
        names ? s("text", { x: p.left + "%", dx: p.left > 60 ? -11 : 11, y: p.at, "text-anchor": p.left > 60 ? "end" : "start" }, visible(p.name)) : s("text", { class: "place", x: p.left + "%", y: p.top + 4, "text-anchor": "middle" }, String(points.indexOf(known.find((o) => o.name === p.name)) + 1))
      ))
    );
  }
  function spark(values, band) {
    const scale = scaleOf([...values, ...band ?? []], 0.1), W = 96, H = 24, y = (v) => H - H * (v - scale.from) / (scale.to - scale.from), x = (k) => 4 + (W - 8) * (values.length > 1 ? k / (values.length - 1) : 0.5);
    return s(
      "svg",
      { class: "spark", width: W, height: H, "aria-hidden": "true" },
      band ? s("rect", { class: "band", x: 0, width: W, y: y(band[1]).toFixed(1), height: Math.max(1, y(band[0]) - y(band[1])).toFixed(1) }) : null,
      values.length > 1 ? s("path", { class: "join", d: "M" + values.map((v, k) => `${x(k).toFixed(1)} ${y(v).toFixed(1)}`).join("L") }) : null,
      s("circle", { class: "dot", cx: x(values.length - 1), cy: y(values.at(-1)), r: 3 })
    );
  }

  // app/judging.js
  function judgeBy(index, state) {
    const own = index.columns.find((c) => "right" in c && c.name === state.judge);
    const given = own ? { by: own.name, column: own.name } : state.judge === EVIDENCE ? { ...index.given, by: EVIDENCE } : state.judge === EVERYTHING ? { ...index.given, by: "" } : index.given;
    const changed = index.judging.by !== given.by || index.judging.column !== given.column;
    if (changed) index.judge(given);
    return { column: index.columns.find((c) => c.name === given.column), changed };
  }
  var EVERYTHING = "all";
  var EVIDENCE = "evidence";
  var TITLE = "people, judges, f1@span";
  function judges(index) {
    const all = [...index.columns.filter((c) => "right" in c).map((c) => c.name), EVIDENCE].filter((name) => name !== index.given.by).map((name) => [name, name]);
    return index.given.by ? [["", index.given.by], [EVERYTHING, TITLE], ...all] : [["", TITLE], ...all];
  }
  function rule(index) {
    const { by } = index.judging, column = index.columns.find((c) => c.name === by);
    if (!by) return "An answer is right or wrong by what people said of it, else by a judge, else by f1@span: right at 70 and more, wrong at 10 and less. What lies between is unclear.";
    if (by === EVIDENCE) return "A question counts as right where all gold evidence reached the reader, whatever the answer says.";
    const at = (x) => Number((x * column.scale).toPrecision(6));
    return `An answer is right if its ${by} is at least ${at(column.right)}, and ` + (column.wrong === column.right ? "else wrong." : `wrong if it is at most ${at(column.wrong)}. What lies between is unclear.`);
  }

  // app/compare.js
  var SHOWN2 = 10;
  var compare = {
    name: "compare",
    title: "Compare",
    letter: "c",
    async load(app2) {
      const [index, about, runs2] = await Promise.all([app2.index(), app2.part("overview"), app2.source.can("runs") ? app2.source.ask("runs") : null]);
      return { index, about, runs: runs2, tests: /* @__PURE__ */ new Map(), items: /* @__PURE__ */ new Map() };
    },
    render,
    drawn: (app2, data) => test(app2, data),
    keys: [["x", "swap the sides"]],
    press(app2, data, e) {
      if (e.key === "x" && !e.target.matches("input, select")) swap(app2, data);
    }
  };
  var VERDICTS2 = [["lost", "lost", "right in A alone"], ["gained", "gained", "right in B alone"], ["both-wrong", "both wrong"], ["both-right", "both right"], ["unclear", "unclear", "unclear in A or B"]];
  function flips(index, a, b) {
    const pairs2 = [], lone = [/* @__PURE__ */ new Map(), /* @__PURE__ */ new Map()];
    index.members.forEach((_, q) => {
      const i = index.at(q, a), j = index.at(q, b);
      if (i < 0 && j < 0) return;
      if (i < 0 || j < 0) {
        lone[i < 0 ? 1 : 0].set([index.questions.dataset[q], index.questions.sample[q], index.questions.request[q]].join("\n"), q);
        return;
      }
      const x = isRight(index.outcome[i]), y = isRight(index.outcome[j]);
      pairs2.push({ q, a: i, b: j, verdict: isUnclear(index.outcome[i]) || isUnclear(index.outcome[j]) ? "unclear" : x ? y ? "both-right" : "lost" : y ? "gained" : "both-wrong" });
    });
    const changed = [...lone[0].keys()].filter((id) => lone[1].has(id)).length;
    return { pairs: pairs2, counts: Object.fromEntries(VERDICTS2.map(([name]) => [name, pairs2.filter((p) => p.verdict === name).length])), changed, onlyA: lone[0].size - changed, onlyB: lone[1].size - changed };
  }
  function sides(app2, { index, about }) {
    const ranked = about.rankings.flatMap((r) => r.rows.map((row) => index.series.indexOf(index.seriesNamed(row.run, row.method, r.model)))).filter((k) => k >= 0);
    const at = (name, otherwise) => index.series.includes(app2.state[name]) ? index.series.indexOf(app2.state[name]) : otherwise;
    return [at("a", ranked[1] ?? 0), at("b", ranked[0] ?? index.series.length - 1)];
  }
  function swap(app2, data) {
    const [a, b] = sides(app2, data);
    app2.set({ a: data.index.series[b], b: data.index.series[a] }, true);
  }
  async function test(app2, data) {
    const { index, tests } = data, [a, b] = sides(app2, data), id = [a, b].join();
    if (a === b || tests.has(id) || !app2.source.can("runs")) return;
    tests.set(id, null);
    const keys = app2.key.split("+"), side = (series2) => {
      const cell = index.cells.find((c) => c.series === series2);
      return encodeURIComponent(`${keys[index.runs.indexOf(cell.run_id)]}:${cell.method}@${cell.model}`);
    };
    try {
      tests.set(id, await app2.source.get(`contrast?a=${side(a)}&b=${side(b)}`));
    } catch (err) {
      if (!err.expected) throw err;
      tests.set(id, { error: err.message });
    }
    if (app2.data === data) app2.follow();
  }
  function render(app2, data) {
    const { index } = data, { state } = app2, [a, b] = sides(app2, data);
    judgeBy(index, state);
    const names = index.series.map((s2) => [s2, s2]), set2 = (name) => (value) => app2.set({ [name]: value }, true);
    const others = data.runs?.runs.filter((r) => !r.error && !app2.key.split("+").includes(r.key)) ?? [];
    return [
      h(
        "form",
        { class: "fields", "aria-label": "what is compared", onsubmit: (e) => e.preventDefault() },
        index.series.length > 1 ? [choose("A", index.series[a], names, set2("a")), choose("B", index.series[b], names, set2("b")), h("button", { type: "button", onclick: () => swap(app2, data) }, "Swap")] : null,
        others.length ? choose("Add a run", "", [["", "choose …"], ...others.map((r) => [r.key, `${r.name} ${r.id}`])], (key) => key && app2.go("compare", state, app2.key + "+" + key)) : null,
        choose("Right by", state.judge ?? "", judges(index), set2("judge"))
      ),
      index.series.length < 2 ? h("p", { class: "lead" }, "There is one method of one run here, and nothing to compare it with.") : a === b ? h("p", { class: "lead" }, "Choose two sides.") : pairView2(app2, data, a, b),
      data.about.rankings.filter((r) => r.rows.length > 2 && r.differences.length).map(differencesView)
    ];
  }
  function pairView2(app2, data, a, b) {
    const { index, tests } = data, { state } = app2, set2 = flips(index, a, b), kind = state.show ?? (set2.counts.lost || !set2.counts.gained ? "lost" : "gained"), most = Number.parseInt(state.most) || SHOWN2;
    const tested = tests.get([a, b].join()), kept = set2.pairs.filter((p) => p.verdict === kind);
    return [
      h("h2", { class: "lead" }, said(index.series[b]), " against ", said(index.series[a])),
      testView(app2, data, tested, a, b),
      card(
        "Which questions flipped",
        h("div", { class: "chips", role: "group", "aria-label": "which questions" }, VERDICTS2.map(([name, title2, about]) => h("button", { type: "button", class: "chip", key: name, "aria-pressed": String(name === kind), title: about, onclick: () => app2.set({ show: name, most: "" }, true) }, h("b", {}, count(set2.counts[name])), " ", title2))),
        h("p", { class: "fine" }, "Lost is right in A alone, gained right in B alone. ", set2.onlyA + set2.onlyB + set2.changed ? `Not paired: ${count(set2.onlyA)} only in A, ${count(set2.onlyB)} only in B, ${count(set2.changed)} with another question. ` : "", rule(index)),
        h("ol", { class: "flips" }, kept.slice(0, most).map((p) => itemOf(app2, data, p))),
        kept.length === 0 ? h("p", { class: "none" }, "None.") : null,
        kept.length > most ? h("button", { type: "button", onclick: () => app2.set({ most: String(most + 4 * SHOWN2) }) }, `Show more of ${count(kept.length)}`) : null
      ),
      optionsView(index, a, b)
    ];
  }
  var SHOWN_COLUMNS = ["metric", "base", "new", "difference", "verdict", "p-adjusted"];
  var TITLES = { base: "A", new: "B", "p-adjusted": "p, adjusted" };
  function testView(app2, data, tested, a, b) {
    const { index } = data;
    if (app2.source.can("runs")) {
      if (!tested) return h("p", { class: "none", "aria-busy": "true" }, "The difference is tested …");
      if (tested.error) return h("p", { class: "error" }, said(tested.error));
      return tested.tables.map((t) => card(
        "Differences with tests",
        grid(
          t.title,
          SHOWN_COLUMNS.map((name) => ({ text: TITLES[name] ?? name, number: !["metric", "verdict"].includes(name) })),
          t.rows.map((row, k) => ({ key: String(k), cells: SHOWN_COLUMNS.map((name) => {
            const text = row[t.columns.findIndex((c) => c.name === name)]?.text ?? "";
            return name === "verdict" ? VERDICT_WORDS[text] ?? said(text) : said(text);
          }) })),
          true
        ),
        t.notes?.length ? h("ul", { class: "fine" }, t.notes.map((n) => h("li", {}, said(n)))) : null
      ));
    }
    const labels = [a, b].map((k) => index.cells.find((c) => c.series === k));
    for (const r of data.about.rankings) {
      const [x, y] = labels.map((c) => r.rows.find((row) => row.method === c.method && row.run === c.run_id && r.model === c.model)?.label);
      const d = x && y && r.differences.find((one) => one.side === x && one.base === y || one.side === y && one.base === x);
      if (d) return card(`Difference in ${r.column.name}`, dots(`${d.side} less ${d.base}`, [{ name: `${d.side} less ${d.base}`, estimate: { ...d, text: d.text }, kind: significant(d) ? "worse" : "open", words: wordsOf(d) }], { zero: true }));
    }
    return h("p", { class: "sub" }, "Test the difference with bench compare.");
  }
  var VERDICT_WORDS = { "": "", "=": "the same", "~": "no difference shown", insufficient: "too few conversations", better: h("b", {}, "significantly better"), worse: h("b", {}, "significantly worse"), other: h("b", {}, "significantly different") };
  var significant = (d) => ["better", "worse", "other"].includes(d.verdict);
  var wordsOf = (d) => significant(d) ? "significant" : d.verdict === "insufficient" ? "too few conversations for a test" : d.verdict === "=" ? "the same on every question" : "no difference shown";
  function differencesView(r) {
    const names = r.rows.filter((row) => r.differences.some((d) => d.side === row.label || d.base === row.label)).map((row) => row.label);
    return card(`All differences in ${r.column.name}`, h("p", { class: "fine" }, "A row less a column, with its 95 % interval. Bold differences are statistically significant after Holm's adjustment over all pairs."), scroll(`differences in ${r.column.name}`, h(
      "table",
      { class: "grid differences" },
      h("caption", { class: "unseen" }, "Differences of all pairs"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "row"), names.slice(1).map((n) => h("th", { scope: "col", class: "number" }, said(n))))),
      h("tbody", {}, names.slice(0, -1).map((side) => h("tr", {}, h("th", { scope: "row" }, said(side)), names.slice(1).map((base) => {
        const d = r.differences.find((one) => one.side === side && one.base === base);
        return h("td", { class: d && significant(d) ? "number significant" : "number", title: d ? wordsOf(d) : null }, d ? said(d.text) : "");
      }))))
    )));
  }
  function optionsView(index, a, b) {
    const of = (series2) => index.cells.find((c) => c.series === series2), [x, y] = [of(a), of(b)];
    const all = { ...x.options, ...y.options }, text = (v) => v === void 0 ? "–" : JSON.stringify(v);
    const names = ["use", "model", "seed"].filter((n) => x[n] !== y[n]).map((n) => [n, x[n], y[n]]).concat(Object.keys(all).sort().filter((n) => text(x.options?.[n]) !== text(y.options?.[n])).map((n) => [n, text(x.options?.[n]), text(y.options?.[n])]));
    return names.length ? h(
      "details",
      { class: "card folded" },
      h("summary", {}, `Options that differ (${names.length})`),
      grid("Options that differ", [{ text: "option" }, { text: "A" }, { text: "B" }], names.map((n) => ({ key: n[0], cells: n.map((t) => said(t)) })), true)
    ) : null;
  }
  function itemOf(app2, data, p) {
    const id = `${p.a} ${p.b}`, { index } = data;
    if (!data.items.has(id)) {
      data.items.set(id, h(
        "li",
        { key: id },
        h("a", { href: app2.link("questions", { r: index.key(p.b) }) }, said(index.questions.question[p.q])),
        h("p", { class: "low" }, "gold: ", said(index.questions.gold[p.q])),
        later(() => Promise.all([p.a, p.b].map((i) => app2.source.request(i))), (both) => h("div", { class: "sides" }, both.map((r, k) => sideView(index, [p.a, p.b][k], r, both[1 - k], "AB"[k]))))
      ));
    }
    return data.items.get(id);
  }
  function sideView(index, i, r, other, name) {
    const texts = new Set(other.evidence.map((e) => e.text)), only = r.evidence.filter((e) => !texts.has(e.text)), gold = r.gold?.evidence ?? other.gold?.evidence ?? [];
    return h(
      "div",
      { class: "side" },
      h("p", {}, h("b", {}, name), " ", badge(index.outcomes[index.outcome[i]], true)),
      h("p", {}, r.error ? said("error: " + r.error.kind) : said(visible(r.answer).slice(0, 300) || "no answer")),
      only.length ? h(
        "details",
        {},
        h("summary", {}, `${only.length} of ${r.evidence.length} pieces of evidence only here`),
        h("ul", {}, only.map((e) => h("li", {}, said(e.name), (e.sources ?? []).filter((one) => gold.includes(one)).map((one) => h("mark", { class: "gold" }, "★ ", said(one))), " ", said(e.text.slice(0, 300)))))
      ) : null
    );
  }

  // app/figures.js
  var figures = {
    name: "figures",
    title: "Figures",
    letter: "f",
    load: async (app2) => (await Promise.all([app2.part("figures"), app2.index()]))[0],
    render: (app2, all) => all.length ? h("div", { class: "figures" }, all.map((f) => h(
      "figure",
      {},
      scroll(f.title, h("img", { src: "data:image/svg+xml;base64," + f.svg, alt: visible(f.title) })),
      h("figcaption", {}, said(f.title), (f.notes ?? []).map((n) => h("div", { class: "fine" }, said(n))))
    ))) : h("p", { class: "lead" }, "Nothing can be drawn of these runs.")
  };

  // app/live.js
  var title = (text, number3) => ({ text, number: number3 });
  var clock = (seconds) => seconds >= 5400 ? (seconds / 3600).toFixed(1) + " h" : seconds >= 90 ? Math.round(seconds / 60) + " min" : Math.round(seconds) + " s";
  var time = (text) => (text ?? "").replace("T", " ").slice(0, 19);
  var usd = (x) => x === null || x === void 0 ? "unknown" : "$" + x.toFixed(2);
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
        lost: (text) => show(() => {
          this.lost = text;
        })
      });
    }
    leave() {
      this.stop = this.stop?.abort();
    }
  };
  var live = {
    name: "live",
    title: "Live",
    letter: "l",
    needs: "live",
    async load(app2) {
      const data = new Live(app2, (await app2.source.get("live")).events);
      app2.names ||= data.state.name;
      app2.frame();
      return data;
    },
    drawn: (app2, data) => data.follow(),
    leave: (app2, data) => data.leave(),
    render(app2, data) {
      const { state } = data, { progress } = state, sum = (name) => state.cells.reduce((n, c) => n + c[name], 0);
      const done = sum("done"), planned = sum("planned"), failed = sum("failed"), ended = done >= planned || !["running", "silent"].includes(state.status);
      const one = (name) => new Set(state.cells.map((c) => c[name])).size === 1;
      const names = ["dataset", "method", "model"].filter((name) => name === "method" || !one(name));
      const row = (c) => state.rows.find((r) => r.cells.includes(c.id)), columns = state.columns.filter((n) => state.rows.some((r) => r.columns[n]));
      const mean = (m, { scale, digits }) => m ? [h("b", {}, (m.mean * scale).toFixed(digits)), m.low === void 0 ? "" : h("div", { class: "low" }, `${(m.low * scale).toFixed(digits)} to ${(m.high * scale).toFixed(digits)}`)] : "–";
      const budget = progress?.budget.usd, paid = progress?.paid;
      const link = (c, sample, request) => h("a", { href: app2.link("questions", { r: `${state.id}.${c}:${sample}:${request}` }) }, said(`${sample} ${request}`));
      return [
        data.lost ? h("p", { class: "error", key: "lost" }, said(data.lost)) : null,
        h("h2", { class: "lead" }, done >= planned ? `All ${count(planned)} questions are answered.` : `${count(done)} of ${count(planned)} questions are answered; the run is ${state.status}.`),
        h("p", { class: "sub" }, said(`${state.name} ${state.id}`), state.stopped ? said(": " + state.stopped) : state.since ? `: last change ${time(state.since)}` : "", state.building ? ". Memories are being built." : ""),
        h("progress", { max: planned || 1, value: done, "aria-label": "answered questions" }),
        state.resume ? h("p", {}, "Go on with it: ", h("code", {}, said(state.resume))) : null,
        state.scored ? h("p", {}, h("a", { href: app2.link("overview") }, "The run is scored: see the overview.")) : null,
        tiles([
          ["answered", `${count(done)} of ${count(planned)}`],
          ["errors", count(failed)],
          ["tokens", paid?.tokens ? count(paid.tokens) : null],
          ["memories built", `${count(sum("built"))} of ${count(sum("samples"))}`],
          ["a minute", ended || !state.rate ? null : (state.rate * 60).toFixed(state.rate < 0.2 ? 1 : 0), "questions"],
          ["left", ended || state.left_s === null ? null : clock(state.left_s)],
          ["paid", paid ? usd(paid.usd) : null, [budget ? `of at most ${usd(budget)}, ` : "", paid ? `${count(paid.calls)} calls, ${count(paid.reused)} recorded` : ""]],
          ["cost of the answers", paid?.usd || !state.usd ? null : usd(state.usd), "recorded calls included"],
          ["read", clock(state.age_ms / 1e3) + " ago"]
        ]),
        budget ? h("meter", { max: budget, value: paid?.usd ?? 0, "aria-label": "share of the budget" }) : null,
        card(
          "Means so far",
          grid(
            "Means so far",
            [...names.map((n) => title(n)), title("answered", true), title("errors", true), title("memories", true), ...columns.map((c) => title(c, true))],
            state.cells.map((c) => ({ key: c.id, cells: [...names.map((n) => said(c[n])), c.done === c.planned ? count(c.done) : `${count(c.done)} of ${count(c.planned)}`, count(c.failed), count(c.built), ...columns.map((n) => mean(row(c)?.columns[n], state.shown[n]))] })),
            true
          ),
          h("p", { class: "fine" }, state.waiting.length ? ["After the end: ", said(state.waiting.join(", ")), ". "] : "", "No difference is tested while the run goes on: repeated looks find some that are not there.")
        ),
        state.errors.length ? card("Errors by kind", grid(
          "Errors by kind",
          [title("kind"), title("count", true), title("last"), title("newest message"), title("question")],
          state.errors.map((e) => ({ key: e.kind, cells: [said(e.kind), count(e.count), time(e.last), said(e.message), link(e.cell, e.sample, e.request)] })),
          true
        )) : null,
        state.faults.length ? card("Lines that cannot be read", grid(
          "Lines that cannot be read",
          [title("file"), title("line", true), title("why")],
          state.faults.map((f, k) => ({ key: String(k), cells: [said(f.file), f.line ? count(f.line) : "", said(f.error)] })),
          true
        )) : null,
        workers(progress),
        progress?.accounts?.length ? card("Limits of accounts", grid(
          "Limits of accounts",
          [title("account"), title("limit", true), title("in flight", true), title("waiting", true)],
          progress.accounts.map((a) => ({ key: a.name, cells: [said(a.name), count(a.limit), count(a.in_flight), count(a.waiting)] })),
          true
        )) : null
      ];
    }
  };
  var UNITS = 5;
  function workers(progress) {
    if (!progress?.workers?.length) return null;
    const rate = (w) => w.state === "joined" ? (w.requests / Math.max(1, (Date.parse(progress.time) - Date.parse(w.joined)) / 1e3)).toFixed(2) : "–";
    const units = (w) => w.units.slice(0, UNITS).join(", ") + (w.units.length > UNITS ? ` and ${count(w.units.length - UNITS)} more` : "");
    return card("Workers", grid(
      "Workers",
      [title("worker"), title("state"), title("units under way"), title("units done", true), title("questions", true), title("a second", true), title("faults", true), title("newest fault")],
      progress.workers.map((w) => ({ key: w.name + w.joined, cells: [said(w.name), said(w.state), said(units(w)), count(w.done), count(w.requests), rate(w), count(w.faults), said(w.fault ?? "")] })),
      true
    ));
  }

  // app/filter.js
  var FLAGS = {
    differ: ["methods disagree", "questions whose answers have different outcomes"],
    unclear: ["unclear", "an answer is neither right nor wrong"],
    missed: ["evidence missed", "an answer lacked evidence that the gold answer rests on"],
    disputed: ["disputed gold", "errata or a person dispute the gold answer"]
  };
  function select(index, f, found = null, disputed = index.disputed) {
    const { questions } = index, series2 = (name) => name ? index.series.indexOf(name) : -1;
    const named2 = [f.wrong, f.right, f.method].filter(Boolean), strange = named2.some((name) => series2(name) < 0);
    const wrong = series2(f.wrong), right = series2(f.right), method = series2(f.method);
    const outcome2 = f.outcome ? index.outcomes.findIndex((o) => o.name === f.outcome) : -1, kind = f.error ? index.kinds.indexOf(f.error) : -1;
    const category = f.category ? index.categories.indexOf(f.category) : -1, dataset = f.dataset ? index.datasets.indexOf(f.dataset) : -1;
    const none = strange || f.outcome && outcome2 < 0 || f.error && kind < 0 || f.category && category < 0 || f.dataset && dataset < 0;
    const of = (q, k, is) => index.at(q, k) >= 0 && is(index.outcome[index.at(q, k)]);
    const tests = [
      category >= 0 && ((q) => questions.category[q] === category),
      dataset >= 0 && ((q) => questions.dataset[q] === dataset),
      found && ((q) => index.members[q].some((i) => found.has(i))),
      f.differ && ((q) => index.members[q].some((i) => index.outcome[i] !== index.outcome[index.members[q][0]])),
      f.unclear && ((q) => index.members[q].some((i) => isUnclear(index.outcome[i]))),
      f.missed && ((q) => index.members[q].some((i) => index.reach[i] === 1 || index.reach[i] === 2)),
      f.disputed && ((q) => disputed.has(q)),
      wrong >= 0 && ((q) => of(q, wrong, isWrong)),
      right >= 0 && ((q) => of(q, right, isRight)),
      outcome2 >= 0 && ((q) => index.members[q].some((i) => index.outcome[i] === outcome2 && (method < 0 || index.seriesOf(i) === method))),
      outcome2 < 0 && method >= 0 && ((q) => index.at(q, method) >= 0),
      kind >= 0 && ((q) => index.members[q].some((i) => index.kind[i] === kind))
    ].filter(Boolean);
    const counts = index.series.map(() => index.outcomes.map(() => 0)), chosen = [];
    for (let q = 0; q < index.members.length && !none; q++) {
      if (!tests.every((test2) => test2(q))) continue;
      chosen.push(q);
      for (const i of index.members[q]) counts[index.seriesOf(i)][index.outcome[i]]++;
    }
    return { chosen: f.sort ? sorted(index, chosen, f.sort) : chosen, counts };
  }
  function sorted(index, chosen, by) {
    const scores = index.scores[index.columns.findIndex((c) => c.name === index.judging.column)];
    const value = {
      hard: (q) => index.members[q].filter((i) => isRight(index.outcome[i])).length / index.members[q].length,
      easy: (q) => -index.members[q].filter((i) => isRight(index.outcome[i])).length / index.members[q].length,
      apart: (q) => {
        const known = index.members[q].map((i) => scores?.[i] ?? NaN).filter((x) => !Number.isNaN(x));
        return known.length > 1 ? Math.min(...known) - Math.max(...known) : 0;
      }
    }[by];
    if (!value) return chosen;
    const values = Float64Array.from(chosen, value);
    return Array.from(chosen.keys()).sort((a, b) => values[a] - values[b] || a - b).map((k) => chosen[k]);
  }
  function words(text) {
    const want = [], not = [];
    for (const [, minus, phrase, word] of (text ?? "").toLowerCase().matchAll(/(-?)(?:"([^"]+)"|([^\s"]+))/g)) (minus ? not : want).push(phrase ?? word);
    return { want, not };
  }
  async function search(source, size, text) {
    const { want, not } = words(text);
    if (want.length + not.length === 0) return null;
    const found = new Set(want.length ? await source.search(want) : Array.from({ length: size }, (_, i) => i));
    for (const word of not) for (const i of await source.search([word])) found.delete(i);
    return found;
  }

  // app/list.js
  var SPARE = 6;
  var PRINTED = 500;
  var List = class {
    // row(n) makes the element of a row, and picked(n, element) is called with the row that was
    // chosen and what was clicked.
    constructor(box, row, picked) {
      this.box = box;
      this.row = row;
      this.size = 0;
      this.height = 0;
      this.selected = -1;
      this.made = /* @__PURE__ */ new Map();
      this.space = h("div", { class: "space", role: "presentation" });
      box.append(this.space);
      box.addEventListener("scroll", () => this.draw(), { passive: true });
      new ResizeObserver(() => this.measure()).observe(box);
      this.space.addEventListener("click", (e) => {
        const element = e.target.closest("[data-row]");
        if (element) picked(Number(element.dataset.row), e.target);
      });
      addEventListener("beforeprint", () => {
        this.printing = true;
        this.redraw();
      });
      addEventListener("afterprint", () => {
        this.printing = false;
        this.redraw();
      });
    }
    measure() {
      const height = Number.parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 56;
      if (height === this.height) return this.draw();
      this.height = height;
      this.space.style.height = this.size * height + "px";
      return this.redraw();
    }
    // show begins with new rows.
    show(size, selected) {
      this.size = size;
      this.selected = selected;
      if (selected < 0) this.box.scrollTop = 0;
      this.height ||= Number.parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 56;
      this.space.style.height = size * this.height + "px";
      this.redraw();
    }
    // select marks a row and scrolls to it.
    select(n) {
      this.selected = n;
      const top = n * this.height, { scrollTop, clientHeight } = this.box, room = clientHeight - this.space.offsetTop;
      if (top < scrollTop) this.box.scrollTop = top;
      else if (top + this.height > scrollTop + room) this.box.scrollTop = top + this.height - room;
      this.redraw();
    }
    redraw() {
      for (const element of this.made.values()) element.remove();
      this.made.clear();
      this.draw();
    }
    draw() {
      if (!this.height) return;
      const first = this.printing ? 0 : Math.max(0, Math.floor(this.box.scrollTop / this.height) - SPARE);
      const end = this.printing ? Math.min(this.size, PRINTED) : Math.min(this.size, Math.ceil((this.box.scrollTop + this.box.clientHeight) / this.height) + SPARE);
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
        element.style.top = n * this.height + "px";
        this.made.set(n, element);
        this.space.append(element);
      }
      if (this.made.has(this.selected)) this.box.setAttribute("aria-activedescendant", "_row-" + this.selected);
      else this.box.removeAttribute("aria-activedescendant");
    }
  };

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
    const verdict = (text2, value) => h("button", { type: "button", onclick: () => say("correct", value) }, text2);
    const gold = (value) => h("button", { type: "button", onclick: () => say("gold", value) }, value);
    const text = (kind, title2, field) => h("form", { class: "bar", onsubmit: async (e) => {
      e.preventDefault();
      if (field.value) await say(kind, field.value);
      field.value = "";
    } }, h("label", {}, title2, " ", field), h("button", {}, "Add"));
    return h(
      "div",
      { class: "note-form" },
      h("div", { class: "bar" }, "The answer is ", verdict("right", true), verdict("wrong", false), verdict("unsure", "unsure")),
      h("div", { class: "bar" }, "The gold answer is ", ["wrong", "ambiguous", "ok"].map(gold)),
      text("tag", "Tag", h("input", { size: 16, pattern: "[a-z0-9][a-z0-9\\-]{0,39}", title: "lower-case letters, digits and dashes" })),
      text("note", "Remark", h("textarea", { rows: 2 }))
    );
  }

  // app/timeline.js
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
    const numbered = ids.map((id) => ({ id, n: /^([A-Z]+)(\d+):(\d+)/.exec(id)?.slice(1) }));
    if (numbered.some((t) => !t.n)) return { turns: ids, begins: [], known: false };
    numbered.sort((a, b) => a.n[1] - b.n[1] || a.n[2] - b.n[2]);
    const session = (t) => t.n[0] + t.n[1];
    const begins = numbered.map((t, at) => ({ at, name: session(t) })).filter((b, i) => i === 0 || b.name !== session(numbered[i - 1]));
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
  function ofValue(values, text) {
    const has = (list) => list?.some((v) => text.toLowerCase().includes(v.toLowerCase()));
    return has(values?.forgotten) ? "leak" : has(values?.required) ? "holds" : has(values?.stale) ? "stale" : "";
  }
  function timelineView(sessions, answers, gold, sample = "") {
    const rests = gold.evidence ?? [], { values } = gold, asked = /-([A-Z]+\d+:\d+)$/.exec(sample)?.[1];
    const ids = [.../* @__PURE__ */ new Set([...rests, ...answers.flatMap((a) => a.evidence.flatMap((b) => b.sources ?? [])), ...asked ? [asked] : []])];
    if (rests.length === 0 && answers.every((a) => a.evidence.every((b) => !b.sources?.length))) return null;
    const { turns, begins, known } = orderOf(sessions, ids), place = new Map(turns.map((id, at) => [id, at]));
    const x = (at) => 1 + 96 * at / turns.length, pc = (n) => n.toFixed(2) + "%", of = (list) => list.map((id) => place.get(id)).filter((at) => at !== void 0);
    const end = asked ? x(place.get(asked) + 1) : 98.5, golden = rests.filter((id) => place.has(id));
    const label = (id, k) => !values ? "★" : k === 0 ? "told" : "changed";
    let free = -Infinity, taken = -Infinity;
    const spaced = (at, room, last) => at >= last + room;
    const star = (id, cls, mark) => s("text", { class: cls, x: pc(x(place.get(id) + 0.5)), y: "50%", dy: 5, "text-anchor": "middle" }, s("title", {}, visible(id)), mark);
    const lane = (a) => s(
      "svg",
      { class: "lane", width: "100%", "aria-hidden": "true" },
      begins.map((b) => s("line", { class: "rule", x1: pc(x(b.at)), x2: pc(x(b.at)), y1: 0, y2: "100%" })),
      values ? s("line", { class: "asked-at", x1: pc(end), x2: pc(end), y1: 0, y2: "100%" }) : null,
      a.evidence.map((b, k) => stretches2(of(b.sources ?? [])).map(([first, last]) => s(
        "rect",
        { class: "block " + ofValue(values, b.text), x: pc(x(first)), y: "18%", width: pc(Math.max(0.7, x(last + 1) - x(first))), height: "64%", rx: 2 },
        s("title", {}, visible(`#${k + 1} ${b.name}: ${turns[first]}${last > first ? " to " + turns[last] : ""}`))
      ))),
      golden.map((id) => {
        const hit = a.evidence.some((b) => b.sources?.includes(id));
        return star(id, hit ? "hit" : "miss", hit ? "★" : "☆");
      })
    );
    const words2 = (a) => `${rests.filter((id) => a.evidence.some((b) => b.sources?.includes(id))).length} of ${rests.length} gold turns`;
    return card(
      values ? "The life of the fact" : "Evidence on the line of time",
      h(
        "table",
        { class: "plot timeline" },
        h("caption", { class: "unseen" }, "Where the evidence of each method lies in the conversation"),
        h("colgroup", {}, h("col", { class: "of-name" }), h("col", {}), h("col", { class: "of-words" })),
        h("thead", { "aria-hidden": "true" }, h("tr", {}, h("td", {}), h("td", { class: "of-lane" }, s(
          "svg",
          { class: "lane", width: "100%", height: 20 },
          golden.map((id, k) => {
            const at = x(place.get(id) + 0.5), shown2 = !values || spaced(at, 9, taken);
            if (shown2) taken = at;
            return s("text", { class: "gold-turn", x: pc(at), y: 14, "text-anchor": at > 90 ? "end" : at < 4 ? "start" : "middle" }, s("title", {}, visible(id)), shown2 ? label(id, k) : "★");
          }),
          values ? s("text", { class: "asked-at", x: pc(end), y: 14, "text-anchor": end > 90 ? "end" : "start" }, golden.length && end - taken < 9 ? "" : "asked") : null
        )), h("td", {}))),
        h("tbody", {}, answers.map((a) => h("tr", {}, h("th", { scope: "row" }, said(a.series)), h("td", { class: "of-lane" }, lane(a)), h("td", { class: "of-words" }, h("span", { class: "words" }, words2(a)), values && a.answer ? h("span", { class: "words" }, "answered: ", said(a.answer.slice(0, 80))) : null)))),
        h("tfoot", { "aria-hidden": "true" }, h("tr", {}, h("td", {}), h("td", { class: "of-lane" }, s("svg", { class: "lane", width: "100%", height: 18 }, begins.map((b) => {
          if (!spaced(x(b.at), innerWidth < 900 ? 28 : 13, free) || x(b.at) > 88) return null;
          free = x(b.at);
          return s("text", { x: pc(x(b.at)), y: 13 }, visible(b.name));
        }))), h("td", {})))
      ),
      h(
        "p",
        { class: "fine key" },
        "★ a gold turn, ☆ one that the method missed; a bar is evidence.",
        values ? [" ", ["holds", "holds the right value"], ["stale", "holds only a value out of date"], ["leak", "holds what was to be forgotten"]].map((k) => Array.isArray(k) ? h("span", { class: "swatch " + k[0] }, k[1]) : k) : "",
        known ? "" : " The order of turns is unknown; only those named here are shown."
      ),
      answers.filter((a) => a.evidence.some((b) => of(b.sources ?? []).length === 0)).map((a) => h(
        "p",
        { class: "fine" },
        said(a.series),
        ", evidence without turns: ",
        a.evidence.map((b, k) => of(b.sources ?? []).length === 0 ? [`#${k + 1} `, said(b.name), " "] : "")
      ))
    );
  }

  // app/trace.js
  function traceView(steps, options) {
    return h("ol", { class: "trace" }, steps.map((one) => h(
      "li",
      {},
      h("strong", {}, said(one.name)),
      one.note ? passage(one.note) : null,
      one.data?.tried?.length && one.data.without !== void 0 ? trialsView(one.data, options) : one.data?.scores?.length ? scoresView(one.data) : one.data ? json(one.data) : null
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
  function trialsView({ without, tried }, options) {
    const { include, expand } = options?.search ?? {}, all = tried.map((t) => ({ ...t, before: t.nats + t.gain }));
    const lines = (t) => [["include", options?.profile === "paper" ? Math.max(0, include) : include], ["expand", expand]].filter(([, gain]) => Number.isFinite(gain)).map(([name, gain]) => [name, t.before - gain]);
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
            lines(t).map(([name, v]) => s("line", { class: "threshold " + name, x1: x(k), x2: x(k + 1) - 4, y1: y(v), y2: y(v) })),
            s("path", { class: "join", d: `M${x(k)} ${y(t.before)}H${x(k) + STEP / 2}V${y(t.nats)}` }),
            s("circle", { cx: x(k) + STEP / 2, cy: y(t.nats), r: 4.5 }),
            s("text", { x: x(k) + STEP / 2, y: HEIGHT - 4, "text-anchor": "middle" }, String(t.episode))
          ))
        )
      ),
      h("p", { class: "fine" }, "Nats before and after each episode. Filled ones are included; those below the dashed line are, below the dotted line with their messages."),
      grid(
        "The same in numbers",
        [{ text: "episode" }, { text: "turns" }, ...["before", "after", "gain"].map((text) => ({ text, number: true })), { text: "outcome" }],
        all.map((t, k) => ({ key: String(k), cells: [String(t.episode), said(`${t.first} to ${t.last}`), print(t.before), print(t.nats), print(t.gain), fate(t)] }))
      )
    );
  }
  function scoresView({ scores, ...rest }) {
    const parts = Object.keys(scores[0]).filter((name) => typeof scores[0][name] === "number");
    const bar = (v) => [s("svg", { class: "chart", width: 60, height: 8, "aria-hidden": "true" }, s("rect", { class: "part", width: 60 * Math.max(0, Math.min(1, v)), height: 8 })), " ", v.toFixed(3)];
    return h("div", {}, json(rest), grid(
      "Scores and their parts",
      [{ text: "turn" }, ...parts.map((text) => ({ text, number: true }))],
      scores.map((one, k) => ({ key: String(k), cells: [said(String(one.turn)), ...parts.map((name) => bar(one[name] ?? 0))] }))
    ));
  }

  // app/question.js
  async function questionView(app2, index, i, open) {
    const { source } = app2, cell = index.cells[index.cell[i]];
    const all = await Promise.all(index.members[index.question[i]].map(async (m) => ({ ...await source.request(m), i: m, series: index.series[index.seriesOf(m)] })));
    const gold = all[0].gold, sessions = (await app2.part("turns"))[cell.dataset], sample = index.samples[index.questions.sample[index.question[i]]];
    for (const a of all) a.gold = gold;
    const chosen = all.find((a) => a.i === i);
    return [
      askedView(index, i, gold, sample),
      h("section", { class: "answers", "aria-label": "answers" }, all.map((a) => answerView(index, a, a.i === i, open))),
      sessions && !sessions[sample] ? null : timelineView(sessions?.[sample], all, gold, sample),
      evidenceCard(all, gold),
      h("details", { class: "card folded" }, h("summary", {}, "Scores of all methods"), scoresView2(index, all, gold)),
      insideView(source, index, all, chosen, open)
    ];
  }
  function askedView(index, i, gold, sample) {
    const q = index.question[i], labels = Object.entries(gold.labels ?? {}).map(([k, v]) => `${k}: ${v}`), { values } = gold;
    const some = (list) => list?.length ? said(list.join(", ")) : null;
    return h(
      "section",
      { class: "asked-view" },
      h("h2", { id: "_asked", tabindex: "-1" }, passage(gold.question || "(no question)")),
      h("p", { class: "sub" }, said([index.categories[index.questions.category[q]], index.datasets[index.questions.dataset[q]], sample, gold.request, ...labels].filter(Boolean).join(" · "))),
      h("div", { class: "card gold-card" }, facts([
        ["Gold answer", gold.abstain ? h("em", {}, "the conversation does not say", gold.explanation ? [": ", said(gold.explanation)] : "") : h("div", { class: "gold-answer" }, passage(gold.answer))],
        ["also right", gold.variants?.map((v) => h("div", {}, said(v)))],
        ["out of date", some(values?.stale)],
        ["to be forgotten", some(values?.forgotten)],
        ["rests on", gold.evidence?.length ? sources(gold.evidence, gold.evidence) : h("em", {}, "the dataset names no turns")],
        ["expected", gold.expect ? part2("what the question should lead to", false, () => json(gold.expect)) : null],
        ["disputed", index.disputed.has(q) ? "errata dispute this gold answer" : null]
      ]))
    );
  }
  function sources(ids, gold) {
    return h("span", { class: "sources" }, (ids ?? []).map((id) => gold.includes(id) ? h("mark", { class: "gold", title: "the gold answer rests on it" }, "★ ", said(id)) : h("span", {}, said(id))));
  }
  function answerView(index, a, chosen, open) {
    const outcome2 = index.outcomes[index.outcome[a.i]], column = index.columns.find((c) => c.name === index.judging.column), value = a.values?.[column.name];
    const failure = a.error ?? (a.status === "ok" ? null : { kind: a.status, message: "" });
    return h(
      "article",
      { class: chosen ? "card answer chosen" : "card answer", "aria-label": "answer of " + visible(a.series) },
      h("header", {}, h("h3", {}, h("button", { type: "button", class: "plain", "aria-pressed": String(chosen), onclick: () => open(a.i) }, said(a.series))), badge(outcome2, true)),
      failure ? h("div", { class: "error" }, h("strong", {}, said(failure.kind), ` after ${a.attempts} ${a.attempts === 1 ? "attempt" : "attempts"}`), passage(failure.message)) : null,
      a.answer ? passage(a.answer) : failure ? null : h("p", { class: "none" }, "no answer"),
      a.judgement ? judgementView(a.judgement) : null,
      a.why?.length ? h("ul", { class: "fine" }, a.why.map((w) => h("li", {}, said(w)))) : null,
      h("p", { class: "fine" }, value === void 0 ? "" : `${column.name} ${number(value, column)} · `, milliseconds(a.time.total_ms))
    );
  }
  function judgementView(j) {
    const verdict = j.correct === null ? "no usable reply" : j.correct ? "right" : "wrong";
    return facts([["judge", [verdict, j.why ? [": ", said(j.why)] : "", j.error ? [" (", said(j.error.kind + ": " + j.error.message), ")"] : ""]]]);
  }
  function evidenceCard(all, gold) {
    const rests = gold.evidence ?? [], rank = (a, id) => a.evidence.findIndex((b) => b.sources?.includes(id));
    if (all.every((a) => a.evidence.length === 0)) return null;
    return card(
      "Evidence",
      rests.length ? scroll("rank of each gold turn", h(
        "table",
        { class: "ranks" },
        h("caption", { class: "unseen" }, "Rank at which each gold turn was retrieved"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "gold turn"), all.map((a) => h("th", { scope: "col", class: "number" }, said(a.series))))),
        h("tbody", {}, rests.map((id) => h("tr", {}, h("th", { scope: "row" }, h("mark", { class: "gold" }, "★ ", said(id))), all.map((a) => h("td", { class: "number" }, rank(a, id) < 0 ? h("span", { class: "missed", title: "not among the sources of the evidence" }, "missed") : "#" + (rank(a, id) + 1))))))
      )) : null,
      all.map((a) => part2(
        [h("strong", {}, said(a.series)), h("span", { class: "fine" }, ` ${count(a.evidence.length)} pieces, ${count(a.evidence.reduce((n, b) => n + b.tokens, 0))} tokens, ${rests.filter((id) => rank(a, id) >= 0).length} of ${rests.length} gold turns`)],
        false,
        () => h("ol", { class: "pieces" }, a.evidence.map((b, k) => pieceView(b, k, gold)))
      ))
    );
  }
  function pieceView(b, k, gold) {
    const rests = gold.evidence ?? [], found = (b.sources ?? []).filter((id) => rests.includes(id));
    const needles = gold.abstain || gold.answer.length > 200 ? [] : [visible(gold.answer)];
    return h(
      "li",
      { class: found.length ? "piece gold" : "piece" },
      h("p", { class: "fine" }, h("strong", {}, `#${k + 1} `), said(b.name), " ", sources(b.sources, rests), ` ${b.score ? "score " + b.score.toPrecision(3) + ", " : ""}${count(b.tokens)} tokens`),
      passage(b.text, needles)
    );
  }
  function scoresView2(index, all) {
    const columns = index.columns.filter((c) => all.some((a) => a.values?.[c.name] !== void 0));
    return scroll("scores of all methods", h(
      "table",
      { class: "grid" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "score"), all.map((a) => h("th", { scope: "col", class: "number" }, said(a.series))))),
      h("tbody", {}, columns.map((c) => h("tr", {}, h("th", { scope: "row" }, c.name, c.trust ? h("small", {}, " (", said(c.trust), ")") : ""), all.map((a) => h("td", { class: "number" }, number(a.values?.[c.name] ?? NaN, c))))))
    ));
  }
  function insideView(source, index, all, a, open) {
    const cell = index.cells[index.cell[a.i]], others = all.filter((o) => o.i !== a.i).map((o) => ({ i: o.i, title: o.series }));
    return h(
      "section",
      { class: "card inside" },
      h("h3", {}, "Behind the answer"),
      all.length > 1 ? h("div", { class: "chips", role: "group", "aria-label": "method" }, all.map((o) => h("button", { type: "button", class: "chip", "aria-pressed": String(o.i === a.i), onclick: () => open(o.i) }, said(o.series)))) : null,
      a.calls?.length || a.judgement ? part2(`Calls (${count(a.calls?.length ?? 0)})`, false, () => source.can("calls") ? transcriptView(source, a, others) : h("ul", { class: "ids" }, (a.calls ?? []).map((c) => h("li", {}, said(c))))) : null,
      source.can("structure") ? part2("Memory", false, () => later(() => source.structure(a.i), structureView)) : null,
      a.trace?.length ? part2(`Trace (${a.trace.length})`, false, () => traceView(a.trace, cell.options)) : null,
      a.edits?.length ? part2(`Edits (${a.edits.length})`, true, () => json(a.edits)) : null,
      a.nodes?.length ? part2(`Nodes (${a.nodes.length})`, false, () => sources(a.nodes, [])) : null,
      part2("Tokens and time", false, () => h("div", {}, tokens(a), times(a))),
      source.can("notes") ? part2("Notes", false, () => notesView(source, index, a)) : null,
      h(
        "p",
        { class: "fine" },
        said(`${cell.use} with ${cell.model}, seed ${cell.seed}, cell ${cell.id} of run ${cell.run}`),
        a.degraded ? h("span", {}, ", had to do with less in: ", said(pairs(a.degraded))) : ""
      )
    );
  }
  var pairs = (numbers2) => Object.entries(numbers2).map(([k, v]) => `${k} ${v}`).join(", ");
  function tokens(a) {
    const phases = a.built ? [[`ingest, for all ${count(a.built.requests)} questions about the conversation`, a.built.usage]] : [];
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
      {},
      scroll("tokens by phase", h("table", { class: "grid" }, h("thead", {}, h("tr", {}, heads.map((t, k) => h("th", { scope: "col", class: k > 1 && k < 7 ? "number" : null }, t)))), h("tbody", {}, lines))),
      h("p", { class: "fine" }, "cost of the question: ", a.cost === null ? "unknown" : "$" + a.cost.toPrecision(3), a.text_tokens ? ["; tokens as the paper counts them: ", said(pairs(a.text_tokens))] : "")
    );
  }
  function times(a) {
    const stages = Object.entries(a.time.stages_ms ?? {}).sort(([x], [y]) => x < y ? -1 : 1);
    return h("table", { class: "grid" }, h("tbody", {}, [...stages, ["all", a.time.total_ms]].map(([stage, ms]) => h("tr", {}, h("th", { scope: "row" }, said(stage)), h("td", { class: "number" }, milliseconds(ms))))));
  }

  // app/matrix.js
  var matrix = {
    name: "questions",
    title: "Questions",
    letter: "q",
    load: async (app2) => new Matrix(app2, await app2.index()),
    render: (app2, m) => m.element,
    drawn: (app2, m) => m.follow(),
    press: (app2, m, event) => m.press(event),
    keys: [["j k", "next and previous question"], ["h l", "previous and next method"], ["Enter", "open the question"], ["Esc", "back to all, or clear the search"], ["/", "search"]]
  };
  var ORDERS = [["", "of the dataset"], ["hard", "fewest right first"], ["easy", "most right first"], ["apart", "where scores differ most"]];
  var FIELDS = ["text", "wrong", "right", "category", "dataset", "method", "outcome", "error", ...Object.keys(FLAGS)];
  var Matrix = class {
    constructor(app2, index) {
      this.app = app2;
      this.index = index;
      this.found = null;
      this.chosen = [];
      this.series = 0;
      this.openAt = -1;
      this.disputed = index.disputed;
      this.form = h("form", { id: "_filter", "aria-label": "filter of questions", onsubmit: (e) => e.preventDefault() });
      this.head = h("div", { class: "head", "aria-hidden": "true" });
      this.box = h("div", { id: "_list", role: "listbox", tabindex: "0", "aria-label": "questions" }, this.head);
      this.pane = h("section", { id: "_pane", "aria-label": "question", hidden: true });
      this.judging = h("p", { id: "_judging", key: "judging" });
      this.foot = h("details", { class: "legend", key: "legend" }, h("summary", {}, "What the marks mean"), this.judging, facts(OUTCOMES.map((o) => [badge(o, true), o.about])));
      this.all = h("div", { class: "all" }, this.form, this.box);
      this.element = h("div", { id: "_matrix", key: "matrix", class: index.series.length > 8 ? "many" : null }, this.all, this.pane);
      this.list = new List(this.box, (n) => this.row(n), (n, element) => this.pick(n, element));
      this.list.space.style.minWidth = this.head.style.minWidth = `calc(var(--asked) + ${index.series.length} * var(--cell))`;
    }
    get state() {
      return this.app.state;
    }
    // follow takes the state from the address.
    async follow() {
      const { changed } = judgeBy(this.index, this.state);
      if (this.searched !== (this.state.text ?? "")) {
        const text = this.searched = this.state.text ?? "";
        this.found = text ? /* @__PURE__ */ new Set() : null;
        if (text) this.searching = search(this.app.source, this.index.size, text).then((found) => {
          if (this.searched !== text) return;
          this.found = found;
          this.apply();
        }, (err) => this.app.say(err.message));
        if (text) this.app.say("searching …");
      }
      if (this.state.disputed && !this.noted) await this.readNotes();
      this.apply(true);
      const i = this.state.r ? this.index.find(this.state.r) : -1;
      if (this.state.r && i < 0) this.app.say(`There is no question ${visible(this.state.r)} on this page.`);
      if (i < 0) this.hide();
      else if (i !== this.openAt || changed) await this.show(i);
    }
    // readNotes adds the questions whose gold answer people dispute.
    async readNotes() {
      this.noted = true;
      const { index } = this, ids = /* @__PURE__ */ new Set();
      for (const k of index.runs.keys()) for (const n of await this.app.source.notes(k)) if (n.kind === "gold" && n.value !== "ok") ids.add(n.sample + "\n" + n.request);
      this.disputed = /* @__PURE__ */ new Set([...index.disputed, ...index.questions.request.keys().filter((q) => ids.has(index.samples[index.questions.sample[q]] + "\n" + index.questions.request[q]))]);
    }
    apply(again) {
      const start = performance.now();
      const { chosen, counts } = select(this.index, this.state, this.found, this.disputed);
      this.filterTime = performance.now() - start;
      this.chosen = chosen;
      this.drawForm();
      this.drawHead(counts);
      this.list.show(chosen.length, again ? Math.min(this.list.selected, chosen.length - 1) : -1);
      this.app.say(this.summary());
      this.judging.replaceChildren(said(rule(this.index)));
    }
    // summary says how many questions the filter lets through.
    summary() {
      const all = this.index.members.length, n = this.chosen.length;
      if (n === 0) return "Nothing passes the filter.";
      return n < all ? `${count(n)} of ${count(all)} questions` : `${count(n)} questions`;
    }
    drawForm() {
      const { app: app2, index, state } = this, set2 = (name) => (value) => app2.set({ [name]: value });
      const each = (values, all) => [["", all], ...values.map((v) => [v, v])], some = FIELDS.some((f) => state[f]);
      draw(
        this.form,
        h(
          "div",
          { class: "fields" },
          h("label", { class: "field grow" }, h("span", {}, "Search"), h("input", {
            id: "_text",
            type: "search",
            value: state.text ?? "",
            placeholder: 'words, "a phrase" or -word',
            title: "in questions, gold answers, answers and errors",
            oninput: (e) => {
              clearTimeout(this.typing);
              const { value } = e.target;
              this.typing = setTimeout(() => app2.set({ text: value }), 150);
            }
          })),
          index.series.length > 1 ? [choose("Wrong in", state.wrong ?? "", each(index.series, "any"), set2("wrong")), choose("Right in", state.right ?? "", each(index.series, "any"), set2("right"))] : null,
          choose("Category", state.category ?? "", each(index.categories, "all"), set2("category")),
          choose("Order", state.sort ?? "", ORDERS, set2("sort"))
        ),
        h(
          "div",
          { class: "chips" },
          Object.entries(FLAGS).filter(([name]) => name !== "differ" || index.series.length > 1).map(([name, [title2, about]]) => chip(title2, state[name], () => app2.set({ [name]: state[name] ? "" : "1" }), about)),
          some ? h("button", { type: "button", class: "plain", id: "_clear", onclick: () => app2.set(Object.fromEntries(FIELDS.map((f) => [f, ""]))) }, "Clear") : null,
          h("details", { class: "columns-of", open: ["dataset", "method", "outcome", "error", "judge"].some((f) => state[f]) }, h("summary", {}, "More filters"), h(
            "div",
            { class: "fields" },
            index.datasets.length > 1 ? choose("Dataset", state.dataset ?? "", each(index.datasets, "all"), set2("dataset")) : null,
            choose("Outcome", state.outcome ?? "", [["", "all"], ...index.outcomes.map((o) => [o.name, o.title])], set2("outcome")),
            choose("of", state.method ?? "", each(index.series, "any method"), set2("method")),
            index.kinds.length ? choose("Error", state.error ?? "", each(index.kinds, "all"), set2("error")) : null,
            choose("Right by", state.judge ?? "", judges(index), set2("judge"))
          )),
          this.foot
        )
      );
    }
    drawHead(counts) {
      const { index } = this;
      draw(
        this.head,
        h("div", { class: "asked" }, this.summary()),
        index.series.map((name, k) => h("div", { class: "cell", key: k }, h("span", { class: "number" }, String(k + 1)), h("span", { class: "name" }, said(name)), h("small", {}, `${count(counts[k].reduce((n, c, o) => n + (isRight(o) ? c : 0), 0))} right`)))
      );
    }
    // row is a question with a cell for each method.
    row(n) {
      const { index } = this, q = this.chosen[n], { questions } = index;
      const answers = index.series.map((name, k) => ({ name, i: index.at(q, k) }));
      return h(
        "div",
        { class: "line" },
        h(
          "div",
          { class: "asked" },
          h("div", { class: "top" }, said(questions.question[q] || "(no question)")),
          h("div", { class: "low" }, h("span", { class: "gold" }, said(questions.gold[q] || "no answer")), " · ", said(index.categories[questions.category[q]]), this.disputed.has(q) ? " · disputed" : "")
        ),
        answers.map(({ name, i }, k) => h("div", { class: "cell" + (k === this.series && n === this.list.selected ? " at" : ""), "data-series": k, title: visible(name) }, i < 0 ? "" : badge(index.outcomes[index.outcome[i]], false, name)))
      );
    }
    pick(n, element) {
      const cell = element.closest("[data-series]");
      if (cell) this.series = Number(cell.dataset.series);
      this.list.select(n);
      this.open(n);
    }
    // open shows the question of a row, with the answer of the method that was chosen.
    open(n) {
      const q = this.chosen[n], at = this.index.at(q, this.series), i = at >= 0 ? at : this.index.members[q][0];
      this.app.set({ r: this.index.key(i) }, this.openAt < 0);
    }
    async show(i) {
      const first = this.openAt < 0, q = this.index.question[i], same = !first && this.index.question[this.openAt] === q;
      this.openAt = i;
      this.series = this.index.seriesOf(i);
      const n = this.chosen.indexOf(q);
      this.list.selected = n;
      const view = await questionView(this.app, this.index, i, (m) => this.app.set({ r: this.index.key(m) })).catch((err) => [h("p", { class: "error" }, "This question cannot be read: " + visible(err.message))]);
      if (this.openAt !== i) return;
      const step = (by) => h("button", { type: "button", disabled: n < 0 || !this.chosen[n + by] && this.chosen[n + by] !== 0, onclick: () => this.step(by) }, by < 0 ? "Previous" : "Next");
      const y = scrollY, where = same && [".chips", ".answers", "#_pane"].find((box) => document.activeElement.closest(box));
      this.pane.replaceChildren(h(
        "div",
        { class: "bar" },
        h("button", { type: "button", id: "_close", onclick: () => this.close() }, "← All questions"),
        step(-1),
        step(1),
        h("span", { class: "fine" }, n < 0 ? "The filter leaves this question out." : `${count(n + 1)} of ${count(this.chosen.length)}`)
      ), ...h("div", {}, view).childNodes);
      this.pane.hidden = false;
      this.all.hidden = true;
      document.body.classList.add("opened");
      scrollTo(0, same ? y : 0);
      if (!same || where) (where && where !== "#_pane" && this.pane.querySelector(where + " [aria-pressed=true]") || this.pane.querySelector("#_asked"))?.focus({ preventScroll: true });
    }
    close() {
      this.app.set({ r: "" }, true);
    }
    // hide shows all questions in place of the open one.
    hide() {
      const was2 = this.openAt;
      this.openAt = -1;
      this.pane.hidden = true;
      this.pane.replaceChildren();
      this.all.hidden = false;
      document.body.classList.remove("opened");
      if (was2 < 0) return;
      this.list.select(Math.max(0, this.chosen.indexOf(this.index.question[was2])));
      this.box.focus({ preventScroll: true });
    }
    step(by) {
      if (this.chosen.length === 0) return;
      const n = Math.min(this.chosen.length - 1, Math.max(0, this.list.selected + by));
      if (this.openAt >= 0) this.open(n);
      else this.list.select(n);
    }
    // move chooses another method.
    move(by) {
      this.series = Math.min(this.index.series.length - 1, Math.max(0, this.series + by));
      if (this.openAt < 0) return void this.list.redraw();
      const i = this.index.at(this.index.question[this.openAt], this.series);
      if (i >= 0) this.app.set({ r: this.index.key(i) });
    }
    press(e) {
      const typing = e.target.matches("input, select, textarea");
      if (e.key === "Escape") {
        if (e.target.id === "_text") this.app.set({ text: "" });
        if (typing) e.target.blur();
        else if (this.openAt >= 0) this.close();
        return;
      }
      if (typing) return;
      const onList = e.target === this.box;
      switch (e.key) {
        case "j":
          this.step(1);
          break;
        case "k":
          this.step(-1);
          break;
        case "h":
          this.move(-1);
          break;
        case "l":
          this.move(1);
          break;
        case "ArrowDown":
          if (!onList) return;
          this.step(1);
          break;
        case "ArrowUp":
          if (!onList) return;
          this.step(-1);
          break;
        case "ArrowRight":
          if (!onList) return;
          this.move(1);
          break;
        case "ArrowLeft":
          if (!onList) return;
          this.move(-1);
          break;
        case "Enter":
          if (!onList && e.target !== document.body || this.list.selected < 0) return;
          this.open(this.list.selected);
          break;
        case "/":
          if (this.openAt >= 0) return;
          this.form.querySelector("#_text").focus();
          break;
        default:
          return;
      }
      e.preventDefault();
    }
  };

  // app/settings.js
  var groupFacts = (group) => facts(group.facts.map((f) => [f.name, f.values.map((v) => h("div", { dir: "auto" }, visible(v)))]));
  var settings = {
    name: "settings",
    title: "Settings",
    letter: "s",
    load: async (app2) => (await Promise.all([app2.part("settings"), app2.index()]))[0],
    render: (app2, runs2) => [
      runs2.map((r) => h(
        "section",
        {},
        h("h2", { class: "lead" }, said(r.name)),
        h("div", { class: "cards" }, r.groups.map((g) => card(g.title, groupFacts(g)))),
        r.config ? h("details", {}, h("summary", {}, "config.yaml"), h("pre", { dir: "auto" }, visible(r.config))) : null
      ))
    ]
  };

  // app/overview.js
  var overview = {
    name: "overview",
    title: "Overview",
    letter: "o",
    load: async (app2) => ({ index: await app2.index(), by: /* @__PURE__ */ new Map([["", await app2.part("overview")]]) }),
    render(app2, data) {
      const about = data.by.get(app2.state.score ?? "");
      if (!about) {
        fetchBy(app2, data);
        return h("p", { class: "none", "aria-busy": "true" }, "The rows are ranked …");
      }
      const { rankings } = about;
      return [
        rankings.map((r, k) => rankingView(app2, data, r, about, k)),
        rankings.length === 0 ? h("p", { class: "lead" }, "These runs have no score to rank rows by.") : null,
        outcomesView(app2, data.index),
        h("details", { class: "card folded", ontoggle: (e) => fillTables(app2, e.currentTarget) }, h("summary", {}, "All tables, as bench table prints them"), h("div", { key: "tables" })),
        h("details", { class: "card folded" }, h("summary", {}, "What the runs are"), about.runs.map((g) => [h("h4", {}, said(g.title)), groupFacts(g)]))
      ];
    }
  };
  async function fetchBy(app2, data) {
    const column = app2.state.score;
    let about;
    try {
      about = await app2.source.ranking(column, data.by.get("").columns);
    } catch (err) {
      if (!err.expected) throw err;
      app2.say(err.message);
      about = data.by.get("");
    }
    data.by.set(column, about);
    if (app2.data === data) app2.follow();
  }
  function fillTables(app2, details) {
    const box = details.lastElementChild;
    if (!details.open || box.firstChild) return;
    box.append(later(() => app2.part("tables"), (doc) => doc.tables.map(tableView)));
  }
  var number2 = (text) => text ? Number.parseFloat(text.replace(/[$,]/g, "")) : NaN;
  var cellsOf = (r, name) => r.columns.findIndex((c) => c.name === name);
  function rankingView(app2, data, r, about, k) {
    const { state } = app2, best2 = r.rows.find((row) => row.place === "best") ?? r.rows.find((row) => row.place !== "apart");
    const beside = ["tokens", "words", "cost", "evidence"].filter((name) => cellsOf(r, name) >= 0 && name !== r.column.name);
    const x = beside.includes(state.beside) ? state.beside : beside[0];
    const kind = (row) => row.place || (row === best2 ? "first" : "open");
    const series2 = (row) => data.index.seriesNamed(row.run, row.method, r.model) ?? row.label;
    return h(
      "section",
      { class: "ranking", key: "ranking " + k },
      h("h2", { class: "lead" }, said(r.text || `${r.dataset}, ${r.model}`)),
      h("p", { class: "sub" }, said(r.title)),
      r.notes?.length ? h("ul", { class: "notes-of" }, r.notes.map((n) => h("li", {}, said(n)))) : null,
      h(
        "div",
        { class: "cards wide-left" },
        card(
          `${r.column.name}, ${r.column.lower ? "lower is better, " : ""}best first`,
          k === 0 ? choose("Score", r.column.name, about.columns.includes(r.column.name) ? about.columns.map((c) => [c, c]) : [[r.column.name, r.column.name], ...about.columns.map((c) => [c, c])], (score) => app2.set({ score })) : null,
          dots(`${r.column.name} with 95 % intervals`, r.rows.map((row) => ({ name: row.label, estimate: row.estimate, kind: kind(row), words: row.stands, link: app2.link("questions", { wrong: series2(row) }) })), { line: best2?.estimate?.mean }),
          h("p", { class: "fine" }, r.rows.some((row) => Number.isFinite(row.estimate?.low)) ? "Lines are 95 % intervals. A filled dot is significantly worse than the best; a hollow one is not." : "There are no intervals: these need more than one conversation.")
        ),
        x ? card(
          `${r.column.name} against ${x}`,
          choose("Beside", x, beside.map((name) => [name, { tokens: "tokens of a question", words: "words of an answer", cost: "cost of the row", evidence: "evidence recall" }[name]]), (name) => app2.set({ beside: name })),
          scatter(`${r.column.name} against ${x}`, r.rows.map((row) => ({ name: row.label, x: number2(row.cells[cellsOf(r, x)]), y: row.estimate?.mean ?? NaN, kind: kind(row) })), x, r.column.name),
          r.rows.length > 5 ? h("p", { class: "fine" }, "Numbers are places in the ranking: ", said(r.rows.map((row, i) => `${i + 1} ${row.label}`).join(", "))) : null
        ) : null
      ),
      r.parts.length ? h(
        "section",
        { class: "multiples" },
        h("h3", {}, `${r.column.name} by category`),
        h("div", { class: "cards" }, r.parts.map((p) => h(
          "section",
          { class: "card", key: p.name },
          h("h4", {}, h("a", { href: app2.link("questions", { category: p.name }) }, said(p.name)), h("small", {}, ` ${count(p.n)} questions`)),
          dots(p.name, r.rows.map((row, i) => ({ name: row.label, estimate: p.means[i], kind: kind(row) })), { small: true })
        )))
      ) : null,
      rowsView(app2, r, k)
    );
  }
  function rowsView(app2, r, k) {
    const { state } = app2, asked = new Set((state.columns ?? "").split("|").filter(Boolean)), [by, direction] = (state.sort ?? "").split("|");
    const shown2 = r.columns.map((c, i) => ({ ...c, i })).filter((c) => c.more ? asked.has(c.head) : !asked.has("-" + c.head));
    const flip = (c) => {
      const name = c.more ? c.head : "-" + c.head;
      if (!asked.delete(name)) asked.add(name);
      app2.set({ columns: [...asked].join("|") });
    };
    const at = shown2.find((c) => c.name === by)?.i, rows = r.rows.map((row) => ({ row, value: at === void 0 ? 0 : number2(row.cells[at]) }));
    if (at !== void 0) rows.sort((a, b) => Number.isNaN(a.value) - Number.isNaN(b.value) || (direction === "up" ? a.value - b.value : b.value - a.value));
    const head = (c) => ({ number: true, sort: c.name === by ? direction : "", text: h("button", { type: "button", title: c.doc, onclick: () => app2.set({ sort: `${c.name}|${c.name === by && direction === "down" ? "up" : "down"}` }) }, said(c.head)) });
    return card(
      r.rows.length === 1 ? "The row" : "All rows",
      h("details", { class: "columns-of" }, h("summary", {}, "Columns"), h("div", { class: "chips" }, r.columns.map((c) => h(
        "label",
        { class: "check", key: c.name },
        h("input", { type: "checkbox", checked: shown2.some((one) => one.name === c.name), onchange: () => flip(c) }),
        " ",
        said(c.more ? c.head : c.head + (r.columns.some((o) => o.more && o.head === c.head) ? " (short)" : ""))
      )))),
      grid(
        `Rows on ${r.dataset}, ${r.model}`,
        [{ text: "method" }, ...shown2.map(head)],
        rows.map(({ row }) => ({ key: `${k} ${row.label} ${row.run}`, cells: [said(row.label), ...shown2.map((c) => said(row.cells[c.i]))] })),
        true
      )
    );
  }
  function outcomesView(app2, index) {
    const { counts } = select(index, {}), most = Math.max(1, ...counts.map((c) => c.reduce((x, y) => x + y, 0)));
    return card(
      "What became of the answers",
      h(
        "table",
        { class: "outcomes" },
        h("caption", { class: "unseen" }, "Answers by method and outcome"),
        h("tbody", {}, index.series.map((series2, k) => h(
          "tr",
          {},
          h("th", { scope: "row" }, said(series2)),
          h("td", { class: "of-bar" }, outcomeBar(index, counts[k], most, series2)),
          h("td", { class: "of-counts" }, counts[k].map((n, o) => n ? h("a", { class: "outcome " + index.outcomes[o].name, href: app2.link("questions", { method: series2, outcome: index.outcomes[o].name }), title: index.outcomes[o].about }, count(n), " ", index.outcomes[o].title) : null))
        )))
      ),
      h("p", { class: "fine" }, rule(index))
    );
  }

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
      this.element = h("div", { key: "review" }, this.fault, this.box);
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
      const field = (title2, input) => h("label", { class: "field" }, h("span", {}, title2), input);
      const form = h(
        "form",
        { class: "fields", onsubmit: (e) => {
          e.preventDefault();
          const f = Object.fromEntries(new FormData(form));
          this.attempt(async () => {
            await this.app.source.addQueue(Number(f.run), { name: f.name, draw: f.draw, n: Number(f.n), seed: Number(f.seed), blind: f.blind === "1" });
            this.app.set({ queue: f.name, run: f.run }, true);
          });
        } },
        field("Name", h("input", { name: "name", required: true, size: 12 })),
        field("Draw", h("select", { name: "draw" }, ["stratified", "random", "all"].map((d) => h("option", {}, d)))),
        field("Number", h("input", { name: "n", type: "number", min: 1, value: "50", class: "short" })),
        field("Seed", h("input", { name: "seed", type: "number", min: 0, value: "1", class: "short" })),
        field("Run", h("select", { name: "run" }, this.index.runs.map((id, k) => h("option", { value: String(k) }, said(id).textContent)))),
        h("label", { class: "check" }, h("input", { name: "blind", type: "checkbox", value: "1", checked: true }), " blind"),
        h("button", { class: "main" }, "Draw a queue")
      );
      fill2(
        this.box,
        h("h2", { class: "lead" }, "Label answers by hand"),
        h("p", { class: "sub" }, "People's labels decide what is right, and show how far judges can be trusted. A blind queue does not say whose an answer is until it is labelled."),
        card("A new queue", form, h("p", { class: "fine" }, "A stratified draw takes as many of each method and category.")),
        queues.length ? card("Queues", grid("Queues", [{ text: "queue" }, { text: "labelled", number: true }, { text: "kind" }], queues.map((q) => ({ key: `${q.k} ${q.name}`, cells: [
          h("a", { href: this.app.link("review", { queue: q.name, run: String(q.k) }) }, said(q.name)),
          `${count(q.labels.length)} of ${count(q.items.length)}`,
          q.blind ? "blind" : "open"
        ] })), true)) : ""
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
        first < 0 ? h("p", {}, "All are labelled. ", h("code", {}, "bench judge calibrate RUN"), " compares the judges with the labels.") : null,
        queue.agreement ? this.agreementView(queue) : null,
        i === void 0 ? h("p", { class: "none" }, "The run has no such request any more.") : later(() => this.app.source.request(i), (a) => [
          a.answer_sha256 === item.answer_sha256 ? null : h("p", { class: "error" }, "The answer was asked again since the draw; a label of it would count nowhere."),
          h("div", { class: "card" }, facts([
            ["question", passage(a.gold.question)],
            ["gold answer", a.gold.abstain ? "the conversation does not say" : passage(a.gold.answer)],
            ["answer", passage(a.answer || "none")],
            ["label", label ? said(String(label.value)) : null],
            ["method", queue.blind && !label ? null : h("a", { href: this.app.link("questions", { r: this.index.key(i) }) }, said(this.index.series[this.index.seriesOf(i)]))]
          ])),
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
        ["labels", said(Object.entries(people).sort().map(([name, n]) => `${name} ${n}`).join(", "))],
        ["right", right === null ? null : `${(100 * right).toFixed(1)} % of the answers that the queue stands for`],
        ["Krippendorff's alpha", alpha === null ? null : `${alpha.toFixed(3)}${low === null ? "" : ` (${low.toFixed(3)} to ${high.toFixed(3)})`}, of ${count(shared)} items with two labels or more`]
      ]), split2.length ? h("details", {}, h("summary", {}, `People differ on ${count(split2.length)}`), h("ul", {}, split2.map((it) => h(
        "li",
        {},
        place(it) === void 0 ? said(`${it.sample} ${it.request}`) : h("a", { href: this.app.link("questions", { r: this.index.key(place(it)) }) }, said(`${it.sample} ${it.request}`)),
        said(": " + Object.entries(it.labels).sort().map(([name, v]) => `${name} ${v === "true" ? "right" : "wrong"}`).join(", "))
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
    keys: [["c", "compare the marked"]],
    press(app2, index, e) {
      if (!e.target.matches("input, select, button") && e.key === "c") compareMarked(app2);
    }
  };
  var ICONS = { running: "▶", silent: "…", stopped: "■", interrupted: "‖", complete: "✓", shard: "◐", imported: "⇥", baseline: "◆", damaged: "!", unreadable: "!" };
  var goesOn = (run) => ["running", "silent", "stopped", "interrupted"].includes(run.status);
  var FILTERS = {
    dataset: ["Data", (r) => r.datasets.map((d) => d.label)],
    method: ["Method", (r) => r.methods],
    model: ["Model", (r) => r.models],
    status: ["Status", (r) => [r.status]],
    judge: ["Judge", (r) => r.judge ? [r.judge] : []],
    tag: ["Tag", (r) => r.tags]
  };
  var rowOf = (r) => r.headline && r.rows[r.headline.row];
  var conditions = (r, row) => JSON.stringify([row.dataset, row.method, row.model, r.judge ?? "", r.datasets.find((d) => d.label === row.dataset)?.sha256, r.datasets.find((d) => d.label === row.dataset)?.answer_key ?? ""]);
  function series(r, index) {
    const row = rowOf(r), column = r.headline.column, same = conditions(r, row);
    return index.runs.flatMap((o) => o.rows.filter((one) => one.columns[column] && conditions(o, one) === same).map((one) => ({ run: o, mean: one.columns[column] }))).filter((p) => !p.run.start || !r.start || p.run.start <= r.start).sort((a, b) => a.run.start < b.run.start ? -1 : 1);
  }
  function best(r, app2, index) {
    if (!r.headline) return "";
    const { column, mean } = r.headline, { scale, digits } = index.columns[column], print = (x) => (x * scale).toFixed(Math.min(1, digits));
    return h("div", {}, h("b", {}, print(mean.mean)), " ", said(column), h("div", { class: "low" }, said(rowOf(r).method), mean.low === void 0 ? "" : `, ${print(mean.low)} to ${print(mean.high)}`));
  }
  function trend(r, app2, index) {
    if (!r.headline) return "";
    const all = series(r, index), base = all.findLast((p) => p.run.baseline && p.run.key !== r.key), { scale, digits } = index.columns[r.headline.column];
    const own = all.filter((p) => !p.run.baseline || p.run.key === r.key);
    if (all.length < 2) return "";
    const by = base && (r.headline.mean.mean - base.mean.mean) * scale;
    return h(
      "div",
      { class: "trend" },
      spark(own.map((p) => p.mean.mean), base && base.mean.low !== void 0 ? [base.mean.low, base.mean.high] : null),
      base ? h("div", { class: "low", title: "a difference of two means; compare the runs for a test" }, Number(by.toFixed(1)) ? `${by > 0 ? "+" : "−"}${Math.abs(by).toFixed(Math.min(1, digits))} on ` : "as ", said(base.run.name)) : h("div", { class: "low" }, `${all.length} runs`)
    );
  }
  var dollars2 = (r) => r.paid?.usd ?? (r.paid ? NaN : 0);
  var COLUMNS = {
    name: ["run", (r) => r.start ?? "", (r, app2) => r.error ? [said(r.name), h("div", { class: "low" }, said(r.error))] : [h("a", { href: app2.link(goesOn(r) ? "live" : "overview", {}, r.key) }, said(r.name)), h("div", { class: "low" }, said([r.id, (r.start ?? "").replace("T", " ").slice(0, 16)].filter(Boolean).join(" · ")))]],
    best: ["best", (r) => r.headline?.mean.mean ?? -Infinity, best],
    trend: ["trend", (r) => r.start ?? "", trend],
    paid: ["paid", dollars2, (r) => !r.paid || !r.paid.calls && !r.paid.usd ? "" : r.paid.usd === null ? "price unknown" : "$" + r.paid.usd.toFixed(2), true],
    status: ["status", (r) => r.status, (r) => [h("span", { class: "status " + r.status }, h("span", { "aria-hidden": "true" }, ICONS[r.status] + " "), r.status), h("div", { class: "low" }, r.damage ? said(r.damage) : "", r.errors ? `${count(r.errors)} errors` : "", r.shard ? " " + r.shard : "")]],
    data: ["data", (r) => r.datasets[0]?.label ?? "", (r) => [said(r.datasets.map((d) => d.label).join(", ")), h("div", { class: "low" }, `${count(r.methods.length)} ${r.methods.length === 1 ? "method" : "methods"}, `, r.offline ? "no language model" : said(r.models.join(", ")))]],
    answers: ["answers", (r) => r.finished ?? -1, (r) => r.finished === null ? "" : r.finished === r.planned ? count(r.finished) : `${count(r.finished)} of ${count(r.planned)}`, true],
    judge: ["judge", (r) => r.judge ?? "", (r) => said([r.judge ?? "", ...r.tags].filter(Boolean).join(", "))],
    commit: ["commit", (r) => r.commit ?? "", (r) => (r.commit ?? "").slice(0, 8) + (r.dirty ? " changed" : "")]
  };
  var marked2 = (app2) => (app2.state.marked ?? "").split("+").filter(Boolean);
  function compareMarked(app2) {
    if (marked2(app2).length > 1) app2.go("compare", {}, marked2(app2).join("+"));
  }
  function passes(state, r, but) {
    const words2 = (state.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const text = words2.length ? JSON.stringify([r.name, r.id, r.path, r.status, r.datasets, r.methods, r.models, r.judge, r.commit, r.tags]).toLowerCase() : "";
    return words2.every((w) => text.includes(w)) && Object.entries(FILTERS).every(([name, [, values]]) => name === but || !state[name] || values(r).includes(state[name]));
  }
  function filterField(app2, index, name) {
    const [title2, values] = FILTERS[name], left = /* @__PURE__ */ new Map();
    for (const r of index.runs) for (const v of values(r)) left.set(v, (left.get(v) ?? 0) + (passes(app2.state, r, name) ? 1 : 0));
    if (left.size < 2 && !app2.state[name]) return null;
    return choose(title2, app2.state[name] ?? "", [["", "all"], ...[...left].sort().map(([v, n]) => [v, `${v} (${n})`])], (v) => app2.set({ [name]: v }));
  }
  function render2(app2, index) {
    const { state } = app2, shown2 = index.runs.filter((r) => passes(state, r)), keys = marked2(app2);
    const [by, direction] = (state.sort ?? "name|down").split("|"), value = COLUMNS[by]?.[1];
    if (value) shown2.sort((a, b) => (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0) * (direction === "down" ? -1 : 1));
    const empty = (cell) => [cell].flat(Infinity).every((c) => c === "" || c?.textContent === "");
    const rows = shown2.map((r) => ({ r, cells: new Map(Object.entries(COLUMNS).map(([name, [, , cell]]) => [name, cell(r, app2, index)])) }));
    const names = Object.keys(COLUMNS).filter((name) => rows.some(({ cells }) => !empty(cells.get(name))));
    const mark = (key, on) => app2.set({ marked: on ? [...keys, key].join("+") : keys.filter((k) => k !== key).join("+") });
    const head = (name) => {
      const [title2, , , number3] = COLUMNS[name], next = by === name && direction === "up" ? "down" : "up";
      return { number: number3, sort: by === name ? direction : "", text: h("button", { type: "button", onclick: () => app2.set({ sort: name + "|" + next }) }, title2) };
    };
    return [
      h(
        "form",
        { class: "fields", "aria-label": "filter of runs", onsubmit: (e) => e.preventDefault() },
        h("label", { class: "field grow" }, h("span", {}, "Search"), h("input", { type: "search", placeholder: "words", value: state.text ?? "", oninput: (e) => app2.set({ text: e.target.value }) })),
        Object.keys(FILTERS).map((name) => filterField(app2, index, name)),
        h("button", { type: "button", class: "main", disabled: keys.length < 2, onclick: () => compareMarked(app2) }, keys.length > 1 ? `Compare ${keys.length} runs` : "Mark runs to compare")
      ),
      index.cut ? h("p", { class: "fine" }, "There are more runs than are looked for.") : null,
      index.runs.length === 0 ? h("p", { class: "lead" }, "There are no runs here yet. ", h("code", {}, "bench run configs/quickstart.yaml"), " makes one.") : null,
      grid(
        `${count(shown2.length)} of ${count(index.runs.length)} runs`,
        [{ text: h("span", { class: "unseen" }, "marked") }, ...names.map(head)],
        rows.map(({ r, cells }) => ({ key: r.key, cells: [h("input", { type: "checkbox", checked: keys.includes(r.key), "aria-label": "mark " + r.name, onchange: (e) => mark(r.key, e.target.checked) }), ...names.map((name) => cells.get(name))] }))
      )
    ];
  }

  // app/main.js
  var PAGES = [overview, matrix, compare, figures, review, live, settings, runs, chat];
  takeToken();
  var file = byId("index") !== null;
  var app = new App(PAGES, (key) => file ? new FileSource() : new ServerSource(key));
  app.follow();
  return __toCommonJS(main_exports);
})();
