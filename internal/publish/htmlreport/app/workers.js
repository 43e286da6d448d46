import {grid} from "./table.js";
import {count, said} from "./text.js";

const number = (text) => ({text, number: true});
const text = (text) => ({text});
const shown = 5; // units of a worker

// The workers of a run by many machines, as its progress has them.
export function workers(progress) {
  if (!progress?.workers?.length) return null;
  const rate = (w) => w.state === "joined" ? (w.requests / Math.max(1, (Date.parse(progress.time) - Date.parse(w.joined)) / 1000)).toFixed(2) : "\u2013";
  const units = (w) => w.units.slice(0, shown).join(", ") + (w.units.length > shown ? ` and ${count(w.units.length - shown)} more` : "");
  return grid("Workers", [text("worker"), text("state"), text("units under way"), number("units done"), number("requests"), number("a second"), number("faults"), text("newest fault")],
    progress.workers.map((w) => ({key: w.name + w.joined, cells: [said(w.name), said(w.state), said(units(w)), count(w.done), count(w.requests), rate(w), count(w.faults), said(w.fault ?? "")]})));
}
