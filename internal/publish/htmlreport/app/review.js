import {fill, later} from "./fold.js";
import {noteForm} from "./notes.js";
import {card} from "./parts.js";
import {grid} from "./table.js";
import {count, facts, passage, said} from "./text.js";
import {h} from "./ui.js";

// Review queues: requests that people label one after the other, blind or not.
export const review = {
  name: "review", title: "Review", letter: "v", needs: "annotate",
  load: async (app) => new Review(app, await app.index()),
  render: (app, r) => r.element,
  drawn: (app, r) => r.follow(),
  press: (app, r, event) => r.press(event),
  keys: [["1", "right"], ["2", "wrong"], ["3", "unsure"], ["\u2190 \u2192", "previous and next answer"]],
};

const VALUES = {1: true, 2: false, 3: "unsure"};

class Review {
  constructor(app, index) {
    this.app = app;
    this.index = index;
    this.box = h("div", {});
    this.fault = h("p", {class: "error", role: "alert", hidden: true});
    this.element = h("div", {key: "review"}, this.fault, this.box);
    this.places = new Map(); // numbers of requests
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
      fill(this.fault, said(err.message));
    }
  }

  // follow shows the queue that the address names, or all.
  follow() {
    return this.attempt(async () => {
      const runs = await Promise.all(this.index.runs.map(async (_, k) => ({k, ...await this.app.source.queues(k), notes: await this.app.source.notes(k)})));
      const queues = runs.flatMap((r) => r.queues.map((q) => ({...q, k: r.k, labels: r.notes.filter((n) => n.kind === "correct" && n.queue === q.name && n.reviewer === r.reviewer)})));
      const queue = queues.find((q) => q.name === this.app.state.queue && String(q.k) === (this.app.state.run ?? "0"));
      if (queue) this.show(queue); else this.list(queues);
    });
  }

  list(queues) {
    this.queue = null;
    const field = (title, input) => h("label", {class: "field"}, h("span", {}, title), input);
    const form = h("form", {class: "fields", onsubmit: (e) => {
      e.preventDefault();
      const f = Object.fromEntries(new FormData(form));
      this.attempt(async () => {
        await this.app.source.addQueue(Number(f.run), {name: f.name, draw: f.draw, n: Number(f.n), seed: Number(f.seed), blind: f.blind === "1"});
        this.app.set({queue: f.name, run: f.run}, true);
      });
    }}, field("Name", h("input", {name: "name", required: true, size: 12})), field("Draw", h("select", {name: "draw"}, ["stratified", "random", "all"].map((d) => h("option", {}, d)))),
      field("Number", h("input", {name: "n", type: "number", min: 1, value: "50", class: "short"})), field("Seed", h("input", {name: "seed", type: "number", min: 0, value: "1", class: "short"})),
      field("Run", h("select", {name: "run"}, this.index.runs.map((id, k) => h("option", {value: String(k)}, said(id).textContent)))),
      h("label", {class: "check"}, h("input", {name: "blind", type: "checkbox", value: "1", checked: true}), " blind"), h("button", {class: "main"}, "Draw a queue"));
    fill(this.box, h("h2", {class: "lead"}, "Label answers by hand"), h("p", {class: "sub"}, "People's labels decide what is right, and show how far judges can be trusted. A blind queue does not say whose an answer is until it is labelled."),
      card("A new queue", form, h("p", {class: "fine"}, "A stratified draw takes as many of each method and category.")),
      queues.length ? card("Queues", grid("Queues", [{text: "queue"}, {text: "labelled", number: true}, {text: "kind"}], queues.map((q) => ({key: `${q.k} ${q.name}`, cells: [
        h("a", {href: this.app.link("review", {queue: q.name, run: String(q.k)})}, said(q.name)), `${count(q.labels.length)} of ${count(q.items.length)}`, q.blind ? "blind" : "open"]})), true)) : "");
  }

  labelOf(queue, item) { return queue.labels.find((n) => [n.cell, n.sample, n.request].join("\n") === item && n.answer_sha256 === queue.hashes.get(item)); }

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
      await this.app.source.addNote(queue.k, {cell: item.cell, sample: item.sample, request: item.request, answer_sha256: item.answer_sha256, kind, value, queue: queue.name, blind: queue.blind && !label});
      await this.follow();
    });
    fill(this.box, h("div", {class: "bar"}, h("a", {href: this.app.link("review")}, "All queues"), said(queue.name), ` item ${this.at + 1} of ${names.length}, ${queue.labels.length} labelled`,
      h("button", {type: "button", onclick: () => this.step(-1)}, "Previous"), h("button", {type: "button", onclick: () => this.step(1)}, "Next")),
      first < 0 ? h("p", {}, "All are labelled. ", h("code", {}, "bench judge calibrate RUN"), " compares the judges with the labels.") : null,
      queue.agreement ? this.agreementView(queue) : null,
      i === undefined ? h("p", {class: "none"}, "The run has no such request any more.") : later(() => this.app.source.request(i), (a) => [
        a.answer_sha256 === item.answer_sha256 ? null : h("p", {class: "error"}, "The answer was asked again since the draw; a label of it would count nowhere."),
        h("div", {class: "card"}, facts([["question", passage(a.gold.question)], ["gold answer", a.gold.abstain ? "the conversation does not say" : passage(a.gold.answer)], ["answer", passage(a.answer || "none")],
          ["label", label ? said(String(label.value)) : null],
          ["method", queue.blind && !label ? null : h("a", {href: this.app.link("questions", {r: this.index.key(i)})}, said(this.index.series[this.index.seriesOf(i)]))]])),
        noteForm(this.say), h("p", {class: "fine"}, "keys: 1 right, 2 wrong, 3 unsure, \u2190 and \u2192")]));
  }

  // agreementView is how far people agree, and the items on which they do not.
  agreementView(queue) {
    const {people, right, shared, alpha, low, high, split} = queue.agreement;
    const place = (it) => this.places.get([it.cell, it.sample, it.request].join("\n"));
    return h("section", {"aria-label": "agreement"}, facts([
      ["labels", said(Object.entries(people).sort().map(([name, n]) => `${name} ${n}`).join(", "))],
      ["right", right === null ? null : `${(100 * right).toFixed(1)} % of the answers that the queue stands for`],
      ["Krippendorff's alpha", alpha === null ? null : `${alpha.toFixed(3)}${low === null ? "" : ` (${low.toFixed(3)} to ${high.toFixed(3)})`}, of ${count(shared)} items with two labels or more`],
    ]), split.length ? h("details", {}, h("summary", {}, `People differ on ${count(split.length)}`), h("ul", {}, split.map((it) => h("li", {},
      place(it) === undefined ? said(`${it.sample} ${it.request}`) : h("a", {href: this.app.link("questions", {r: this.index.key(place(it))})}, said(`${it.sample} ${it.request}`)),
      said(": " + Object.entries(it.labels).sort().map(([name, v]) => `${name} ${v === "true" ? "right" : "wrong"}`).join(", ")))))) : null);
  }

  step(by) { this.app.set({item: String(Math.max(1, Math.min(this.queue.items.length, this.at + 1 + by)))}, true); }

  press(e) {
    if (!this.queue || e.target.matches("input, select, textarea")) return;
    if (e.key in VALUES) this.say("correct", VALUES[e.key]);
    else if (e.key === "ArrowRight") this.step(1);
    else if (e.key === "ArrowLeft") this.step(-1);
  }
}
