import {ORDER, SPREAD, TIME, select} from "./filter.js";
import {List} from "./list.js";
import {badge, requestView} from "./request.js";
import {byId, count, h, number, said, visible} from "./text.js";

// The page: the form, the table of outcomes, the list and the request that is open
// follow one state, which the address holds too.

const FIELDS = ["run", "dataset", "method", "model", "category", "outcome", "error", "text", "column", "min", "max", "sort", "differ", "rows", "judge", "least"];

// EVEN is the threshold of a column that nobody set another for: half of a ratio.
const EVEN = 0.5;

const shortest = (x) => Number(x.toPrecision(6));

// The fragment of a server's page begins with the run: #/run/KEY/requests?FILTER. That
// of a file is the filter alone.
export function route(hash) {
  const m = /^#(\/run\/([\w+-]+)\/requests)\??/.exec(hash);
  return m ? {prefix: m[1] + "?", key: m[2], state: hash.slice(m[0].length)} : {prefix: "", key: "", state: hash.slice(1)};
}

export class Page {
  constructor(source, index, prefix) {
    this.source = source;
    this.index = index;
    this.prefix = prefix; // of the fragment
    this.filter = {};
    this.chosen = []; // requests that the filter lets through
    this.lines = []; // what the list shows: these, or one of each question
    this.ready = null; // ms after the page was asked for
    this.open = -1; // request
    this.alone = false; // whether only one method's answer is shown
    this.list = new List(byId("list"), (n) => this.line(n), (n) => this.show(this.lines[n], true));
    this.fillForm();
    this.listen();
    this.follow();
  }

  // fillForm offers what there is to choose. A choice of one is left out.
  fillForm() {
    const {index} = this;
    const distinct = (values) => [...new Set(values)];
    const offer = (id, choices) => {
      const field = byId("f-" + id);
      for (const [value, text] of choices) field.append(h("option", {value}, visible(text)));
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
    byId("f-error").closest("label").hidden = index.kinds.length === 0;
    offer("column", same(index.columns.map((c) => c.name)));
    byId("f-column").closest("label").hidden = index.columns.length === 0;
    const sorts = [[ORDER, "order of the dataset"], [SPREAD + "|down", "where methods differ most"]];
    for (const c of index.columns) sorts.push([c.name + "|up", c.name + ", lowest first"], [c.name + "|down", c.name + ", highest first"]);
    offer("sort", [...sorts, [TIME + "|down", "slowest first"]]);
    const given = index.given.column;
    offer("judge", [["", given], ...same(index.columns.filter((c) => c.judges && c.name !== given).map((c) => c.name))]);
    if (index.series.length < 2) byId("f-differ").closest("label").hidden = true;
  }

  listen() {
    const form = byId("filter");
    form.addEventListener("submit", (e) => e.preventDefault());
    let waiting;
    form.addEventListener("input", (e) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.readForm(), e.target.type === "search" ? 120 : 0);
    });
    form.addEventListener("reset", (e) => {
      e.preventDefault(); // it would come after this listener
      clearTimeout(waiting);
      this.filter = {};
      this.writeForm();
      this.apply();
      this.note();
    });
    addEventListener("hashchange", () => this.follow());
    document.addEventListener("keydown", (e) => this.key(e));
    addEventListener("beforeprint", () => {
      for (const details of byId("request").querySelectorAll("details")) {
        details.fill();
        details.open = true;
      }
    });
    byId("close").addEventListener("click", () => this.close());
    byId("previous").addEventListener("click", () => this.step(-1));
    byId("next").addEventListener("click", () => this.step(1));
    byId("alone").addEventListener("click", () => this.toggle());
  }

  readForm() {
    this.filter = {};
    for (const name of FIELDS) {
      const field = byId("f-" + name);
      const value = field.type === "checkbox" ? (field.checked ? "1" : "") : field.value;
      if (value !== (field.dataset.otherwise ?? "")) this.filter[name] = value;
    }
    this.apply();
    this.note();
  }

  writeForm() {
    for (const name of FIELDS) {
      const field = byId("f-" + name), value = this.filter[name] ?? "";
      if (field.type === "checkbox") field.checked = value !== "";
      else field.value = value || (field.dataset.otherwise ?? "");
    }
  }

  // follow takes the state from the address. Other fragments are places on the
  // page, which are the browser's business.
  follow() {
    const {key: run, state: hash} = route(location.hash);
    if (run && !this.prefix.includes("/" + run + "/")) {
      location.reload(); // another run
      return;
    }
    if (hash !== "" && !hash.includes("=") && this.ready) return;
    const state = hash.includes("=") ? new URLSearchParams(hash) : new URLSearchParams();
    this.filter = {};
    for (const name of FIELDS) if (state.get(name)) this.filter[name] = state.get(name);
    this.writeForm();
    this.apply();
    this.ready ??= performance.now();
    const key = state.get("r");
    if (!key) return;
    const i = this.index.find(key);
    if (i < 0) this.say(`There is no request ${visible(key)} on this page.`);
    else this.show(i, false, true);
  }

  // address is a link to a request under the filter.
  address(i) {
    const state = new URLSearchParams(this.filter);
    if (i >= 0) state.set("r", this.index.key(i));
    return "#" + this.prefix + state;
  }

  note() { history.replaceState(null, "", this.address(this.open)); }

  // judge takes the column and threshold of right answers from the filter, or else
  // those that the page was made with.
  judge() {
    const {index} = this;
    const column = index.columns.find((c) => c.judges && c.name === this.filter.judge) ?? index.columns.find((c) => c.name === index.given.column);
    const least = Number.parseFloat(this.filter.least);
    const otherwise = column.name === index.given.column ? index.given.threshold : EVEN;
    const threshold = Number.isNaN(least) ? otherwise : least / column.scale;
    const was = index.judging;
    if (was.column !== column.name || was.threshold !== threshold) {
      index.judge({column: column.name, threshold});
      if (this.open >= 0) this.show(this.open, true);
    }
    byId("judging").replaceChildren("An answer counts as right if its ", said(column.name), ` is at least ${shortest(threshold * column.scale)}.`,
      " A wrong one is sorted by how much of its gold evidence reached the reader.", ...this.wording(column));
  }

  // wording counts the answers that a column with two values calls wrong although a
  // graded column of answers has half or more for them.
  wording(column) {
    const {index} = this;
    const graded = index.columns.findIndex((c) => c.judges && c.answers && !c.binary);
    if (!column.binary || graded < 0) return [];
    const {name} = index.columns[graded];
    const own = index.scores[index.columns.indexOf(column)], {threshold} = index.judging;
    const n = index.scores[graded].reduce((sum, x, i) => sum + (index.status[i] === 0 && own[i] < threshold && x >= EVEN ? 1 : 0), 0);
    if (n === 0) return [];
    return [` ${count(n)} ${n === 1 ? "is" : "are"} called wrong though `, said(name), " is half or more. ",
      h("button", {type: "button", onclick: () => this.set({judge: name, least: ""})}, "Judge by ", said(name))];
  }

  apply() {
    const start = performance.now();
    this.judge();
    const {chosen, counts} = select(this.index, this.filter);
    this.chosen = chosen;
    this.filterTime = performance.now() - start; // tests hold it to a bound
    if (this.filter.rows === "questions") {
      const seen = new Set();
      this.lines = chosen.filter((i) => !seen.has(this.index.question[i]) && seen.add(this.index.question[i]));
    } else {
      this.lines = chosen;
    }
    this.list.show(this.lines.length, this.place(this.open));
    this.outcomes(counts);
    this.say(this.summary());
  }

  // summary says how many requests the filter lets through.
  summary() {
    const {chosen, lines, index} = this;
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

  say(text) { byId("status").textContent = text; }

  // outcomes counts requests by method and outcome. Each number is a filter.
  outcomes(counts) {
    const {index} = this;
    const cell = (n, all, method, outcome) => {
      const pressed = (this.filter.method ?? "") === method && (this.filter.outcome ?? "") === outcome && (method || outcome);
      const share = all > 0 ? ` ${(100 * n / all).toFixed(1)}%` : "";
      return h("td", {class: "number"}, h("button", {
        type: "button", "aria-pressed": pressed ? "true" : "false",
        onclick: () => this.set({method: pressed ? "" : method, outcome: pressed ? "" : outcome}),
      }, count(n), outcome ? h("small", {}, share) : ""));
    };
    const row = (name, method, numbers) => {
      const all = numbers.reduce((x, y) => x + y, 0);
      return h("tr", {}, h("th", {scope: "row"}, name), cell(all, 0, method, ""),
        numbers.map((n, o) => cell(n, all, method, index.outcomes[o].name)));
    };
    const sums = index.outcomes.map((_, o) => counts.reduce((n, c) => n + c[o], 0));
    byId("outcomes").replaceChildren(
      h("caption", {}, "Outcomes by method under the filter. Choose a number to see its requests."),
      h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "method"), h("th", {scope: "col", class: "number"}, "all"),
        index.outcomes.map((o) => h("th", {scope: "col", class: "number", title: o.about}, badge(o, false), " ", o.title)))),
      h("tbody", {}, index.series.map((s, k) => row(said(s), s, counts[k])),
        index.series.length > 1 ? row("all", "", sums) : null));
  }

  set(values) {
    for (const [name, value] of Object.entries(values)) {
      if (value) this.filter[name] = value; else delete this.filter[name];
    }
    this.writeForm();
    this.apply();
    this.note();
  }

  // line is a row of the list.
  line(n) {
    const {index} = this, i = this.lines[n], q = index.question[i];
    const shown = index.columns.findIndex((c) => c.name === (this.filter.column || this.filter.sort?.split("|")[0])) ;
    const k = shown >= 0 ? shown : index.columns.findIndex((c) => c.name === index.judging.column);
    const short = (text) => said(text.slice(0, 200));
    if (this.filter.rows === "questions") {
      return h("div", {class: "line"},
        h("div", {class: "top"}, short(index.questions.question[q])),
        h("div", {class: "low"}, index.members[q].map((m) => h("span", {class: "mini"},
          badge({...index.outcomes[index.outcome[m]], title: visible(index.series[index.seriesOf(m)]) + ": " + index.outcomes[index.outcome[m]].title}, false))),
        " ", said(index.questions.category[q]), " \u00b7 ", short(index.questions.gold[q])));
    }
    return h("div", {class: "line"},
      h("div", {class: "top"}, badge(index.outcomes[index.outcome[i]], false), " ", short(index.questions.question[q])),
      h("div", {class: "low"}, k >= 0 ? h("span", {class: "score"}, number(index.scores[k][i], index.columns[k])) : "",
        h("strong", {}, said(index.series[index.seriesOf(i)])), " \u00b7 ", said(index.questions.category[q]), " \u00b7 ",
        index.kind[i] >= 0 ? said("error: " + index.kinds[index.kind[i]]) : short(index.answer[i])));
  }

  // show opens a request.
  async show(i, keepFocus, scroll) {
    this.open = i;
    this.list.select(this.place(i));
    this.note();
    if (this.place(i) < 0) this.say("The filter leaves out the request that is open.");
    let view;
    try {
      view = await requestView(this.source, this.index, i, this.alone ? i : -1, (m) => this.show(m, true));
    } catch (err) {
      view = [h("p", {class: "error"}, "This request cannot be read: " + err.message)];
    }
    if (this.open !== i) return; // another one was opened meanwhile
    const inside = byId("request").contains(document.activeElement);
    byId("request").replaceChildren(...view);
    byId("request").scrollTop = 0;
    byId("link").href = this.address(i);
    byId("pane").hidden = false;
    byId("requests").classList.add("open");
    if (scroll) byId("requests").scrollIntoView();
    if (!keepFocus || inside) byId("asked")?.focus({preventScroll: true});
  }

  close() {
    if (this.open < 0) return;
    const row = this.place(this.open);
    this.open = -1;
    byId("pane").hidden = true;
    byId("requests").classList.remove("open");
    this.note();
    byId("list").focus({preventScroll: true});
    if (row >= 0) this.list.reveal(row);
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
    byId("alone").setAttribute("aria-pressed", this.alone);
    if (this.open >= 0) this.show(this.open, true);
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const typing = e.target.matches("input, select, textarea");
    if (e.key === "Escape") {
      if (e.target === byId("f-text")) this.set({text: ""});
      if (typing) e.target.blur(); else this.close();
      return;
    }
    if (typing) return;
    const onList = e.target === byId("list");
    switch (e.key) {
      case "j": this.step(1); break;
      case "k": this.step(-1); break;
      case "ArrowDown": if (!onList) return; this.step(1); break;
      case "ArrowUp": if (!onList) return; this.step(-1); break;
      case "Enter":
        if (!onList && e.target !== document.body || this.list.selected < 0) return;
        this.show(this.lines[this.list.selected]);
        break;
      case "/":
        byId("f-text").focus();
        byId("f-text").select();
        break;
      case "s": this.toggle(); break;
      default: return;
    }
    e.preventDefault();
  }
}
