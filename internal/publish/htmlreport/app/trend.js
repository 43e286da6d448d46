import {errorBars} from "./chart.js";
import {grid} from "./table.js";
import {said} from "./text.js";
import {h} from "./ui.js";

// Means compare where all of these are the same.
const CONDITIONS = {
  "dataset": (p) => p.dataset.sha256, "categories": (p) => p.dataset.categories, "answer key": (p) => p.dataset.answer_key ?? "",
  "judge": (p) => p.run.judge ?? "", "reader": (p) => String(!!p.run.offline),
};

// trendView draws the mean of a column over runs, for one method on one dataset.
export function trendView(app, index, runs) {
  const points = runs.flatMap((run) => run.rows.map((row) => ({run, row, dataset: run.datasets.find((d) => d.label === row.dataset) ?? {}})));
  const name = (p) => [p.row.dataset, p.row.method, p.row.model].join(" \u00b7 ");
  const all = [...new Set(points.map(name))].sort();
  const row = all.includes(app.state.row) ? app.state.row : all[0];
  const of = points.filter((p) => name(p) === row).sort((a, b) => a.run.start < b.run.start ? -1 : a.run.start > b.run.start ? 1 : 0);
  const columns = [...new Set(of.flatMap((p) => Object.keys(p.row.columns)))].filter((c) => index.columns[c]);
  if (columns.length === 0) return h("p", {class: "none"}, "These runs have no means.");
  const column = columns.includes(app.state.column) ? app.state.column : columns.find((c) => c === of.at(-1).run.headline?.column) ?? columns[0];
  const {scale, digits} = index.columns[column], print = (x) => x === undefined ? "\u2013" : (x * scale).toFixed(digits);
  const shown = of.filter((p) => p.row.columns[column]);
  const choose = (key, title, values, value) => h("label", {}, title, h("select", {value, onchange: (e) => app.set({[key]: e.target.value})}, values.map((v) => h("option", {value: v, key: v}, v))));
  const changed = (p, k) => k === 0 ? [] : Object.keys(CONDITIONS).filter((c) => CONDITIONS[c](p) !== CONDITIONS[c](shown[k - 1]));
  return h("section", {class: "trend", "aria-label": "trend"},
    h("div", {class: "line-of-fields"}, choose("row", "Row", all, row), choose("column", "Column", columns, column)),
    errorBars(`${column} of ${row} over ${shown.length} runs`, shown.map((p, k) => ({
      value: p.row.columns[column].mean * scale, low: p.row.columns[column].low * scale, high: p.row.columns[column].high * scale,
      mark: p.run.baseline ? "diamond" : p.run.dirty ? "hollow" : "dot", band: p.run.baseline && p.run.name === "main",
      joined: k > 0 && changed(p, k).length === 0, title: `${p.run.name} ${(p.run.start ?? "").slice(0, 10)}`,
    }))),
    h("p", {class: "fine"}, "Diamonds are baselines, hollow points runs of changed sources. A line joins points that compare. Intervals that overlap are no test: mark two runs and compare them."),
    grid("The same in numbers", ["run", "start", {text: column, number: true}, {text: "low", number: true}, {text: "high", number: true}, "what changed"].map((t) => t.text ? t : {text: t}),
      shown.map((p, k) => {
        const m = p.row.columns[column];
        return {key: p.run.key, cells: [said(p.run.name), (p.run.start ?? "").slice(0, 16), print(m.mean), print(m.low), print(m.high), changed(p, k).join(", ")]};
      })));
}
