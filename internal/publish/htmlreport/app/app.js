import {Index} from "./data.js";
import {colours, lettersOff, showKeys} from "./display.js";
import {draw, h} from "./ui.js";
import {join, split} from "./print.js";
import {byId, visible} from "./text.js";

// A page is an object in the list of main.js:
//
//   name    in the address: #/run/KEY/NAME?STATE, or #/NAME?STATE in a file; what follows
//           it, as in #/NAME/ID, is app.id
//   title   in the navigation
//   letter  of the keys g and LETTER, which open it
//   needs   what the source has to have, see source.js; none for every source
//   apart   whether it is of no run
//   load    async load(app) returns what render takes, once for each run
//   render  render(app, data) returns what the page shows, at each change of its state
//   drawn   drawn(app, data) is called after that
//   every   ms after which async again(app, data) returns newer data
//   press   press(app, data, event) takes keys
//   keys    what these are, as pairs of keys and what they do
//   leave   leave(app, data) is called before another page is opened

// parse cuts a fragment into the key of runs, the page's name and its state.
export function parse(hash) {
  const m = /^#\/(?:run\/([\w+-]+)\/?)?(\w*)(?:\/([\w-]+))?(?:\?(.*))?$/.exec(hash);
  if (m) return {key: m[1] ?? "", name: m[2] === "requests" ? "questions" : m[2], id: m[3] ?? "", state: Object.fromEntries(new URLSearchParams(m[4] ?? ""))};
  // Links of older files have the state of the list alone.
  if (hash.includes("=")) return {key: "", name: "questions", state: Object.fromEntries(new URLSearchParams(hash.slice(1)))};
  return {key: "", name: "", state: {}};
}

// An App shows one page at a time, the one that the address names.
export class App {
  constructor(pages, newSource) {
    this.pages = pages;
    this.newSource = newSource; // of a key
    this.key = null;
    this.page = null;
    this.state = {}; // of the page, texts as the address has them
    this.ready = null; // ms after which the first page was there
    addEventListener("hashchange", () => this.follow());
    document.addEventListener("keydown", (e) => this.press(e));
    byId("keys-of").addEventListener("click", () => this.showKeys());
    colours();
    addEventListener("beforeprint", () => split(byId("main")));
    addEventListener("afterprint", () => join(byId("main")));
  }

  // part reads a part of the runs, once.
  part(name) {
    if (!this.parts.has(name)) this.parts.set(name, this.source.part(name));
    return this.parts.get(name);
  }

  // index is that of requests.
  async index() {
    this.made ??= new Index(await this.part("index"));
    this.names = [...new Set(this.made.cells.map((c) => c.run))].join(", ");
    this.frame();
    return this.made;
  }

  // offered are the pages that the navigation has.
  offered() { return this.pages.filter((p) => p.title && (p.apart || this.key !== "" || !this.source.can("runs")) && this.can(p)); }

  can(page) { return !page.needs || this.source.can(page.needs); }

  // link is the address of a page, of the same runs unless another key is given.
  link(name, state = {}, key = this.key) {
    const page = this.pages.find((p) => p.name === name.split("/")[0]);
    const query = new URLSearchParams(state).toString();
    return "#/" + (key && !page.apart ? `run/${key}/` : "") + name + (query ? "?" + query : "");
  }

  // go opens a page, which the browser's Back leaves again.
  go(name, state, key) {
    const link = this.link(name, state, key);
    if (link === location.hash) return;
    history.pushState(null, "", link);
    this.follow();
  }

  // note puts the page's state into the address and leaves what is shown to the page.
  note(state, push) {
    this.state = state;
    const link = this.link(this.page.name + (this.id ? "/" + this.id : ""), state);
    if (link !== location.hash) history[push ? "pushState" : "replaceState"](null, "", link);
  }

  // set changes the state and shows the page anew.
  set(changes, push) {
    const state = {...this.state, ...changes};
    for (const [name, value] of Object.entries(state)) if (!value) delete state[name];
    this.note(state, push);
    return this.follow();
  }

  // follow shows what the address names.
  async follow() {
    const at = parse(location.hash);
    if (this.page && location.hash.startsWith("#_")) return; // a place on the page
    if (at.key !== this.key) {
      this.leave();
      this.key = at.key;
      this.source = this.newSource(at.key);
      this.parts = new Map();
      this.loaded = new Map();
      this.made = null;
      this.names = "";
      draw(byId("main")); // or elements of other runs would stand for those of these
    }
    const page = this.offered().find((p) => p.name === at.name) ?? this.offered()[0] ?? this.pages[0];
    if (page !== this.page) this.leave();
    this.page = page;
    this.state = at.state;
    this.id = at.id; // what stands behind the page's name
    this.frame();
    try {
      if (!this.loaded.has(page)) {
        this.loaded.set(page, page.load?.(this));
        draw(byId("main"), h("p", {class: "none", key: "loading", "aria-busy": "true"}, "Loading \u2026"));
      }
      const data = await this.loaded.get(page);
      if (this.page !== page || this.state !== at.state) return; // another page or state by now
      this.data = data;
      byId("main").className = page.name;
      document.body.className = "on-" + page.name + (page.name === "questions" && at.state.r ? " opened" : "");
      draw(byId("main"), page.render(this, data));
      page.drawn?.(this, data);
      this.watch(page, data);
    } catch (err) {
      this.loaded.delete(page);
      draw(byId("main"), h("p", {class: "error"}, "This page cannot be shown: " + visible(err.message)),
        this.source.can("live") && this.key ? h("p", {}, h("a", {href: this.link("live")}, "How the run stands")) : "");
      if (!err.expected) throw err;
    }
    this.ready ??= performance.now();
  }

  // watch asks for newer data while the page is shown.
  watch(page, data) {
    clearTimeout(this.timer);
    if (!page.every) return;
    this.timer = setTimeout(async () => {
      try {
        const news = document.hidden ? data : await page.again(this, data);
        if (this.page !== page || this.data !== data) return;
        if (news === data) {
          this.watch(page, data);
          return;
        }
        this.loaded.set(page, news);
        await this.follow();
      } catch (err) {
        this.say(err.message);
        this.watch(page, data);
      }
    }, page.every);
  }

  leave() {
    clearTimeout(this.timer);
    if (this.page && this.data !== undefined) this.page.leave?.(this, this.data);
    this.page = null;
    this.data = undefined;
    this.say("");
  }

  // frame draws what stands around the page.
  frame() {
    const link = (p) => h("a", {href: this.link(p.name), key: p.name, "aria-current": p === this.page ? "page" : null}, p.title), all = this.offered();
    draw(byId("places"), all.filter((p) => p.apart).map(link));
    draw(byId("nav"), this.page?.apart ? "" : all.filter((p) => !p.apart).map(link));
    byId("title").textContent = visible(this.page?.apart ? this.page.title : this.names || (this.source.can("runs") ? "\u2026" : document.title));
    byId("title").classList.toggle("unseen", !!this.page?.apart);
    byId("nav").hidden = !!this.page?.apart;
    const nav = byId("nav"), current = nav.querySelector("[aria-current]");
    if (current) nav.scrollLeft = current.offsetLeft - nav.offsetLeft - 60; // where the pages need more room
  }

  say(text) { byId("status").textContent = text; }

  // showKeys lists the keys of the page.
  showKeys() {
    showKeys([...this.page?.keys ?? [], ["[ ]", "previous and next step of a query"],
      ...this.offered().filter((p) => p.letter).map((p) => ["g " + p.letter, p.title]), ["?", "this list"]]);
  }

  // press opens pages by g and their letter, and hands other keys to the page.
  press(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || byId("keys").open) return;
    const typing = e.target.matches("input, select, textarea");
    if (!typing && e.key.length === 1 && e.key !== " " && lettersOff()) return;
    const chord = this.chord && !typing;
    this.chord = e.key === "g" && !typing;
    const page = chord && this.offered().find((p) => p.letter === e.key);
    if (page) {
      e.preventDefault();
      this.go(page.name);
    } else if (e.key === "?" && !typing) {
      this.showKeys();
    } else if ((e.key === "[" || e.key === "]") && !typing) {
      this.step(e.key === "]" ? 1 : -1);
    } else if (this.data !== undefined && !this.chord) {
      this.page.press?.(this, this.data, e);
    }
  }

  // step chooses the next step of the query that is shown.
  step(by) {
    const steps = [...byId("main").querySelectorAll(".inside .steps button, .chat-memory .steps button")];
    steps[steps.findIndex((b) => b.getAttribute("aria-pressed") === "true") + by]?.click();
  }
}
