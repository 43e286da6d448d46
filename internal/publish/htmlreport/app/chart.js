import {said, visible} from "./text.js";
import {h, s} from "./ui.js";

// Drawings of numbers that stand beside them as texts. A drawing is as wide as its box: places
// are shares of the width, and what is written keeps its size.

// ticks are round numbers between two.
export function ticks(low, high, most = 5) {
  const step = 10 ** Math.floor(Math.log10((high - low) || 1)), every = [0.1, 0.2, 0.5, 1, 2].map((f) => f * step).find((x) => (high - low) / x <= most) ?? step;
  const all = [];
  for (let t = Math.ceil(low / every) * every; t <= high + every / 1e6; t += every) all.push(Number(t.toPrecision(6)));
  return all;
}

// scaleOf maps numbers to places in percent, with some room at both ends.
export function scaleOf(values, around = 0.04) {
  const known = values.filter((x) => Number.isFinite(x));
  const low = Math.min(...known), high = Math.max(...known), pad = (high - low || Math.abs(high) || 1) * around;
  const from = low - pad, to = high + pad;
  return {from, to, at: (v) => `${(100 * (v - from) / (to - from)).toFixed(2)}%`};
}

// dots are the rows of a plot: means with their intervals, one below the other on a common
// scale. A row has name, estimate (null for none), kind (a class), words, and link or press.
// The line through all rows is at a mean.
export function dots(title, rows, {line, zero, small} = {}) {
  const of = rows.flatMap((r) => r.estimate ? [r.estimate.mean, r.estimate.low, r.estimate.high] : []);
  const scale = scaleOf(zero ? [0, ...of] : of), marks = ticks(scale.from, scale.to, small ? 3 : 5);
  const through = zero ? 0 : line;
  const plot = ({estimate: e, kind}) => s("svg", {class: "lane " + kind, width: "100%", "aria-hidden": "true"},
    marks.map((t) => s("line", {class: "rule", x1: scale.at(t), x2: scale.at(t), y1: 0, y2: "100%"})),
    through !== undefined ? s("line", {class: "through", x1: scale.at(through), x2: scale.at(through), y1: 0, y2: "100%"}) : null,
    e && Number.isFinite(e.low) ? s("line", {class: "interval", x1: scale.at(e.low), x2: scale.at(e.high), y1: "50%", y2: "50%"}) : null,
    e ? s("circle", {class: "dot", cx: scale.at(e.mean), cy: "50%", r: small ? 4.5 : 6}) : null);
  return h("table", {class: small ? "plot small" : "plot"}, h("caption", {class: "unseen"}, said(title)), h("colgroup", {}, h("col", {class: "of-name"}), h("col", {}), h("col", {class: "of-words"})),
    h("thead", {class: "unseen"}, h("tr", {}, ["row", "plot", "value"].map((t) => h("th", {scope: "col"}, t)))),
    h("tbody", {}, rows.map((r) => h("tr", {}, h("th", {scope: "row"}, r.link ? h("a", {href: r.link}, said(r.name)) : said(r.name)),
      h("td", {class: "of-lane"}, plot(r)), h("td", {class: "of-words"}, r.estimate ? h("b", {}, r.estimate.text) : h("span", {class: "fine"}, "no value"), r.words ? h("span", {class: "words " + r.kind}, said(r.words)) : "")))),
    small ? null : h("tfoot", {"aria-hidden": "true"}, h("tr", {}, h("td", {}), h("td", {class: "of-lane"}, s("svg", {class: "lane", width: "100%", height: 20},
      marks.map((t) => s("text", {x: scale.at(t), y: 14, "text-anchor": "middle"}, String(t))))), h("td", {}))));
}

// scatter draws points by two numbers, each with its name: {name, x, y, kind}.
export function scatter(title, points, xName, yName) {
  const known = points.filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y)), HEIGHT = 260, FOOT = 34, TOP = 22, LEFT = 9;
  if (known.length === 0) return h("p", {class: "none"}, "There is nothing to draw.");
  const positive = known.map((p) => p.x).filter((x) => x > 0), logs = positive.length === known.length && Math.max(...positive) > 20 * Math.min(...positive);
  const of = (x) => logs ? Math.log10(x) : x, x = scaleOf(known.map((p) => of(p.x)), 0.08), y = scaleOf(known.map((p) => p.y), 0.08);
  const placeX = (v) => LEFT + (100 - LEFT) * (v - x.from) / (x.to - x.from), placeY = (v) => TOP + (HEIGHT - TOP - FOOT) * (y.to - v) / (y.to - y.from);
  const xs = logs ? Array.from({length: 12}, (_, k) => k - 3).filter((e) => e >= x.from && e <= x.to) : ticks(x.from, x.to, 4);
  const named = known.map((p) => ({...p, left: placeX(of(p.x)), top: placeY(p.y)})).sort((a, b) => a.top - b.top);
  const names = known.length <= 5; // more would lie on each other, and have the numbers of their places
  let above = -Infinity;
  for (const p of named) above = p.at = Math.max(p.top + 4, above + 16);
  return s("svg", {class: "scatter", width: "100%", height: HEIGHT, role: "img", "aria-label": visible(`${title}: ${points.map((p) => `${p.name} ${p.y} at ${p.x}`).join(", ")}`)},
    ticks(y.from, y.to).map((t) => [s("line", {class: "rule", x1: LEFT + "%", x2: "100%", y1: placeY(t), y2: placeY(t)}), s("text", {x: LEFT - 1 + "%", y: placeY(t) + 4, "text-anchor": "end"}, String(t))]),
    xs.map((t) => s("text", {x: placeX(t) + "%", y: HEIGHT - 18, "text-anchor": "middle"}, (logs ? 10 ** t : t).toLocaleString("en"))),
    s("text", {class: "axis", x: LEFT + "%", y: 12}, yName), s("text", {class: "axis", x: "100%", y: HEIGHT - 2, "text-anchor": "end"}, xName + (logs ? ", logarithmic" : "")),
    named.map((p) => s("g", {class: p.kind}, s("title", {}, visible(p.name)), s("circle", {class: "dot", cx: p.left + "%", cy: p.top, r: names ? 6 : 10}),
      names ? s("text", {x: p.left + "%", dx: p.left > 60 ? -11 : 11, y: p.at, "text-anchor": p.left > 60 ? "end" : "start"}, visible(p.name))
        : s("text", {class: "place", x: p.left + "%", y: p.top + 4, "text-anchor": "middle"}, String(points.indexOf(known.find((o) => o.name === p.name)) + 1)))));
}

// spark is a small line of values over time, the last with a dot; band is the interval of a
// baseline.
export function spark(values, band) {
  const scale = scaleOf([...values, ...band ?? []], 0.1), W = 96, H = 24, y = (v) => H - H * (v - scale.from) / (scale.to - scale.from), x = (k) => 4 + (W - 8) * (values.length > 1 ? k / (values.length - 1) : 0.5);
  return s("svg", {class: "spark", width: W, height: H, "aria-hidden": "true"},
    band ? s("rect", {class: "band", x: 0, width: W, y: y(band[1]).toFixed(1), height: Math.max(1, y(band[0]) - y(band[1])).toFixed(1)}) : null,
    values.length > 1 ? s("path", {class: "join", d: "M" + values.map((v, k) => `${x(k).toFixed(1)} ${y(v).toFixed(1)}`).join("L")}) : null,
    s("circle", {class: "dot", cx: x(values.length - 1), cy: y(values.at(-1)), r: 3}));
}
