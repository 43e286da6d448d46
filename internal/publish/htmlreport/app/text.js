import {h} from "./ui.js";

// Texts of models and datasets are hostile. They enter the page as text nodes
// alone, never as markup, and what cannot be seen or turns other text around is
// spelled out.

// Joiners stay: some scripts and many emoji are written with them.
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;

// visible spells out control characters, marks of direction and what has no width.
export function visible(text) {
  return text.replace(/\r\n/g, "\n").replace(HIDDEN, (c) => {
    const code = c.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return "[U+" + code.toString(16).toUpperCase().padStart(4, "0") + "]";
  });
}

// byId finds an element of the page's own: their ids begin with an underscore, which
// no id of a table has.
export const byId = (id) => document.getElementById("_" + id);

// said is a short text of others, kept from turning around what stands beside it.
export const said = (text) => h("bdi", {}, visible(text));

const SHOWN = 4000; // characters of a long text that are shown at first

// passage is a text of any length. Where it has one of the needles, that is marked.
export function passage(text, needles = []) {
  const box = h("div", {class: "passage", dir: "auto"});
  const fill = (part) => box.replaceChildren(...marked(visible(part), needles));
  if (text.length <= SHOWN) {
    fill(text);
    return box;
  }
  fill(text.slice(0, SHOWN) + "\u2026");
  const more = h("button", {type: "button", onclick: () => { fill(text); more.remove(); }},
    `show all ${count(text.length)} characters`);
  return h("div", {}, box, more);
}

// marked cuts a text at what is to be marked in it, without regard to case.
function marked(text, needles) {
  const words = needles.filter((n) => n.length > 1).map((n) => n.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  if (words.length === 0) return [text];
  return text.split(new RegExp("(" + words.join("|") + ")", "iu"))
    .map((part, i) => i % 2 === 1 ? h("mark", {}, part) : part).filter((part) => part !== "");
}

export const count = (n) => n.toLocaleString("en");

// number prints a value in the unit of tables.
export function number(x, column) {
  return Number.isNaN(x) ? "\u2013" : (x * column.scale).toFixed(column.digits);
}

export function milliseconds(ms) {
  return ms >= 10000 ? (ms / 1000).toFixed(1) + " s" : ms.toFixed(ms >= 100 ? 0 : 1) + " ms";
}

// facts lists names with what is known under them, but for null.
export function facts(pairs) {
  return h("dl", {class: "facts"}, pairs.filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
