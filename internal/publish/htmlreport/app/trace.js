import {grid} from "./table.js";
import {passage, said, visible} from "./text.js";
import {h, s} from "./ui.js";

// The steps of a trace. Those whose data is known are drawn, others stand as JSON.
export function traceView(steps, options) {
  return h("ol", {class: "trace"}, steps.map((one) => h("li", {}, h("strong", {}, said(one.name)), one.note ? passage(one.note) : null,
    one.data?.tried?.length && one.data.without !== undefined ? trialsView(one.data, options)
      : one.data?.scores?.length ? scoresView(one.data) : one.data ? json(one.data) : null)));
}

export function json(value) {
  return h("div", {class: "json"}, passage(JSON.stringify(value, null, 2)));
}

const TOP = 10, BOTTOM = 20, LEFT = 52, STEP = 44, HEIGHT = 150;

// trialsView is a step chart of an uncertainty, in nats, before and after each episode
// that was tried, with the thresholds that it had to fall below.
function trialsView({without, tried}, options) {
  const {include, expand} = options?.search ?? {}, all = tried.map((t) => ({...t, before: t.nats + t.gain}));
  const lines = (t) => [["include", options?.profile === "paper" ? Math.max(0, include) : include], ["expand", expand]]
    .filter(([, gain]) => Number.isFinite(gain)).map(([name, gain]) => [name, t.before - gain]);
  const known = [without, ...all.flatMap((t) => [t.before, t.nats, ...lines(t).map(([, v]) => v)])];
  const low = Math.min(...known), high = Math.max(...known), width = LEFT + STEP * all.length + 10;
  const y = (v) => TOP + (HEIGHT - TOP - BOTTOM) * (high - v) / (high - low || 1), x = (k) => LEFT + STEP * k;
  const print = (v) => v.toFixed(3), fate = (t) => t.expanded ? "with its messages" : t.included ? "included" : "left out";
  return h("div", {},
    h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "uncertainty by episode"},
      s("svg", {class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": `uncertainty in nats: ${print(without)} without episodes, ${print(all.at(-1).nats)} after the last of ${all.length}`},
        [low, high].map((v) => s("text", {x: LEFT - 6, y: y(v) + 4, "text-anchor": "end"}, print(v))),
        all.map((t, k) => s("g", {class: t.included ? "point" : "point hollow"}, s("title", {}, visible(`episode ${t.episode}: ${fate(t)}`)),
          lines(t).map(([name, v]) => s("line", {class: "threshold " + name, x1: x(k), x2: x(k + 1) - 4, y1: y(v), y2: y(v)})),
          s("path", {class: "join", d: `M${x(k)} ${y(t.before)}H${x(k) + STEP / 2}V${y(t.nats)}`}), s("circle", {cx: x(k) + STEP / 2, cy: y(t.nats), r: 4.5}),
          s("text", {x: x(k) + STEP / 2, y: HEIGHT - 4, "text-anchor": "middle"}, String(t.episode)))))),
    h("p", {class: "fine"}, "Nats before and after each episode. Filled ones are included; those below the dashed line are, below the dotted line with their messages."),
    grid("The same in numbers", [{text: "episode"}, {text: "turns"}, ...["before", "after", "gain"].map((text) => ({text, number: true})), {text: "outcome"}],
      all.map((t, k) => ({key: String(k), cells: [String(t.episode), said(`${t.first} to ${t.last}`), print(t.before), print(t.nats), print(t.gain), fate(t)]}))));
}

// scoresView has a bar for each part of the scores of turns; other data stands above.
function scoresView({scores, ...rest}) {
  const parts = Object.keys(scores[0]).filter((name) => typeof scores[0][name] === "number");
  const bar = (v) => [s("svg", {class: "chart", width: 60, height: 8, "aria-hidden": "true"}, s("rect", {class: "part", width: 60 * Math.max(0, Math.min(1, v)), height: 8})), " ", v.toFixed(3)];
  return h("div", {}, json(rest), grid("Scores and their parts", [{text: "turn"}, ...parts.map((text) => ({text, number: true}))],
    scores.map((one, k) => ({key: String(k), cells: [said(String(one.turn)), ...parts.map((name) => bar(one[name] ?? 0))]}))));
}
