// Does what adapters should not, and what the kit has to bear.
import { execSync } from "node:child_process";
import { AdapterError, chat, embed, log, Memory, serve } from "./recallbench.mjs";
import { randomUUID } from "node:crypto";

console.log("printed at import");

class Status extends Error {
  constructor(status, code) {
    super(`status ${status}`);
    Object.assign(this, { status, code });
  }
}

serve(class Odd extends Memory {
  static name = "odd";
  static version = "1.2";
  static libraries = { lib: "3.4" };
  static defaults = { depth: 1 };
  turns = [];

  add(session) {
    console.log("printed by add");
    execSync("echo echoed by a child >&2; cat", { stdio: ["ignore", "pipe", "inherit"] });
    this.turns.push(...session.turns);
    this.progress(this.turns.length, null, "added");
    return this.turns.length;
  }

  forget(wish) { return wish.turns.length; }
  dump() { return [...this.turns.map((t) => t.line), 7]; }

  async finish() {
    await new Promise((done) => setTimeout(done, 1));
    return { items: this.turns.length, bytes: 7 };
  }

  async search({ text }, k) {
    if (text === "fail") throw new TypeError("no luck");
    if (text === "refuse") throw new AdapterError("rate_limit", "slow down", { retry_after: 2.5 });
    if (text === "wrapped") throw new Error("the library gave up", { cause: new Status(429) });
    if (text === "stopped") throw new Status(503, "recallbench_stopped");
    if (text === "hang") await new Promise((done) => setTimeout(done, 600_000));
    if (text === "scores") return [{ text: "a", score: NaN }, { text: "b", score: Infinity }, "c", { text: "d", score: 0.5, time: "2023-05-08T13:56:00Z", id: 7, sources: ["1:1"] }];
    if (text === "clock") {
      const iso = new Date().toISOString();
      return [iso.slice(0, 23).replace("T", " "), iso.slice(0, 10), String(Math.floor(Date.now() / 1000)), randomUUID(), String(new Date().getFullYear())];
    }
    if (text === "models") {
      log("asking", "warn");
      return [(await chat("Hello?")).choices[0].message.content, JSON.stringify(await embed(["x", "yy"])), "[3.0]"];
    }
    if (text === "nothing") return [{ text: null }];
    return this.turns.map((t) => t.line).slice(0, k);
  }
});
