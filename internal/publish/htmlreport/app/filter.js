import {isRight, isUnclear, isWrong} from "./outcome.js";

// Filters choose questions by the index alone. A filter is an object of texts, as links have
// them; empty means all.

export const FLAGS = {
  differ: ["methods disagree", "questions whose answers have different outcomes"],
  unclear: ["unclear", "an answer is neither right nor wrong"],
  missed: ["evidence missed", "an answer lacked evidence that the gold answer rests on"],
  disputed: ["disputed gold", "errata or a person dispute the gold answer"],
};

// select returns the numbers of the questions that a filter lets through, in its order, and
// counts[series][outcome] of the answers to them. Found has the requests that a search found,
// null without one; disputed are the questions that people dispute.
export function select(index, f, found = null, disputed = index.disputed) {
  const {questions} = index, series = (name) => name ? index.series.indexOf(name) : -1;
  const named = [f.wrong, f.right, f.method].filter(Boolean), strange = named.some((name) => series(name) < 0);
  const wrong = series(f.wrong), right = series(f.right), method = series(f.method);
  const outcome = f.outcome ? index.outcomes.findIndex((o) => o.name === f.outcome) : -1, kind = f.error ? index.kinds.indexOf(f.error) : -1;
  const category = f.category ? index.categories.indexOf(f.category) : -1, dataset = f.dataset ? index.datasets.indexOf(f.dataset) : -1;
  const none = strange || f.outcome && outcome < 0 || f.error && kind < 0 || f.category && category < 0 || f.dataset && dataset < 0; // of another page
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
    outcome >= 0 && ((q) => index.members[q].some((i) => index.outcome[i] === outcome && (method < 0 || index.seriesOf(i) === method))),
    outcome < 0 && method >= 0 && ((q) => index.at(q, method) >= 0),
    kind >= 0 && ((q) => index.members[q].some((i) => index.kind[i] === kind)),
  ].filter(Boolean);
  const counts = index.series.map(() => index.outcomes.map(() => 0)), chosen = [];
  for (let q = 0; q < index.members.length && !none; q++) {
    if (!tests.every((test) => test(q))) continue;
    chosen.push(q);
    for (const i of index.members[q]) counts[index.seriesOf(i)][index.outcome[i]]++;
  }
  return {chosen: f.sort ? sorted(index, chosen, f.sort) : chosen, counts};
}

// sorted puts first the questions that the fewest methods answered right, or the most, or
// those on which they differ most in the score that is shown.
function sorted(index, chosen, by) {
  const scores = index.scores[index.columns.findIndex((c) => c.name === index.judging.column)];
  const value = {
    hard: (q) => index.members[q].filter((i) => isRight(index.outcome[i])).length / index.members[q].length,
    easy: (q) => -index.members[q].filter((i) => isRight(index.outcome[i])).length / index.members[q].length,
    apart: (q) => {
      const known = index.members[q].map((i) => scores?.[i] ?? NaN).filter((x) => !Number.isNaN(x));
      return known.length > 1 ? Math.min(...known) - Math.max(...known) : 0;
    },
  }[by];
  if (!value) return chosen;
  const values = Float64Array.from(chosen, value);
  return Array.from(chosen.keys()).sort((a, b) => values[a] - values[b] || a - b).map((k) => chosen[k]);
}

// words cuts what a search box takes: words and "phrases" that a text must have, and -word for
// what it must not.
export function words(text) {
  const want = [], not = [];
  for (const [, minus, phrase, word] of (text ?? "").toLowerCase().matchAll(/(-?)(?:"([^"]+)"|([^\s"]+))/g)) (minus ? not : want).push(phrase ?? word);
  return {want, not};
}

// search returns the requests that a search finds; null without words.
export async function search(source, size, text) {
  const {want, not} = words(text);
  if (want.length + not.length === 0) return null;
  const found = new Set(want.length ? await source.search(want) : Array.from({length: size}, (_, i) => i));
  for (const word of not) for (const i of await source.search([word])) found.delete(i);
  return found;
}
