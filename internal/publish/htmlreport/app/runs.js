import {grid} from "./table.js";
import {trendView} from "./trend.js";
import {count, said} from "./text.js";
import {h} from "./ui.js";

// The index of runs: filters, an order, marks, and the trend of a mean over runs.
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
  keys: [["c", "compare the marked"], ["t", "trend"]],
  press(app, index, e) {
    if (e.target.matches("input, select, button")) return;
    if (e.key === "c") compareMarked(app);
    else if (e.key === "t") app.set({trend: app.state.trend ? "" : "1"}, true);
  },
};

// What a run looks like in the list, beside its word.
const ICONS = {running: "\u25b6", silent: "\u2026", stopped: "\u25a0", interrupted: "\u2016", complete: "\u2713", shard: "\u25d0", imported: "\u21e5", baseline: "\u25c6", damaged: "!", unreadable: "!"};

export const goesOn = (run) => ["running", "silent", "stopped", "interrupted"].includes(run.status);

// FILTERS choose by one property of a run each.
const FILTERS = {
  dataset: ["Dataset", (r) => r.datasets.map((d) => d.label)],
  method: ["Method", (r) => r.methods],
  model: ["Model", (r) => r.models],
  status: ["Status", (r) => [r.status]],
  judge: ["Judge", (r) => r.judge ? [r.judge] : []],
  offline: ["Reader", (r) => [r.offline ? "offline" : "language model"]],
  tag: ["Tag", (r) => r.tags],
};

const dollars = (r) => r.paid?.usd ?? (r.paid ? NaN : 0);

// COLUMNS of the list: title, what it is sorted by, and what it shows.
const COLUMNS = {
  name: ["run", (r) => r.name + " " + r.id, (r, app) => r.error ? said(r.error)
    : h("a", {href: app.link(goesOn(r) ? "live" : "overview", {}, r.key)}, said(r.name), " ", said(r.id))],
  status: ["status", (r) => r.status, (r) => [h("span", {"aria-hidden": "true"}, ICONS[r.status] + " "), r.status, r.damage ? [": ", said(r.damage)] : "", r.shard ? " " + r.shard : "", r.offline ? ", offline" : ""]],
  start: ["start", (r) => r.start ?? "", (r) => (r.start ?? "").replace("T", " ").slice(0, 16)],
  datasets: ["datasets", (r) => r.datasets[0]?.label ?? "", (r) => said(r.datasets.map((d) => d.label).join(", "))],
  methods: ["methods", (r) => r.methods.length, (r) => `${count(r.methods.length)} \u00d7 ${count(r.models.length)} ${r.models.length === 1 ? "model" : "models"}`],
  finished: ["finished", (r) => r.finished ?? -1, (r) => r.finished === null ? "\u2013" : `${count(r.finished)} of ${count(r.planned)}`, true],
  errors: ["errors", (r) => r.errors ?? -1, (r) => r.errors === null ? "\u2013" : count(r.errors), true],
  paid: ["paid", dollars, (r) => !r.paid ? "" : (r.paid.usd === null ? "price unknown" : "$" + r.paid.usd.toFixed(2)) + (r.paid.reused ? `, ${count(r.paid.reused)} reused` : ""), true],
  best: ["best", (r) => r.headline?.mean.mean ?? -Infinity, (r, app, index) => headline(r, index)],
  commit: ["commit", (r) => r.commit ?? "", (r) => (r.commit ?? "").slice(0, 8) + (r.dirty ? " dirty" : "")],
  judge: ["judge", (r) => r.judge ?? "", (r) => said([r.judge ?? "", ...r.tags].filter(Boolean).join(", "))],
};

function headline(r, index) {
  if (!r.headline) return "";
  const {column, mean, row} = r.headline, {scale, digits} = index.columns[column];
  const print = (x) => (x * scale).toFixed(digits);
  return [`${print(mean.mean)} `, mean.low === undefined ? "" : `(${print(mean.low)} to ${print(mean.high)}) `, said(`${column}, ${r.rows[row].method}`)];
}

const marked = (app) => (app.state.marked ?? "").split("+").filter(Boolean);

function compareMarked(app) {
  if (marked(app).length > 1) app.go("compare", {}, marked(app).join("+"));
}

function passes(state, r, but) {
  const words = (state.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const text = words.length ? JSON.stringify([r.name, r.id, r.path, r.status, r.datasets, r.methods, r.models, r.judge, r.commit, r.tags]).toLowerCase() : "";
  return words.every((w) => text.includes(w)) &&
    (!state.since || (r.start ?? "") >= state.since) && (!state.until || (r.start ?? "").slice(0, 10) <= state.until) &&
    Object.entries(FILTERS).every(([name, [, values]]) => name === but || !state[name] || values(r).includes(state[name]));
}

function filterField(app, index, name) {
  const [title, values] = FILTERS[name], left = new Map();
  for (const r of index.runs) for (const v of values(r)) left.set(v, (left.get(v) ?? 0) + (passes(app.state, r, name) ? 1 : 0));
  if (left.size < 2 && !app.state[name]) return null;
  return h("label", {key: name}, title, h("select", {value: app.state[name] ?? "", onchange: (e) => app.set({[name]: e.target.value})},
    h("option", {value: ""}, "all"), [...left].sort().map(([v, n]) => h("option", {value: v, key: v}, `${v} (${n})`))));
}

function render(app, index) {
  const {state} = app, shown = index.runs.filter((r) => passes(state, r));
  const [by, direction] = (state.sort ?? "start|down").split("|"), value = COLUMNS[by]?.[1];
  if (value) shown.sort((a, b) => (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0) * (direction === "down" ? -1 : 1));
  const keys = marked(app);
  const mark = (key, on) => app.set({marked: on ? [...keys, key].join("+") : keys.filter((k) => k !== key).join("+")});
  const head = (name) => {
    const [title, , , number] = COLUMNS[name], next = by === name && direction === "up" ? "down" : "up";
    return {number, sort: by === name ? direction : "", text: h("button", {type: "button", onclick: () => app.set({sort: name + "|" + next})}, title)};
  };
  const rows = shown.map((r) => ({key: r.key, cells: [
    h("input", {type: "checkbox", checked: keys.includes(r.key), "aria-label": "mark " + r.name, onchange: (e) => mark(r.key, e.target.checked)}),
    ...Object.values(COLUMNS).map(([, , cell]) => cell(r, app, index)),
  ]}));
  const date = (name, title) => h("label", {}, title, h("input", {type: "date", value: state[name] ?? "", onchange: (e) => app.set({[name]: e.target.value})}));
  return [
    h("h2", {}, "Runs"),
    h("form", {class: "line-of-fields", "aria-label": "filter of runs", onsubmit: (e) => e.preventDefault()},
      h("input", {type: "search", "aria-label": "only runs with these words", placeholder: "words", value: state.text ?? "", oninput: (e) => app.set({text: e.target.value})}),
      Object.keys(FILTERS).map((name) => filterField(app, index, name)), date("since", "Since"), date("until", "Until"),
      h("button", {type: "button", disabled: keys.length < 2, onclick: () => compareMarked(app)}, "Compare the marked"),
      h("button", {type: "button", "aria-pressed": state.trend ? "true" : "false", onclick: () => app.set({trend: state.trend ? "" : "1"}, true)}, "Trend")),
    index.cut ? h("p", {class: "fine"}, "There are more runs than are looked for.") : null,
    state.trend ? trendView(app, index, shown) : null,
    grid(`${count(shown.length)} of ${count(index.runs.length)} runs`, [{text: h("span", {class: "unseen"}, "marked")}, ...Object.keys(COLUMNS).map(head)], rows),
  ];
}
