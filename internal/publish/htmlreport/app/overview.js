import {groupFacts} from "./settings.js";
import {tableView} from "./table.js";
import {said} from "./text.js";
import {h} from "./ui.js";

// What a reader sees first of runs.
export const overview = {
  name: "overview", title: "Overview", letter: "o",
  async load(app) {
    const [about, tables] = await Promise.all([app.part("overview"), app.part("tables")]);
    return {about, tables};
  },
  render: (app, {about, tables}) => [
    h("h2", {}, "Overview"),
    about.runs.map((g) => [h("h3", {}, said(g.title)), groupFacts(g)]),
    tables.tables.map(tableView),
  ],
};
