import {later, part} from "./fold.js";
import {count, facts, milliseconds, passage, said, visible} from "./text.js";
import {h} from "./ui.js";

// What models were asked and replied for a request.

const PHASES = {query: "", memory: "for the memory, which requests share", judgment: "for the judge"};

export const dollars = (usd) => usd === null || usd === undefined ? "price unknown" : "$" + usd.toPrecision(3);

// transcriptView shows the calls of a request. Others are the answers to the same
// question whose prompts it can be compared with, as {i, title}.
export function transcriptView(source, a, others) {
  return h("div", {class: "transcript"},
    later(() => source.calls(a.i), (t) => [callsView(t, a), missingView(t.missing)]),
    source.can("prompts") ? others.map((o) => part(["Prompts beside those of ", said(o.title)], false,
      () => later(() => source.prompts(a.i, o.i), (pairs) => pairs.map(pairView)))) : null);
}

function callsView(t, a) {
  const seen = new Map(); // numbers of calls by the texts of their messages
  return h("ol", {class: "calls"}, t.calls.map((c, k) => h("li", {}, part([
    h("strong", {}, said(c.stage || c.role)), " ", said(c.served || c.model), " ", h("span", {class: "fine"}, numbers(c)),
  ], false, () => h("div", {}, PHASES[c.phase] ? h("p", {class: "fine"}, PHASES[c.phase]) : null,
    c.messages.map((m) => messageView(t, a, m, m.role, seen, k + 1)), messageView(t, a, c.reply, "reply", seen, k + 1),
    facts([
      ["model", said(c.model)], ["finish", c.finish ? said(c.finish) : null],
      ...Object.entries(c.params ?? {}).map(([name, value]) => [said(name), said(value)]), ["recording", said(c.id)],
    ]))))));
}

// numbers are what is told of a call in a line.
function numbers(c) {
  const u = c.usage;
  const parts = [`${count(u.input)} tokens read`, u.cached ? `${count(u.cached)} of them cached` : "", `${count(u.output)} written`,
    u.reasoning ? `${count(u.reasoning)} of them reasoning` : "", dollars(c.usd), milliseconds(c.took_ms ?? c.ms),
    c.attempts > 1 ? `${c.attempts} attempts` : "", c.reused === null ? "recorded or paid: not known" : c.reused ? "recorded" : "paid"];
  return parts.filter((x) => x !== "").join(", ");
}

function messageView(t, a, m, role, seen, call) {
  const same = JSON.stringify([role, m.parts]), before = seen.get(same);
  if (before === undefined) seen.set(same, call);
  return h("section", {class: "message"}, h("h4", {}, visible(role)),
    before !== undefined && before !== call ? h("p", {class: "fine"}, `as in call ${before}`)
      : m.parts.length === 0 ? h("p", {class: "none"}, "nothing")
      : m.parts.map((p) => typeof p === "number" ? passage(t.texts[p]) : blockView(a, p.block)));
}

// blockView is evidence where it stands in a prompt.
function blockView(a, k) {
  const b = a.evidence[k];
  const gold = (b.sources ?? []).some((id) => a.gold?.evidence?.includes(id));
  return part(`evidence ${k + 1}, ${count(b.tokens)} tokens${gold ? " \u2605" : ""}`, false, () => passage(b.text));
}

function missingView(missing) {
  if (missing.length === 0) return null;
  const why = Map.groupBy(missing, (m) => m.why);
  return h("ul", {class: "missing"}, [...why].map(([text, all]) => h("li", {}, `${all.length} ${all.length === 1 ? "call is" : "calls are"} not shown: `, said(text),
    h("div", {class: "fine"}, said(all.map((m) => m.id).join(" "))))));
}

// pairView shows in what the prompts of two calls differ.
export function pairView(p) {
  const title = h("h4", {}, visible(p.role));
  if (!p.diff) return h("div", {}, title, h("p", {class: "fine"}, p.left ? "only this request has the call" : "only the other request has the call"));
  return h("div", {}, title,
    p.diff.params.length ? facts(p.diff.params.map((d) => [said(d.name), [said(d.left || "none"), " \u2192 ", said(d.right || "none")]])) : null,
    p.diff.messages.map((m) => h("section", {class: "message"}, h("h4", {}, visible(m.role)),
      m.op === "same" ? h("p", {class: "fine"}, "the same") : h("div", {class: "diff"}, stretches(m.lines).map(stretchView)))));
}

const SIGNS = {same: " ", left: "\u2212", right: "+"};
const AROUND = 3; // unchanged lines that are shown around a change

// stretches cuts lines into those that are shown and, as {hidden}, unchanged ones that
// are folded.
export function stretches(lines) {
  const near = lines.map((l, i) => lines.slice(Math.max(0, i - AROUND), i + AROUND + 1).some((o) => o.op !== "same"));
  const out = [];
  lines.forEach((line, i) => {
    if (near[i]) out.push({line});
    else if (out.at(-1)?.hidden) out.at(-1).hidden.push(line);
    else out.push({hidden: [line]});
  });
  return out;
}

function stretchView(s) {
  if (s.line) return lineView(s.line);
  return part(`${count(s.hidden.length)} unchanged ${s.hidden.length === 1 ? "line" : "lines"}`, false, () => h("div", {}, s.hidden.map(lineView)));
}

function lineView(l) {
  const words = {same: "in both", left: "only in this", right: "only in the other"}[l.op];
  return h("div", {class: "diff-" + l.op, title: words}, h("span", {class: "sign", "aria-label": words}, SIGNS[l.op]),
    h("span", {dir: "auto"}, visible(l.text ?? "")));
}
