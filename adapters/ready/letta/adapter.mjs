// Letta: an agent a conversation on a server that runs already; turns are archival passages.
import { load, Memory, serve } from "./recallbench.mjs";

const { Letta } = await load("@letta-ai/letta-client");

serve(class Adapter extends Memory {
  static name = "letta";
  static libraries = ["@letta-ai/letta-client"];
  static sources = "exact";
  static defaults = { model: "", embedding: "" };

  async open() {
    this.client = new Letta({ baseURL: process.env.LETTA_BASE_URL });
    this.agent = await this.client.agents.create({
      name: this.id, model: this.options.model || `openai/${this.models.chat}`, embedding: this.options.embedding || `openai/${this.models.embed}`,
    });
  }

  async add(session) {
    for (const turn of session.turns) {
      const body = { text: turn.line, tags: [turn.id] };
      if (session.time) body.created_at = session.time.toISOString();
      await this.client.agents.passages.create(this.agent.id, body);
    }
  }

  async search(request, k) {
    const found = await this.client.agents.passages.search(this.agent.id, { query: request.text, top_k: k });
    return found.results.map((r) => ({ text: r.content, id: r.id, time: r.timestamp, sources: r.tags }));
  }

  async answer(request) {
    const reply = await this.client.agents.messages.create(this.agent.id, { messages: [{ role: "user", content: request.text }] });
    const said = reply.messages.filter((m) => m.message_type === "assistant_message").at(-1)?.content ?? "";
    return typeof said === "string" ? said : said.map((part) => part.text ?? "").join("");
  }

  async close() {
    await this.client.agents.delete(this.agent.id);
  }
});
