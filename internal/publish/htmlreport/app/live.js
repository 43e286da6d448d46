import {grid} from "./table.js";
import {count, facts, said} from "./text.js";
import {h} from "./ui.js";

const title = (text, number) => ({text, number});
const clock = (seconds) => seconds >= 5400 ? (seconds / 3600).toFixed(1) + " h" : seconds >= 90 ? Math.round(seconds / 60) + " min" : Math.round(seconds) + " s";
const time = (text) => (text ?? "").replace("T", " ").slice(0, 19);
const usd = (x) => x === null || x === undefined ? "unknown" : "$" + x.toFixed(4);

async function read(app) {
  const [{events, again_ms: ms}, index] = await Promise.all([app.source.get("live"), app.source.ask("runs")]);
  const state = events.find((e) => e.event === "state");
  return {state: state?.data, ms, run: index.runs.find((r) => r.key === app.key)};
}

// How a run stands that goes on, or was interrupted. There is no test of differences:
// who looks again and again finds some that are not there.
export const live = {
  name: "live", title: "Live", letter: "l", needs: "live",
  every: (data) => data.state?.status === "running" ? Math.max(1000, data.ms) : 10000,
  load: read,
  again: read,
  render(app, {state, run}) {
    if (!state) return h("p", {class: "none"}, "Nothing is known of this run yet.");
    const done = state.cells.reduce((n, c) => n + c.done, 0), planned = state.cells.reduce((n, c) => n + c.planned, 0);
    const cell = (id) => state.cells.find((c) => c.id === id) ?? {};
    const mean = (m) => m ? [m.mean.toPrecision(3), m.low === undefined ? "" : ` (${m.low.toPrecision(2)} to ${m.high.toPrecision(2)})`, ` of ${count(m.n)}`] : "\u2013";
    const {progress} = state, budget = progress?.budget.usd;
    const link = (c, sample, request) => h("a", {href: app.link("requests", {r: `${run?.id}.${c}:${sample}:${request}`})}, said(`${sample} ${request}`));
    return [
      h("h2", {}, said(run ? `${run.name} ${run.id}` : app.key), `: ${state.status}, ${count(done)} of ${count(planned)} requests`),
      h("progress", {max: planned || 1, value: done, "aria-label": "finished requests"}),
      run?.resume ? h("p", {}, "Go on with it: ", h("code", {}, said(run.resume))) : null,
      facts([
        ["stopped", state.stopped ? said(state.stopped) : state.since ? `last change ${time(state.since)}` : null],
        ["rate", state.building ? "memories are being built" : state.rate ? `${state.rate.toFixed(2)} requests a second` : null],
        ["left", state.left_s === null ? null : clock(state.left_s)],
        ["paid", progress ? [usd(progress.paid.usd), budget ? ` of ${usd(budget)}` : "", `, ${count(progress.paid.calls)} calls, ${count(progress.paid.reused)} reused`] : null],
        ["cost of the records", `${usd(state.usd)}, recorded calls included`],
        ["figures", `${clock(state.age_ms / 1000)} old`],
        ["after the end", state.waiting.length ? said(state.waiting.join(", ")) : null],
      ]),
      grid("Means so far", [title("dataset"), title("method"), title("model"), title("finished", true), title("failed", true), title("memories", true), ...state.columns.map((c) => title(c, true))],
        state.cells.map((c) => ({key: c.id, cells: [said(c.dataset), said(c.method), said(c.model), `${count(c.done)} of ${count(c.planned)}`, count(c.failed), count(c.built), ...state.columns.map((n) => mean(c.columns?.[n]))]}))),
      state.common.map((one) => grid(`On the ${count(one.n)} requests of ${one.dataset} that all methods have finished`, [title("method"), ...state.columns.map((c) => title(c, true))],
        Object.entries(one.means).map(([id, means]) => ({key: id, cells: [said(cell(id).method ?? id), ...state.columns.map((n) => means[n]?.toPrecision(3) ?? "\u2013")]})))),
      state.errors.length ? grid("Errors", [title("kind"), title("count", true), title("first"), title("last"), title("newest message"), title("request")],
        state.errors.map((e) => ({key: e.kind, cells: [said(e.kind), count(e.count), time(e.first), time(e.last), said(e.message), link(e.cell, e.sample, e.request)]}))) : null,
      state.late.length ? grid("Longer under way than 95 % of the finished ones took", [title("method"), title("request"), title("since"), title("stage")],
        state.late.map((l) => ({key: l.cell + l.sample + l.request, cells: [said(cell(l.cell).method ?? ""), said(`${l.sample} ${l.request ?? ""}`), time(l.since), said(l.stage ?? "")]}))) : null,
      progress?.accounts?.length ? grid("Limits of accounts", [title("account"), title("limit", true), title("in flight", true), title("waiting", true)],
        progress.accounts.map((a) => ({key: a.name, cells: [said(a.name), count(a.limit), count(a.in_flight), count(a.waiting)]}))) : null,
      state.worst.length ? grid("Worst so far", [title("method"), title("request"), title("status"), title("answer")],
        state.worst.map(({cell: id, row}) => ({key: id + row[0] + row[1], cells: [said(cell(id).method ?? ""), link(id, row[0], row[1]), said(row[3] >= 0 ? state.kinds[row[3]] : row[2]), said(row[9].slice(0, 200))]}))) : null,
    ];
  },
};
