import {later, part} from "./fold.js";
import {notesView} from "./notes.js";
import {structureView} from "./structure.js";
import {json, traceView} from "./trace.js";
import {transcriptView} from "./transcript.js";
import {count, facts, milliseconds, number, passage, said, visible} from "./text.js";
import {timelineView} from "./timeline.js";
import {h} from "./ui.js";

// One question with the answers to it, side by side.

const MARKS = {
  "right": "\u2713", "not-retrieved": "\u2205", "partly-retrieved": "\u25d0", "not-used": "\u2717",
  "unknown-evidence": "?", "failed": "!", "abstained": "\u2013", "unclear": "~",
};

export function badge(outcome, long) {
  return h("span", {class: "badge " + outcome.name, title: outcome.title, role: "img", "aria-label": outcome.title},
    MARKS[outcome.name], long ? " " + outcome.title : "");
}

// requestView is a question with what is known of each answer. Only is the request
// that is shown alone, or -1.
export async function requestView(app, index, i, only, open) {
  const {source} = app, cell = index.cells[index.cell[i]];
  const all = await Promise.all(index.members[index.question[i]].map(async (m) => ({...await source.request(m), i: m})));
  const gold = all[0].gold, sessions = (await app.part("turns"))[cell.dataset];
  const sample = index.samples[index.questions.sample[index.question[i]]];
  const shown = only >= 0 ? all.filter((a) => a.i === only) : all;
  return [
    questionView(index, i, gold),
    comparison(index, i, all, gold, open),
    sessions && !sessions[sample] ? null : timelineView(sessions?.[sample], shown.map((a) => ({title: index.series[index.seriesOf(a.i)], evidence: a.evidence})), gold),
    h("div", {class: "answers"}, shown.map((a) => answerView(source, index, {...a, gold}, gold, a.i === i))),
  ];
}

function questionView(index, i, gold) {
  const q = index.questions, n = index.question[i], cell = index.cells[index.cell[i]];
  const labels = Object.entries(gold.labels ?? {}).map(([k, v]) => `${k}: ${v}`);
  return h("section", {class: "question", "aria-label": "question"},
    h("h3", {id: "_asked", tabindex: "-1"}, passage(gold.question)),
    facts([
      ["gold answer", gold.abstain ? h("em", {}, "the conversation does not say") : h("div", {class: "gold-answer"}, passage(gold.answer))],
      ["also right", gold.variants?.map((v) => h("div", {}, said(v)))],
      ["gold evidence", gold.evidence?.length ? sources(gold.evidence, gold.evidence) : h("em", {}, "the dataset names none")],
      ["category", said(q.category[n])],
      ["dataset", [said(cell.dataset), ", sample ", said(index.samples[q.sample[n]]), ", request ", said(q.request[n])]],
      ["labels", labels.length ? said(labels.join(", ")) : null],
      ["expected", gold.expect ? part("what the request should lead to", false, () => json(gold.expect)) : null],
    ]));
}

function sources(ids, gold) {
  return h("span", {class: "sources"}, (ids ?? []).map((id) => gold.includes(id)
    ? h("mark", {class: "gold", title: "the gold answer rests on it"}, "\u2605 ", said(id)) : h("span", {}, said(id))));
}

// comparison holds the methods' numbers beside each other: what became of the
// request, its scores, and the rank at which each gold turn was retrieved.
function comparison(index, i, all, gold, open) {
  const head = all.map((a) => h("th", {scope: "col", class: a.i === i ? "chosen" : null},
    h("button", {type: "button", onclick: () => open(a.i), "aria-pressed": a.i === i ? "true" : "false"}, said(index.series[index.seriesOf(a.i)]))));
  const line = (name, cells) => h("tr", {}, h("th", {scope: "row"}, name),
    cells.map((c, k) => h("td", {class: all[k].i === i ? "chosen" : null}, c)));
  const rows = [line("outcome", all.map((a) => badge(index.outcomes[index.outcome[a.i]], true)))];
  index.columns.forEach((column, k) => {
    const values = all.map((a) => index.scores[k][a.i]);
    if (values.every(Number.isNaN)) return;
    const known = values.filter((x) => !Number.isNaN(x));
    const best = column.neutral ? NaN : column.lower ? Math.min(...known) : Math.max(...known);
    const differ = known.some((x) => x !== best);
    rows.push(line([column.name, column.trust ? h("small", {}, " (", said(column.trust), ")") : ""], values.map((x) => differ && x === best ? h("strong", {}, number(x, column)) : number(x, column))));
  });
  for (const id of gold.evidence ?? []) {
    rows.push(line(["rank of ", h("mark", {class: "gold"}, "\u2605 ", said(id))], all.map((a) => {
      const rank = a.evidence.findIndex((b) => b.sources?.includes(id));
      return rank < 0 ? h("span", {title: "not among the sources of the evidence"}, "\u2013") : "#" + (rank + 1);
    })));
  }
  rows.push(line("time", all.map((a) => milliseconds(a.time.total_ms))));
  return h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "methods side by side"},
    h("table", {class: "comparison"}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "method"), head)), h("tbody", {}, rows)));
}

function answerView(source, index, a, gold, chosen) {
  const cell = index.cells[index.cell[a.i]], outcome = index.outcomes[index.outcome[a.i]];
  const title = index.series[cell.series];
  const failure = a.error ?? (a.status === "ok" ? null : {kind: a.status, message: ""});
  return h("article", {class: chosen ? "answer chosen" : "answer", "aria-label": "answer of " + visible(title)},
    h("header", {}, h("h4", {}, said(title)), badge(outcome, true)),
    failure ? h("div", {class: "error"},
      h("strong", {}, said(failure.kind), ` after ${a.attempts} ${a.attempts === 1 ? "attempt" : "attempts"}`), passage(failure.message)) : null,
    h("h5", {}, "Answer"),
    a.answer ? passage(a.answer) : h("p", {class: "none"}, "none"),
    a.judgement ? judgementView(a.judgement) : null,
    a.why?.length ? part("What is lacking", true, () => h("ul", {}, a.why.map((w) => h("li", {}, said(w))))) : null,
    evidenceView(a, gold),
    part("Tokens", false, () => tokens(index, a, cell)),
    part("Time", false, () => times(a)),
    a.edits?.length ? part(`Edits (${a.edits.length})`, true, () => json(a.edits)) : null,
    a.nodes?.length ? part(`Nodes (${a.nodes.length})`, false, () => sources(a.nodes, [])) : null,
    a.trace?.length ? part(`Trace (${a.trace.length})`, false, () => traceView(a.trace, cell.options)) : null,
    a.calls?.length || a.judgement ? part(`Calls (${a.calls?.length ?? 0})`, false, () => source.can("calls") ? transcriptView(source, a, besides(index, a))
      : h("ul", {class: "ids"}, (a.calls ?? []).map((c) => h("li", {}, said(c))))) : null,
    source.can("structure") ? part("Memory", false, () => later(() => source.structure(a.i), structureView)) : null,
    source.can("notes") ? part("Notes", false, () => notesView(source, index, a)) : null,
    h("p", {class: "fine"}, said(`${cell.use} with ${cell.model}, seed ${cell.seed}, cell ${cell.id} of run ${cell.run}`),
      a.attempts > 1 && !failure ? `, ${a.attempts} attempts` : "",
      a.degraded ? h("span", {}, ", had to do with less in: ", said(pairs(a.degraded))) : ""));
}

// besides are the other answers to the question of one.
function besides(index, a) {
  return index.members[index.question[a.i]].filter((m) => m !== a.i).map((m) => ({i: m, title: index.series[index.seriesOf(m)]}));
}

const pairs = (numbers) => Object.entries(numbers).map(([k, v]) => `${k} ${v}`).join(", ");

function judgementView(j) {
  const verdict = j.correct === null ? "no usable reply" : j.correct ? "right" : "wrong";
  return facts([["judge", [verdict, j.why ? [": ", said(j.why)] : "", j.error ? [" (", said(j.error.kind + ": " + j.error.message), ")"] : ""]]]);
}

function evidenceView(a, gold) {
  const rests = gold.evidence ?? [];
  const total = a.evidence.reduce((n, b) => n + b.tokens, 0);
  return h("section", {class: "evidence"},
    h("h5", {}, `Evidence (${a.evidence.length})`, a.evidence.length ? h("small", {}, ` ${count(total)} tokens`) : ""),
    a.evidence.length === 0 ? h("p", {class: "none"}, "none") : null,
    a.evidence.map((b, k) => {
      const found = (b.sources ?? []).filter((id) => rests.includes(id));
      const needles = gold.abstain || gold.answer.length > 200 ? [] : [visible(gold.answer)];
      const block = part([
        h("span", {class: "rank"}, "#" + (k + 1)), " ", h("strong", {}, said(b.name)), " ",
        sources(found, rests), h("span", {class: "fine"}, ` ${b.score ? "score " + b.score.toPrecision(3) + ", " : ""}${count(b.tokens)} tokens`),
      ], found.length > 0, () => h("div", {}, passage(b.text, needles),
        h("p", {class: "fine"}, "sources: ", b.sources?.length ? sources(b.sources, rests) : "none")));
      if (found.length > 0) block.classList.add("gold");
      return block;
    }));
}

// tokens lists what models read and wrote, by phase and role. What building the
// memory took is of the whole sample.
function tokens(index, a, cell) {
  const sample = index.questions.sample[index.question[a.i]];
  const built = cell.ingests?.[sample];
  const phases = [];
  if (built) phases.push([`ingest, for all ${count(built.requests)} requests of the sample`, built.usage]);
  for (const [phase, usage] of Object.entries(a.usage ?? {})) phases.push([phase, usage]);
  if (a.judgement?.usage) phases.push(["judge", a.judgement.usage]);
  const lines = phases.flatMap(([phase, usage]) => Object.entries(usage ?? {}).map(([role, u]) => h("tr", {},
    h("th", {scope: "row"}, phase), h("td", {}, said(role)),
    [u.calls, u.input, u.cached, u.output, u.reasoning].map((n) => h("td", {class: "number"}, count(n ?? 0))),
    h("td", {}, u.counted ? "counted" : "reported"))));
  if (lines.length === 0) return h("p", {class: "none"}, "no model was called");
  const heads = ["phase", "role", "calls", "input", "cached", "output", "reasoning", "by"];
  return h("div", {class: "scroll"},
    h("table", {}, h("thead", {}, h("tr", {}, heads.map((t) => h("th", {scope: "col"}, t)))), h("tbody", {}, lines)),
    h("p", {class: "fine"}, "cost of the query: ", a.cost === null ? "unknown" : "$" + a.cost.toPrecision(3),
      a.text_tokens ? ["; tokens as the paper counts them: ", said(pairs(a.text_tokens))] : ""));
}

function times(a) {
  const stages = Object.entries(a.time.stages_ms ?? {}).sort(([x], [y]) => x < y ? -1 : 1);
  return h("table", {}, h("tbody", {}, [...stages, ["all", a.time.total_ms]].map(([stage, ms]) =>
    h("tr", {}, h("th", {scope: "row"}, said(stage)), h("td", {class: "number"}, milliseconds(ms))))));
}
