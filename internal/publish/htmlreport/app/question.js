import {later, part} from "./fold.js";
import {notesView} from "./notes.js";
import {badge} from "./outcome.js";
import {card, scroll} from "./parts.js";
import {structureView} from "./structure.js";
import {timelineView} from "./timeline.js";
import {json, traceView} from "./trace.js";
import {transcriptView} from "./transcript.js";
import {count, facts, milliseconds, number, passage, said, visible} from "./text.js";
import {h} from "./ui.js";

// One question: the gold answer, the answers side by side, where their evidence lies in the
// conversation, and of one method at a time what is behind its answer.

// questionView is the question of a request, which is the one that is chosen. Open chooses
// another answer.
export async function questionView(app, index, i, open) {
  const {source} = app, cell = index.cells[index.cell[i]];
  const all = await Promise.all(index.members[index.question[i]].map(async (m) => ({...await source.request(m), i: m, series: index.series[index.seriesOf(m)]})));
  const gold = all[0].gold, sessions = (await app.part("turns"))[cell.dataset], sample = index.samples[index.questions.sample[index.question[i]]];
  for (const a of all) a.gold = gold;
  const chosen = all.find((a) => a.i === i);
  return [
    askedView(index, i, gold, sample),
    h("section", {class: "answers", "aria-label": "answers"}, all.map((a) => answerView(index, a, a.i === i, open))),
    sessions && !sessions[sample] ? null : timelineView(sessions?.[sample], all, gold, sample),
    evidenceCard(all, gold),
    h("details", {class: "card folded"}, h("summary", {}, "Scores of all methods"), scoresView(index, all, gold)),
    insideView(source, index, all, chosen, open),
  ];
}

function askedView(index, i, gold, sample) {
  const q = index.question[i], labels = Object.entries(gold.labels ?? {}).map(([k, v]) => `${k}: ${v}`), {values} = gold;
  const some = (list) => list?.length ? said(list.join(", ")) : null;
  return h("section", {class: "asked-view"},
    h("h2", {id: "_asked", tabindex: "-1"}, passage(gold.question || "(no question)")),
    h("p", {class: "sub"}, said([index.categories[index.questions.category[q]], index.datasets[index.questions.dataset[q]], sample, gold.request, ...labels].filter(Boolean).join(" \u00b7 "))),
    h("div", {class: "card gold-card"}, facts([
      ["Gold answer", gold.abstain ? h("em", {}, "the conversation does not say", gold.explanation ? [": ", said(gold.explanation)] : "") : h("div", {class: "gold-answer"}, passage(gold.answer))],
      ["also right", gold.variants?.map((v) => h("div", {}, said(v)))],
      ["out of date", some(values?.stale)], ["to be forgotten", some(values?.forgotten)],
      ["rests on", gold.evidence?.length ? sources(gold.evidence, gold.evidence) : h("em", {}, "the dataset names no turns")],
      ["expected", gold.expect ? part("what the question should lead to", false, () => json(gold.expect)) : null],
      ["disputed", index.disputed.has(q) ? "errata dispute this gold answer" : null],
    ])));
}

function sources(ids, gold) {
  return h("span", {class: "sources"}, (ids ?? []).map((id) => gold.includes(id)
    ? h("mark", {class: "gold", title: "the gold answer rests on it"}, "\u2605 ", said(id)) : h("span", {}, said(id))));
}

function answerView(index, a, chosen, open) {
  const outcome = index.outcomes[index.outcome[a.i]], column = index.columns.find((c) => c.name === index.judging.column), value = a.values?.[column.name];
  const failure = a.error ?? (a.status === "ok" ? null : {kind: a.status, message: ""});
  return h("article", {class: chosen ? "card answer chosen" : "card answer", "aria-label": "answer of " + visible(a.series)},
    h("header", {}, h("h3", {}, h("button", {type: "button", class: "plain", "aria-pressed": String(chosen), onclick: () => open(a.i)}, said(a.series))), badge(outcome, true)),
    failure ? h("div", {class: "error"}, h("strong", {}, said(failure.kind), ` after ${a.attempts} ${a.attempts === 1 ? "attempt" : "attempts"}`), passage(failure.message)) : null,
    a.answer ? passage(a.answer) : failure ? null : h("p", {class: "none"}, "no answer"),
    a.judgement ? judgementView(a.judgement) : null,
    a.why?.length ? h("ul", {class: "fine"}, a.why.map((w) => h("li", {}, said(w)))) : null,
    h("p", {class: "fine"}, value === undefined ? "" : `${column.name} ${number(value, column)} \u00b7 `, milliseconds(a.time.total_ms)));
}

function judgementView(j) {
  const verdict = j.correct === null ? "no usable reply" : j.correct ? "right" : "wrong";
  return facts([["judge", [verdict, j.why ? [": ", said(j.why)] : "", j.error ? [" (", said(j.error.kind + ": " + j.error.message), ")"] : ""]]]);
}

// evidenceCard has, for each method, its evidence in the order of ranks, and above it the ranks
// of the gold turns.
function evidenceCard(all, gold) {
  const rests = gold.evidence ?? [], rank = (a, id) => a.evidence.findIndex((b) => b.sources?.includes(id));
  if (all.every((a) => a.evidence.length === 0)) return null;
  return card("Evidence",
    rests.length ? scroll("rank of each gold turn", h("table", {class: "ranks"}, h("caption", {class: "unseen"}, "Rank at which each gold turn was retrieved"),
      h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "gold turn"), all.map((a) => h("th", {scope: "col", class: "number"}, said(a.series))))),
      h("tbody", {}, rests.map((id) => h("tr", {}, h("th", {scope: "row"}, h("mark", {class: "gold"}, "\u2605 ", said(id))), all.map((a) => h("td", {class: "number"}, rank(a, id) < 0 ? h("span", {class: "missed", title: "not among the sources of the evidence"}, "missed") : "#" + (rank(a, id) + 1)))))))) : null,
    all.map((a) => part([h("strong", {}, said(a.series)), h("span", {class: "fine"}, ` ${count(a.evidence.length)} pieces, ${count(a.evidence.reduce((n, b) => n + b.tokens, 0))} tokens, ${rests.filter((id) => rank(a, id) >= 0).length} of ${rests.length} gold turns`)], false,
      () => h("ol", {class: "pieces"}, a.evidence.map((b, k) => pieceView(b, k, gold))))));
}

function pieceView(b, k, gold) {
  const rests = gold.evidence ?? [], found = (b.sources ?? []).filter((id) => rests.includes(id));
  const needles = gold.abstain || gold.answer.length > 200 ? [] : [visible(gold.answer)];
  return h("li", {class: found.length ? "piece gold" : "piece"},
    h("p", {class: "fine"}, h("strong", {}, `#${k + 1} `), said(b.name), " ", sources(b.sources, rests), ` ${b.score ? "score " + b.score.toPrecision(3) + ", " : ""}${count(b.tokens)} tokens`),
    passage(b.text, needles));
}

function scoresView(index, all) {
  const columns = index.columns.filter((c) => all.some((a) => a.values?.[c.name] !== undefined));
  return scroll("scores of all methods", h("table", {class: "grid"}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "score"), all.map((a) => h("th", {scope: "col", class: "number"}, said(a.series))))),
    h("tbody", {}, columns.map((c) => h("tr", {}, h("th", {scope: "row"}, c.name, c.trust ? h("small", {}, " (", said(c.trust), ")") : ""), all.map((a) => h("td", {class: "number"}, number(a.values?.[c.name] ?? NaN, c))))))));
}

// insideView is what is behind the answer of one method.
function insideView(source, index, all, a, open) {
  const cell = index.cells[index.cell[a.i]], others = all.filter((o) => o.i !== a.i).map((o) => ({i: o.i, title: o.series}));
  return h("section", {class: "card inside"}, h("h3", {}, "Behind the answer"),
    all.length > 1 ? h("div", {class: "chips", role: "group", "aria-label": "method"}, all.map((o) => h("button", {type: "button", class: "chip", "aria-pressed": String(o.i === a.i), onclick: () => open(o.i)}, said(o.series)))) : null,
    a.calls?.length || a.judgement ? part(`Calls (${count(a.calls?.length ?? 0)})`, false, () => source.can("calls") ? transcriptView(source, a, others) : h("ul", {class: "ids"}, (a.calls ?? []).map((c) => h("li", {}, said(c))))) : null,
    source.can("structure") ? part("Memory", false, () => later(() => source.structure(a.i), structureView)) : null,
    a.trace?.length ? part(`Trace (${a.trace.length})`, false, () => traceView(a.trace, cell.options)) : null,
    a.edits?.length ? part(`Edits (${a.edits.length})`, true, () => json(a.edits)) : null,
    a.nodes?.length ? part(`Nodes (${a.nodes.length})`, false, () => sources(a.nodes, [])) : null,
    part("Tokens and time", false, () => h("div", {}, tokens(a), times(a))),
    source.can("notes") ? part("Notes", false, () => notesView(source, index, a)) : null,
    h("p", {class: "fine"}, said(`${cell.use} with ${cell.model}, seed ${cell.seed}, cell ${cell.id} of run ${cell.run}`),
      a.degraded ? h("span", {}, ", had to do with less in: ", said(pairs(a.degraded))) : ""));
}

const pairs = (numbers) => Object.entries(numbers).map(([k, v]) => `${k} ${v}`).join(", ");
// tokens lists what models read and wrote, by phase and role. What building the
// memory took is of the whole conversation.
function tokens(a) {
  const phases = a.built ? [[`ingest, for all ${count(a.built.requests)} questions about the conversation`, a.built.usage]] : [];
  for (const [phase, usage] of Object.entries(a.usage ?? {})) phases.push([phase, usage]);
  if (a.judgement?.usage) phases.push(["judge", a.judgement.usage]);
  const lines = phases.flatMap(([phase, usage]) => Object.entries(usage ?? {}).map(([role, u]) => h("tr", {},
    h("th", {scope: "row"}, phase), h("td", {}, said(role)),
    [u.calls, u.input, u.cached, u.output, u.reasoning].map((n) => h("td", {class: "number"}, count(n ?? 0))),
    h("td", {}, u.counted ? "counted" : "reported"))));
  if (lines.length === 0) return h("p", {class: "none"}, "no model was called");
  const heads = ["phase", "role", "calls", "input", "cached", "output", "reasoning", "by"];
  return h("div", {}, scroll("tokens by phase", h("table", {class: "grid"}, h("thead", {}, h("tr", {}, heads.map((t, k) => h("th", {scope: "col", class: k > 1 && k < 7 ? "number" : null}, t)))), h("tbody", {}, lines))),
    h("p", {class: "fine"}, "cost of the question: ", a.cost === null ? "unknown" : "$" + a.cost.toPrecision(3), a.text_tokens ? ["; tokens as the paper counts them: ", said(pairs(a.text_tokens))] : ""));
}

function times(a) {
  const stages = Object.entries(a.time.stages_ms ?? {}).sort(([x], [y]) => x < y ? -1 : 1);
  return h("table", {class: "grid"}, h("tbody", {}, [...stages, ["all", a.time.total_ms]].map(([stage, ms]) =>
    h("tr", {}, h("th", {scope: "row"}, said(stage)), h("td", {class: "number"}, milliseconds(ms))))));
}
