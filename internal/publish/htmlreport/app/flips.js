// Which of two sides is right about each question: the rule of Go's package scored.

export const VERDICTS = [
  {name: "lost", title: "lost", about: "right in A alone"},
  {name: "gained", title: "gained", about: "right in B alone"},
  {name: "both-wrong", title: "both wrong"},
  {name: "both-right", title: "both right"},
];

// flips pairs the requests of two series. It returns for each dataset the counts of
// verdicts, of unclear pairs, of changed questions and of requests of one side alone,
// with the pairs: {q, a, b, verdict, loss}, whose loss is by how much B is worse.
export function flips(index, a, b) {
  const right = index.outcomes.findIndex((o) => o.name === "right"), unclear = index.outcomes.findIndex((o) => o.name === "unclear");
  const values = index.scores[index.columns.findIndex((c) => c.name === index.judging.column)];
  const value = (i) => index.status[i] === 0 ? values[i] : 0;
  const {questions} = index, sets = new Map();
  const of = (q) => {
    const name = questions.dataset[q];
    if (!sets.has(name)) sets.set(name, {dataset: name, counts: Object.fromEntries(VERDICTS.map((v) => [v.name, 0])), unclear: 0, changed: 0, onlyA: 0, onlyB: 0, pairs: [], lone: [new Map(), new Map()]});
    return sets.get(name);
  };
  index.members.forEach((members, q) => {
    const i = members.find((m) => index.seriesOf(m) === a), j = members.find((m) => index.seriesOf(m) === b);
    if (i === undefined && j === undefined) return;
    const set = of(q);
    if (i === undefined || j === undefined) {
      set.lone[i === undefined ? 1 : 0].set(questions.sample[q] + ":" + questions.request[q], q);
    } else if (index.outcome[i] === unclear || index.outcome[j] === unclear) {
      set.unclear++;
    } else {
      const x = index.outcome[i] === right, y = index.outcome[j] === right;
      const verdict = x ? y ? "both-right" : "lost" : y ? "gained" : "both-wrong";
      set.counts[verdict]++;
      set.pairs.push({q, a: i, b: j, verdict, loss: value(i) - value(j)});
    }
  });
  for (const set of sets.values()) {
    for (const id of set.lone[0].keys()) if (set.lone[1].has(id)) set.changed++;
    set.onlyA = set.lone[0].size - set.changed;
    set.onlyB = set.lone[1].size - set.changed;
    set.net = set.counts.gained - set.counts.lost;
    set.p = mcNemar(set.counts.lost, set.counts.gained);
  }
  return [...sets.values()];
}

// worstFirst sorts pairs by their losses, and those of the same loss as they were.
export const worstFirst = (pairs) => pairs.toSorted((x, y) => y.loss - x.loss);

// mcNemar is the two-sided exact test that two are right equally often.
export function mcNemar(first, second) {
  const n = first + second, least = Math.min(first, second);
  if (2 * least >= n - 1) return 1;
  let term = -n * Math.LN2, sum = Math.exp(term); // terms as logarithms
  for (let k = 1; k <= least; k++) {
    term += Math.log((n - k + 1) / k);
    sum += Math.exp(term);
  }
  return Math.min(1, 2 * sum);
}
