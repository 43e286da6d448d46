import {OUTCOMES, evidenceOutcome, outcome, verdictBy} from "./outcome.js";

// Index is what is known of all requests at once: one array for each property. A request is
// an answer of a series, which is a method of a run, to a question.
export class Index {
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
    this.kind = Int16Array.from(r.kind); // -1 for no error
    this.status = Uint8Array.from(r.status);
    this.verdict = Uint8Array.from(r.verdict);
    this.reach = Uint8Array.from(r.reach);
    this.scores = r.scores.map((values) => values && Float64Array.from(values, (x) => x === null ? NaN : x));

    this.members = this.questions.request.map(() => []); // requests by question
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
  at(q, series) { return this.places[q * this.series.length + series]; }

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
  runOf(i) { return this.runs.indexOf(this.cells[this.cell[i]].run_id); }

  seriesOf(i) { return this.cells[this.cell[i]].series; }

  // seriesNamed is the series of a method with a model in a run.
  seriesNamed(run, method, model) {
    const cell = this.cells.find((c) => c.run_id === run && c.method === method && c.model === model);
    return cell && this.series[cell.series];
  }
}
