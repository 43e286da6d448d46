import {scroll} from "./parts.js";
import {said, visible} from "./text.js";
import {h} from "./ui.js";

// tableView shows a table of package report, with its notes below it.
export function tableView(t) {
  const marks = (numbers) => numbers?.length ? h("sup", {}, [...new Set(numbers)].join(", ")) : null;
  const kind = (i, cell) => [t.columns[i].number ? "number" : "", cell?.best ? "best" : ""].join(" ").trim() || null;
  const grouped = t.columns.some((c) => c.group);
  const head = (c, i, span) => h("th", {scope: "col", class: kind(i), rowspan: span}, said(c.head || c.name), marks(c.notes));
  const above = [];
  t.columns.forEach((c, i) => {
    if (!c.group) above.push(head(c, i, 2));
    else if (t.columns[i - 1]?.group === c.group) above.at(-1).setAttribute("colspan", Number(above.at(-1).getAttribute("colspan")) + 1);
    else above.push(h("th", {scope: "colgroup", class: "group", colspan: 1}, said(c.group)));
  });
  const heads = grouped ? [h("tr", {}, above), h("tr", {}, t.columns.map((c, i) => c.group ? head(c, i) : null))] : h("tr", {}, t.columns.map((c, i) => head(c, i)));
  const entry = (c) => c.best ? h("b", {}, said(c.text)) : said(c.text);
  const cell = (c, i) => h(i === 0 ? "th" : "td", {scope: i === 0 ? "row" : null, class: kind(i, c)},
    entry(c), c.mark ? h("sup", {}, said(c.mark)) : null, marks(c.notes));
  return h("section", {class: "results"}, h("p", {class: "title"}, said(t.title), marks(t.title_notes)),
    h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": visible(t.title)},
      h("table", {}, h("caption", {class: "unseen"}, said(t.title)), h("thead", {}, heads),
        h("tbody", {}, t.rows.map((row) => h("tr", {}, row.map(cell)))))),
    t.notes?.length ? h("ol", {class: "notes"}, t.notes.map((n) => h("li", {}, said(n)))) : null);
}

// grid is a table of what pages compute. A head has text, number, and sort, "up" or
// "down" where rows are in its order; a row has a key and cells. A caption that repeats the
// heading above it is unseen.
export function grid(caption, heads, rows, unseen) {
  const sorted = {up: "ascending", down: "descending"};
  return scroll(caption, h("table", {class: "grid"}, h("caption", {class: unseen ? "unseen" : null}, said(caption)),
    h("thead", {}, h("tr", {}, heads.map((t) => h("th", {scope: "col", class: t.number ? "number" : null, "aria-sort": sorted[t.sort] ?? null}, t.text)))),
    h("tbody", {}, rows.map((r) => h("tr", {key: r.key}, r.cells.map((c, i) => h("td", {class: heads[i].number ? "number" : null}, c)))))));
}
