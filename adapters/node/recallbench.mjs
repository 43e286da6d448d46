// A kit for memories that recallbench measures: one file, Node 18 or later, no
// dependency. Define a class over Memory and call serve(it). Import this file
// before the library, and the library with load() or await import(): static
// imports run first. Under RECALLBENCH_CLOCK=session Date shows the conversation's
// clock. Types are in recallbench.d.ts.
import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import fs from "node:fs";
import module from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const protocol = "recallbench-memory/1";
const RealDate = Date;
const unknown = RealDate.UTC(2024, 0, 1); // what the clock shows before any time is known
const { createHash } = crypto;
const digest = (text) => createHash("sha256").update(text).digest();

// What an adapter sees. -------------------------------------------------------

/** A failure with its kind: rate_limit, unavailable, timeout, not_ready, model, refused, schema, unsupported, bad_request, internal. */
export class AdapterError extends Error {
  constructor(kind, message, { rpc = -32000, ...data } = {}) { // data: retry_after, applied
    super(message);
    Object.assign(this, { kind, rpc, data });
  }
}

export class Turn {
  constructor({ id = "", speaker = "", text = "", time = null, image = null }) {
    Object.assign(this, { id, speaker, text, time: when(time), image });
  }
  /** The text, and in brackets what an image shows. */
  get content() {
    const { caption, query } = this.image ?? {};
    return [this.text, caption && `[image: ${caption}]`, query && `[image search: ${query}]`].filter(Boolean).join(" ");
  }
  get line() { return `${this.speaker}: ${this.content}`; }
}

export class Session {
  constructor({ id = "", time = null, turns = [] }, speakers) {
    Object.assign(this, { id, time: when(time), turns: turns.map((t) => new Turn(t)), speakers });
  }
  /** Chat messages: "named" (role user, "Name: text") or "roles" (the first speaker is the user, others the assistant). */
  messages(style = "named") {
    if (style === "named") return this.turns.map((t) => ({ role: "user", content: t.line }));
    return this.turns.map((t) => ({ role: t.speaker === this.speakers[0] ? "user" : "assistant", content: t.content }));
  }
}

/** A memory of one conversation. What of add, search, answer and snapshot a class defines is declared as its capabilities. */
export class Memory {
  // static name: in tables; the class's name where unset
  static version = "";
  static libraries = []; // names of packages, or an object of name to version
  static mutates = false;
  static deterministic = false;
  static sources = "none";
  static defaults = null; // options with their defaults; null accepts any

  open() {} // this.id, .speakers, .options, .work, .models, .seed, .restore
  finish() {} // resolves when all is searchable
  close() {}
  progress(done, total = null, note = "") {
    write({ method: "$/progress", params: { memory: this.id, done, total, note } });
  }
}

export function log(text, level = "info") {
  write({ method: "$/log", params: { level, text: String(text) } });
}

/** Imports a package from beside the adapter, from NODE_PATH or from the working folder. */
export async function load(name) {
  let fault;
  for (const base of [process.argv[1], path.join(process.cwd(), "x")]) {
    try {
      return await import(pathToFileURL(module.createRequire(path.resolve(base)).resolve(name)).href);
    } catch (e) {
      if (e.code !== "MODULE_NOT_FOUND" || !String(e.message).includes(name)) throw e;
      fault ??= e;
    }
  }
  throw fault;
}

// Models, for authors without an SDK. -----------------------------------------

async function post(path, body) {
  const { models } = moment().memory;
  const reply = await fetch(models.base_url + path, {
    method: "POST", body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${models.key}` },
  });
  if (!reply.ok) {
    throw new AdapterError(reply.status === 429 ? "rate_limit" : "model", `${path}: status ${reply.status}: ${(await reply.text()).slice(0, 2000)}`);
  }
  return reply.json();
}

/** The chat completion; a string is a message of the user. */
export function chat(messages, params = {}) {
  if (typeof messages === "string") messages = [{ role: "user", content: messages }];
  return post("/chat/completions", { model: moment().memory.models.chat, messages, ...params });
}

/** The vector of each text. */
export async function embed(texts) {
  const out = [];
  for (let i = 0; i < texts.length; i += 256) {
    const body = { model: moment().memory.models.embed, input: texts.slice(i, i + 256), encoding_format: "float" };
    out.push(...(await post("/embeddings", body)).data.sort((a, b) => a.index - b.index).map((d) => d.embedding));
  }
  return out;
}

// The clock. ------------------------------------------------------------------

const storage = new AsyncLocalStorage();
let latest = newMoment(null, unknown, ""); // for what runs outside of a call

function moment() { return storage.getStore() ?? latest; }

/** What the clock shows, and what random ids are drawn from, during one call. */
function newMoment(memory, time, scope) {
  return { memory, time, scope, readings: 0, draws: 0 };
}

function draw() {
  const m = moment();
  return digest(`${m.scope}\n${m.draws++}`);
}

function replaceClock() {
  const now = () => { const m = moment(); return m.time + m.readings++; };
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, as) => Reflect.construct(target, args.length ? args : [now()], as),
    apply: () => new RealDate(now()).toString(),
    get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
  });
  RealDate.prototype.constructor = globalThis.Date;
  Math.random = () => draw().readUIntBE(0, 6) / 2 ** 48;
  const randomUUID = () => {
    const b = draw().subarray(0, 16);
    b[6] = (b[6] & 0x0f) | 0x40;
    b[8] = (b[8] & 0x3f) | 0x80;
    return b.toString("hex").replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
  };
  crypto.randomUUID = randomUUID;
  Object.defineProperty(globalThis.crypto ?? {}, "randomUUID", { value: randomUUID, configurable: true });
  module.syncBuiltinESMExports();
}

/** The Date of a wire time, which has no zone; null where it is none. */
function when(text) {
  const t = typeof text === "string" ? new RealDate(/[zZ]$|[+-]\d\d:\d\d$/.test(text) ? text : text + "Z") : null;
  return t && !Number.isNaN(t.getTime()) ? t : null;
}

function iso(time) {
  const t = typeof time === "string" ? when(time) : time == null ? null : new RealDate(time);
  return t && !Number.isNaN(t.getTime()) ? t.toISOString().slice(0, 19) : undefined;
}

// The server. -----------------------------------------------------------------

const out = 1;
if (process.env.RECALLBENCH_SEED) takeStdout();
if (process.env.RECALLBENCH_CLOCK === "session") replaceClock();

function takeStdout() { // what is printed is a log
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

function write(message) {
  let data = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  while (data.length) {
    try {
      data = data.subarray(fs.writeSync(out, data));
    } catch (e) {
      if (e.code !== "EAGAIN") process.exit(1);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function bad(message, rpc = -32602, kind = "bad_request") { return new AdapterError(kind, message, { rpc }); }

function need(p, name, type) {
  if (typeof p[name] !== type || p[name] === null) throw bad(`${name} is ${JSON.stringify(p[name])?.slice(0, 80)}, want ${type}`);
  return p[name];
}

function block(b) {
  b = typeof b === "string" ? { text: b } : b;
  if (typeof b?.text !== "string") throw new TypeError(`the text of a block is ${typeof b?.text}, want string`);
  return {
    text: b.text, score: Number.isFinite(b.score) ? b.score : undefined, time: iso(b.time),
    id: b.id == null ? undefined : String(b.id), sources: b.sources?.length ? b.sources.map(String) : undefined,
  };
}

function versions(libraries) {
  if (!Array.isArray(libraries)) return libraries;
  const bases = module.createRequire(path.resolve(process.argv[1])).resolve.paths("x").concat(path.resolve("node_modules"));
  return Object.fromEntries(libraries.map((name) => {
    const file = bases.map((b) => path.join(b, name, "package.json")).find((f) => fs.existsSync(f));
    if (!file) throw new Error(`package ${name} is not installed in ${bases.join(", ")}`);
    return [name, JSON.parse(fs.readFileSync(file, "utf8")).version];
  }));
}

function kind(e) {
  const code = String(e.code ?? "");
  if (e instanceof AdapterError) return e.kind;
  if (/^(recallbench|upstream)_/.test(code)) return "model";
  if (e.status === 429) return "rate_limit";
  if (/Timeout/.test(e.name) || code === "ETIMEDOUT") return "timeout";
  if (e.status >= 500 || /^(ECONNREFUSED|ECONNRESET)$/.test(code)) return "unavailable";
  return undefined;
}

function fault(e) {
  if (!(e instanceof Error)) e = new Error(String(e));
  if (e instanceof AdapterError) return { code: e.rpc, message: e.message.slice(0, 2000), data: { kind: e.kind, ...e.data } };
  let found, stack = "";
  for (let c = e, n = 0; c && n < 10; c = c.cause, n++) { // libraries wrap what their client threw
    found ??= kind(c);
    stack += `${c.stack ?? c}\n`;
  }
  return { code: -32000, message: `${e.name}: ${e.message}`.slice(0, 2000), data: { kind: found ?? "internal", trace: stack.slice(-4000) } };
}

class Server {
  memories = new Map();
  jobs = new Map();

  constructor(type) { this.type = type; }

  accept(line) {
    let m;
    try {
      m = JSON.parse(line);
      if (typeof m.method !== "string") throw new Error("it has no method");
    } catch (e) {
      return write({ id: null, error: { code: -32700, message: `not a request: ${e.message}` } });
    }
    if (m.method === "$/cancel") return this.jobs.get(m.params?.id)?.abort();
    if (m.id === undefined) return undefined;
    const abort = new AbortController();
    this.jobs.set(m.id, abort);
    const stopped = new Promise((_, no) => abort.signal.addEventListener("abort", () => no({ cancelled: true })));
    const job = { ...m, params: m.params ?? {}, signal: abort.signal };
    return Promise.race([stopped, (async () => this.call(job))()])
      .then((result) => write({ id: m.id, result: result ?? {} }))
      .catch((e) => write({ id: m.id, error: e?.cancelled ? { code: -32800, message: "cancelled" } : fault(e) }))
      .finally(() => this.jobs.delete(m.id));
  }

  async call(job) {
    const { method, params: p } = job;
    if (method === "shutdown") return {};
    if (method === "initialize") return this.initialize(p);
    if (!this.start) throw bad("the first request is not initialize", -32600);
    const what = method.startsWith("memory/") ? method.slice(7) : "";
    if (!["open", "add", "forget", "finish", "search", "answer", "dump", "snapshot", "close"].includes(what)) throw bad(`unknown method "${method}"`, -32601);
    const name = need(p, "memory", "string");
    if (what === "open") return this.open(job, name);
    const m = this.memories.get(name);
    if (!m) throw bad(`no memory "${name}" is open`, -32602, "unknown_memory");
    if (!m[what]) throw bad(`${this.type.name} has no ${what}`, -32000, "unsupported");
    if (what === "add") {
      const session = new Session(need(p, "session", "object"), m.speakers);
      const found = await this.user(job, m, session.id, session.time, [session]);
      const times = [session.time, ...session.turns.map((t) => t.time)].filter(Boolean).map(Number);
      if (times.length) m.last = Math.max(...times);
      return Number.isInteger(found) ? { items: found } : {};
    }
    if (what === "search" || what === "answer") {
      const r = need(p, "request", "object");
      const request = { id: need(r, "id", "string"), text: need(r, "text", "string"), time: when(r.time), signal: job.signal };
      const found = await this.user(job, m, request.id, request.time, what === "search" ? [request, need(p, "k", "number"), p.tokens ?? 0] : [request]);
      const result = Array.isArray(found) ? { blocks: found } : typeof found === "string" ? { text: found } : found;
      return { ...result, blocks: (result?.blocks ?? []).map(block) };
    }
    if (what === "close") this.memories.delete(name);
    const given = what === "snapshot" ? [need(p, "path", "string")] : what === "forget" ? [need(p, "wish", "object")] : [];
    const found = await this.user(job, m, what === "forget" ? given[0].text : "", null, given);
    if (what === "dump") return { items: found.map(String) };
    return !["finish", "forget"].includes(what) ? {} : Number.isInteger(found) ? { items: found } : found ?? {};
  }

  initialize(p) {
    if (p.protocol !== protocol) throw bad(`protocol ${JSON.stringify(p.protocol)}, want "${protocol}"`);
    const type = this.type, libraries = versions(type.libraries);
    const does = Object.fromEntries(["search", "answer", "snapshot", "forget", "dump"].map((n) => [n, typeof type.prototype[n] === "function"]));
    const says = Object.fromEntries(["mutates", "deterministic", "sources"].map((n) => [n, type[n]]));
    this.start = p;
    return { protocol, name: type.name, version: type.version || Object.values(libraries)[0] || "0", libraries, capabilities: { ...does, ...says } };
  }

  async open(job, name) {
    const p = job.params, { defaults } = this.type;
    if (this.memories.has(name)) throw bad(`memory "${name}" is open already`);
    for (const o of Object.keys(p.options ?? {})) {
      if (defaults && !(o in defaults)) throw bad(`unknown option "${o}"; have ${Object.keys(defaults).sort().join(", ") || "none"}`);
    }
    const m = new this.type();
    Object.assign(m, {
      id: name, speakers: p.sample?.speakers ?? [], options: { ...defaults, ...p.options }, work: p.work ?? process.cwd(), restore: p.restore ?? null,
      models: { base_url: "", key: "", chat: "", embed: "", dimensions: 0, ...this.start.models, ...p.models }, seed: this.start.seed ?? 0, last: unknown,
    });
    gates.set(m, { free: true, waiting: [] });
    fs.mkdirSync(m.work, { recursive: true });
    await this.user(job, m, "", null, []);
    this.memories.set(name, m);
    return {};
  }

  /** Calls the adapter's code, once at a time in a memory, with its clock set. */
  async user(job, m, which, time, args) {
    const gate = gates.get(m);
    if (gate.free) gate.free = false;
    else await new Promise((go) => gate.waiting.push(go));
    try {
      if (job.signal.aborted) return {};
      latest = newMoment(m, time ? Number(time) : m.last, `${m.seed}\n${m.id}\n${job.method}\n${which}`);
      return await storage.run(latest, () => m[job.method.slice(7)](...args));
    } finally {
      if (gate.waiting.length) gate.waiting.shift()();
      else gate.free = true;
    }
  }
}

const gates = new WeakMap();

/** Answers the harness until its input ends. */
export function serve(type) {
  takeStdout();
  const server = new Server(type);
  let parts = [];
  process.on("unhandledRejection", (e) => console.error("unhandled rejection:", e));
  process.stdin.on("data", (data) => {
    for (let end; (end = data.indexOf(10)) >= 0; data = data.subarray(end + 1)) {
      const line = Buffer.concat([...parts, data.subarray(0, end)]).toString();
      parts = [];
      if (line.trim()) server.accept(line);
    }
    if (data.length) parts.push(data);
  });
  process.stdin.on("end", () => process.exit(0));
}
