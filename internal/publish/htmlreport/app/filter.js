// Filters choose requests by the index alone. A filter is an object of texts, as
// the form and links have them; empty means all.

import {search} from "./search.js";

export const ORDER = "order", SPREAD = "spread";
export const NUMBERS = ["time", "cost", "tokens"]; // by which requests can be sorted

// select returns the numbers of the requests that a filter lets through, in its
// order, and counts[series][outcome] of those that it lets through but for its
// method and outcome. Further are requests that have the words in texts which the index
// cuts.
export function select(index, f, further) {
  const {questions} = index;
  const cells = index.cells.map((c) =>
    (!f.run || c.run === f.run) && (!f.dataset || c.dataset === f.dataset) && (!f.model || c.model === f.model));
  const series = f.method ? index.series.indexOf(f.method) : -1;
  const outcome = f.outcome ? index.outcomes.findIndex((o) => o.name === f.outcome) : -1;
  const kind = f.error ? index.kinds.indexOf(f.error) : -1;
  // A link to another page's values finds nothing here, rather than everything.
  const strange = f.method && series < 0 || f.outcome && outcome < 0 || f.error && kind < 0;
  const scores = f.column ? index.scores[index.columns.findIndex((c) => c.name === f.column)] : undefined;
  const scale = index.columns.find((c) => c.name === f.column)?.scale ?? 1;
  const least = bound(f.min, -Infinity, scale), most = bound(f.max, Infinity, scale);
  const bounded = scores !== undefined && (f.min || f.max);
  const {words, tests} = search(f.text);
  const found = words.map((t) => Uint8Array.from(index.questionText, (text) => text.includes(t) ? 1 : 0));
  const asked = f.category ? Uint8Array.from(questions.category, (c) => c === f.category ? 1 : 0) : undefined;
  const differs = f.differ ? index.members.map((m) => m.some((i) => index.outcome[i] !== index.outcome[m[0]])) : undefined;

  const counts = index.series.map(() => index.outcomes.map(() => 0));
  const chosen = [];
  for (const i of strange ? [] : index.order) {
    const q = index.question[i], c = index.cell[i];
    if (!cells[c] || asked && !asked[q] || differs && !differs[q]) continue;
    if (kind >= 0 && index.kind[i] !== kind) continue;
    if (bounded && !(scores[i] >= least && scores[i] <= most)) continue;
    if (!words.every((t, k) => found[k][q] || index.answerText[i].includes(t)) && !further?.has(i)) continue;
    if (!tests.every((test) => test(index, i))) continue;
    const s = index.cells[c].series, o = index.outcome[i];
    counts[s][o]++;
    if ((series < 0 || s === series) && (outcome < 0 || o === outcome)) chosen.push(i);
  }
  return {chosen: sorted(index, chosen, f), counts};
}

// bound reads a bound in the unit of tables.
function bound(text, otherwise, scale) {
  const x = Number.parseFloat(text);
  return Number.isNaN(x) ? otherwise : x / scale;
}

// sorted puts requests into the order that a filter asks for. What has no value is
// last, whichever way.
function sorted(index, chosen, f) {
  const [by, direction] = (f.sort || ORDER).split("|");
  if (by === ORDER) return chosen;
  let values;
  if (NUMBERS.includes(by)) values = Float64Array.from(index[by], (x) => x ?? NaN);
  else if (by === SPREAD) values = spread(index);
  else values = index.scores[index.columns.findIndex((c) => c.name === by)];
  if (!values) return chosen;
  const sign = direction === "up" ? 1 : -1;
  const value = Float64Array.from(chosen, (i) => Number.isNaN(values[i]) ? Infinity : sign * values[i]);
  return byValue(chosen, value);
}

// byValue sorts by values, of which many are the same, and keeps the order of those.
function byValue(chosen, value) {
  const rank = new Map([...new Float64Array(new Set(value)).sort()].map((x, k) => [x, k]));
  const ranks = Uint32Array.from(value, (x) => rank.get(x));
  const next = new Uint32Array(rank.size + 1); // where the next one of a rank goes
  for (const k of ranks) next[k + 1]++;
  for (let k = 1; k < next.length; k++) next[k] += next[k - 1];
  const all = new Array(chosen.length);
  for (let i = 0; i < all.length; i++) all[next[ranks[i]]++] = chosen[i];
  return all;
}

// spread is, for each request, the distance between the best and the worst answer
// to its question, by the column whose values are shown.
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
