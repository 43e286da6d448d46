// What became of requests: the rule of Go's package scored. Outcomes are numbers in
// the order of reports.

export const OUTCOMES = [
  {name: "right", title: "right", about: "The answer is right."},
  {name: "not-retrieved", title: "not retrieved", about: "The answer is wrong. None of the turns that the gold answer rests on reached the reader."},
  {name: "partly-retrieved", title: "partly retrieved", about: "The answer is wrong. Some of these turns reached the reader."},
  {name: "not-used", title: "retrieved, not used", about: "The answer is wrong, although all of these turns reached the reader."},
  {name: "unknown-evidence", title: "unknown evidence", about: "The answer is wrong. The dataset names no turns that it rests on, or an imported file not those of its blocks."},
  {name: "failed", title: "error", about: "The request ended in an error."},
  {name: "abstained", title: "abstained", about: "The answer says that it does not know, and neither a person nor a judge says whether that is right."},
  {name: "unclear", title: "unclear", about: "Neither a person nor a judge says whether the answer is right, and it shares too much with the gold answer to be wrong and too little to be right. A judge can decide it: bench judge."},
];

const [RIGHT, NONE, PART, ALL, UNKNOWN, FAILED, ABSTAINED, UNCLEAR] = OUTCOMES.keys();
const WRONG = [UNKNOWN, NONE, PART, ALL]; // by reach

// The verdicts on answers, as the index numbers them.
export const VERDICTS = ["wrong", "right", "unclear", "abstained"];

// outcome takes the status, 0 for ok, the number of a verdict, and how much evidence
// reached the reader.
export function outcome(status, verdict, reach) {
  return status !== 0 ? FAILED : [WRONG[reach], RIGHT, UNCLEAR, ABSTAINED][verdict];
}

// verdictBy is the verdict that a value in a column gives, NaN for none.
export function verdictBy(column, value) {
  return VERDICTS.indexOf(value >= column.right ? "right" : value <= column.wrong ? "wrong" : "unclear");
}
