import {forest} from "./chart.js";
import {select} from "./filter.js";
import {judgeBy, rule} from "./judging.js";
import {badge} from "./request.js";
import {groupFacts} from "./settings.js";
import {tableView} from "./table.js";
import {count, said, visible} from "./text.js";
import {h, s} from "./ui.js";

// What a reader sees first of runs: which method is better and whether that is shown, then
// what became of the requests, then the tables.
export const overview = {
  name: "overview", title: "Overview", letter: "o",
  async load(app) {
    const [about, tables, index] = await Promise.all([app.part("overview"), app.part("tables"), app.index()]);
    return {about, tables, index};
  },
  render: (app, {about, tables, index}) => [
    h("h2", {class: "unseen"}, "Overview"),
    (about.verdicts ?? []).map((v) => verdictView(v, about.verdicts.length > 1)),
    outcomesView(app, index),
    tables.tables.map(tableView),
    (about.verdicts ?? []).filter((v) => v.differences).map(forestView),
    h("details", {}, h("summary", {}, "What the runs are"), about.runs.map((g) => [h("h3", {}, said(g.title)), groupFacts(g)])),
  ],
};

function verdictView(v, named) {
  return h("section", {class: "verdict", "aria-label": "verdict"},
    named ? h("h3", {}, said(`${v.dataset}, ${v.model}`)) : null,
    h("p", {class: "said-first"}, said(v.text)),
    v.notes?.length ? h("ul", {}, v.notes.map((n) => h("li", {}, said(n)))) : null,
    v.pairs ? h("details", {}, h("summary", {}, "Why: the pairs as bench compare tests them"), tableView(v.pairs)) : null);
}

function forestView(v) {
  const name = `Differences in ${v.column} on ${v.dataset}, ${v.model}, with 95 % intervals`;
  return h("section", {"aria-label": "differences"},
    forest(name, v.differences.map((d) => ({
      title: `${d.side} \u2212 ${d.base}`, value: d.mean, low: d.low ?? NaN, high: d.high ?? NaN, shown: ["better", "worse", "other"].includes(d.verdict),
    }))),
    h("p", {class: "fine"}, said(`${name}. A full dot is shown to differ after Holm's adjustment.`)));
}

// outcomesView has a bar for each series, and links to the requests behind its parts.
function outcomesView(app, index) {
  const {column} = judgeBy(index, app.state), {counts} = select(index, {});
  const most = Math.max(1, ...counts.map((c) => c.reduce((x, y) => x + y, 0)));
  const bar = (numbers, series) => {
    let x = 0;
    const parts = numbers.map((n, o) => {
      const part = n ? s("rect", {class: "part " + index.outcomes[o].name, x: (100 * x / most).toFixed(3), width: (100 * n / most).toFixed(3), height: 10}, s("title", {}, `${index.outcomes[o].title}: ${n}`)) : null;
      x += n;
      return part;
    });
    return s("svg", {class: "outcome-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": "outcomes of " + visible(series)}, parts);
  };
  return h("section", {"aria-label": "outcomes"},
    h("table", {class: "outcomes"},
      h("caption", {}, "What became of the requests. ", said(rule(index)), column.trust ? [" Its judge: ", said(column.trust), "."] : ""),
      h("tbody", {}, index.series.map((series, k) => h("tr", {},
        h("th", {scope: "row"}, h("a", {href: app.link("requests", {method: series})}, said(series))),
        h("td", {class: "of-bar"}, bar(counts[k], series)),
        h("td", {}, counts[k].map((n, o) => n ? h("a", {class: "count", href: app.link("requests", {method: series, outcome: index.outcomes[o].name}), title: index.outcomes[o].title},
          badge(index.outcomes[o], false), " ", count(n)) : null)))))),
    index.series.length > 1 ? h("p", {}, h("a", {href: app.link("compare")}, "Two methods compared, flip by flip"), " \u00b7 ", h("a", {href: app.link("requests", {differ: "1", sort: "spread|down"})}, "Requests on which methods disagree")) : null);
}
