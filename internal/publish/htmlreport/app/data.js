import {OUTCOMES, outcome, verdictBy} from "./outcome.js";

// Index is what is known of all requests at once: one array for each property.
export class Index {
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
    this.kind = Int16Array.from(r.kind); // -1 for no error
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

    // What is searched: the same without case. Requests stand side by side in the
    // order of questions.
    this.answerText = r.answer.map((a) => a.toLowerCase());
    const q = this.questions;
    this.questionText = q.question.map((text, i) => (text + "\n" + q.gold[i]).toLowerCase());
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
  runOf(i) { return this.runs.indexOf(this.cells[this.cell[i]].run_id); }

  seriesOf(i) { return this.cells[this.cell[i]].series; }
}
