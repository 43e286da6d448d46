// What became of requests: the rule of Go's package scored. Outcomes are numbers in
// the order of reports.

export const OUTCOMES = [
  {name: "right", title: "right", about: "The answer is right."},
  {name: "not-retrieved", title: "not retrieved", about: "The answer is wrong. None of the turns that the gold answer rests on reached the reader."},
  {name: "partly-retrieved", title: "partly retrieved", about: "The answer is wrong. Some of these turns reached the reader."},
  {name: "not-used", title: "retrieved, not used", about: "The answer is wrong, although all of these turns reached the reader."},
  {name: "unknown-evidence", title: "unknown evidence", about: "The answer is wrong. The dataset names no turns that it rests on, or an imported file not those of its blocks."},
  {name: "failed", title: "error", about: "The request ended in an error."},
  {name: "unscored", title: "unscored", about: "The answer has no score in the column that tells right from wrong."},
];

const [RIGHT, NONE, PART, ALL, UNKNOWN, FAILED, UNSCORED] = OUTCOMES.keys();
const WRONG = [UNKNOWN, NONE, PART, ALL]; // by reach

// outcome takes the status, 0 for ok, the value in the judging column, NaN for none,
// the least value of a right answer, and how much evidence reached the reader.
export function outcome(status, value, threshold, reach) {
  if (status !== 0) return FAILED;
  if (Number.isNaN(value)) return UNSCORED;
  return value >= threshold ? RIGHT : WRONG[reach];
}
