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
  static FEATURES = [];

  can(feature) { return FileSource.FEATURES.includes(feature); }

  async part(name) {
    const part = await inflate(name);
    if (name === "index") {
      this.details = new Chunks("d", part.chunks.details);
      this.blocks = new Chunks("b", part.chunks.blocks);
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

export class ServerSource {
  static FEATURES = ["runs", "live", "chat", "calls", "structure", "notes", "search"];

  constructor(key) { this.run = "run/" + key + "/"; }

  can(feature) { return ServerSource.FEATURES.includes(feature); }

  // ask asks the server for what is below /api/. It returns null for what has not
  // changed.
  async ask(path) {
    let reply;
    try {
      reply = await fetch("/api/" + path, {headers: {Authorization: "Bearer " + (localStorage.getItem(TOKEN) ?? "")}});
    } catch {
      throw Object.assign(new Error("bench view is not reached; start it again and open the address that it prints"), {expected: true});
    }
    if (reply.status === 304) return null;
    const body = await reply.json();
    if (!reply.ok) throw Object.assign(new Error(body.error), {expected: true});
    return body;
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
}
