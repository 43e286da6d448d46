import {spark} from "./chart.js";
import {choose} from "./parts.js";
import {grid} from "./table.js";
import {count, said} from "./text.js";
import {h} from "./ui.js";

// The index of runs: one score each, beside those of earlier runs and of the baseline.
export const runs = {
  name: "runs", title: "Runs", letter: "i", needs: "runs", apart: true, every: 5000,
  load: (app) => app.source.ask("runs"),
  async again(app, index) { return await app.source.ask("runs?since=" + index.rev) ?? index; },
  render,
  drawn(app, index) {
    // The run that was named when the server started is what it opens at.
    if (location.hash !== "" || !index.open?.length) return;
    const [first] = index.runs.filter((r) => r.key === index.open[0]);
    app.go(index.open.length > 1 ? "compare" : goesOn(first) ? "live" : "overview", {}, index.open.join("+"));
  },
  keys: [["c", "compare the marked"]],
  press(app, index, e) {
    if (!e.target.matches("input, select, button") && e.key === "c") compareMarked(app);
  },
};

// What a run looks like in the list, beside its word.
const ICONS = {running: "\u25b6", silent: "\u2026", stopped: "\u25a0", interrupted: "\u2016", complete: "\u2713", shard: "\u25d0", imported: "\u21e5", baseline: "\u25c6", damaged: "!", unreadable: "!"};

export const goesOn = (run) => ["running", "silent", "stopped", "interrupted"].includes(run.status);

// FILTERS choose by one property of a run each.
const FILTERS = {
  dataset: ["Data", (r) => r.datasets.map((d) => d.label)],
  method: ["Method", (r) => r.methods],
  model: ["Model", (r) => r.models],
  status: ["Status", (r) => [r.status]],
  judge: ["Judge", (r) => r.judge ? [r.judge] : []],
  tag: ["Tag", (r) => r.tags],
};

// rowOf is the row of a run's headline, and series the means of the same row over runs that
// compare, the oldest first.
const rowOf = (r) => r.headline && r.rows[r.headline.row];
const conditions = (r, row) => JSON.stringify([row.dataset, row.method, row.model, r.judge ?? "", r.datasets.find((d) => d.label === row.dataset)?.sha256, r.datasets.find((d) => d.label === row.dataset)?.answer_key ?? ""]);

function series(r, index) {
  const row = rowOf(r), column = r.headline.column, same = conditions(r, row);
  return index.runs.flatMap((o) => o.rows.filter((one) => one.columns[column] && conditions(o, one) === same).map((one) => ({run: o, mean: one.columns[column]})))
    .filter((p) => !p.run.start || !r.start || p.run.start <= r.start).sort((a, b) => a.run.start < b.run.start ? -1 : 1);
}

function best(r, app, index) {
  if (!r.headline) return "";
  const {column, mean} = r.headline, {scale, digits} = index.columns[column], print = (x) => (x * scale).toFixed(Math.min(1, digits));
  return h("div", {}, h("b", {}, print(mean.mean)), " ", said(column), h("div", {class: "low"}, said(rowOf(r).method), mean.low === undefined ? "" : `, ${print(mean.low)} to ${print(mean.high)}`));
}

function trend(r, app, index) {
  if (!r.headline) return "";
  const all = series(r, index), base = all.findLast((p) => p.run.baseline && p.run.key !== r.key), {scale, digits} = index.columns[r.headline.column];
  const own = all.filter((p) => !p.run.baseline || p.run.key === r.key);
  if (all.length < 2) return "";
  const by = base && (r.headline.mean.mean - base.mean.mean) * scale;
  return h("div", {class: "trend"}, spark(own.map((p) => p.mean.mean), base && base.mean.low !== undefined ? [base.mean.low, base.mean.high] : null),
    base ? h("div", {class: "low", title: "a difference of two means; compare the runs for a test"}, Number(by.toFixed(1)) ? `${by > 0 ? "+" : "\u2212"}${Math.abs(by).toFixed(Math.min(1, digits))} on ` : "as ", said(base.run.name)) : h("div", {class: "low"}, `${all.length} runs`));
}

const dollars = (r) => r.paid?.usd ?? (r.paid ? NaN : 0);

// COLUMNS of the list: title, what it is sorted by, what it shows, and whether that is a number.
const COLUMNS = {
  name: ["run", (r) => r.start ?? "", (r, app) => r.error ? [said(r.name), h("div", {class: "low"}, said(r.error))]
    : [h("a", {href: app.link(goesOn(r) ? "live" : "overview", {}, r.key)}, said(r.name)), h("div", {class: "low"}, said([r.id, (r.start ?? "").replace("T", " ").slice(0, 16)].filter(Boolean).join(" \u00b7 ")))]],
  best: ["best", (r) => r.headline?.mean.mean ?? -Infinity, best],
  trend: ["trend", (r) => r.start ?? "", trend],
  paid: ["paid", dollars, (r) => !r.paid || !r.paid.calls && !r.paid.usd ? "" : r.paid.usd === null ? "price unknown" : "$" + r.paid.usd.toFixed(2), true],
  status: ["status", (r) => r.status, (r) => [h("span", {class: "status " + r.status}, h("span", {"aria-hidden": "true"}, ICONS[r.status] + " "), r.status), h("div", {class: "low"}, r.damage ? said(r.damage) : "", r.errors ? `${count(r.errors)} errors` : "", r.shard ? " " + r.shard : "")]],
  data: ["data", (r) => r.datasets[0]?.label ?? "", (r) => [said(r.datasets.map((d) => d.label).join(", ")), h("div", {class: "low"}, `${count(r.methods.length)} ${r.methods.length === 1 ? "method" : "methods"}, `, r.offline ? "no language model" : said(r.models.join(", ")))]],
  answers: ["answers", (r) => r.finished ?? -1, (r) => r.finished === null ? "" : r.finished === r.planned ? count(r.finished) : `${count(r.finished)} of ${count(r.planned)}`, true],
  judge: ["judge", (r) => r.judge ?? "", (r) => said([r.judge ?? "", ...r.tags].filter(Boolean).join(", "))],
  commit: ["commit", (r) => r.commit ?? "", (r) => (r.commit ?? "").slice(0, 8) + (r.dirty ? " changed" : "")],
};

const marked = (app) => (app.state.marked ?? "").split("+").filter(Boolean);

function compareMarked(app) {
  if (marked(app).length > 1) app.go("compare", {}, marked(app).join("+"));
}

function passes(state, r, but) {
  const words = (state.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const text = words.length ? JSON.stringify([r.name, r.id, r.path, r.status, r.datasets, r.methods, r.models, r.judge, r.commit, r.tags]).toLowerCase() : "";
  return words.every((w) => text.includes(w)) &&
    Object.entries(FILTERS).every(([name, [, values]]) => name === but || !state[name] || values(r).includes(state[name]));
}

function filterField(app, index, name) {
  const [title, values] = FILTERS[name], left = new Map();
  for (const r of index.runs) for (const v of values(r)) left.set(v, (left.get(v) ?? 0) + (passes(app.state, r, name) ? 1 : 0));
  if (left.size < 2 && !app.state[name]) return null;
  return choose(title, app.state[name] ?? "", [["", "all"], ...[...left].sort().map(([v, n]) => [v, `${v} (${n})`])], (v) => app.set({[name]: v}));
}

function render(app, index) {
  const {state} = app, shown = index.runs.filter((r) => passes(state, r)), keys = marked(app);
  const [by, direction] = (state.sort ?? "name|down").split("|"), value = COLUMNS[by]?.[1];
  if (value) shown.sort((a, b) => (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0) * (direction === "down" ? -1 : 1));
  const empty = (cell) => [cell].flat(Infinity).every((c) => c === "" || c?.textContent === "");
  const rows = shown.map((r) => ({r, cells: new Map(Object.entries(COLUMNS).map(([name, [, , cell]]) => [name, cell(r, app, index)]))}));
  const names = Object.keys(COLUMNS).filter((name) => rows.some(({cells}) => !empty(cells.get(name)))); // empty columns go
  const mark = (key, on) => app.set({marked: on ? [...keys, key].join("+") : keys.filter((k) => k !== key).join("+")});
  const head = (name) => {
    const [title, , , number] = COLUMNS[name], next = by === name && direction === "up" ? "down" : "up";
    return {number, sort: by === name ? direction : "", text: h("button", {type: "button", onclick: () => app.set({sort: name + "|" + next})}, title)};
  };
  return [
    h("form", {class: "fields", "aria-label": "filter of runs", onsubmit: (e) => e.preventDefault()},
      h("label", {class: "field grow"}, h("span", {}, "Search"), h("input", {type: "search", placeholder: "words", value: state.text ?? "", oninput: (e) => app.set({text: e.target.value})})),
      Object.keys(FILTERS).map((name) => filterField(app, index, name)),
      h("button", {type: "button", class: "main", disabled: keys.length < 2, onclick: () => compareMarked(app)}, keys.length > 1 ? `Compare ${keys.length} runs` : "Mark runs to compare")),
    index.cut ? h("p", {class: "fine"}, "There are more runs than are looked for.") : null,
    index.runs.length === 0 ? h("p", {class: "lead"}, "There are no runs here yet. ", h("code", {}, "bench run configs/quickstart.yaml"), " makes one.") : null,
    grid(`${count(shown.length)} of ${count(index.runs.length)} runs`, [{text: h("span", {class: "unseen"}, "marked")}, ...names.map(head)],
      rows.map(({r, cells}) => ({key: r.key, cells: [h("input", {type: "checkbox", checked: keys.includes(r.key), "aria-label": "mark " + r.name, onchange: (e) => mark(r.key, e.target.checked)}), ...names.map((name) => cells.get(name))]}))),
  ];
}
