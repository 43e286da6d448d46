// judgeBy lets the column state.judge say alone which answers are right, or what the page
// was made with. It returns the column whose values are shown, and whether anything has
// changed.
export function judgeBy(index, state) {
  const own = index.columns.find((c) => "right" in c && c.name === state.judge);
  const given = own ? {by: own.name, column: own.name} : state.judge === EVIDENCE ? {...index.given, by: EVIDENCE} : state.judge === EVERYTHING ? {...index.given, by: ""} : index.given;
  const changed = index.judging.by !== given.by || index.judging.column !== given.column;
  if (changed) index.judge(given);
  return {column: index.columns.find((c) => c.name === given.column), changed};
}

const EVERYTHING = "all", EVIDENCE = "evidence", TITLE = "people, judges, f1@span";

// judges are the values of state.judge with their titles.
export function judges(index) {
  const all = [...index.columns.filter((c) => "right" in c).map((c) => c.name), EVIDENCE].filter((name) => name !== index.given.by).map((name) => [name, name]);
  return index.given.by ? [["", index.given.by], [EVERYTHING, TITLE], ...all] : [["", TITLE], ...all];
}

// rule says what makes an answer right.
export function rule(index) {
  const {by} = index.judging, column = index.columns.find((c) => c.name === by);
  if (!by) return "An answer is right or wrong by what people said of it, else by a judge, else by f1@span: right at 70 and more, wrong at 10 and less. What lies between is unclear.";
  if (by === EVIDENCE) return "A question counts as right where all gold evidence reached the reader, whatever the answer says.";
  const at = (x) => Number((x * column.scale).toPrecision(6));
  return `An answer is right if its ${by} is at least ${at(column.right)}, and ` +
    (column.wrong === column.right ? "else wrong." : `wrong if it is at most ${at(column.wrong)}. What lies between is unclear.`);
}
