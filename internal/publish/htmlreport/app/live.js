import {grid} from "./table.js";
import {count, facts, said} from "./text.js";
import {h} from "./ui.js";
import {workers} from "./workers.js";

const title = (text, number) => ({text, number});
const clock = (seconds) => seconds >= 5400 ? (seconds / 3600).toFixed(1) + " h" : seconds >= 90 ? Math.round(seconds / 60) + " min" : Math.round(seconds) + " s";
const time = (text) => (text ?? "").replace("T", " ").slice(0, 19);
const usd = (x) => x === null || x === undefined ? "unknown" : "$" + x.toFixed(4);

// Live is how a run stands, kept up by the events of the server.
class Live {
  constructor(app, events) {
    this.app = app;
    this.state = null;
    this.last = 0; // id of an event
    this.lost = "";
    this.take(events);
  }

  take(events) {
    for (const e of events) {
      this.last = e.id;
      this.state = e.data;
      this.lost = "";
    }
    return this.last;
  }

  follow() {
    if (this.stop) return;
    this.stop = new AbortController();
    const show = (change) => {
      change();
      return this.app.follow();
    };
    this.app.source.stream("events?run=" + this.app.key, this.stop.signal, {
      last: this.last,
      heard: (event, data, id) => show(() => this.take([{data, id}])),
      poll: async (last) => {
        const {events} = await this.app.source.get("live?after=" + last);
        await show(() => this.take(events));
        return this.last;
      },
      lost: (text) => show(() => { this.lost = text; }),
    });
  }

  leave() {
    this.stop?.abort();
    this.stop = null;
  }
}

// How a run stands that goes on, or was interrupted.
export const live = {
  name: "live", title: "Live", letter: "l", needs: "live",
  load: async (app) => new Live(app, (await app.source.get("live")).events),
  drawn: (app, data) => data.follow(),
  leave: (app, data) => data.leave(),
  render(app, data) {
    const {state} = data;
    const done = state.cells.reduce((n, c) => n + c.done, 0), planned = state.cells.reduce((n, c) => n + c.planned, 0);
    const row = (c) => state.rows.find((r) => r.cells.includes(c.id));
    const mean = (m, {scale, digits}) => m ? [(m.mean * scale).toFixed(digits), m.low === undefined ? "" : ` (${(m.low * scale).toFixed(digits)} to ${(m.high * scale).toFixed(digits)})`, ` of ${count(m.n)}`] : "\u2013";
    const {progress} = state, budget = progress?.budget.usd;
    const link = (c, sample, request) => h("a", {href: app.link("requests", {r: `${state.id}.${c}:${sample}:${request}`})}, said(`${sample} ${request}`));
    return [
      data.lost ? h("p", {class: "error", key: "lost"}, said(data.lost)) : null,
      h("h2", {}, said(`${state.name} ${state.id}`), `: ${state.status}, ${count(done)} of ${count(planned)} requests`),
      h("progress", {max: planned || 1, value: done, "aria-label": "finished requests"}),
      state.resume ? h("p", {}, "Go on with it: ", h("code", {}, said(state.resume))) : null,
      state.scored ? h("p", {}, "The run is scored: ", h("a", {href: app.link("overview")}, "Overview")) : null,
      facts([
        ["stopped", state.stopped ? said(state.stopped) : state.since ? `last change ${time(state.since)}` : null],
        ["rate", state.building ? "memories are being built" : state.rate ? `${state.rate.toFixed(2)} requests a second` : null],
        ["left", state.left_s === null ? null : clock(state.left_s)],
        ["paid", progress ? [usd(progress.paid.usd), budget ? [` of ${usd(budget)} `, h("meter", {max: budget, value: progress.paid.usd ?? 0, "aria-label": "share of the budget"})] : "",
          progress.done && progress.paid.usd ? `, about ${usd(progress.paid.usd / progress.done * progress.total)} at the end` : "", `, ${count(progress.paid.calls)} calls, ${count(progress.paid.reused)} reused`] : null],
        ["cost of the records", `${usd(state.usd)}, recorded calls included`],
        ["figures", `${clock(state.age_ms / 1000)} old`],
        ["after the end", state.waiting.length ? said(state.waiting.join(", ")) : null],
      ]),
      grid("Means so far", [title("dataset"), title("method"), title("model"), title("finished", true), title("failed", true), title("memories", true), ...state.columns.map((c) => title(c, true))],
        state.cells.map((c) => ({key: c.id, cells: [said(c.dataset), said(c.method), said(c.model), `${count(c.done)} of ${count(c.planned)}`, count(c.failed), count(c.built), ...state.columns.map((n) => mean(row(c)?.columns[n], state.shown[n]))]}))),
      h("p", {class: "fine"}, "No difference is tested while the run goes on: who looks again and again finds some that are not there."),
      state.faults.length ? grid("Lines that cannot be read", [title("file"), title("line", true), title("why")],
        state.faults.map((f, k) => ({key: String(k), cells: [said(f.file), f.line ? count(f.line) : "", said(f.error)]}))) : null,
      state.errors.length ? grid("Errors", [title("kind"), title("count", true), title("first"), title("last"), title("newest message"), title("request")],
        state.errors.map((e) => ({key: e.kind, cells: [said(e.kind), count(e.count), time(e.first), time(e.last), said(e.message), link(e.cell, e.sample, e.request)]}))) : null,
      workers(progress),
      progress?.accounts?.length ? grid("Limits of accounts", [title("account"), title("limit", true), title("in flight", true), title("waiting", true)],
        progress.accounts.map((a) => ({key: a.name, cells: [said(a.name), count(a.limit), count(a.in_flight), count(a.waiting)]}))) : null,
    ];
  },
};
