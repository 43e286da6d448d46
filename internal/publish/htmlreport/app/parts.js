import {said, visible} from "./text.js";
import {h} from "./ui.js";

// The components that pages are made of.

// card is a part of a page with a heading.
export const card = (title, ...children) => h("section", {class: "card"}, h("h3", {}, said(title)), children);

// tiles are numbers with their names, but for null.
export function tiles(pairs) {
  return h("dl", {class: "tiles"}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value, note]) => h("div", {class: "tile"}, h("dt", {}, name), h("dd", {}, value), note ? h("dd", {class: "fine"}, note) : null)));
}

// choose is a field with choices, as [value, title]; none is made for a choice of one.
export function choose(title, value, choices, chosen) {
  if (choices.length < 2 && !value) return null;
  return h("label", {class: "field", key: title}, h("span", {}, title),
    h("select", {value, onchange: (e) => chosen(e.target.value)}, choices.map(([v, text]) => h("option", {value: v, key: v}, visible(text)))));
}

// chip is a filter that is on or off.
export const chip = (title, on, press, about) => h("button", {type: "button", class: "chip", key: title, "aria-pressed": String(!!on), title: about, onclick: press}, title);

// scroll is a box that scrolls by itself where its content is wider.
export const scroll = (title, ...children) => h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": visible(title)}, children);
