// dom.js -- elements. Text becomes text nodes: nothing on the page is parsed as
// markup, and the page's policy forbids it (trusted types).

import { family } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name === "value" || name === "checked" || name === "hidden" || name === "disabled") {
      element[name] = value;
    } else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) =>
      child !== null && child !== undefined && child !== false
    ),
  );
  return element;
}

/** h("p", {class: "x", onclick: f}, "text", child, [children]) */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An icon of the sheet at the top of the page. */
export function icon(name) {
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#icon-${name}`);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

export function button(label, onclick, { kind = "", iconName, ...props } = {}) {
  return h(
    "button",
    { type: "button", class: `button ${kind}`, onclick, ...props },
    iconName && icon(iconName),
    h("span", {}, label),
  );
}

/** A badge with the name of a type, coloured by its family. */
export function typeBadge(type) {
  return h("span", { class: `type type-${family(type)}` }, type);
}

/** A modal dialog; resolves to what `close(x)` was given, or to undefined. */
export function dialog(title, build) {
  return new Promise((resolve) => {
    let result;
    const close = (x) => {
      result = x;
      element.close();
    };
    const element = h(
      "dialog",
      {
        class: "dialog",
        "aria-label": title,
        onclose: () => {
          element.remove();
          resolve(result);
        },
      },
      h("h2", {}, title),
      build(close),
    );
    document.body.append(element);
    element.showModal();
  });
}

let toasts;
/** A short message at the bottom of the page, read aloud by screen readers. */
export function toast(text, kind = "") {
  toasts ??= document.body.appendChild(
    h("div", { class: "toasts", role: "status", "aria-live": "polite" }),
  );
  const element = h("div", { class: `toast ${kind}` }, text);
  toasts.append(element);
  setTimeout(() => element.remove(), kind === "bad" ? 9000 : 4000);
}

/** Hands a Blob to the browser's downloads. */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

export function debounce(f, ms) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...args), ms);
  };
}
