import {dots} from "./chart.js";
import {later} from "./fold.js";
import {judgeBy, judges, rule} from "./judging.js";
import {badge, isRight, isUnclear} from "./outcome.js";
import {card, choose, scroll} from "./parts.js";
import {grid} from "./table.js";
import {count, said, visible} from "./text.js";
import {h} from "./ui.js";

const SHOWN = 10; // flips that are shown at first

// Two rows, of any runs: whether they differ, and which questions flipped. Three rows and more
// as a matrix of differences. The tests are those of bench compare, from the server or, in a
// file, from the rankings of the overview.
export const compare = {
  name: "compare", title: "Compare", letter: "c",
  async load(app) {
    const [index, about, runs] = await Promise.all([app.index(), app.part("overview"), app.source.can("runs") ? app.source.ask("runs") : null]);
    return {index, about, runs, tests: new Map(), items: new Map()};
  },
  render,
  drawn: (app, data) => test(app, data),
  keys: [["x", "swap the sides"]],
  press(app, data, e) {
    if (e.key === "x" && !e.target.matches("input, select")) swap(app, data);
  },
};

export const VERDICTS = [["lost", "lost", "right in A alone"], ["gained", "gained", "right in B alone"], ["both-wrong", "both wrong"], ["both-right", "both right"], ["unclear", "unclear", "unclear in A or B"]];

// flips pairs the answers of two series: which of them are right, those of one series alone,
// and those to a question that has changed between runs.
export function flips(index, a, b) {
  const pairs = [], lone = [new Map(), new Map()];
  index.members.forEach((_, q) => {
    const i = index.at(q, a), j = index.at(q, b);
    if (i < 0 && j < 0) return;
    if (i < 0 || j < 0) {
      lone[i < 0 ? 1 : 0].set([index.questions.dataset[q], index.questions.sample[q], index.questions.request[q]].join("\n"), q);
      return;
    }
    const x = isRight(index.outcome[i]), y = isRight(index.outcome[j]);
    pairs.push({q, a: i, b: j, verdict: isUnclear(index.outcome[i]) || isUnclear(index.outcome[j]) ? "unclear" : x ? y ? "both-right" : "lost" : y ? "gained" : "both-wrong"});
  });
  const changed = [...lone[0].keys()].filter((id) => lone[1].has(id)).length;
  return {pairs, counts: Object.fromEntries(VERDICTS.map(([name]) => [name, pairs.filter((p) => p.verdict === name).length])), changed, onlyA: lone[0].size - changed, onlyB: lone[1].size - changed};
}

// sides are the rows that the address names, else the second and the best of the ranking.
function sides(app, {index, about}) {
  const ranked = about.rankings.flatMap((r) => r.rows.map((row) => index.series.indexOf(index.seriesNamed(row.run, row.method, r.model)))).filter((k) => k >= 0);
  const at = (name, otherwise) => index.series.includes(app.state[name]) ? index.series.indexOf(app.state[name]) : otherwise;
  return [at("a", ranked[1] ?? 0), at("b", ranked[0] ?? index.series.length - 1)];
}

function swap(app, data) {
  const [a, b] = sides(app, data);
  app.set({a: data.index.series[b], b: data.index.series[a]}, true);
}

// test asks the server for the rows of bench compare, once for two sides.
async function test(app, data) {
  const {index, tests} = data, [a, b] = sides(app, data), id = [a, b].join();
  if (a === b || tests.has(id) || !app.source.can("runs")) return;
  tests.set(id, null);
  const keys = app.key.split("+"), side = (series) => {
    const cell = index.cells.find((c) => c.series === series);
    return encodeURIComponent(`${keys[index.runs.indexOf(cell.run_id)]}:${cell.method}@${cell.model}`);
  };
  try {
    tests.set(id, await app.source.get(`contrast?a=${side(a)}&b=${side(b)}`));
  } catch (err) {
    if (!err.expected) throw err;
    tests.set(id, {error: err.message});
  }
  if (app.data === data) app.follow();
}

function render(app, data) {
  const {index} = data, {state} = app, [a, b] = sides(app, data);
  judgeBy(index, state);
  const names = index.series.map((s) => [s, s]), set = (name) => (value) => app.set({[name]: value}, true);
  const others = data.runs?.runs.filter((r) => !r.error && !app.key.split("+").includes(r.key)) ?? [];
  return [
    h("form", {class: "fields", "aria-label": "what is compared", onsubmit: (e) => e.preventDefault()},
      index.series.length > 1 ? [choose("A", index.series[a], names, set("a")), choose("B", index.series[b], names, set("b")), h("button", {type: "button", onclick: () => swap(app, data)}, "Swap")] : null,
      others.length ? choose("Add a run", "", [["", "choose \u2026"], ...others.map((r) => [r.key, `${r.name} ${r.id}`])], (key) => key && app.go("compare", state, app.key + "+" + key)) : null,
      choose("Right by", state.judge ?? "", judges(index), set("judge"))),
    index.series.length < 2 ? h("p", {class: "lead"}, "There is one method of one run here, and nothing to compare it with.") : a === b ? h("p", {class: "lead"}, "Choose two sides.") : pairView(app, data, a, b),
    data.about.rankings.filter((r) => r.rows.length > 2 && r.differences.length).map(differencesView),
  ];
}

function pairView(app, data, a, b) {
  const {index, tests} = data, {state} = app, set = flips(index, a, b), kind = state.show ?? (set.counts.lost || !set.counts.gained ? "lost" : "gained"), most = Number.parseInt(state.most) || SHOWN;
  const tested = tests.get([a, b].join()), kept = set.pairs.filter((p) => p.verdict === kind);
  return [
    h("h2", {class: "lead"}, said(index.series[b]), " against ", said(index.series[a])),
    testView(app, data, tested, a, b),
    card("Which questions flipped",
      h("div", {class: "chips", role: "group", "aria-label": "which questions"}, VERDICTS.map(([name, title, about]) => h("button", {type: "button", class: "chip", key: name, "aria-pressed": String(name === kind), title: about, onclick: () => app.set({show: name, most: ""}, true)}, h("b", {}, count(set.counts[name])), " ", title))),
      h("p", {class: "fine"}, "Lost is right in A alone, gained right in B alone. ", set.onlyA + set.onlyB + set.changed ? `Not paired: ${count(set.onlyA)} only in A, ${count(set.onlyB)} only in B, ${count(set.changed)} with another question. ` : "", rule(index)),
      h("ol", {class: "flips"}, kept.slice(0, most).map((p) => itemOf(app, data, p))),
      kept.length === 0 ? h("p", {class: "none"}, "None.") : null,
      kept.length > most ? h("button", {type: "button", onclick: () => app.set({most: String(most + 4 * SHOWN)})}, `Show more of ${count(kept.length)}`) : null),
    optionsView(index, a, b),
  ];
}

// SHOWN_COLUMNS are those of the server's table that a reader decides by.
const SHOWN_COLUMNS = ["metric", "base", "new", "difference", "verdict", "p-adjusted"];
const TITLES = {base: "A", new: "B", "p-adjusted": "p, adjusted"};

function testView(app, data, tested, a, b) {
  const {index} = data;
  if (app.source.can("runs")) {
    if (!tested) return h("p", {class: "none", "aria-busy": "true"}, "The difference is tested \u2026");
    if (tested.error) return h("p", {class: "error"}, said(tested.error));
    return tested.tables.map((t) => card("Differences with tests", grid(t.title, SHOWN_COLUMNS.map((name) => ({text: TITLES[name] ?? name, number: !["metric", "verdict"].includes(name)})),
      t.rows.map((row, k) => ({key: String(k), cells: SHOWN_COLUMNS.map((name) => {
        const text = row[t.columns.findIndex((c) => c.name === name)]?.text ?? "";
        return name === "verdict" ? VERDICT_WORDS[text] ?? said(text) : said(text);
      })})), true),
    t.notes?.length ? h("ul", {class: "fine"}, t.notes.map((n) => h("li", {}, said(n)))) : null));
  }
  const labels = [a, b].map((k) => index.cells.find((c) => c.series === k));
  for (const r of data.about.rankings) {
    const [x, y] = labels.map((c) => r.rows.find((row) => row.method === c.method && row.run === c.run_id && r.model === c.model)?.label);
    const d = x && y && r.differences.find((one) => one.side === x && one.base === y || one.side === y && one.base === x);
    if (d) return card(`Difference in ${r.column.name}`, dots(`${d.side} less ${d.base}`, [{name: `${d.side} less ${d.base}`, estimate: {...d, text: d.text}, kind: significant(d) ? "worse" : "open", words: wordsOf(d)}], {zero: true}));
  }
  return h("p", {class: "sub"}, "Test the difference with bench compare.");
}

const VERDICT_WORDS = {"": "", "=": "the same", "~": "no difference shown", insufficient: "too few conversations", better: h("b", {}, "significantly better"), worse: h("b", {}, "significantly worse"), other: h("b", {}, "significantly different")};

const significant = (d) => ["better", "worse", "other"].includes(d.verdict);
const wordsOf = (d) => significant(d) ? "significant" : d.verdict === "insufficient" ? "too few conversations for a test" : d.verdict === "=" ? "the same on every question" : "no difference shown";

// differencesView has the difference of each pair of rows, a row less a column.
function differencesView(r) {
  const names = r.rows.filter((row) => r.differences.some((d) => d.side === row.label || d.base === row.label)).map((row) => row.label);
  return card(`All differences in ${r.column.name}`, h("p", {class: "fine"}, "A row less a column, with its 95 % interval. Bold differences are statistically significant after Holm's adjustment over all pairs."), scroll(`differences in ${r.column.name}`, h("table", {class: "grid differences"},
    h("caption", {class: "unseen"}, "Differences of all pairs"),
    h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "row"), names.slice(1).map((n) => h("th", {scope: "col", class: "number"}, said(n))))),
    h("tbody", {}, names.slice(0, -1).map((side) => h("tr", {}, h("th", {scope: "row"}, said(side)), names.slice(1).map((base) => {
      const d = r.differences.find((one) => one.side === side && one.base === base);
      return h("td", {class: d && significant(d) ? "number significant" : "number", title: d ? wordsOf(d) : null}, d ? said(d.text) : "");
    })))))));
}

// optionsView lists the options in which the sides differ.
function optionsView(index, a, b) {
  const of = (series) => index.cells.find((c) => c.series === series), [x, y] = [of(a), of(b)];
  const all = {...x.options, ...y.options}, text = (v) => v === undefined ? "\u2013" : JSON.stringify(v);
  const names = ["use", "model", "seed"].filter((n) => x[n] !== y[n]).map((n) => [n, x[n], y[n]])
    .concat(Object.keys(all).sort().filter((n) => text(x.options?.[n]) !== text(y.options?.[n])).map((n) => [n, text(x.options?.[n]), text(y.options?.[n])]));
  return names.length ? h("details", {class: "card folded"}, h("summary", {}, `Options that differ (${names.length})`),
    grid("Options that differ", [{text: "option"}, {text: "A"}, {text: "B"}], names.map((n) => ({key: n[0], cells: n.map((t) => said(t))})), true)) : null;
}

// itemOf is a flip with both answers, which are read once.
function itemOf(app, data, p) {
  const id = `${p.a} ${p.b}`, {index} = data;
  if (!data.items.has(id)) {
    data.items.set(id, h("li", {key: id}, h("a", {href: app.link("questions", {r: index.key(p.b)})}, said(index.questions.question[p.q])), h("p", {class: "low"}, "gold: ", said(index.questions.gold[p.q])),
      later(() => Promise.all([p.a, p.b].map((i) => app.source.request(i))), (both) => h("div", {class: "sides"}, both.map((r, k) => sideView(index, [p.a, p.b][k], r, both[1 - k], "AB"[k]))))));
  }
  return data.items.get(id);
}

// sideView is one of two answers, with the evidence that it alone has.
function sideView(index, i, r, other, name) {
  const texts = new Set(other.evidence.map((e) => e.text)), only = r.evidence.filter((e) => !texts.has(e.text)), gold = r.gold?.evidence ?? other.gold?.evidence ?? [];
  return h("div", {class: "side"}, h("p", {}, h("b", {}, name), " ", badge(index.outcomes[index.outcome[i]], true)), h("p", {}, r.error ? said("error: " + r.error.kind) : said(visible(r.answer).slice(0, 300) || "no answer")),
    only.length ? h("details", {}, h("summary", {}, `${only.length} of ${r.evidence.length} pieces of evidence only here`),
      h("ul", {}, only.map((e) => h("li", {}, said(e.name), (e.sources ?? []).filter((one) => gold.includes(one)).map((one) => h("mark", {class: "gold"}, "\u2605 ", said(one))), " ", said(e.text.slice(0, 300)))))) : null);
}
