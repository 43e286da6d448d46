// judgeBy computes the outcomes by the column state.judge and the threshold state.least,
// in the unit of tables, or those that the page was made with. It returns the column,
// and whether anything has changed.
export function judgeBy(index, state) {
  const column = index.columns.find((c) => c.judges && c.name === state.judge) ?? index.columns.find((c) => c.name === index.given.column);
  const least = Number.parseFloat(state.least);
  const otherwise = column.name === index.given.column ? index.given.threshold : column.least;
  const threshold = Number.isNaN(least) ? otherwise : least / column.scale;
  const changed = index.judging.column !== column.name || index.judging.threshold !== threshold;
  if (changed) index.judge({column: column.name, threshold});
  return {column, changed};
}

// least is the threshold in the unit of tables.
export const least = (index, column) => Number((index.judging.threshold * column.scale).toPrecision(6));
