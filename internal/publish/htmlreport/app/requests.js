import {NUMBERS, ORDER, SPREAD, select} from "./filter.js";
import {groupings, groupsView} from "./groups.js";
import {judgeBy, judges, rule} from "./judging.js";
import {List} from "./list.js";
import {OUTCOMES} from "./outcome.js";
import {badge, requestView} from "./request.js";
import {search} from "./search.js";
import {count, facts, number, said, visible} from "./text.js";
import {draw, h} from "./ui.js";

// The list of requests beside the one that is open. The form, the counts, the list and
// the open request follow the state in the address.
export const requests = {
  name: "requests", title: "Requests", letter: "r",
  load: async (app) => new Requests(app, await app.index()),
  render: (app, list) => list.element,
  drawn: (app, list) => list.follow(),
  press: (app, list, event) => list.press(event),
  keys: [["j k", "next and previous request"], ["Enter", "open it"], ["Esc", "close it, or clear the search"], ["s", "one method or all side by side"], ["/", "search"]],
};

const FIELDS = ["run", "dataset", "method", "model", "category", "outcome", "error", "text", "column", "min", "max", "sort", "differ", "rows", "judge", "group"];

const choice = (id, title, first) => h("label", {}, title, h("select", {id: "_f-" + id}, first ? h("option", {value: ""}, first) : null));
const bound = (id, title) => h("label", {}, title, h("input", {id: "_f-" + id, type: "number", step: "any"}));

function skeleton() {
  return h("div", {id: "_requests", key: "requests"},
    h("h2", {class: "unseen"}, "Requests"),
    h("form", {id: "_filter", "aria-label": "filter of requests"},
      h("div", {class: "line-of-fields"},
        h("input", {id: "_f-text", type: "search", "aria-label": "search", placeholder: "words or \"a phrase\"", title: "in questions, gold answers and answers; -word for none, answer:word or sample:word for one text, time>500 or cost<0.01 for numbers"}),
        h("label", {class: "check"}, h("input", {id: "_f-differ", type: "checkbox", value: "1"}), "only where outcomes differ"),
        h("button", {type: "reset"}, "Clear")),
      h("details", {class: "fields"}, h("summary", {}, "Filter and order"), h("div", {class: "line-of-fields"},
        choice("run", "Run", "all"), choice("dataset", "Dataset", "all"), choice("method", "Method", "all"), choice("model", "Model", "all"),
        choice("category", "Category", "all"), choice("outcome", "Outcome", "all"), choice("error", "Error", "all"),
        choice("column", "Score", "of any size"), bound("min", "from"), bound("max", "to"),
        choice("judge", "Right by"), choice("sort", "Order"), choice("rows", "Rows"), choice("group", "Group by", "nothing")))),
    h("div", {class: "panes"},
      h("div", {id: "_list", role: "listbox", tabindex: "0", "aria-label": "requests"}),
      h("section", {id: "_counts", "aria-label": "outcomes", tabindex: "0"},
        h("p", {class: "fine", id: "_judging"}),
        h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "outcomes by method"}, h("table", {id: "_outcomes"})),
        h("div", {id: "_groups"}),
        h("details", {}, h("summary", {}, "What the outcomes mean"), facts(OUTCOMES.map((o) => [o.title, o.about])))),
      h("section", {id: "_pane", "aria-label": "request", hidden: true},
        h("div", {class: "bar"},
          h("button", {type: "button", id: "_previous"}, "Previous"), h("button", {type: "button", id: "_next"}, "Next"),
          h("button", {type: "button", id: "_alone", "aria-pressed": "false"}, "One method only"),
          h("a", {id: "_link"}, "Link to this request"), h("button", {type: "button", id: "_close"}, "Close")),
        h("div", {id: "_request"}))));
}

export class Requests {
  constructor(app, index) {
    this.app = app;
    this.index = index;
    this.element = skeleton();
    this.filter = {};
    this.further = {}; // text of a search, and found, requests that have it beyond the index
    this.chosen = []; // requests that the filter lets through
    this.lines = []; // what the list shows: these, or one of each question
    this.open = -1; // request
    this.alone = false; // whether only one method's answer is shown
    this.list = new List(this.find("list"), (n) => this.line(n), (n) => this.show(this.lines[n], true, true));
    this.fillForm();
    this.listen();
  }

  find(id) { return this.element.querySelector("#_" + id); }

  // fillForm offers what there is to choose. A choice of one is left out.
  fillForm() {
    const {index} = this;
    const distinct = (values) => [...new Set(values)];
    const offer = (id, choices) => {
      const field = this.find("f-" + id);
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
    this.find("f-error").closest("label").hidden = index.kinds.length === 0;
    offer("group", same(groupings(index)));
    offer("column", same(index.columns.map((c) => c.name)));
    this.find("f-column").closest("label").hidden = index.columns.length === 0;
    const sorts = [[ORDER, "order of the dataset"], [SPREAD + "|down", "where methods differ most"]];
    for (const c of index.columns) sorts.push([c.name + "|up", c.name + ", lowest first"], [c.name + "|down", c.name + ", highest first"]);
    offer("rows", [["requests", "a row for each request"], ["questions", "a row for each question"]]);
    this.find("f-rows").dataset.otherwise = "requests";
    this.find("f-sort").dataset.otherwise = ORDER;
    offer("sort", [...sorts, ...NUMBERS.map((name) => [name + "|down", `most ${name} first`])]);
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
      e.preventDefault(); // it would come after this listener
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
    for (const name of FIELDS) {
      const field = this.find("f-" + name);
      const value = field.type === "checkbox" ? (field.checked ? "1" : "") : field.value;
      if (value !== (field.dataset.otherwise ?? "")) this.filter[name] = value;
    }
    this.apply();
    this.note();
  }

  writeForm() {
    for (const name of FIELDS) {
      const field = this.find("f-" + name), value = this.filter[name] ?? "";
      if (field.type === "checkbox") field.checked = value !== "";
      else field.value = value || (field.dataset.otherwise ?? "");
    }
  }

  // follow takes the state from the address.
  follow() {
    const {state} = this.app;
    this.filter = {};
    for (const name of FIELDS) if (state[name]) this.filter[name] = state[name];
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
  state(i) { return i < 0 ? this.filter : {...this.filter, r: this.index.key(i)}; }

  // address is a link to that.
  address(i) { return this.app.link("requests", this.state(i)); }

  note(push) { this.app.note(this.state(this.open), push); }

  // judge takes what says which answers are right from the filter, or else from the page.
  judge() {
    const {changed} = judgeBy(this.index, this.filter);
    if (changed && this.open >= 0) this.show(this.open, true);
    this.find("judging").replaceChildren(said(rule(this.index)),
      " A wrong answer is sorted by how much of its gold evidence reached the reader.");
  }

  apply() {
    const start = performance.now();
    this.judge();
    const {chosen, counts} = select(this.index, this.filter, this.further.text === this.filter.text ? this.further.found : undefined);
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
    draw(this.find("groups"), groupings(this.index).includes(this.filter.group) ? groupsView(this.index, chosen, this.filter.group, (values, words) => this.set(words ? {text: [this.filter.text, words].filter(Boolean).join(" ")} : values)) : null);
    this.app.say(this.summary());
    this.searchFurther();
  }

  // searchFurther asks the server for the words, which reads texts that the index cuts.
  async searchFurther() {
    const {text} = this.filter, {words} = search(text);
    if (words.length === 0 || this.further.text === text || !this.app.source.can("search")) return;
    this.further = {text};
    try {
      const {requests: found} = await this.app.source.get("search?q=" + encodeURIComponent(words.map((w) => `"${w}"`).join(" ")));
      this.further = {text, found: new Set(found)};
    } catch (err) {
      if (!err.expected) throw err;
    }
    if (this.filter.text === text && this.further.found?.size) this.apply();
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
    this.find("outcomes").replaceChildren(
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
  async show(i, keepFocus, push) {
    this.open = i;
    this.list.select(this.place(i));
    this.note(push);
    if (this.place(i) < 0) this.app.say("The filter leaves out the request that is open.");
    let view;
    try {
      view = await requestView(this.app, this.index, i, this.alone ? i : -1, (m) => this.show(m, true));
    } catch (err) {
      view = [h("p", {class: "error"}, "This request cannot be read: " + err.message)];
    }
    if (this.open !== i) return; // another one was opened meanwhile
    const inside = this.find("request").contains(document.activeElement);
    this.find("request").replaceChildren(...view);
    this.find("request").scrollTop = 0;
    this.find("link").href = this.address(i);
    this.find("pane").hidden = false;
    this.element.classList.add("open");
    this.find("counts").hidden = true;
    if (!keepFocus || inside) this.find("asked")?.focus({preventScroll: true});
  }

  close() {
    if (this.open < 0) return;
    const row = this.place(this.open);
    this.hide();
    this.note(true);
    this.find("list").focus({preventScroll: true});
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
      if (e.target === this.find("f-text")) this.set({text: ""});
      if (typing) e.target.blur(); else this.close();
      return;
    }
    if (typing) return;
    const onList = e.target === this.find("list");
    switch (e.key) {
      case "j": this.step(1); break;
      case "k": this.step(-1); break;
      case "ArrowDown": if (!onList) return; this.step(1); break;
      case "ArrowUp": if (!onList) return; this.step(-1); break;
      case "Enter":
        if (!onList && e.target !== document.body || this.list.selected < 0) return;
        this.show(this.lines[this.list.selected], false, true);
        break;
      case "/":
        this.find("f-text").focus();
        this.find("f-text").select();
        break;
      case "s": this.toggle(); break;
      default: return;
    }
    e.preventDefault();
  }
}
