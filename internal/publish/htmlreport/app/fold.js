import {visible} from "./text.js";
import {h} from "./ui.js";

// part is what can be opened. Its content is made then, or by its method fill.
export function part(title, open, fill) {
  const element = h("details", {}, h("summary", {}, title));
  element.fill = () => {
    element.append(fill());
    element.fill = () => {};
  };
  if (open) {
    element.fill();
    element.open = true;
  }
  element.addEventListener("toggle", () => element.fill());
  return element;
}

// fill shows children in place of what a box has. Unlike draw it keeps nothing, so that
// what is opened or read later lands in the elements that are shown.
export const fill = (box, ...children) => box.replaceChildren(...h("div", {}, children).childNodes);

// later is a box that shows what is still to be read, or why it cannot be.
export function later(read, show) {
  const box = h("div", {class: "later", "aria-busy": "true"}, "\u2026");
  (async () => {
    try {
      fill(box, show(await read()));
    } catch (err) {
      fill(box, h("p", {class: "none"}, visible(err.message)));
      if (!err.expected) throw err;
    } finally {
      box.removeAttribute("aria-busy");
    }
  })();
  return box;
}
