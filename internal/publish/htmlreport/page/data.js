"use strict";

// The data of the page lies in script elements that no browser runs: JSON, gzip,
// base64. The index is read at the start, the rest chunk by chunk when it is
// looked at.

async function inflate(id) {
  const binary = atob(byId(id).textContent);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

// Chunks are values that are numbered through and lie in several elements.
class Chunks {
  static KEPT = 48;

  constructor(prefix, firsts) {
    this.prefix = prefix;
    this.firsts = firsts; // number of the first value of each chunk
    this.read = new Map(); // the last that were read, as promises, by chunk
  }

  async get(n) {
    let low = 0, high = this.firsts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.firsts[middle] <= n) low = middle; else high = middle - 1;
    }
    const values = this.read.get(low) ?? inflate(this.prefix + low);
    this.read.delete(low);
    this.read.set(low, values);
    if (this.read.size > Chunks.KEPT) this.read.delete(this.read.keys().next().value);
    return (await values)[n - this.firsts[low]];
  }
}

// Index is what is known of all requests at once: one array for each property.
class Index {
  constructor(data) {
    this.columns = data.columns;
    this.judging = data.judging;
    this.outcomes = data.outcomes;
    this.cells = data.cells;
    this.series = data.series;
    this.samples = data.samples;
    this.kinds = data.kinds;
    this.questions = data.questions;
    this.details = new Chunks("d", data.chunks.details);
    this.blocks = new Chunks("b", data.chunks.blocks);

    const r = data.requests;
    this.size = r.question.length;
    this.question = Uint32Array.from(r.question);
    this.cell = Uint32Array.from(r.cell);
    this.kind = Int16Array.from(r.kind); // -1 for no error
    this.time = Float64Array.from(r.time);
    this.answer = r.answer;
    const judge = r.scores[data.columns.findIndex((c) => c.name === data.judging.column)];
    const place = (name) => data.outcomes.findIndex((o) => o.name === name);
    const reached = ["unknown-evidence", "not-retrieved", "partly-retrieved", "not-used"].map(place);
    const [failed, unscored, right] = ["failed", "unscored", "right"].map(place);
    this.outcome = Uint8Array.from(r.reach, (reach, i) => r.status[i] !== 0 ? failed : judge[i] === null ? unscored
      : judge[i] >= data.judging.threshold ? right : reached[reach]);
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

  seriesOf(i) { return this.cells[this.cell[i]].series; }
}
