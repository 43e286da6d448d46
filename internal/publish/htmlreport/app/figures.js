import {scroll} from "./parts.js";
import {said, visible} from "./text.js";
import {h} from "./ui.js";

// The figures that bench plot draws, as sources of images: these run no script and load nothing.
export const figures = {
  name: "figures", title: "Figures", letter: "f",
  load: async (app) => (await Promise.all([app.part("figures"), app.index()]))[0],
  render: (app, all) => all.length ? h("div", {class: "figures"}, all.map((f) => h("figure", {},
    scroll(f.title, h("img", {src: "data:image/svg+xml;base64," + f.svg, alt: visible(f.title)})),
    h("figcaption", {}, said(f.title), (f.notes ?? []).map((n) => h("div", {class: "fine"}, said(n)))))))
    : h("p", {class: "lead"}, "Nothing can be drawn of these runs."),
};
