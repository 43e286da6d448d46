import {fill, later} from "./fold.js";
import {passage, said} from "./text.js";
import {h} from "./ui.js";

// What people say of an answer: whether it is right, tags, remarks, and faults of the
// gold answer.

// notesView lists the notes about an answer and takes more.
export function notesView(source, index, a) {
  const k = index.runOf(a.i), cell = index.cells[index.cell[a.i]].id, q = index.question[a.i];
  const of = {cell, sample: index.samples[index.questions.sample[q]], request: index.questions.request[q]};
  const box = h("div", {class: "notes-of"});
  const fault = h("p", {class: "error", role: "alert", hidden: true});
  const read = () => fill(box, later(() => source.notes(k), (notes) => list(notes.filter((n) => n.cell === of.cell && n.sample === of.sample && n.request === of.request))));
  const say = async (kind, value, more) => {
    try {
      await source.addNote(k, {...of, answer_sha256: a.answer_sha256, kind, value, ...more});
      fault.hidden = true;
      read();
    } catch (err) {
      if (!err.expected) throw err;
      fault.hidden = false;
      fill(fault, said(err.message));
    }
  };
  const list = (notes) => notes.length === 0 ? h("p", {class: "none"}, "none")
    : h("ul", {}, notes.map((n) => h("li", {class: n.answer_sha256 === a.answer_sha256 ? null : "stale"},
      h("strong", {}, said(n.reviewer)), " ", said(n.kind), ": ", n.kind === "note" ? passage(n.value) : said(String(n.value)), n.text ? passage(n.text) : "",
      n.answer_sha256 === a.answer_sha256 ? "" : h("em", {}, " (of another answer)"), " ",
      source.can("annotate") ? h("button", {type: "button", class: "plain", onclick: () => say(n.kind, null, {replaces: n.id})}, "take back") : null)));
  read();
  return h("div", {}, box, fault, source.can("annotate") ? noteForm(say) : null);
}

// noteForm takes notes: say(kind, value) is called with each.
export function noteForm(say) {
  const verdict = (text, value) => h("button", {type: "button", onclick: () => say("correct", value)}, text);
  const gold = (value) => h("button", {type: "button", onclick: () => say("gold", value)}, value);
  const text = (kind, title, field) => h("form", {class: "bar", onsubmit: async (e) => {
    e.preventDefault();
    if (field.value) await say(kind, field.value);
    field.value = "";
  }}, h("label", {}, title, " ", field), h("button", {}, "Add"));
  return h("div", {class: "note-form"},
    h("div", {class: "bar"}, "The answer is ", verdict("right", true), verdict("wrong", false), verdict("unsure", "unsure")),
    h("div", {class: "bar"}, "The gold answer is ", ["wrong", "ambiguous", "ok"].map(gold)),
    text("tag", "Tag", h("input", {size: 16, pattern: "[a-z0-9][a-z0-9\\-]{0,39}", title: "lower-case letters, digits and dashes"})),
    text("note", "Remark", h("textarea", {rows: 2})));
}
