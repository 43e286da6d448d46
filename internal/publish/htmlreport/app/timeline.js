import {card} from "./parts.js";
import {said, visible} from "./text.js";
import {h, s} from "./ui.js";

// Where the evidence of answers lies in a conversation: turns from left to right, a lane
// for each method, and the gold turns in all lanes. Where the dataset says which values are out
// of date, it is the life of a fact: told, changed, asked, retrieved, answered.

// orderOf returns the turns in order, with the sessions that they begin. Sessions are those
// of the conversation; without them ids that begin with numbers, as D2:14, are ordered by
// these, and other ids stand as they come.
export function orderOf(sessions, ids) {
  if (sessions) {
    const turns = sessions.flatMap((one) => one.turns), begins = [];
    let at = 0;
    for (const one of sessions) {
      begins.push({at, name: one.time ?? one.id});
      at += one.turns.length;
    }
    return {turns, begins, known: true};
  }
  const numbered = ids.map((id) => ({id, n: /^([A-Z]+)(\d+):(\d+)/.exec(id)?.slice(1)}));
  if (numbered.some((t) => !t.n)) return {turns: ids, begins: [], known: false};
  numbered.sort((a, b) => a.n[1] - b.n[1] || a.n[2] - b.n[2]);
  const session = (t) => t.n[0] + t.n[1];
  const begins = numbered.map((t, at) => ({at, name: session(t)})).filter((b, i) => i === 0 || b.name !== session(numbered[i - 1]));
  return {turns: numbered.map((t) => t.id), begins, known: false};
}

// stretches are runs of neighbouring places, as [first, last].
function stretches(places) {
  const out = [];
  for (const at of [...new Set(places)].sort((a, b) => a - b)) {
    if (out.length && out.at(-1)[1] === at - 1) out.at(-1)[1] = at; else out.push([at, at]);
  }
  return out;
}

// ofValue says what a piece of evidence tells of a fact: a value that was to be forgotten, one
// that is out of date, or the one that is right.
function ofValue(values, text) {
  const has = (list) => list?.some((v) => text.toLowerCase().includes(v.toLowerCase()));
  return has(values?.forgotten) ? "leak" : has(values?.required) ? "holds" : has(values?.stale) ? "stale" : "";
}

// timelineView draws the evidence of answers, each with series and evidence. It is null
// where neither answers nor the gold answer rest on turns.
export function timelineView(sessions, answers, gold, sample = "") {
  const rests = gold.evidence ?? [], {values} = gold, asked = /-([A-Z]+\d+:\d+)$/.exec(sample)?.[1];
  const ids = [...new Set([...rests, ...answers.flatMap((a) => a.evidence.flatMap((b) => b.sources ?? [])), ...asked ? [asked] : []])];
  if (rests.length === 0 && answers.every((a) => a.evidence.every((b) => !b.sources?.length))) return null;
  const {turns, begins, known} = orderOf(sessions, ids), place = new Map(turns.map((id, at) => [id, at]));
  const x = (at) => 1 + 96 * at / turns.length, pc = (n) => n.toFixed(2) + "%", of = (list) => list.map((id) => place.get(id)).filter((at) => at !== undefined);
  const end = asked ? x(place.get(asked) + 1) : 98.5, golden = rests.filter((id) => place.has(id));
  const label = (id, k) => !values ? "\u2605" : k === 0 ? "told" : "changed";
  let free = -Infinity, taken = -Infinity;
  const spaced = (at, room, last) => at >= last + room;
  const star = (id, cls, mark) => s("text", {class: cls, x: pc(x(place.get(id) + 0.5)), y: "50%", dy: 5, "text-anchor": "middle"}, s("title", {}, visible(id)), mark);
  const lane = (a) => s("svg", {class: "lane", width: "100%", "aria-hidden": "true"},
    begins.map((b) => s("line", {class: "rule", x1: pc(x(b.at)), x2: pc(x(b.at)), y1: 0, y2: "100%"})),
    values ? s("line", {class: "asked-at", x1: pc(end), x2: pc(end), y1: 0, y2: "100%"}) : null,
    a.evidence.map((b, k) => stretches(of(b.sources ?? [])).map(([first, last]) => s("rect", {class: "block " + ofValue(values, b.text), x: pc(x(first)), y: "18%", width: pc(Math.max(0.7, x(last + 1) - x(first))), height: "64%", rx: 2},
      s("title", {}, visible(`#${k + 1} ${b.name}: ${turns[first]}${last > first ? " to " + turns[last] : ""}`))))),
    golden.map((id) => { const hit = a.evidence.some((b) => b.sources?.includes(id)); return star(id, hit ? "hit" : "miss", hit ? "\u2605" : "\u2606"); }));
  const words = (a) => `${rests.filter((id) => a.evidence.some((b) => b.sources?.includes(id))).length} of ${rests.length} gold turns`;
  return card(values ? "The life of the fact" : "Evidence on the line of time",
    h("table", {class: "plot timeline"}, h("caption", {class: "unseen"}, "Where the evidence of each method lies in the conversation"), h("colgroup", {}, h("col", {class: "of-name"}), h("col", {}), h("col", {class: "of-words"})),
      h("thead", {"aria-hidden": "true"}, h("tr", {}, h("td", {}), h("td", {class: "of-lane"}, s("svg", {class: "lane", width: "100%", height: 20},
        golden.map((id, k) => {
          const at = x(place.get(id) + 0.5), shown = !values || spaced(at, 9, taken);
          if (shown) taken = at;
          return s("text", {class: "gold-turn", x: pc(at), y: 14, "text-anchor": at > 90 ? "end" : at < 4 ? "start" : "middle"}, s("title", {}, visible(id)), shown ? label(id, k) : "\u2605");
        }),
        values ? s("text", {class: "asked-at", x: pc(end), y: 14, "text-anchor": end > 90 ? "end" : "start"}, golden.length && end - taken < 9 ? "" : "asked") : null)), h("td", {}))),
      h("tbody", {}, answers.map((a) => h("tr", {}, h("th", {scope: "row"}, said(a.series)), h("td", {class: "of-lane"}, lane(a)), h("td", {class: "of-words"}, h("span", {class: "words"}, words(a)), values && a.answer ? h("span", {class: "words"}, "answered: ", said(a.answer.slice(0, 80))) : null)))),
      h("tfoot", {"aria-hidden": "true"}, h("tr", {}, h("td", {}), h("td", {class: "of-lane"}, s("svg", {class: "lane", width: "100%", height: 18}, begins.map((b) => {
        if (!spaced(x(b.at), innerWidth < 900 ? 28 : 13, free) || x(b.at) > 88) return null;
        free = x(b.at);
        return s("text", {x: pc(x(b.at)), y: 13}, visible(b.name));
      }))), h("td", {})))),
    h("p", {class: "fine key"}, "\u2605 a gold turn, \u2606 one that the method missed; a bar is evidence.",
      values ? [" ", ["holds", "holds the right value"], ["stale", "holds only a value out of date"], ["leak", "holds what was to be forgotten"]].map((k) => Array.isArray(k) ? h("span", {class: "swatch " + k[0]}, k[1]) : k) : "",
      known ? "" : " The order of turns is unknown; only those named here are shown."),
    answers.filter((a) => a.evidence.some((b) => of(b.sources ?? []).length === 0)).map((a) => h("p", {class: "fine"}, said(a.series), ", evidence without turns: ",
      a.evidence.map((b, k) => of(b.sources ?? []).length === 0 ? [`#${k + 1} `, said(b.name), " "] : ""))));
}
