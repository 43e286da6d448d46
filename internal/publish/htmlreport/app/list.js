import {h} from "./ui.js";

const SPARE = 6; // rows made above and below those in sight
const PRINTED = 500; // rows of a printed list at most

// List shows rows of one height, which the style sheet says as --row, and makes elements for
// those in sight only.
export class List {
  // row(n) makes the element of a row, and picked(n, element) is called with the row that was
  // chosen and what was clicked.
  constructor(box, row, picked) {
    this.box = box;
    this.row = row;
    this.size = 0;
    this.height = 0; // of a row
    this.selected = -1;
    this.made = new Map();
    this.space = h("div", {class: "space", role: "presentation"});
    box.append(this.space);
    box.addEventListener("scroll", () => this.draw(), {passive: true});
    new ResizeObserver(() => this.measure()).observe(box);
    this.space.addEventListener("click", (e) => {
      const element = e.target.closest("[data-row]");
      if (element) picked(Number(element.dataset.row), e.target);
    });
    addEventListener("beforeprint", () => { this.printing = true; this.redraw(); });
    addEventListener("afterprint", () => { this.printing = false; this.redraw(); });
  }

  measure() {
    const height = Number.parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 56;
    if (height === this.height) return this.draw();
    this.height = height;
    this.space.style.height = this.size * height + "px";
    return this.redraw();
  }

  // show begins with new rows.
  show(size, selected) {
    this.size = size;
    this.selected = selected;
    if (selected < 0) this.box.scrollTop = 0;
    this.height ||= Number.parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 56;
    this.space.style.height = size * this.height + "px";
    this.redraw();
  }

  // select marks a row and scrolls to it.
  select(n) {
    this.selected = n;
    const top = n * this.height, {scrollTop, clientHeight} = this.box, room = clientHeight - this.space.offsetTop;
    if (top < scrollTop) this.box.scrollTop = top;
    else if (top + this.height > scrollTop + room) this.box.scrollTop = top + this.height - room;
    this.redraw();
  }

  redraw() {
    for (const element of this.made.values()) element.remove();
    this.made.clear();
    this.draw();
  }

  draw() {
    if (!this.height) return;
    const first = this.printing ? 0 : Math.max(0, Math.floor(this.box.scrollTop / this.height) - SPARE);
    const end = this.printing ? Math.min(this.size, PRINTED) : Math.min(this.size, Math.ceil((this.box.scrollTop + this.box.clientHeight) / this.height) + SPARE);
    for (const [n, element] of this.made) {
      if (n >= first && n < end) continue;
      element.remove();
      this.made.delete(n);
    }
    for (let n = first; n < end; n++) {
      if (this.made.has(n)) continue;
      const element = this.row(n);
      element.dataset.row = n;
      element.id = "_row-" + n;
      element.setAttribute("role", "option");
      element.setAttribute("aria-posinset", n + 1);
      element.setAttribute("aria-setsize", this.size);
      element.setAttribute("aria-selected", n === this.selected);
      element.style.top = n * this.height + "px";
      this.made.set(n, element);
      this.space.append(element);
    }
    if (this.made.has(this.selected)) this.box.setAttribute("aria-activedescendant", "_row-" + this.selected);
    else this.box.removeAttribute("aria-activedescendant");
  }
}
