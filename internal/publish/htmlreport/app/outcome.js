import {visible} from "./text.js";
import {h, s} from "./ui.js";

// What became of requests: the rule of Go's package scored. Outcomes are numbers in
// the order of reports.

export const OUTCOMES = [
  {name: "right", mark: "\u2713", title: "right", about: "The answer is right."},
  {name: "not-retrieved", mark: "\u2205", title: "wrong, not retrieved", about: "The answer is wrong. None of the turns that the gold answer rests on reached the reader."},
  {name: "partly-retrieved", mark: "\u25d0", title: "wrong, partly retrieved", about: "The answer is wrong. Some of these turns reached the reader."},
  {name: "not-used", mark: "\u2717", title: "wrong, retrieved", about: "The answer is wrong, although all of these turns reached the reader."},
  {name: "unknown-evidence", mark: "\u2717", title: "wrong", about: "The answer is wrong. The dataset names no turns that it rests on, or an imported file not those of its evidence."},
  {name: "failed", mark: "!", title: "error", about: "The question ended in an error."},
  {name: "abstained", mark: "\u2013", title: "abstained", about: "The answer says that it does not know, and neither a person nor a judge says whether that is right."},
  {name: "unclear", mark: "~", title: "unclear", about: "Neither a person nor a judge says whether the answer is right, and it shares too much with the gold answer to be wrong and too little to be right. A judge can decide it: bench judge."},
];

const [RIGHT, NONE, PART, ALL, UNKNOWN, FAILED, ABSTAINED, UNCLEAR] = OUTCOMES.keys();
const WRONG = [UNKNOWN, NONE, PART, ALL]; // by reach

export const isWrong = (outcome) => WRONG.includes(outcome) || outcome === FAILED;
export const isRight = (outcome) => outcome === RIGHT;
export const isUnclear = (outcome) => outcome === UNCLEAR;

// The verdicts on answers, as the index numbers them.
export const VERDICTS = ["wrong", "right", "unclear", "abstained"];

// outcome takes the status, 0 for ok, the number of a verdict, and how much evidence
// reached the reader.
export function outcome(status, verdict, reach) {
  return status !== 0 ? FAILED : [WRONG[reach], RIGHT, UNCLEAR, ABSTAINED][verdict];
}

// evidenceOutcome is that of a request by its evidence alone.
export const evidenceOutcome = (status, reach) => status !== 0 ? FAILED : [UNCLEAR, NONE, PART, RIGHT][reach];

// verdictBy is the verdict that a value in a column gives, NaN for none.
export function verdictBy(column, value) {
  return VERDICTS.indexOf(value >= column.right ? "right" : value <= column.wrong ? "wrong" : "unclear");
}

// badge is an outcome as a mark, which a method may name, or with its title.
export function badge(o, long, name) {
  return h("span", {class: "outcome " + o.name + (long ? " long" : ""), title: o.about, role: long ? null : "img", "aria-label": long ? null : name ? visible(`${name}: ${o.title}`) : o.title}, h("span", {class: "mark", "aria-hidden": long ? "true" : null}, o.mark), long ? " " + o.title : "");
}

// outcomeBar is a bar of outcomes by their counts, of which the longest has most.
export function outcomeBar(index, counts, most, name) {
  let x = 0;
  return s("svg", {class: "outcome-bar", width: "100%", height: 14, role: "img", "aria-label": visible(`outcomes of ${name}: ${counts.map((n, o) => n ? `${n} ${index.outcomes[o].title}` : "").filter(Boolean).join(", ")}`)},
    counts.map((n, o) => {
      const part = n ? s("rect", {class: "part " + index.outcomes[o].name, x: (100 * x / most).toFixed(3) + "%", width: (100 * n / most).toFixed(3) + "%", height: 14}) : null;
      x += n;
      return part;
    }));
}
