// mem0 (mem0ai/oss) with its vector store in a SQLite file.
import path from "node:path";
import { load, Memory, serve } from "./recallbench.mjs";

process.env.MEM0_TELEMETRY ??= "false";
const { Memory: Mem0 } = await load("mem0ai/oss");

serve(class Adapter extends Memory {
  static name = "mem0-node";
  static libraries = ["mem0ai", "openai", "better-sqlite3"];
  static deterministic = process.env.RECALLBENCH_CLOCK === "session";
  static defaults = { infer: true, messages: "named", batch: 0, threshold: 0 };

  open() {
    const api = { apiKey: this.models.key, baseURL: this.models.base_url };
    this.mem0 = new Mem0({
      llm: { provider: "openai", config: { ...api, model: this.models.chat } },
      embedder: { provider: "openai", config: { ...api, model: this.models.embed, embeddingDims: this.models.dimensions } },
      vectorStore: { provider: "memory", config: {
        collectionName: "memories", dimension: this.models.dimensions, dbPath: path.join(this.work, "vectors.db") } },
      historyDbPath: path.join(this.work, "history.db"),
    });
  }

  async add(session) {
    const messages = session.messages(this.options.messages);
    const size = this.options.batch || messages.length || 1;
    const metadata = session.time ? { sessionTime: session.time.toISOString().slice(0, 19) } : {};
    for (let i = 0; i < messages.length; i += size) {
      await this.mem0.add(messages.slice(i, i + size), { userId: this.id, metadata, infer: this.options.infer });
    }
  }

  async search(request, k) {
    const found = await this.mem0.search(request.text, { filters: { user_id: this.id }, topK: k, threshold: this.options.threshold });
    return found.results.map((r) => ({ text: r.memory, score: r.score, time: r.metadata?.sessionTime, id: r.id }));
  }
});
