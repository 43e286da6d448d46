import {fill, part} from "./fold.js";
import {card} from "./parts.js";
import {structureView} from "./structure.js";
import {grid} from "./table.js";
import {dollars} from "./transcript.js";
import {facts, passage, said, visible} from "./text.js";
import {draw, h} from "./ui.js";

// Semantic XPath Chat: a conversation with a memory, beside the memory after a turn and
// what the turn's query did. A chosen turn or node is chosen in all three.
export const chat = {
  name: "chat", title: "Chat", letter: "t", needs: "chat", apart: true,
  load: (app) => new Chat(app),
  render: (app, c) => c.element,
  drawn: (app, c) => c.follow(),
  press: (app, c, event) => c.press(event),
  keys: [["u", "undo"], ["U", "redo"]],
  leave: (app, c) => c.stop(),
};

class Chat {
  constructor(app) {
    this.app = app;
    this.source = app.source;
    this.id = null;
    this.view = null; // of the server: turns, head, redo
    this.parts = {};
    for (const name of ["bar", "talk", "memory", "turn"]) this.parts[name] = h("section", {class: "chat-" + name, "aria-label": {bar: "chat", talk: "conversation", memory: "memory", turn: "turn"}[name]});
    this.fault = h("p", {class: "error", role: "alert", hidden: true});
    this.progress = h("p", {class: "fine", role: "status"});
    this.element = h("div", {key: "chat"}, this.fault, this.parts.bar,
      h("div", {class: "chat-views"}, this.parts.talk, this.parts.memory, this.parts.turn));
  }

  // follow shows the chat that the address names, or all.
  async follow() {
    if (this.app.id !== this.id) {
      this.stop();
      this.id = this.app.id;
      this.view = null;
      for (const box of Object.values(this.parts)) fill(box);
      await this.attempt(() => this.id ? this.read() : this.begin());
      if (this.id) this.listen();
    } else if (this.view) {
      await this.attempt(() => this.show());
    }
  }

  // attempt does something and says what the server has against it.
  async attempt(act) {
    try {
      this.fault.hidden = true;
      await act();
    } catch (err) {
      if (!err.expected) throw err;
      this.fault.hidden = false;
      fill(this.fault, said(err.message));
    }
  }

  post(path, body) { return this.attempt(() => this.source.ask(`chat/${this.id}/${path}`, body)); }

  // begin offers the chats that there are, examples, and a memory of one's own.
  async begin() {
    const [chats, examples, choices] = await Promise.all([this.source.ask("chat"), this.source.ask("chat/examples"), this.source.ask("chat/choices", {dataset: "sample"})]);
    const start = (body, requests) => this.attempt(async () => {
      const {id} = await this.source.ask("chat", body);
      this.app.go("chat/" + id, requests ? {text: requests[0]} : {});
    });
    const list = (name, values, value, more) => h("select", {name, value, ...more}, values.map((v) => h("option", {value: v}, visible(v)))), field = (title, input) => h("label", {class: "field"}, h("span", {}, title), input);
    const samples = list("sample", choices.samples), sizes = {tasks: {turns: "multi"}};
    const dataset = list("dataset", choices.datasets, "sample", {onchange: () => this.attempt(async () => {
      const {samples: all} = await this.source.ask("chat/choices", {dataset: dataset.value, options: sizes[dataset.value]});
      samples.replaceChildren(...all.map((id) => h("option", {value: id}, visible(id))));
    })});
    const method = list("method", choices.methods, "flat-rag");
    const form = h("form", {class: "fields", onsubmit: (e) => {
      e.preventDefault();
      const f = Object.fromEntries(new FormData(form));
      start({source: f.xml ? {xml: f.xml} : {dataset: f.dataset, sample: f.sample, options: sizes[f.dataset]}, method: f.method, model: f.model, today: f.today});
    }}, field("Data", dataset), field("Conversation or tree", samples), field("Method", method), field("Answered by", list("model", choices.models)), field("Today", h("input", {name: "today", type: "date"})),
      h("details", {class: "wide"}, h("summary", {}, "A tree of your own in place of the data"), h("textarea", {name: "xml", rows: 6, "aria-label": "tree, as XML", placeholder: "<Itinerary>\u2026</Itinerary>"})), h("button", {class: "main"}, "Begin"));
    fill(this.parts.bar, h("h2", {class: "lead"}, "Talk to a memory"), h("p", {class: "sub"}, "Begin with an example, or with data of your choice. Turns can be undone, and go on in branches."),
      h("div", {class: "examples"}, examples.map((e) => h("section", {class: "card"}, h("h3", {}, said(e.name)), h("p", {}, said(e.doc)), h("p", {class: "fine"}, said(e.method)),
        h("button", {type: "button", onclick: () => start({source: e.source, method: e.method, today: e.today}, e.requests)}, "Begin ", said(e.name))))),
      card("A memory of your choice", form),
      chats.length ? card(`Earlier chats (${chats.length})`, grid("Earlier chats", [{text: "begun"}, {text: "memory"}, {text: "method"}, {text: "answered by"}], chats.map((c) => ({key: c.id, cells: [
        h("a", {href: this.app.link("chat/" + c.id)}, said(c.time.slice(0, 16).replace("T", " "))), said(c.source.sample || "a tree"), said(c.method), said(c.model || "stand-in")]})), true)) : "");
  }

  async read() {
    this.view = await this.source.ask("chat/" + this.id);
    await this.show();
  }

  // listen follows the events of the chat until the page is left.
  listen() {
    this.stream = new AbortController();
    const read = () => this.attempt(() => this.read());
    this.source.stream(`chat/${this.id}/events`, this.stream.signal, {last: 0, heard: (name, data) => this.heard(name, data), poll: read, lost: (text) => this.say(text)});
  }

  async heard(name, data) {
    if (name === "state") this.say("");
    if (name === "stage" && !data.done) this.say(data.stage + " \u2026");
    else if (name === "call") this.say(`${data.stage}: ${data.reused ? "recorded" : "paid"}, ${Math.round(data.ms)} ms`);
    else if (name === "paid") this.say(dollars(data.usd));
    else if (name === "begun") this.say("asked");
    else if (["state", "answer", "failed", "cancelled", "head"].includes(name)) await this.attempt(() => this.read());
  }

  say(text) { this.progress.textContent = visible(text); }

  stop() { this.stream = this.stream?.abort(); }

  turn(id) { return this.view.turns.find((t) => t.id === id); }

  // chosen is the turn that the address names, else the head.
  chosen() { return Number(this.app.state.turn ?? this.view.head); }

  // path are the turns from the first to the head.
  path() {
    const path = new Set();
    for (let t = this.turn(this.view.head); t; t = this.turn(t.parent)) path.add(t.id);
    return path;
  }

  async show() {
    const at = this.chosen();
    this.showBar();
    this.showTalk(at);
    if (!this.view.source.tree) {
      this.showTurn(at);
      return;
    }
    const before = this.app.state.before === "1";
    const of = before ? this.turn(at)?.parent ?? 0 : at;
    const s = await this.source.ask(`chat/${this.id}/structure?turn=${of}`);
    if (at !== this.chosen()) return; // another turn was chosen meanwhile
    this.showMemory(at, before, s);
    this.showTurn(at);
  }

  showBar() {
    const v = this.view, head = this.turn(v.head);
    const button = (text, able, act) => h("button", {type: "button", disabled: !able, onclick: act}, text);
    draw(this.parts.bar, h("div", {class: "bar"},
      h("a", {href: this.app.link("chat")}, "\u2190 All chats"), h("strong", {}, said(v.source.sample || "A tree")), h("span", {class: "fine"}, said(v.method), ", answered by ", said(v.model || "stand-in")),
      button("Undo", head && !v.busy, () => this.undo()), button("Redo", v.redo && !v.busy, () => this.redo()),
      v.busy ? button("Cancel the turn", true, () => this.post("cancel", {})) : null,
      v.turns.length ? [button("Export", true, () => this.export("chat")), button("Export with calls", true, () => this.export("calls"))] : null,
      v.turns.length && v.source.dataset ? button("Ask all again", !v.busy, () => this.again()) : null));
  }

  // again begins a chat like this one and asks the same, one after the other.
  again() {
    return this.attempt(async () => {
      const v = this.view, path = this.path(), {id} = await this.source.ask("chat", {source: v.source, method: v.method, options: v.options, model: v.model, mode: v.mode, seed: v.seed, today: v.today});
      this.app.go("chat/" + id, {});
      for (let parent = 0, left = v.turns.filter((t) => path.has(t.id)); left.length; left = left.slice(1)) {
        parent = (await this.source.ask(`chat/${id}/turn`, {parent, text: left[0].text})).turn;
        while ((await this.source.ask("chat/" + id)).busy) await new Promise((done) => setTimeout(done, 200));
      }
    });
  }

  undo() { return this.post("head", {turn: this.turn(this.view.head).parent}).then(() => this.app.set({turn: ""})); }

  redo() { return this.post("head", {turn: this.view.redo}).then(() => this.app.set({turn: ""})); }

  press(e) {
    if (!this.view || e.target.matches("input, select, textarea")) return;
    if (e.key === "u" && this.turn(this.view.head)) this.undo();
    else if (e.key === "U" && this.view.redo) this.redo();
  }

  // export hands out a file.
  export(as) {
    return this.attempt(async () => {
      const reply = await this.source.fetch(`chat/${this.id}/export?as=${as}`);
      const url = URL.createObjectURL(await reply.blob());
      const link = h("a", {href: url, download: `chat-${this.id}-${as}.zip`});
      link.click();
      URL.revokeObjectURL(url);
    });
  }

  showTalk(at) {
    const path = this.path(), node = this.app.state.node;
    const touched = (t) => node && ((t.record.nodes ?? []).includes(node) || (t.record.edits ?? []).some((e) => JSON.stringify(e).includes(`"${node}"`)));
    if (!this.form) {
      const text = h("textarea", {rows: 3, "aria-label": "what to ask", placeholder: "Ask, or say what to change. Enter sends."});
      text.value = this.app.state.text ?? "";
      text.addEventListener("keydown", (e) => { if (e.key === "Enter" && !e.shiftKey) { e.preventDefault(); this.form.requestSubmit(); } });
      this.form = h("form", {class: "say", onsubmit: async (e) => {
        e.preventDefault();
        await this.attempt(async () => {
          await this.source.ask(`chat/${this.id}/turn`, {parent: this.view.head, text: text.value});
          text.value = "";
          this.app.set({turn: "", text: ""});
        });
      }}, text, h("button", {class: "main"}, "Ask"));
    }
    draw(this.parts.talk, h("h2", {}, "Conversation"),
      h("ol", {class: "turns"}, this.view.turns.map((t) => h("li", {key: t.id, class: [t.id === at ? "chosen" : "", path.has(t.id) ? "" : "aside", touched(t) ? "touched" : ""].join(" ").trim() || null},
        h("button", {type: "button", class: "plain", "aria-pressed": String(t.id === at), onclick: () => this.app.set({turn: String(t.id)}, true)}, said(t.text)),
        h("p", {}, t.record.error ? h("strong", {}, said(t.record.error.kind + ": " + t.record.error.message)) : said(t.record.answer ?? "")),
        h("p", {class: "fine"}, `turn ${t.id}, version ${t.version}`, kinds(t).map((k) => h("span", {class: "kind"}, " ", k)), touched(t) ? " \u2605 reads or changes the node" : "",
          path.has(t.id) ? "" : [" on another branch ", h("button", {type: "button", class: "plain", onclick: () => this.post("head", {turn: t.id}).then(() => this.app.set({turn: ""}))}, "go there")])))),
      this.progress, this.form);
  }

  showMemory(at, before, s) {
    const query = h("input", {class: "grow", "aria-label": "a query of your own", placeholder: "//POI[node ~= \"art\"]"});
    const result = h("div", {});
    fill(this.parts.memory, h("h2", {}, `Memory ${before ? "before" : "after"} ${at ? "turn " + at : "the first turn"}`),
      at ? h("button", {type: "button", onclick: () => this.app.set({before: before ? "" : "1"})}, before ? "Show it after" : "Show it before") : null,
      structureView(s, (id) => this.choose(id), this.app.state.node),
      h("form", {class: "bar", onsubmit: (e) => {
        e.preventDefault();
        this.attempt(async () => fill(result, structureView(await this.source.ask(`chat/${this.id}/query`, {version: s.version, query: query.value}), (id) => this.choose(id))));
      }}, query, h("button", {}, "What if")), result);
  }

  // choose marks the turns that read or changed a node.
  choose(id) {
    this.app.note({...this.app.state, node: id});
    this.showTalk(this.chosen());
  }

  showTurn(at) {
    const t = this.turn(at);
    if (!t) return fill(this.parts.turn, h("h2", {}, "Turn"), h("p", {class: "none"}, "What a turn read and changed stands here."));
    const r = t.record;
    return fill(this.parts.turn, h("h2", {}, `Turn ${at}`),
      facts([
        ["asked", said(t.text)], ["answer", r.error ? said(r.error.message) : passage(r.answer ?? "")], ["version", t.summary ? [`${t.version}: `, said(t.summary)] : String(t.version)],
        ["cost", dollars(r.cost)], ["time", `${Math.round(r.time.total_ms)} ms`],
      ]),
      t.evidence?.length ? part(`Evidence (${t.evidence.length})`, false, () => h("ol", {}, t.evidence.map((e) => h("li", {}, said(e.ID), passage(e.Text))))) : null,
      r.edits?.length ? part(`Edits (${r.edits.length})`, true, () => passage(JSON.stringify(r.edits, null, 2))) : null,
      r.trace?.length ? part(`Trace (${r.trace.length})`, false, () => h("ol", {}, r.trace.map((s) => h("li", {}, h("strong", {}, said(s.name)), s.note ? passage(s.note) : null)))) : null);
  }
}

// kinds are what a turn did: read, create, update, delete.
function kinds(t) {
  const ops = [...new Set((t.record.edits ?? []).map((e) => e.op))];
  return ops.length ? ops : t.record.nodes?.length ? ["read"] : [];
}
