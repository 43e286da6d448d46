import {FLAGS, search, select} from "./filter.js";
import {judgeBy, judges, rule} from "./judging.js";
import {List} from "./list.js";
import {OUTCOMES, badge, isRight} from "./outcome.js";
import {chip, choose} from "./parts.js";
import {questionView} from "./question.js";
import {count, facts, said, visible} from "./text.js";
import {draw, h} from "./ui.js";

// The matrix: a row for each question, a column for each method, and in each cell what became
// of the answer. The rows and the question that is open follow the state in the address.
export const matrix = {
  name: "questions", title: "Questions", letter: "q",
  load: async (app) => new Matrix(app, await app.index()),
  render: (app, m) => m.element,
  drawn: (app, m) => m.follow(),
  press: (app, m, event) => m.press(event),
  keys: [["j k", "next and previous question"], ["h l", "previous and next method"], ["Enter", "open the question"], ["Esc", "back to all, or clear the search"], ["/", "search"]],
};

const ORDERS = [["", "of the dataset"], ["hard", "fewest right first"], ["easy", "most right first"], ["apart", "where scores differ most"]];
const FIELDS = ["text", "wrong", "right", "category", "dataset", "method", "outcome", "error", ...Object.keys(FLAGS)];

export class Matrix {
  constructor(app, index) {
    this.app = app;
    this.index = index;
    this.found = null; // requests that the search found
    this.chosen = []; // questions that the filter lets through
    this.series = 0; // that keys move over
    this.openAt = -1; // request that is open
    this.disputed = index.disputed;
    this.form = h("form", {id: "_filter", "aria-label": "filter of questions", onsubmit: (e) => e.preventDefault()});
    this.head = h("div", {class: "head", "aria-hidden": "true"});
    this.box = h("div", {id: "_list", role: "listbox", tabindex: "0", "aria-label": "questions"}, this.head);
    this.pane = h("section", {id: "_pane", "aria-label": "question", hidden: true});
    this.judging = h("p", {id: "_judging", key: "judging"});
    this.foot = h("details", {class: "legend", key: "legend"}, h("summary", {}, "What the marks mean"), this.judging, facts(OUTCOMES.map((o) => [badge(o, true), o.about])));
    this.all = h("div", {class: "all"}, this.form, this.box);
    this.element = h("div", {id: "_matrix", key: "matrix", class: index.series.length > 8 ? "many" : null}, this.all, this.pane);
    this.list = new List(this.box, (n) => this.row(n), (n, element) => this.pick(n, element));
    this.list.space.style.minWidth = this.head.style.minWidth = `calc(var(--asked) + ${index.series.length} * var(--cell))`;
  }

  get state() { return this.app.state; }

  // follow takes the state from the address.
  async follow() {
    const {changed} = judgeBy(this.index, this.state);
    if (this.searched !== (this.state.text ?? "")) {
      const text = this.searched = this.state.text ?? "";
      this.found = text ? new Set() : null;
      if (text) this.searching = search(this.app.source, this.index.size, text).then((found) => {
        if (this.searched !== text) return;
        this.found = found;
        this.apply();
      }, (err) => this.app.say(err.message));
      if (text) this.app.say("searching \u2026");
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
    const {index} = this, ids = new Set();
    for (const k of index.runs.keys()) for (const n of await this.app.source.notes(k)) if (n.kind === "gold" && n.value !== "ok") ids.add(n.sample + "\n" + n.request);
    this.disputed = new Set([...index.disputed, ...index.questions.request.keys().filter((q) => ids.has(index.samples[index.questions.sample[q]] + "\n" + index.questions.request[q]))]);
  }

  apply(again) {
    const start = performance.now();
    const {chosen, counts} = select(this.index, this.state, this.found, this.disputed);
    this.filterTime = performance.now() - start; // tests hold it to a bound
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
    const {app, index, state} = this, set = (name) => (value) => app.set({[name]: value});
    const each = (values, all) => [["", all], ...values.map((v) => [v, v])], some = FIELDS.some((f) => state[f]);
    draw(this.form,
      h("div", {class: "fields"},
        h("label", {class: "field grow"}, h("span", {}, "Search"), h("input", {id: "_text", type: "search", value: state.text ?? "", placeholder: "words, \"a phrase\" or -word", title: "in questions, gold answers, answers and errors",
          oninput: (e) => { clearTimeout(this.typing); const {value} = e.target; this.typing = setTimeout(() => app.set({text: value}), 150); }})),
        index.series.length > 1 ? [choose("Wrong in", state.wrong ?? "", each(index.series, "any"), set("wrong")), choose("Right in", state.right ?? "", each(index.series, "any"), set("right"))] : null,
        choose("Category", state.category ?? "", each(index.categories, "all"), set("category")),
        choose("Order", state.sort ?? "", ORDERS, set("sort"))),
      h("div", {class: "chips"}, Object.entries(FLAGS).filter(([name]) => name !== "differ" || index.series.length > 1).map(([name, [title, about]]) => chip(title, state[name], () => app.set({[name]: state[name] ? "" : "1"}), about)),
        some ? h("button", {type: "button", class: "plain", id: "_clear", onclick: () => app.set(Object.fromEntries(FIELDS.map((f) => [f, ""])))}, "Clear") : null,
      h("details", {class: "columns-of", open: ["dataset", "method", "outcome", "error", "judge"].some((f) => state[f])}, h("summary", {}, "More filters"), h("div", {class: "fields"},
        index.datasets.length > 1 ? choose("Dataset", state.dataset ?? "", each(index.datasets, "all"), set("dataset")) : null,
        choose("Outcome", state.outcome ?? "", [["", "all"], ...index.outcomes.map((o) => [o.name, o.title])], set("outcome")),
        choose("of", state.method ?? "", each(index.series, "any method"), set("method")),
        index.kinds.length ? choose("Error", state.error ?? "", each(index.kinds, "all"), set("error")) : null,
        choose("Right by", state.judge ?? "", judges(index), set("judge")))),
      this.foot));
  }

  drawHead(counts) {
    const {index} = this;
    draw(this.head, h("div", {class: "asked"}, this.summary()),
      index.series.map((name, k) => h("div", {class: "cell", key: k}, h("span", {class: "number"}, String(k + 1)), h("span", {class: "name"}, said(name)), h("small", {}, `${count(counts[k].reduce((n, c, o) => n + (isRight(o) ? c : 0), 0))} right`))));
  }

  // row is a question with a cell for each method.
  row(n) {
    const {index} = this, q = this.chosen[n], {questions} = index;
    const answers = index.series.map((name, k) => ({name, i: index.at(q, k)}));
    return h("div", {class: "line"},
      h("div", {class: "asked"}, h("div", {class: "top"}, said(questions.question[q] || "(no question)")),
        h("div", {class: "low"}, h("span", {class: "gold"}, said(questions.gold[q] || "no answer")), " \u00b7 ", said(index.categories[questions.category[q]]), this.disputed.has(q) ? " \u00b7 disputed" : "")),
      answers.map(({name, i}, k) => h("div", {class: "cell" + (k === this.series && n === this.list.selected ? " at" : ""), "data-series": k, title: visible(name)}, i < 0 ? "" : badge(index.outcomes[index.outcome[i]], false, name))));
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
    this.app.set({r: this.index.key(i)}, this.openAt < 0);
  }

  async show(i) {
    const first = this.openAt < 0, q = this.index.question[i], same = !first && this.index.question[this.openAt] === q;
    this.openAt = i;
    this.series = this.index.seriesOf(i);
    const n = this.chosen.indexOf(q);
    this.list.selected = n;
    const view = await questionView(this.app, this.index, i, (m) => this.app.set({r: this.index.key(m)})).catch((err) => [h("p", {class: "error"}, "This question cannot be read: " + visible(err.message))]);
    if (this.openAt !== i) return; // another one was opened meanwhile
    const step = (by) => h("button", {type: "button", disabled: n < 0 || !this.chosen[n + by] && this.chosen[n + by] !== 0, onclick: () => this.step(by)}, by < 0 ? "Previous" : "Next");
    const y = scrollY, where = same && [".chips", ".answers", "#_pane"].find((box) => document.activeElement.closest(box));
    this.pane.replaceChildren(h("div", {class: "bar"}, h("button", {type: "button", id: "_close", onclick: () => this.close()}, "\u2190 All questions"), step(-1), step(1),
      h("span", {class: "fine"}, n < 0 ? "The filter leaves this question out." : `${count(n + 1)} of ${count(this.chosen.length)}`)), ...h("div", {}, view).childNodes);
    this.pane.hidden = false;
    this.all.hidden = true;
    document.body.classList.add("opened");
    scrollTo(0, same ? y : 0);
    // The focus stays where another method was chosen.
    if (!same || where) ((where && where !== "#_pane" && this.pane.querySelector(where + " [aria-pressed=true]")) || this.pane.querySelector("#_asked"))?.focus({preventScroll: true});
  }

  close() { this.app.set({r: ""}, true); }

  // hide shows all questions in place of the open one.
  hide() {
    const was = this.openAt;
    this.openAt = -1;
    this.pane.hidden = true;
    this.pane.replaceChildren();
    this.all.hidden = false;
    document.body.classList.remove("opened");
    if (was < 0) return;
    this.list.select(Math.max(0, this.chosen.indexOf(this.index.question[was])));
    this.box.focus({preventScroll: true});
  }

  step(by) {
    if (this.chosen.length === 0) return;
    const n = Math.min(this.chosen.length - 1, Math.max(0, this.list.selected + by));
    if (this.openAt >= 0) this.open(n); else this.list.select(n);
  }

  // move chooses another method.
  move(by) {
    this.series = Math.min(this.index.series.length - 1, Math.max(0, this.series + by));
    if (this.openAt < 0) return void this.list.redraw();
    const i = this.index.at(this.index.question[this.openAt], this.series);
    if (i >= 0) this.app.set({r: this.index.key(i)});
  }

  press(e) {
    const typing = e.target.matches("input, select, textarea");
    if (e.key === "Escape") {
      if (e.target.id === "_text") this.app.set({text: ""});
      if (typing) e.target.blur(); else if (this.openAt >= 0) this.close();
      return;
    }
    if (typing) return;
    const onList = e.target === this.box;
    switch (e.key) {
      case "j": this.step(1); break;
      case "k": this.step(-1); break;
      case "h": this.move(-1); break;
      case "l": this.move(1); break;
      case "ArrowDown": if (!onList) return; this.step(1); break;
      case "ArrowUp": if (!onList) return; this.step(-1); break;
      case "ArrowRight": if (!onList) return; this.move(1); break;
      case "ArrowLeft": if (!onList) return; this.move(-1); break;
      case "Enter":
        if (!onList && e.target !== document.body || this.list.selected < 0) return;
        this.open(this.list.selected);
        break;
      case "/":
        if (this.openAt >= 0) return;
        this.form.querySelector("#_text").focus();
        break;
      default: return;
    }
    e.preventDefault();
  }
}
