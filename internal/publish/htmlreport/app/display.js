import {byId} from "./text.js";
import {draw, h} from "./ui.js";

// What readers set for all pages, kept by the browser: the colours, and whether single letters are keys.
const prefix = "recallbench-";
const get = (setting) => localStorage.getItem(prefix + setting) ?? "";

export const lettersOff = () => get("letters") === "off";

function set(setting, value) {
  localStorage.setItem(prefix + setting, value);
  colours();
}

// colours sets those that were chosen, else those of the system.
export function colours() {
  document.documentElement.classList.toggle("light", get("colours") === "light");
  document.documentElement.classList.toggle("dark", get("colours") === "dark");
}

// showKeys opens a dialog with keys, as pairs of names and what they do, and settings.
export function showKeys(keys) {
  const dialog = byId("keys"), choice = (value, title) => h("option", {value}, title);
  draw(dialog, h("h2", {id: "_keys-title"}, "Keys and display"),
    h("dl", {class: "facts"}, keys.map(([key, does]) => [h("dt", {}, key.split(" ").map((k) => h("kbd", {}, k))), h("dd", {}, does)])),
    h("p", {}, h("label", {}, h("input", {type: "checkbox", checked: !lettersOff(), onchange: (e) => set("letters", e.target.checked ? "" : "off")}), " single characters are keys")),
    h("p", {}, h("label", {}, "Colours ", h("select", {value: get("colours"), onchange: (e) => set("colours", e.target.value)}, choice("", "as the system"), choice("light", "light"), choice("dark", "dark")))),
    h("form", {method: "dialog"}, h("button", {}, "Close")));
  if (!dialog.open) dialog.showModal();
}
