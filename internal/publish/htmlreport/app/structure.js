import {fill, part} from "./fold.js";
import {scroll} from "./parts.js";
import {passage, said, visible} from "./text.js";
import {h, s as svg} from "./ui.js";

// What a memory holds: a tree with what a request changed, the themes and facts of a
// hierarchy, or the entities of a graph. Weights are shades, with their number beside.

const MARKS = {
  created: ["+", "created"], deleted: ["\u2212", "deleted"], updated: ["~", "updated"],
  "moved-away": ["\u2192", "moved away"], "moved-here": ["\u2192", "moved here"],
};
const BINS = 5;
const MOST = 500; // rows that are drawn at once

const shade = (w) => "shade w" + Math.max(0, Math.min(BINS - 1, Math.floor(w * BINS)));
const weight = (w) => h("span", {class: shade(w), title: "relevance"}, w.toFixed(2));

// structureView shows a structure. Chosen is called with the id of a node that a person
// chooses; node is one that is chosen already.
export function structureView(structure, chosen = () => {}, node = "") {
  const view = new Outline(structure, chosen);
  if (node) view.reveal(node);
  return h("div", {class: "structure"},
    structure.version ? h("p", {class: "fine"}, `version ${structure.version}${structure.base ? `, made from ${structure.base}` : ""}`) : null,
    structure.notes?.map((n) => h("p", {class: "fine"}, said(n))),
    structure.query ? executionView(structure, (step) => view.shadeBy(step), (id) => view.choose(id)) : null,
    structure.kind === "graph" ? graphView(structure) : view.element,
    structure.before ? part("Versions side by side", false, () => sidesView(structure)) : null);
}

// sidesView has the versions before and after a change. A node chosen in one is marked in both.
function sidesView({kind, base, version, before, nodes}) {
  const views = [before, nodes.filter((n) => !n.ghost)].map((all) => new Outline({kind, nodes: all}, (id) => views.forEach((v) => v.reveal(id))));
  const changed = nodes.find((n) => n.mark);
  if (changed) for (const v of views) v.reveal(changed.id);
  return h("div", {class: "versions"}, views.map((v, k) => h("section", {}, h("h3", {}, `version ${k ? version : base}`), v.element)));
}

// An Outline is a tree of rows, of which those are open that lead to what a request was
// about.
class Outline {
  constructor(structure, chosen) {
    this.chosen = chosen;
    this.nodes = new Map();
    this.below = new Map();
    this.weights = new Map();
    this.above = new Map(); // one of the nodes above
    // A ghost may have the id of the node that moved: rows are told apart by place.
    structure.nodes.forEach((n, i) => this.nodes.set(i, n));
    const byID = new Map(structure.nodes.map((n, i) => [n.id, i]));
    const put = (from, to) => {
      if (!this.below.has(from)) this.below.set(from, []);
      this.below.get(from).push(to);
      if (!this.above.has(to)) this.above.set(to, from);
    };
    const path = []; // places of the nodes above the next row
    this.tops = [];
    if (structure.kind === "tree") {
      structure.nodes.forEach((n, i) => {
        path.length = n.level - 1;
        if (path.length > 0) put(path.at(-1), i); else this.tops.push(i);
        path.push(i);
      });
    } else {
      for (const l of structure.links ?? []) put(byID.get(l.from), byID.get(l.to));
      this.tops = structure.nodes.map((_, i) => i).filter((i) => !this.above.has(i));
    }
    this.open = new Set();
    structure.nodes.forEach((n, i) => {
      if (n.weight !== undefined) this.weights.set(n.id, n.weight);
      // Turns of a hierarchy lie below everything: what was chosen above them counts.
      if (structure.kind === "tree" ? n.about || n.mark : n.about && n.type !== "turn") {
        this.openAbove(i);
      }
    });
    if (this.open.size === 0 && this.tops.length === 1) this.open.add(this.tops[0]);
    this.at = null; // path of the row that has the focus
    this.element = h("div", {role: "tree", class: "outline", "aria-label": "what the memory holds", onkeydown: (e) => this.press(e)});
    this.draw();
  }

  openAbove(i) {
    for (let at = this.above.get(i); at !== undefined && !this.open.has(at); at = this.above.get(at)) this.open.add(at);
  }

  // rows are the visible ones, as {i, key, level}: a node may lie below several.
  *rows(list = this.tops, key = "", level = 1) {
    for (const i of list) {
      const row = {i, key: key + "/" + i, level};
      yield row;
      if (this.open.has(i)) yield* this.rows(this.below.get(i) ?? [], row.key, level + 1);
    }
  }

  draw() {
    const all = [...this.rows()];
    if (!all.some((r) => r.key === this.at)) this.at = all[0]?.key ?? null;
    this.shown = all.slice(0, MOST);
    const focused = this.element.contains(document.activeElement);
    fill(this.element, this.shown.map((r) => this.row(r)),
      all.length > MOST ? h("p", {class: "fine"}, `${all.length - MOST} rows more; fold what is open`) : null);
    if (focused) this.element.querySelector("[tabindex='0']")?.focus({preventScroll: true});
  }

  row({i, key, level}) {
    const n = this.nodes.get(i), below = this.below.get(i)?.length ?? 0;
    const mark = MARKS[n.mark];
    return h("div", {
      role: "treeitem", class: ["node", n.ghost ? "ghost" : "", n.about ? "about" : "", n.mark ?? ""].join(" ").trim(),
      "aria-level": level, "aria-expanded": below ? String(this.open.has(i)) : null, "aria-selected": String(key === this.at),
      tabindex: key === this.at ? "0" : "-1", "data-id": n.id,
      onclick: () => { this.at = key; this.toggle(i); this.chosen(n.id); },
    },
      svg("svg", {width: level * 14, height: 8, "aria-hidden": "true"}),
      h("span", {class: "turner", "aria-hidden": "true"}, below ? this.open.has(i) ? "\u25be" : "\u25b8" : "\u00b7"), " ",
      mark ? h("strong", {class: "mark-" + n.mark}, mark[0], " ", mark[1], " ") : "",
      n.about ? h("span", {title: "the request was about it"}, "\u2605 ") : "",
      h("span", {class: "type"}, said(n.type)), " ", said(n.label),
      this.weights.has(n.id) ? [" ", weight(this.weights.get(n.id))] : "",
      below && !this.open.has(i) ? h("span", {class: "fine"}, ` ${below} below`) : "",
      n.fields?.map(([name, ...values]) => h("div", {class: "field"}, said(name), ": ", was(n, name), said(values.join("; ")))),
      n.was?.filter(([name]) => !n.fields?.some(([f]) => f === name)).map(([name, ...values]) => h("div", {class: "field"}, said(name), ": ", h("del", {}, said(values.join("; "))))),
      n.text ? passage(n.text) : null);
  }

  toggle(i) {
    if (this.open.has(i)) this.open.delete(i); else this.open.add(i);
    this.draw();
  }

  choose(id) {
    this.reveal(id);
    this.chosen(id);
  }

  // reveal marks the row of a node and opens what is above.
  reveal(id) {
    for (const [i, n] of this.nodes) if (n.id === id && !n.ghost) this.openAbove(i);
    this.draw();
    this.at = this.shown.find((r) => this.nodes.get(r.i).id === id)?.key ?? this.at;
    this.draw();
  }

  // shadeBy shows the weights that a step gave.
  shadeBy(step) {
    this.weights = new Map(step.candidates.map((c) => [c.id, c.weight]));
    this.draw();
  }

  press(e) {
    const k = this.shown.findIndex((r) => r.key === this.at);
    if (k < 0) return;
    const {i, level} = this.shown[k], below = this.below.get(i)?.length > 0;
    const up = () => { for (let j = k; j >= 0; j--) if (this.shown[j].level < level) return j; return k; };
    let to = k;
    if (e.key === "ArrowDown") to = k + 1;
    else if (e.key === "ArrowUp") to = k - 1;
    else if (e.key === "Home") to = 0;
    else if (e.key === "End") to = this.shown.length - 1;
    else if (e.key === "ArrowRight" && below && this.open.has(i)) to = k + 1;
    else if (e.key === "ArrowRight" && below) this.open.add(i);
    else if (e.key === "ArrowLeft" && this.open.has(i) && below) this.open.delete(i);
    else if (e.key === "ArrowLeft") to = up();
    else if (e.key === "*") for (const all of this.below.keys()) this.open.add(all);
    else if (e.key === "Enter" || e.key === " ") this.chosen(this.nodes.get(i).id);
    else return;
    e.preventDefault();
    e.stopPropagation();
    this.at = this.shown[Math.max(0, Math.min(this.shown.length - 1, to))].key;
    this.draw();
    this.element.querySelector("[tabindex='0']")?.scrollIntoView({block: "nearest"});
  }
}

// was is what a field held before.
function was(n, name) {
  const old = n.was?.find(([f]) => f === name);
  return old && old.length > 1 ? [h("del", {}, said(old.slice(1).join("; "))), " \u2192 "] : old ? h("em", {}, "new ") : "";
}

// executionView shows what a query did, step by step.
function executionView(structure, shadeBy, choose) {
  const steps = structure.steps ?? [], box = h("div", {class: "step"});
  const show = (k) => {
    const s = steps[k];
    fill(box,
      h("p", {}, `reached ${s.reached}, of the type ${s.tested}, selected ${s.selected}${s.omitted ? `; ${s.omitted} more are not shown` : ""}`),
      h("ol", {}, s.candidates.map((c) => h("li", {},
        c.matched ? h("strong", {title: "leads to a match"}, "\u2713 ") : "", h("button", {type: "button", class: "plain", onclick: () => choose(c.id)}, said(c.path)),
        " ", h("span", {class: "fine"}, `${c.previous.toFixed(3)} \u00d7 ${c.score.toFixed(3)} = `), weight(c.weight),
        c.detail ? part("condition", false, () => detailView(c.detail)) : null))));
    for (const [i, b] of buttons.entries()) b.setAttribute("aria-pressed", String(i === k));
  };
  const buttons = steps.map((s, k) => h("button", {type: "button", "aria-pressed": "false", onclick: () => { show(k); shadeBy(steps[k]); }}, said(s.query)));
  return h("section", {class: "execution", "aria-label": "query"}, h("p", {}, h("code", {}, said(structure.query))),
    buttons.length ? h("div", {class: "steps"}, buttons) : null, box);
}

// detailView is a condition with its parts.
function detailView(d) {
  return h("div", {}, h("code", {}, said(d.condition)), " ", said(d.operator), " ", weight(d.score), d.text ? passage(d.text) : null,
    d.nodes !== undefined ? h("span", {class: "fine"}, ` over ${d.nodes} nodes`) : null,
    d.of?.length || d.evidence?.length ? h("ul", {}, d.of?.map((o) => h("li", {}, detailView(o))),
      d.evidence?.map((e) => h("li", {}, said(e.path), detailView(e.detail)))) : null);
}

const LINE = 20; // height of a row of a drawing

// graphView shows the turns that a request rests on beside the entities that they
// mention, and all entities in a table.
function graphView(structure) {
  const node = new Map(structure.nodes.map((n) => [n.id, n]));
  const links = (structure.links ?? []).filter((l) => node.get(l.to).about).slice(0, MOST);
  const left = [...new Set(links.map((l) => l.from))], right = structure.nodes.filter((n) => n.about && n.type === "turn").map((n) => n.id);
  const at = (list, id) => (list.indexOf(id) + 0.7) * LINE;
  const name = (id) => visible(node.get(id).label).slice(0, 40);
  const turns = Map.groupBy(structure.links ?? [], (l) => l.from);
  return h("div", {},
    right.length === 0 ? null : scroll("entities and the turns that mention them", svg("svg", {class: "links", viewBox: `0 0 600 ${Math.max(left.length, right.length) * LINE + 4}`, role: "img", "aria-label": "entities and the turns that mention them"},
      links.map((l) => svg("line", {x1: 250, y1: at(left, l.from) - 4, x2: 390, y2: at(right, l.to) - 4})),
      left.map((id) => svg("text", {x: 244, y: at(left, id), "text-anchor": "end"}, name(id))),
      right.map((id) => svg("text", {x: 396, y: at(right, id)}, "\u2605 " + name(id))))),
    part(`All entities (${turns.size})`, false, () => h("table", {}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "entity"), h("th", {scope: "col"}, "type"), h("th", {scope: "col"}, "turns"))),
      h("tbody", {}, [...turns].map(([id, all]) => h("tr", {}, h("th", {scope: "row"}, said(node.get(id).label)), h("td", {}, said(node.get(id).type)),
        h("td", {}, said(all.map((l) => node.get(l.to).label).join(" "))))))),
    ));
}
