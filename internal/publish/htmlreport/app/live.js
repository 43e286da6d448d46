import {card, tiles} from "./parts.js";
import {grid} from "./table.js";
import {count, said} from "./text.js";
import {h} from "./ui.js";

const title = (text, number) => ({text, number});
const clock = (seconds) => seconds >= 5400 ? (seconds / 3600).toFixed(1) + " h" : seconds >= 90 ? Math.round(seconds / 60) + " min" : Math.round(seconds) + " s";
const time = (text) => (text ?? "").replace("T", " ").slice(0, 19);
const usd = (x) => x === null || x === undefined ? "unknown" : "$" + x.toFixed(2);

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
    const show = (change) => { change(); return this.app.follow(); };
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

  leave() { this.stop = this.stop?.abort(); }
}

// How a run stands that goes on, or was interrupted.
export const live = {
  name: "live", title: "Live", letter: "l", needs: "live",
  async load(app) {
    const data = new Live(app, (await app.source.get("live")).events);
    app.names ||= data.state.name;
    app.frame();
    return data;
  },
  drawn: (app, data) => data.follow(),
  leave: (app, data) => data.leave(),
  render(app, data) {
    const {state} = data, {progress} = state, sum = (name) => state.cells.reduce((n, c) => n + c[name], 0);
    const done = sum("done"), planned = sum("planned"), failed = sum("failed"), ended = done >= planned || !["running", "silent"].includes(state.status);
    const one = (name) => new Set(state.cells.map((c) => c[name])).size === 1;
    const names = ["dataset", "method", "model"].filter((name) => name === "method" || !one(name));
    const row = (c) => state.rows.find((r) => r.cells.includes(c.id)), columns = state.columns.filter((n) => state.rows.some((r) => r.columns[n]));
    const mean = (m, {scale, digits}) => m ? [h("b", {}, (m.mean * scale).toFixed(digits)), m.low === undefined ? "" : h("div", {class: "low"}, `${(m.low * scale).toFixed(digits)} to ${(m.high * scale).toFixed(digits)}`)] : "\u2013";
    const budget = progress?.budget.usd, paid = progress?.paid;
    const link = (c, sample, request) => h("a", {href: app.link("questions", {r: `${state.id}.${c}:${sample}:${request}`})}, said(`${sample} ${request}`));
    return [
      data.lost ? h("p", {class: "error", key: "lost"}, said(data.lost)) : null,
      h("h2", {class: "lead"}, done >= planned ? `All ${count(planned)} questions are answered.` : `${count(done)} of ${count(planned)} questions are answered; the run is ${state.status}.`),
      h("p", {class: "sub"}, said(`${state.name} ${state.id}`), state.stopped ? said(": " + state.stopped) : state.since ? `: last change ${time(state.since)}` : "", state.building ? ". Memories are being built." : ""),
      h("progress", {max: planned || 1, value: done, "aria-label": "answered questions"}),
      state.resume ? h("p", {}, "Go on with it: ", h("code", {}, said(state.resume))) : null,
      state.scored ? h("p", {}, h("a", {href: app.link("overview")}, "The run is scored: see the overview.")) : null,
      tiles([
        ["answered", `${count(done)} of ${count(planned)}`], ["errors", count(failed)], ["tokens", paid?.tokens ? count(paid.tokens) : null],
        ["memories built", `${count(sum("built"))} of ${count(sum("samples"))}`],
        ["a minute", ended || !state.rate ? null : (state.rate * 60).toFixed(state.rate < 0.2 ? 1 : 0), "questions"],
        ["left", ended || state.left_s === null ? null : clock(state.left_s)],
        ["paid", paid ? usd(paid.usd) : null, [budget ? `of at most ${usd(budget)}, ` : "", paid ? `${count(paid.calls)} calls, ${count(paid.reused)} recorded` : ""]],
        ["cost of the answers", paid?.usd || !state.usd ? null : usd(state.usd), "recorded calls included"],
        ["read", clock(state.age_ms / 1000) + " ago"],
      ]),
      budget ? h("meter", {max: budget, value: paid?.usd ?? 0, "aria-label": "share of the budget"}) : null,
      card("Means so far", grid("Means so far", [...names.map((n) => title(n)), title("answered", true), title("errors", true), title("memories", true), ...columns.map((c) => title(c, true))],
        state.cells.map((c) => ({key: c.id, cells: [...names.map((n) => said(c[n])), c.done === c.planned ? count(c.done) : `${count(c.done)} of ${count(c.planned)}`, count(c.failed), count(c.built), ...columns.map((n) => mean(row(c)?.columns[n], state.shown[n]))]})), true),
      h("p", {class: "fine"}, state.waiting.length ? ["After the end: ", said(state.waiting.join(", ")), ". "] : "", "No difference is tested while the run goes on: repeated looks find some that are not there.")),
      state.errors.length ? card("Errors by kind", grid("Errors by kind", [title("kind"), title("count", true), title("last"), title("newest message"), title("question")],
        state.errors.map((e) => ({key: e.kind, cells: [said(e.kind), count(e.count), time(e.last), said(e.message), link(e.cell, e.sample, e.request)]})), true)) : null,
      state.faults.length ? card("Lines that cannot be read", grid("Lines that cannot be read", [title("file"), title("line", true), title("why")],
        state.faults.map((f, k) => ({key: String(k), cells: [said(f.file), f.line ? count(f.line) : "", said(f.error)]})), true)) : null,
      workers(progress),
      progress?.accounts?.length ? card("Limits of accounts", grid("Limits of accounts", [title("account"), title("limit", true), title("in flight", true), title("waiting", true)],
        progress.accounts.map((a) => ({key: a.name, cells: [said(a.name), count(a.limit), count(a.in_flight), count(a.waiting)]})), true)) : null,
    ];
  },
};

const UNITS = 5; // of a worker that are named

// workers are those of a run by many machines, as its progress has them.
function workers(progress) {
  if (!progress?.workers?.length) return null;
  const rate = (w) => w.state === "joined" ? (w.requests / Math.max(1, (Date.parse(progress.time) - Date.parse(w.joined)) / 1000)).toFixed(2) : "\u2013";
  const units = (w) => w.units.slice(0, UNITS).join(", ") + (w.units.length > UNITS ? ` and ${count(w.units.length - UNITS)} more` : "");
  return card("Workers", grid("Workers", [title("worker"), title("state"), title("units under way"), title("units done", true), title("questions", true), title("a second", true), title("faults", true), title("newest fault")],
    progress.workers.map((w) => ({key: w.name + w.joined, cells: [said(w.name), said(w.state), said(units(w)), count(w.done), count(w.requests), rate(w), count(w.faults), said(w.fault ?? "")]})), true));
}
