// A Source is where the page reads its data: part(name) and request(n), the number of
// a request in the index. A request comes with its gold answer and its blocks. can(name)
// tells what else a source has.

import {byId} from "./text.js";

// The data of a file lies in script elements that no browser runs: JSON, gzip,
// base64. The index is read at the start, the rest chunk by chunk when it is
// looked at.

async function inflate(id) {
  const binary = atob(byId(id).textContent);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

// inflateAll returns the texts of all chunks in lower case.
const inflateAll = async (prefix, firsts) => (await Promise.all(firsts.map((_, i) => inflate(prefix + i)))).flat().map((t) => t.toLowerCase());

// Chunks are values that are numbered through and lie in several elements.
class Chunks {
  static KEPT = 48;

  constructor(prefix, firsts) {
    this.prefix = prefix;
    this.firsts = firsts; // number of the first value of each chunk
    this.read = new Map(); // the last that were read, as promises, by chunk
  }

  async get(n) {
    let low = 0, high = this.firsts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.firsts[middle] <= n) low = middle; else high = middle - 1;
    }
    const values = this.read.get(low) ?? inflate(this.prefix + low);
    this.read.delete(low);
    this.read.set(low, values);
    if (this.read.size > Chunks.KEPT) this.read.delete(this.read.keys().next().value);
    return (await values)[n - this.firsts[low]];
  }
}

export class FileSource {
  // A file has what bench report was told to write.
  can(feature) { return {calls: byId("c0"), structure: byId("s0"), notes: byId("notes")}[feature] != null; }

  async part(name) {
    const part = await inflate(name);
    if (name === "index") {
      this.chunks = part.chunks;
      this.details = new Chunks("d", part.chunks.details);
      this.blocks = new Chunks("b", part.chunks.blocks);
      this.transcripts = new Chunks("c", part.chunks.calls);
      this.structures = new Chunks("s", part.chunks.structures);
      this.home = new Map(); // the first request to each question, which has the gold answer
      part.requests.question.forEach((q, i) => { if (!this.home.has(q)) this.home.set(q, i); });
      this.question = part.requests.question;
    }
    return part;
  }

  async request(n) {
    const [detail, home] = await Promise.all([this.details.get(n), this.details.get(this.home.get(this.question[n]))]);
    const evidence = await Promise.all((detail.evidence ?? []).map(async (e) => ({...await this.blocks.get(e.block), score: e.score})));
    return {...detail, gold: home.gold, evidence};
  }

  calls(n) { return this.transcripts.get(n); }

  async structure(n) {
    const s = await this.structures.get(n);
    if (s === null) throw Object.assign(new Error("what the memory held was not kept"), {expected: true});
    if (s.like === undefined) return s;
    const about = new Set(s.about), all = await this.structures.get(s.like);
    return {...all, nodes: all.nodes.map((node) => ({...node, about: about.has(node.id)}))};
  }

  // notes are those about run number k of the page.
  async notes(k) { return byId("notes") ? (await inflate("notes"))[k] ?? [] : []; }

  // ranking is the overview by a column.
  ranking(column, columns) { return inflate("ranking" + columns.indexOf(column)); }

  // search returns the requests whose texts have all words.
  async search(words) {
    this.texts ??= Promise.all([inflateAll("q", this.chunks.questions), inflateAll("a", this.chunks.answers)]);
    const [questions, answers] = await this.texts;
    return [...this.question.keys()].filter((i) => words.every((w) => questions[this.question[i]].includes(w) || answers[i].includes(w)));
  }
}

const TOKEN = "recallbench-token";

// takeToken moves the token from the address to the browser's storage, so that no link
// or history has it.
export function takeToken() {
  const given = /^#(.*?)&?token=([\w-]+)$/.exec(location.hash);
  if (!given) return;
  localStorage.setItem(TOKEN, given[2]);
  history.replaceState(null, "", "#" + given[1]);
}

const unreached = () => Object.assign(new Error("bench view is not reached; start it again and open the address that it prints"), {expected: true});

const RETRY = 2000; // ms until a stream that ended is opened again

// pause waits for some ms, or until a signal.
const pause = (ms, signal) => new Promise((resolve) => {
  setTimeout(resolve, ms);
  signal.addEventListener("abort", resolve);
});

// shown waits until the tab is looked at, or until a signal.
const shown = (signal) => new Promise((resolve) => {
  document.addEventListener("visibilitychange", resolve, {once: true});
  signal.addEventListener("abort", resolve);
});

export class ServerSource {
  static FEATURES = ["runs", "live", "chat", "calls", "prompts", "structure", "notes", "annotate"];

  constructor(key) {
    this.key = key; // of one run, or of several joined by +
    this.run = "run/" + key + "/";
  }

  can(feature) { return ServerSource.FEATURES.includes(feature); }

  // fetch asks the server for what is below /api/, by POST where there is a body.
  async fetch(path, body, options) {
    const headers = {...options?.headers, Authorization: "Bearer " + (localStorage.getItem(TOKEN) ?? "")};
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let reply;
    try {
      reply = await fetch("/api/" + path, {method: body === undefined ? "GET" : "POST", body: body === undefined ? undefined : JSON.stringify(body), ...options, headers});
    } catch (err) {
      if (err.name === "AbortError") throw err;
      throw unreached();
    }
    if (!reply.ok && reply.status !== 304) throw Object.assign(new Error((await reply.json()).error), {expected: true, status: reply.status});
    return reply;
  }

  // stream calls heard(name, data, id) with the events below /api/ until signal aborts, those
  // after the id last first. A hidden tab holds no stream. While the server has none to
  // spare, poll is asked every two seconds, which returns the id it has come to; while
  // there is no server, lost is told why.
  async stream(path, signal, {heard, poll, lost, last}) {
    for (let wait = RETRY; !signal.aborted; await pause(wait, signal)) {
      const stop = new AbortController(), end = () => stop.abort(), hide = () => { if (document.hidden) end(); };
      signal.addEventListener("abort", end);
      document.addEventListener("visibilitychange", hide);
      try {
        if (document.hidden) await shown(signal);
        const reply = await this.fetch(path, undefined, {signal: stop.signal, headers: {"Last-Event-ID": String(last)}});
        wait = RETRY;
        const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
        const read = () => reader.read().catch((err) => { throw err.name === "AbortError" ? err : unreached(); });
        let rest = "";
        for (let r = await read(); !r.done; r = await read()) {
          const events = (rest + r.value).split("\n\n");
          rest = events.pop();
          for (const e of events) {
            const [, id, name, data] = /^id: (\d+)\nevent: (.*)\ndata: (.*)$/.exec(e) ?? [];
            if (!name) continue;
            last = id;
            await heard(name, JSON.parse(data), id);
          }
        }
      } catch (err) {
        if (err.name === "AbortError") continue;
        try {
          if (err.status !== 429) throw err;
          last = await poll(last) ?? last;
        } catch (why) {
          if (!why.expected) throw why;
          lost(why.message);
          wait = Math.min(2 * wait, 16 * RETRY);
        }
      } finally {
        signal.removeEventListener("abort", end);
        document.removeEventListener("visibilitychange", hide);
      }
    }
  }

  // ask returns what the server has below /api/, null for what has not changed.
  async ask(path, body) {
    const reply = await this.fetch(path, body);
    return reply.status === 304 ? null : reply.json();
  }

  // get asks for what is below /api/run/KEY/.
  get(path) { return this.ask(this.run + path); }

  async part(name) {
    const part = await this.get(name);
    if (name === "index") this.rev = part.rev;
    return part;
  }

  async request(n) {
    const detail = await this.get(`request/${n}?rev=${this.rev}`);
    return {...detail, evidence: (detail.evidence ?? []).map((e) => ({...e.inline, score: e.score}))};
  }

  calls(n) { return this.get(`calls/${n}?rev=${this.rev}`); }

  // prompts compares those of two requests.
  prompts(n, m) { return this.get(`prompts/${n}?with=${m}&rev=${this.rev}`); }

  structure(n) { return this.get(`structure/${n}?rev=${this.rev}`); }

  // ranking is the overview by a column.
  ranking(column) { return this.get("overview?column=" + encodeURIComponent(column)); }

  async search(words) { return (await this.get("search?q=" + encodeURIComponent(words.map((w) => `"${w}"`).join(" ")))).requests; }

  // notes are those about run number k of the page.
  notes(k) { return this.ask(`run/${this.key.split("+")[k]}/notes`); }

  // queues are the review queues of run number k, and addQueue draws one.
  queues(k) { return this.ask(`run/${this.key.split("+")[k]}/queues`); }

  addQueue(k, draw) { return this.ask(`run/${this.key.split("+")[k]}/queues`, draw); }

  addNote(k, note) { return this.ask(`run/${this.key.split("+")[k]}/notes`, note); }
}
