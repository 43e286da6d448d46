// Paper is narrower than a window: a table of many columns is printed in parts, each of
// which begins with the columns that name the rows.

const MOST = 6; // columns of a part
const NAMES = 3; // columns that are repeated, at most

// columnsOf maps each cell of a table to its first column and how many it spans.
function columnsOf(table) {
  const taken = [], columns = new Map(); // taken: columns by row
  [...table.rows].forEach((row, r) => {
    let at = 0;
    for (const cell of row.cells) {
      while (taken[r]?.has(at)) at++;
      columns.set(cell, [at, cell.colSpan]);
      for (let below = r; below < r + cell.rowSpan; below++) for (let k = 0; k < cell.colSpan; k++) (taken[below] ??= new Set()).add(at + k);
      at += cell.colSpan;
    }
  });
  return columns;
}

// named is how many columns name the rows: the heads of rows, or else those of texts.
function named(table) {
  const row = [...table.tBodies[0]?.rows[0]?.cells ?? []];
  const leading = (is) => [...row, null].findIndex((c) => c === null || !is(c));
  return leading((c) => c.scope === "row") || Math.max(1, Math.min(NAMES, leading((c) => !c.classList.contains("number"))));
}

// part returns a copy of a table with the columns that are kept.
function part(table, columns, kept) {
  const copy = table.cloneNode(true), cells = [...copy.querySelectorAll("th, td")];
  copy.classList.add("part-of-table");
  [...columns].forEach(([, [at, span]], i) => {
    const left = Array.from({length: span}, (_, k) => at + k).filter(kept).length;
    if (left > 0) cells[i].colSpan = left; else cells[i].remove();
  });
  return copy;
}

// split opens what is folded of a request, and puts parts in place of wide tables; join
// takes the parts away.
export function split(box) {
  for (const details of box.querySelectorAll("#_pane details")) {
    details.fill?.();
    details.open = true;
  }
  for (const table of box.querySelectorAll("table")) {
    const columns = columnsOf(table), all = Math.max(0, ...[...columns.values()].map(([at, span]) => at + span));
    if (all <= MOST) continue;
    const names = named(table), parts = [];
    for (let from = names; from < all; from += MOST - names) parts.push(part(table, columns, (k) => k < names || k >= from && k < from + MOST - names));
    table.after(...parts);
    table.classList.add("in-parts");
  }
}

export function join(box) {
  for (const copy of box.querySelectorAll(".part-of-table")) copy.remove();
  for (const table of box.querySelectorAll(".in-parts")) table.classList.remove("in-parts");
}
