// What the search box takes: words and "phrases" that a request must have, -word for what
// it must not, FIELD:word for one of its texts, and FIELD>5 or FIELD<5 for a number.

const questions = (name) => (x, i) => x.questions[name][x.question[i]];

const TEXTS = {
  question: questions("question"), gold: questions("gold"), id: questions("request"),
  sample: (x, i) => x.samples[x.questions.sample[x.question[i]]],
  label: (x, i) => Object.entries(x.questions.labels?.[x.question[i]] ?? {}).map(([name, value]) => `${name}: ${value}`).join("\n"),
  answer: (x, i) => x.answer[i],
  error: (x, i) => x.kind[i] < 0 ? "" : x.kinds[x.kind[i]] + "\n" + x.answer[i],
  has: (x, i) => ["edits", "judgement", "degraded", "calls"].filter((_, bit) => x.has[i] & 1 << bit).concat(x.kind[i] < 0 ? [] : ["error"]).join(" "),
};
const NUMBERS = {time: (x, i) => x.time[i], cost: (x, i) => x.cost[i] ?? NaN, tokens: (x, i) => x.tokens[i], calls: (x, i) => x.calls[i]};

// search returns what a text asks for: words that questions, gold answers or answers have
// to have, and tests of requests, each as test(index, i).
export function search(text) {
  const words = [], tests = [];
  for (const [all, not, name, sign, phrase, word] of (text ?? "").toLowerCase().matchAll(/(-?)(?:([a-z]+)([:<>]))?(?:"([^"]+)"|([^\s"]+))/g)) {
    const value = phrase ?? word, bound = Number.parseFloat(value);
    let test;
    if (sign === ":" && TEXTS[name]) test = (x, i) => TEXTS[name](x, i).toLowerCase().includes(value);
    else if (NUMBERS[name] && sign === ">" && bound === bound) test = (x, i) => NUMBERS[name](x, i) > bound;
    else if (NUMBERS[name] && sign === "<" && bound === bound) test = (x, i) => NUMBERS[name](x, i) < bound;
    else if (not && all.length > 1) test = (x, i) => has(x, i, (name ?? "") + (sign ?? "") + value);
    else words.push(phrase !== undefined && !sign ? phrase : all);
    if (test) tests.push(not ? (x, i) => !test(x, i) : test);
  }
  return {words, tests};
}

const has = (x, i, word) => x.questionText[x.question[i]].includes(word) || x.answerText[i].includes(word);
