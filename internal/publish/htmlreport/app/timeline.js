import {said, visible} from "./text.js";
import {h, s} from "./ui.js";

// Where the evidence of answers lies in a conversation: turns from left to right, a lane
// for each method, and the gold turns over all lanes.

const LEFT = 150, RIGHT = 800, TOP = 18, LANE = 22;

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
  const numbered = ids.map((id) => ({id, n: /^D(\d+):(\d+)/.exec(id)?.slice(1).map(Number)}));
  if (numbered.some((t) => !t.n)) return {turns: ids, begins: [], known: false};
  numbered.sort((a, b) => a.n[0] - b.n[0] || a.n[1] - b.n[1]);
  const begins = numbered.map((t, at) => ({at, name: "D" + t.n[0]})).filter((b, i) => i === 0 || b.name !== "D" + numbered[i - 1].n[0]);
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

// timelineView draws the evidence of answers, each with title and evidence. It is null
// where neither answers nor the gold answer rest on turns.
export function timelineView(sessions, answers, gold) {
  const rests = gold.evidence ?? [], ids = [...new Set([...rests, ...answers.flatMap((a) => a.evidence.flatMap((b) => b.sources ?? []))])];
  if (ids.length === 0) return null;
  const {turns, begins, known} = orderOf(sessions, ids);
  const place = new Map(turns.map((id, at) => [id, at])), width = (RIGHT - LEFT) / turns.length, x = (at) => Math.round(10 * (LEFT + at * width)) / 10;
  const height = TOP + LANE * answers.length + 20, of = (list) => list.map((id) => place.get(id)).filter((at) => at !== undefined);
  let free = 0;
  const summary = answers.map((a) => {
    const found = rests.filter((id) => a.evidence.some((b) => b.sources?.includes(id)));
    return {...a, found, bare: a.evidence.map((b, k) => ({b, k})).filter(({b}) => of(b.sources ?? []).length === 0)};
  });
  const title = "evidence on the time line of the conversation: " + summary.map((a) => `${a.title} has ${a.found.length} of ${rests.length} gold turns`).join(", ");
  return h("section", {"aria-label": "time line"},
    h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "time line of the evidence"},
      s("svg", {class: "chart timeline", viewBox: `0 0 ${RIGHT + 10} ${height}`, width: RIGHT + 10, height, role: "img", "aria-label": visible(title)},
        begins.map((b) => {
          const label = x(b.at) >= free ? s("text", {x: x(b.at) + 2, y: height - 4}, visible(b.name)) : null;
          if (label) free = x(b.at) + 8 * b.name.length;
          return [s("line", {class: "rule", x1: x(b.at), x2: x(b.at), y1: TOP - 4, y2: height - 16}), label];
        }),
        summary.map((a, lane) => s("g", {},
          s("text", {x: LEFT - 8, y: TOP + lane * LANE + 12, "text-anchor": "end"}, visible(a.title).slice(0, 20)),
          a.evidence.map((b, k) => stretches(of(b.sources ?? [])).map(([first, last]) => s("g", {class: "block"},
            s("title", {}, visible(`#${k + 1} ${b.name}: ${turns[first]}${last > first ? " to " + turns[last] : ""}`)),
            s("rect", {x: x(first), y: TOP + lane * LANE, width: Math.max(3, x(last + 1) - x(first)), height: LANE - 8}),
            x(last + 1) - x(first) > 8 * `#${k}`.length + 4 ? s("text", {x: x(first) + 2, y: TOP + lane * LANE + 11}, "#" + (k + 1)) : null))),
          rests.filter((id) => place.has(id)).map((id) => s("text", {class: a.found.includes(id) ? "hit" : "miss", x: x(place.get(id) + 0.5), y: TOP + lane * LANE + 12, "text-anchor": "middle"},
            s("title", {}, visible(id)), a.found.includes(id) ? "\u2605" : "\u2606")))),
        rests.filter((id) => place.has(id)).map((id) => s("text", {class: "gold-turn", x: x(place.get(id) + 0.5), y: 12, "text-anchor": "middle"}, s("title", {}, visible(id)), "\u2605")))),
    h("p", {class: "fine"}, "\u2605 a gold turn, \u2606 one that the method did not retrieve; a bar is evidence with its rank.", known ? "" : " The order of turns is unknown; only those named here are shown."),
    summary.filter((a) => a.bare.length > 0).map((a) => h("p", {class: "fine"}, said(a.title), ", evidence without turns: ", a.bare.map(({b, k}) => [`#${k + 1} `, said(b.name), " "]))));
}
