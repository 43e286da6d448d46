// The view core. h makes elements, draw brings what a box shows up to date. Texts become
// text nodes; nothing here reads markup.

const SVG = "http://www.w3.org/2000/svg";

const flat = (children) => children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== "" && c !== false);

function fill(element, properties, children) {
  element.append(...flat(children));
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) listen(element, name.slice(2), value);
    else if (name === "value" || name === "checked") (element.given ??= {})[name] = element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

// Listeners lie in a property, so that draw can replace them.
const heard = (event) => event.currentTarget.listeners[event.type]?.(event);

function listen(element, name, listener) {
  if (!element.listeners?.[name]) element.addEventListener(name, heard);
  (element.listeners ??= {})[name] = listener;
}

// h makes an element. A property that begins with "on" is a listener; strings
// among the children are text. The property key names an element among its siblings.
export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);

// s makes an element of a drawing.
export const s = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

// draw makes children the content of a box. Elements that are there already stay, with
// their focus, selection and place of scrolling: those of the same key, else those of the
// same tag in the same place. An element that is given again stays as it is; one that is
// kept for later needs a key, or another may take its place.
export function draw(box, ...children) {
  const focus = document.activeElement;
  update(box, flat(children).map((c) => c instanceof Node ? c : document.createTextNode(c)));
  if (focus !== document.activeElement && box.contains(focus)) focus.focus({preventScroll: true});
}

const keyOf = (node) => node.getAttribute?.("key") ?? null;

function update(box, children) {
  const given = new Set(children);
  const keyed = new Map([...box.childNodes].filter((c) => keyOf(c) !== null).map((c) => [keyOf(c), c]));
  let at = box.firstChild;
  for (const child of children) {
    while (at && !given.has(at) && keyOf(at) !== null && at !== keyed.get(keyOf(child))) at = at.nextSibling;
    let node = child;
    if (child.parentNode !== box) {
      const key = keyOf(child), old = key !== null ? keyed.get(key) : at && keyOf(at) === null ? at : null;
      if (old && !given.has(old) && old.nodeName === child.nodeName) {
        patch(old, child);
        given.add(old);
        node = old;
      }
    }
    given.add(node);
    if (node === at) at = at.nextSibling;
    else box.insertBefore(node, at);
  }
  for (const old of [...box.childNodes]) if (!given.has(old)) old.remove();
}

// patch gives an element what a new one has. Whether details are open is the reader's.
function patch(old, child) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== child.data) old.data = child.data;
    return;
  }
  const kept = old.nodeName === "DETAILS" ? "open" : "";
  for (const {name} of [...old.attributes]) if (name !== kept && !child.hasAttribute(name)) old.removeAttribute(name);
  for (const {name, value} of child.attributes) if (name !== kept && old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const name of Object.keys(old.listeners ?? {})) if (!child.listeners?.[name]) delete old.listeners[name];
  for (const [name, listener] of Object.entries(child.listeners ?? {})) listen(old, name, listener);
  update(old, [...child.childNodes]);
  for (const [name, value] of Object.entries(child.given ?? {})) if (old[name] !== value) old[name] = value;
}
