import {h} from "./ui.js";

// List shows rows of one height, and makes elements for those in sight only.
export class List {
  static HEIGHT = 56; // as the style sheet has it
  static SPARE = 6; // rows made above and below those in sight

  // row(n, selected) makes the element of a row, and picked(n) is called with the
  // row that was chosen.
  constructor(box, row, picked) {
    this.box = box;
    this.row = row;
    this.size = 0;
    this.selected = -1;
    this.made = new Map();
    this.space = h("div", {class: "space", role: "presentation"});
    box.append(this.space);
    box.addEventListener("scroll", () => this.draw(), {passive: true});
    new ResizeObserver(() => this.draw()).observe(box);
    this.space.addEventListener("click", (e) => {
      const element = e.target.closest("[data-row]");
      if (element) picked(Number(element.dataset.row));
    });
  }

  // show begins with new rows.
  show(size, selected) {
    this.size = size;
    this.selected = selected;
    this.space.style.height = size * List.HEIGHT + "px";
    if (selected >= 0) this.reveal(selected); else this.box.scrollTop = 0;
    this.redraw();
  }

  // select marks a row and scrolls to it.
  select(n) {
    this.selected = n;
    this.reveal(n);
    this.redraw();
  }

  reveal(n) {
    const top = n * List.HEIGHT, {scrollTop, clientHeight} = this.box;
    if (top < scrollTop) this.box.scrollTop = top;
    else if (top + List.HEIGHT > scrollTop + clientHeight) this.box.scrollTop = top + List.HEIGHT - clientHeight;
  }

  redraw() {
    for (const element of this.made.values()) element.remove();
    this.made.clear();
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / List.HEIGHT) - List.SPARE);
    const end = Math.min(this.size, Math.ceil((this.box.scrollTop + this.box.clientHeight) / List.HEIGHT) + List.SPARE);
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
      element.style.top = n * List.HEIGHT + "px";
      this.made.set(n, element);
      this.space.append(element);
    }
    if (this.made.has(this.selected)) this.box.setAttribute("aria-activedescendant", "_row-" + this.selected);
    else this.box.removeAttribute("aria-activedescendant");
  }
}
