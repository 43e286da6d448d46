import {card} from "./parts.js";
import {facts, said, visible} from "./text.js";
import {h} from "./ui.js";

// groupFacts are facts as a book has them: a name and its values.
export const groupFacts = (group) => facts(group.facts.map((f) => [f.name, f.values.map((v) => h("div", {dir: "auto"}, visible(v)))]));

// The settings that the runs were made with.
export const settings = {
  name: "settings", title: "Settings", letter: "s",
  load: async (app) => (await Promise.all([app.part("settings"), app.index()]))[0],
  render: (app, runs) => [
    runs.map((r) => h("section", {},
      h("h2", {class: "lead"}, said(r.name)),
      h("div", {class: "cards"}, r.groups.map((g) => card(g.title, groupFacts(g)))),
      r.config ? h("details", {}, h("summary", {}, "config.yaml"), h("pre", {dir: "auto"}, visible(r.config))) : null)),
  ],
};
