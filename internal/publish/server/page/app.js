"use strict";

// The page of `bench view`: the index of runs, and of each run its tables and, while
// it goes on, how it stands. Texts become text nodes and nothing else.

const main = document.getElementById("main"), note = document.getElementById("note"), words = document.getElementById("words");

// The token stands in the fragment, which is never sent; it is kept apart by port.
const given = location.hash.match(/^#token=([\w-]+)/);
if (given) {
  localStorage.setItem("recallbench-token", given[1]);
  history.replaceState(null, "", "#/runs");
}

async function get(path) {
  const answer = await fetch("/api/" + path, { headers: { Authorization: "Bearer " + localStorage.getItem("recallbench-token") } });
  if (answer.status === 304) return null;
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error);
  return value;
}

function make(name, props, ...children) {
  const element = Object.assign(document.createElement(name), props);
  element.append(...children);
  return element;
}

function table(caption, heads, rows) {
  const cells = (kind, values) => values.map((v) => v instanceof Node && v.nodeName === "TD" ? v : make(kind, {}, v ?? ""));
  return make("table", {}, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...cells("th", heads))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells("td", row)))));
}

const number = (text) => make("td", { className: "number" }, String(text ?? ""));

let index = null, timer = 0, shown = "";

function showRuns() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = index.runs.filter((r) => wanted.every((w) => JSON.stringify([r.name, r.id, r.path, r.status, r.datasets, r.methods, r.models, r.judge, r.commit]).toLowerCase().includes(w)));
  main.replaceChildren(table(`${rows.length} of ${index.runs.length} runs`,
    ["run", "status", "start", "datasets", "methods", "models", "finished", "errors", "dollars", "best", "commit"],
    rows.map((r) => [
      r.error ? r.error : make("a", { href: "#/run/" + r.key }, r.name + " " + r.id),
      make("td", { className: r.status }, r.status + (r.offline ? ", offline" : "") + (r.shard ? " " + r.shard : "")),
      (r.start ?? "").replace("T", " ").slice(0, 16), r.datasets.map((d) => d.label).join(", "), r.methods.join(", "), r.models.join(", "),
      number(r.finished === null ? "?" : `${r.finished} of ${r.planned}`), number(r.errors), number(r.paid ? r.paid.usd ?? "unknown" : ""),
      headline(r), (r.commit ?? "").slice(0, 8) + (r.dirty ? " dirty" : ""),
    ])));
}

function headline(r) {
  if (!r.headline) return "";
  const { column, mean, row } = r.headline, { scale, digits } = index.columns[column];
  const print = (x) => (x * scale).toFixed(digits);
  const interval = mean.low === undefined ? "" : ` (${print(mean.low)}, ${print(mean.high)})`;
  return `${column} ${print(mean.mean)}${interval}, ${r.rows[row].method}`;
}

function tables(document) {
  return document.tables.map((t) => table(t.title, t.columns.map((c) => c.head || c.name),
    t.rows.map((row) => row.map((c, i) => t.columns[i].number ? number(c.text) : c.text))));
}

function live(state) {
  const columns = state.columns;
  const mean = (m) => m ? `${m.mean.toPrecision(3)} of ${m.n}` : "";
  const rows = state.cells.map((c) => [c.dataset, c.method, c.model, number(`${c.done} of ${c.planned}`), number(c.failed), number(c.built), ...columns.map((n) => number(mean(c.columns[n])))]);
  const parts = [table(`${state.status}, means so far`, ["dataset", "method", "model", "finished", "failed", "memories", ...columns], rows)];
  if (state.errors.length) parts.push(table("errors", ["kind", "count", "newest"], state.errors.map((e) => [e.kind, number(e.count), e.message])));
  if (state.waiting.length) parts.push(make("p", {}, "After the end: " + state.waiting.join(", ")));
  return parts;
}

async function showRun(key) {
  const run = index.runs.find((r) => r.key === key);
  if (!run) throw new Error("no such run; it may have been moved or removed");
  const head = make("h2", {}, `${run.name} ${run.id}: ${run.status}`);
  const resume = run.resume ? make("p", {}, make("code", {}, run.resume)) : "";
  let parts = [];
  if (["running", "silent", "stopped", "interrupted"].includes(run.status)) {
    const { events } = await get(`run/${key}/live`);
    parts = live(events[0].data);
  } else {
    parts = [make("p", {}, make("a", { href: `/requests#/run/${key}/requests` }, "All requests")), ...tables(await get(`run/${key}/tables`))];
  }
  main.replaceChildren(head, resume, ...parts);
}

async function show() {
  clearTimeout(timer);
  try {
    const news = await get("runs?since=" + (index ? index.rev : ""));
    if (!index && given && news.open?.length === 1) history.replaceState(null, "", "#/run/" + news.open[0]);
    index = news ?? index;
    const key = location.hash.match(/^#\/run\/([\w-]+)/)?.[1];
    const running = key && index.runs.some((r) => r.key === key && r.status === "running");
    if (news || running || shown !== location.hash) await (key ? showRun(key) : showRuns());
    shown = location.hash;
    note.textContent = index.cut ? "There are more runs than are looked for." : "";
  } catch (error) {
    note.textContent = error instanceof TypeError ? "bench view is not reached." : error.message;
  }
  timer = setTimeout(show, 5000);
}

words.addEventListener("input", () => index && !location.hash.startsWith("#/run/") && showRuns());
addEventListener("hashchange", show);
show();
