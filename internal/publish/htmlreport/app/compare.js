import {VERDICTS, flips, worstFirst} from "./flips.js";
import {judgeBy, judges, rule} from "./judging.js";
import {badge} from "./request.js";
import {grid, tableView} from "./table.js";
import {count, milliseconds, number, said, visible} from "./text.js";
import {h} from "./ui.js";

const SHOWN = 100; // flips that are shown at first

// Two sides, each a method of a run: how many requests flipped, and which.
export const compare = {
  name: "compare", title: "Compare", letter: "c",
  load: async (app) => ({index: await app.index(), tests: new Map()}),
  render,
  drawn: (app, data) => test(app, data),
  keys: [["x", "swap the sides"]],
  press(app, data, e) {
    if (e.key === "x" && !e.target.matches("input, select")) swap(app, data);
  },
};

function sides(app, {index}) {
  const at = (name, otherwise) => index.series.includes(app.state[name]) ? index.series.indexOf(app.state[name]) : otherwise;
  return [at("a", 0), at("b", index.series.length - 1)];
}

function swap(app, data) {
  const [a, b] = sides(app, data);
  app.set({a: data.index.series[b], b: data.index.series[a]}, true);
}

// test asks the server for the rows of bench compare, once for two sides and a column.
async function test(app, data) {
  const {index, tests} = data, [a, b] = sides(app, data), id = [a, b, index.judging.column].join();
  if (a === b || tests.has(id) || !app.source.can("runs")) return;
  tests.set(id, null);
  const names = [...new Set(index.cells.map((c) => c.run))], keys = app.key.split("+");
  const side = (series) => {
    const cell = index.cells.find((c) => c.series === series);
    return encodeURIComponent(`${keys[names.indexOf(cell.run)]}:${cell.method}@${cell.model}`);
  };
  try {
    tests.set(id, await app.source.get(`contrast?a=${side(a)}&b=${side(b)}&column=${encodeURIComponent(index.judging.column)}`));
  } catch (err) {
    tests.set(id, {error: err.message});
  }
  if (app.data === data) app.follow();
}

function render(app, data) {
  const {index, tests} = data, {state} = app;
  if (index.series.length < 2) return h("p", {class: "none"}, "There is one method of one run here, and nothing to compare it with.");
  const {column} = judgeBy(index, state), [a, b] = sides(app, data);
  const choose = (name, title, value, values) => h("label", {}, title,
    h("select", {value, onchange: (e) => app.set({[name]: e.target.value}, true)}, values.map((v) => h("option", {value: v, key: v}, visible(v)))));
  const sets = flips(index, a, b), kind = state.show ?? "flips";
  const kept = (p) => kind === "flips" ? p.verdict === "lost" || p.verdict === "gained" : p.verdict === kind;
  const pairs = worstFirst(sets.flatMap((s) => s.pairs)).filter(kept), most = Number.parseInt(state.most) || SHOWN;
  const tested = tests.get([a, b, column.name].join());
  const head = (text) => ({text, number: true});
  return [
    h("h2", {class: "unseen"}, "Compare"),
    h("form", {class: "line-of-fields", "aria-label": "what is compared", onsubmit: (e) => e.preventDefault()},
      choose("a", "A", index.series[a], index.series), choose("b", "B", index.series[b], index.series),
      h("button", {type: "button", onclick: () => swap(app, data)}, "Swap (x)"),
      h("label", {}, "Right by", h("select", {value: state.judge ?? "", onchange: (e) => app.set({judge: e.target.value}, true)}, judges(index).map(([value, title]) => h("option", {value, key: value}, visible(title)))))),
    a === b ? h("p", {class: "none"}, "Choose two sides.") : [
      grid("Requests that both sides were asked", [{text: "dataset"}, ...["lost", "gained", "net", "both right", "both wrong", "unclear", "only in A", "only in B", "other question", "p (McNemar)"].map(head)],
        sets.map((s) => ({key: s.dataset, cells: [said(s.dataset), ...[s.counts.lost, s.counts.gained].map(count), (s.net > 0 ? "+" : "") + s.net,
          ...[s.counts["both-right"], s.counts["both-wrong"], s.unclear, s.onlyA, s.onlyB, s.changed].map(count), s.p.toPrecision(2)]}))),
      h("p", {class: "fine"}, said(rule(index)), " Lost is right in A and not in B. McNemar's test takes requests for independent of each other, which requests about one conversation are not; ",
        app.source.can("runs") ? "the test of bench compare below does not." : h("span", {}, "the tests of bench compare, on ", h("a", {href: app.link("overview")}, "Overview"), ", do not.")),
      tested?.tables ? tested.tables.map(tableView) : tested?.error ? h("p", {class: "error"}, said(tested.error)) : null,
      options(index, a, b),
      h("div", {class: "line-of-fields", role: "group", "aria-label": "which requests"},
        [{name: "flips", title: "flips"}, ...VERDICTS].map((v) => h("button", {type: "button", "aria-pressed": v.name === kind ? "true" : "false", title: v.about, onclick: () => app.set({show: v.name, most: ""}, true)}, v.title))),
      h("ol", {class: "flips"}, pairs.slice(0, most).map((p) => flipView(app, index, column, p))),
      pairs.length === 0 ? h("p", {class: "none"}, "None.") : null,
      pairs.length > most ? h("button", {type: "button", onclick: () => app.set({most: String(most * 4)})}, `show more of ${count(pairs.length)}`) : null,
    ],
  ];
}

// options lists the options in which the sides differ.
function options(index, a, b) {
  const of = (series) => index.cells.find((c) => c.series === series), [x, y] = [of(a), of(b)];
  const all = {...x.options, ...y.options}, text = (v) => v === undefined ? "\u2013" : JSON.stringify(v);
  const names = ["use", "model", "seed"].filter((n) => x[n] !== y[n]).map((n) => [n, x[n], y[n]])
    .concat(Object.keys(all).sort().filter((n) => text(x.options?.[n]) !== text(y.options?.[n])).map((n) => [n, text(x.options?.[n]), text(y.options?.[n])]));
  return names.length ? h("details", {}, h("summary", {}, `Options that differ (${names.length})`),
    grid("", [{text: "option"}, {text: "A"}, {text: "B"}], names.map((n) => ({key: n[0], cells: n.map((t) => said(t))})))) : null;
}

function flipView(app, index, column, p) {
  const k = index.columns.indexOf(column), side = (name, i) => h("div", {class: "side"},
    h("strong", {}, name), " ", badge(index.outcomes[index.outcome[i]], false), " ", number(index.scores[k][i], column), " ",
    index.kind[i] >= 0 ? said("error: " + index.kinds[index.kind[i]]) : said(index.answer[i].slice(0, 300)),
    h("span", {class: "fine"}, ` ${milliseconds(index.time[i])}, ${count(index.tokens[i])} tokens`));
  const evidence = h("details", {}, h("summary", {}, "Evidence that differs"));
  evidence.addEventListener("toggle", async () => {
    if (evidence.children.length > 1) return;
    evidence.append(...await evidenceView(app, p));
  });
  return h("li", {key: `${p.a} ${p.b}`},
    h("a", {href: app.link("requests", {r: index.key(p.b)})}, said(index.questions.question[p.q].slice(0, 300))),
    h("div", {}, h("strong", {}, "gold"), " ", said(index.questions.gold[p.q].slice(0, 300))), side("A", p.a), side("B", p.b), evidence);
}

// evidenceView lists the blocks that one side alone has, with the gold turns in them.
async function evidenceView(app, p) {
  const all = await Promise.all([p.a, p.b].map((i) => app.source.request(i))), gold = all[0].gold.evidence ?? [];
  const texts = all.map((r) => new Set(r.evidence.map((e) => e.text)));
  return all.map((r, k) => {
    const only = r.evidence.filter((e) => !texts[1 - k].has(e.text));
    return h("div", {}, h("strong", {}, `only ${"AB"[k]}: ${only.length} of ${r.evidence.length} blocks`),
      h("ul", {}, only.map((e) => h("li", {}, said(e.name), (e.sources ?? []).filter((id) => gold.includes(id)).map((id) => h("mark", {class: "gold"}, "\u2605 ", said(id))), " ", said(e.text.slice(0, 300))))));
  });
}
