// NAME: a memory that keeps turns and finds those that share words with a question.
import { Memory, serve } from "./recallbench.mjs";

const words = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);

serve(class Adapter extends Memory {
  static name = "NAME";
  static version = "1.0";
  static libraries = []; // names of installed packages whose versions matter
  static deterministic = true;
  static sources = "exact";
  static defaults = { overlap: 1 };

  open() { // this.models has base_url and key for an SDK; this.work is a folder of its own
    this.turns = [];
  }

  add(session) {
    this.turns.push(...session.turns.filter((t) => t.content).map((turn) => ({ turn, time: session.time })));
    return this.turns.length;
  }

  search(request, k) {
    const asked = [...words(request.text)];
    const score = ({ turn }) => { const has = words(turn.line); return asked.filter((w) => has.has(w)).length; };
    return this.turns.map((t) => ({ ...t, score: score(t) }))
      .filter((t) => t.score >= this.options.overlap)
      .sort((a, b) => b.score - a.score).slice(0, k)
      .map(({ turn, time, score }) => ({ text: turn.line, score, time, sources: [turn.id] }));
  }
});
