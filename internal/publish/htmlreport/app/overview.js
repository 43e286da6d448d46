import {dots, scatter} from "./chart.js";
import {select} from "./filter.js";
import {later} from "./fold.js";
import {rule} from "./judging.js";
import {outcomeBar} from "./outcome.js";
import {card, choose} from "./parts.js";
import {groupFacts} from "./settings.js";
import {grid, tableView} from "./table.js";
import {count, said} from "./text.js";
import {h} from "./ui.js";

// What a reader sees first of runs: how the rows rank by a score and which differences are
// statistically significant, what that costs, where rows differ, and what became of the answers.
export const overview = {
  name: "overview", title: "Overview", letter: "o",
  load: async (app) => ({index: await app.index(), by: new Map([["", await app.part("overview")]])}),
  render(app, data) {
    const about = data.by.get(app.state.score ?? "");
    if (!about) {
      fetchBy(app, data);
      return h("p", {class: "none", "aria-busy": "true"}, "The rows are ranked \u2026");
    }
    const {rankings} = about;
    return [
      rankings.map((r, k) => rankingView(app, data, r, about, k)),
      rankings.length === 0 ? h("p", {class: "lead"}, "These runs have no score to rank rows by.") : null,
      outcomesView(app, data.index),
      h("details", {class: "card folded", ontoggle: (e) => fillTables(app, e.currentTarget)}, h("summary", {}, "All tables, as bench table prints them"), h("div", {key: "tables"})),
      h("details", {class: "card folded"}, h("summary", {}, "What the runs are"), about.runs.map((g) => [h("h4", {}, said(g.title)), groupFacts(g)])),
    ];
  },
};

async function fetchBy(app, data) {
  const column = app.state.score;
  let about;
  try {
    about = await app.source.ranking(column, data.by.get("").columns);
  } catch (err) {
    if (!err.expected) throw err;
    app.say(err.message);
    about = data.by.get("");
  }
  data.by.set(column, about);
  if (app.data === data) app.follow();
}

function fillTables(app, details) {
  const box = details.lastElementChild;
  if (!details.open || box.firstChild) return;
  box.append(later(() => app.part("tables"), (doc) => doc.tables.map(tableView)));
}

const number = (text) => text ? Number.parseFloat(text.replace(/[$,]/g, "")) : NaN;
const cellsOf = (r, name) => r.columns.findIndex((c) => c.name === name);

function rankingView(app, data, r, about, k) {
  const {state} = app, best = r.rows.find((row) => row.place === "best") ?? r.rows.find((row) => row.place !== "apart");
  const beside = ["tokens", "words", "cost", "evidence"].filter((name) => cellsOf(r, name) >= 0 && name !== r.column.name);
  const x = beside.includes(state.beside) ? state.beside : beside[0];
  const kind = (row) => row.place || (row === best ? "first" : "open");
  const series = (row) => data.index.seriesNamed(row.run, row.method, r.model) ?? row.label;
  return h("section", {class: "ranking", key: "ranking " + k},
    h("h2", {class: "lead"}, said(r.text || `${r.dataset}, ${r.model}`)),
    h("p", {class: "sub"}, said(r.title)),
    r.notes?.length ? h("ul", {class: "notes-of"}, r.notes.map((n) => h("li", {}, said(n)))) : null,
    h("div", {class: "cards wide-left"},
      card(`${r.column.name}, ${r.column.lower ? "lower is better, " : ""}best first`,
        k === 0 ? choose("Score", r.column.name, about.columns.includes(r.column.name) ? about.columns.map((c) => [c, c]) : [[r.column.name, r.column.name], ...about.columns.map((c) => [c, c])], (score) => app.set({score})) : null,
        dots(`${r.column.name} with 95 % intervals`, r.rows.map((row) => ({name: row.label, estimate: row.estimate, kind: kind(row), words: row.stands, link: app.link("questions", {wrong: series(row)})})), {line: best?.estimate?.mean}),
        h("p", {class: "fine"}, r.rows.some((row) => Number.isFinite(row.estimate?.low)) ? "Lines are 95 % intervals. A filled dot is significantly worse than the best; a hollow one is not." : "There are no intervals: these need more than one conversation.")),
      x ? card(`${r.column.name} against ${x}`,
        choose("Beside", x, beside.map((name) => [name, {tokens: "tokens of a question", words: "words of an answer", cost: "cost of the row", evidence: "evidence recall"}[name]]), (name) => app.set({beside: name})),
        scatter(`${r.column.name} against ${x}`, r.rows.map((row) => ({name: row.label, x: number(row.cells[cellsOf(r, x)]), y: row.estimate?.mean ?? NaN, kind: kind(row)})), x, r.column.name),
        r.rows.length > 5 ? h("p", {class: "fine"}, "Numbers are places in the ranking: ", said(r.rows.map((row, i) => `${i + 1} ${row.label}`).join(", "))) : null) : null),
    r.parts.length ? h("section", {class: "multiples"}, h("h3", {}, `${r.column.name} by category`),
      h("div", {class: "cards"}, r.parts.map((p) => h("section", {class: "card", key: p.name}, h("h4", {}, h("a", {href: app.link("questions", {category: p.name})}, said(p.name)), h("small", {}, ` ${count(p.n)} questions`)),
        dots(p.name, r.rows.map((row, i) => ({name: row.label, estimate: p.means[i], kind: kind(row)})), {small: true}))))) : null,
    rowsView(app, r, k));
}

// rowsView is the table, whose columns a reader chooses and sorts by.
function rowsView(app, r, k) {
  const {state} = app, asked = new Set((state.columns ?? "").split("|").filter(Boolean)), [by, direction] = (state.sort ?? "").split("|");
  const shown = r.columns.map((c, i) => ({...c, i})).filter((c) => c.more ? asked.has(c.head) : !asked.has("-" + c.head));
  const flip = (c) => {
    const name = c.more ? c.head : "-" + c.head;
    if (!asked.delete(name)) asked.add(name);
    app.set({columns: [...asked].join("|")});
  };
  const at = shown.find((c) => c.name === by)?.i, rows = r.rows.map((row) => ({row, value: at === undefined ? 0 : number(row.cells[at])}));
  if (at !== undefined) rows.sort((a, b) => (Number.isNaN(a.value) - Number.isNaN(b.value)) || (direction === "up" ? a.value - b.value : b.value - a.value));
  const head = (c) => ({number: true, sort: c.name === by ? direction : "", text: h("button", {type: "button", title: c.doc, onclick: () => app.set({sort: `${c.name}|${c.name === by && direction === "down" ? "up" : "down"}`})}, said(c.head))});
  return card(r.rows.length === 1 ? "The row" : "All rows",
    h("details", {class: "columns-of"}, h("summary", {}, "Columns"), h("div", {class: "chips"}, r.columns.map((c) => h("label", {class: "check", key: c.name},
      h("input", {type: "checkbox", checked: shown.some((one) => one.name === c.name), onchange: () => flip(c)}), " ", said(c.more ? c.head : c.head + (r.columns.some((o) => o.more && o.head === c.head) ? " (short)" : "")))))),
    grid(`Rows on ${r.dataset}, ${r.model}`, [{text: "method"}, ...shown.map(head)],
      rows.map(({row}) => ({key: `${k} ${row.label} ${row.run}`, cells: [said(row.label), ...shown.map((c) => said(row.cells[c.i]))]})), true));
}

// outcomesView has a bar for each series, and links to the questions behind its parts.
function outcomesView(app, index) {
  const {counts} = select(index, {}), most = Math.max(1, ...counts.map((c) => c.reduce((x, y) => x + y, 0)));
  return card("What became of the answers",
    h("table", {class: "outcomes"}, h("caption", {class: "unseen"}, "Answers by method and outcome"),
      h("tbody", {}, index.series.map((series, k) => h("tr", {}, h("th", {scope: "row"}, said(series)), h("td", {class: "of-bar"}, outcomeBar(index, counts[k], most, series)),
        h("td", {class: "of-counts"}, counts[k].map((n, o) => n ? h("a", {class: "outcome " + index.outcomes[o].name, href: app.link("questions", {method: series, outcome: index.outcomes[o].name}), title: index.outcomes[o].about}, count(n), " ", index.outcomes[o].title) : null)))))),
    h("p", {class: "fine"}, rule(index)));
}
