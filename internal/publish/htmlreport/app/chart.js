import {visible} from "./text.js";
import {h, s} from "./ui.js";

// Drawings of a few numbers. What they show stands in a table beside them too.

const TOP = 12, BOTTOM = 24, LEFT = 48;

const ticks = (low, high) => {
  const step = 10 ** Math.floor(Math.log10((high - low) || 1)), every = [0.2, 0.5, 1, 2].map((f) => f * step).find((x) => (high - low) / x <= 6) ?? step;
  const all = [];
  for (let t = Math.ceil(low / every) * every; t <= high + every / 1e6; t += every) all.push(Number(t.toPrecision(6)));
  return all;
};

// errorBars draws values with their intervals, from left to right. A point has value,
// low and high (NaN for none), mark ("dot", "hollow" or "diamond"), title, whether it is
// joined to the one before, and whether its interval is a band over all.
export function errorBars(name, points) {
  const title = visible(name);
  const known = points.flatMap((p) => [p.value, p.low, p.high]).filter((x) => Number.isFinite(x));
  const low = Math.min(...known), high = Math.max(...known), pad = (high - low || 1) * 0.08;
  const width = Math.max(320, LEFT + 28 * points.length + 20), height = 220;
  const x = (k) => LEFT + 16 + (width - LEFT - 32) * (points.length > 1 ? k / (points.length - 1) : 0.5);
  const y = (v) => TOP + (height - TOP - BOTTOM) * (high + pad - v) / (high - low + 2 * pad || 1);
  const r = (n) => n.toFixed(1);
  return h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": title},
    s("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title},
      s("title", {}, title),
      points.filter((p) => p.band && Number.isFinite(p.low)).map((p) => s("rect", {class: "band", x: LEFT, width: width - LEFT, y: r(y(p.high)), height: r(y(p.low) - y(p.high))})),
      ticks(low - pad, high + pad).map((t) => [s("line", {class: "rule", x1: LEFT, x2: width, y1: r(y(t)), y2: r(y(t))}), s("text", {x: LEFT - 6, y: r(y(t) + 4), "text-anchor": "end"}, String(t))]),
      points.map((p, k) => s("g", {class: "point " + p.mark}, s("title", {}, visible(`${p.title}: ${p.value}`)),
        p.joined ? s("line", {class: "join", x1: r(x(k - 1)), y1: r(y(points[k - 1].value)), x2: r(x(k)), y2: r(y(p.value))}) : null,
        Number.isFinite(p.low) ? s("line", {class: "bar-of-error", x1: r(x(k)), x2: r(x(k)), y1: r(y(p.low)), y2: r(y(p.high))}) : null,
        p.mark === "diamond" ? s("path", {d: `M${r(x(k))} ${r(y(p.value) - 7)}l6 7l-6 7l-6 -7z`}) : s("circle", {cx: r(x(k)), cy: r(y(p.value)), r: 4.5})))));
}

const LABELS = 260, ROW = 24; // width of the names of a forest, and height of a row

// forest draws differences with their intervals, one below the other, beside zero. A row
// has title, value, low and high (NaN for none) and whether the difference is shown.
export function forest(name, rows) {
  const title = visible(name);
  const known = [0, ...rows.flatMap((r) => [r.value, r.low, r.high]).filter(Number.isFinite)];
  const low = Math.min(...known), high = Math.max(...known), pad = (high - low || 1) * 0.06;
  const width = 720, height = TOP + ROW * rows.length + BOTTOM, foot = height - BOTTOM;
  const x = (v) => (LABELS + (width - LABELS - 20) * (v - low + pad) / (high - low + 2 * pad)).toFixed(1);
  return h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": title},
    s("svg", {class: "chart forest", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title},
      s("title", {}, title),
      ticks(low - pad, high + pad).map((t) => [s("line", {class: t === 0 ? "zero" : "rule", x1: x(t), x2: x(t), y1: TOP, y2: foot}), s("text", {x: x(t), y: foot + 16, "text-anchor": "middle"}, String(t))]),
      rows.map((r, k) => {
        const y = TOP + ROW * (k + 0.5), text = visible(r.title), bounds = Number.isFinite(r.low) ? ` (${r.low.toPrecision(3)} to ${r.high.toPrecision(3)})` : "";
        return s("g", {class: "point " + (r.shown ? "dot" : "hollow")}, s("title", {}, `${text}: ${r.value.toPrecision(3)}${bounds}`),
          s("text", {x: LABELS - 12, y: y + 4, "text-anchor": "end"}, text.length > 42 ? text.slice(0, 41) + "\u2026" : text),
          bounds ? s("line", {class: "bar-of-error", x1: x(r.low), x2: x(r.high), y1: y, y2: y}) : null,
          s("circle", {cx: x(r.value), cy: y, r: 4.5}));
      })));
}
