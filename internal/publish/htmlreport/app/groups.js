import {grid} from "./table.js";
import {count, said} from "./text.js";
import {h} from "./ui.js";

// Requests in groups: how many there are, their mean, and how many are right.

// groupings are the names of what requests can be grouped by.
export function groupings(index) {
  const labels = new Set(index.questions.labels?.flatMap((l) => Object.keys(l ?? {})));
  return ["category", "sample", "outcome", "error", ...[...labels].sort().map((l) => "label " + l)];
}

// groupsOf counts the chosen requests by group and series: {name, of: [{n, right, sum, known}]}.
export function groupsOf(index, chosen, by) {
  const {questions} = index, label = by.startsWith("label ") ? by.slice(6) : "";
  const name = (i) => {
    const q = index.question[i];
    if (label) return questions.labels[q]?.[label] ?? "";
    switch (by) {
      case "sample": return index.samples[questions.sample[q]];
      case "outcome": return index.outcomes[index.outcome[i]].title;
      case "error": return index.kind[i] < 0 ? "" : index.kinds[index.kind[i]];
      default: return questions.category[q];
    }
  };
  const values = index.scores[index.columns.findIndex((c) => c.name === index.judging.column)];
  const groups = new Map();
  for (const i of chosen) {
    const group = name(i);
    if (!groups.has(group)) groups.set(group, index.series.map(() => ({n: 0, right: 0, sum: 0, known: 0})));
    const one = groups.get(group)[index.seriesOf(i)];
    one.n++;
    if (index.outcomes[index.outcome[i]].name === "right") one.right++;
    const value = index.status[i] === 0 ? values[i] : 0; // a failed answer counts 0
    if (!Number.isNaN(value)) {
      one.sum += value;
      one.known++;
    }
  }
  return [...groups].map(([group, of]) => ({name: group, of}));
}

// groupsView is a table of groups and series, the groups first in which the series are
// furthest apart. A group of a filter can be chosen.
export function groupsView(index, chosen, by, choose) {
  const column = index.columns.find((c) => c.name === index.judging.column);
  const mean = (s) => s.known ? s.sum / s.known : NaN;
  const spread = (g) => {
    const known = g.of.map(mean).filter((x) => !Number.isNaN(x));
    return known.length > 1 ? Math.max(...known) - Math.min(...known) : 0;
  };
  const groups = groupsOf(index, chosen, by).sort((x, y) => spread(y) - spread(x));
  const filter = {category: "category", outcome: "outcome", error: "error"}[by];
  const words = (g) => filter || g.name.includes("\"") ? "" : by === "sample" ? `sample:"${g.name}"` : `label:"${by.slice(6)}: ${g.name}"`;
  const value = (g) => by === "outcome" ? index.outcomes.find((o) => o.title === g.name).name : g.name;
  return grid(`Mean ${column.name}, share right and number of requests by ${by}; first where methods are furthest apart`,
    [{text: by}, {text: "apart by", number: true}, ...index.series.map((s) => ({text: said(s), number: true}))],
    groups.slice(0, 200).map((g) => ({key: g.name, cells: [
      g.name && (filter || words(g)) ? h("button", {type: "button", onclick: () => choose({[filter]: value(g)}, words(g))}, said(g.name)) : said(g.name || "none"),
      (spread(g) * column.scale).toFixed(column.digits),
      ...g.of.map((s) => s.n ? `${s.known ? (mean(s) * column.scale).toFixed(column.digits) : "\u2013"}, ${Math.round(100 * s.right / s.n)} % of ${count(s.n)}` : "\u2013"),
    ]})));
}
