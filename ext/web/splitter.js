// splitter.js -- a border between two panes that is dragged, or moved with the
// arrow keys.

import { h } from "./dom.js";

const STEP = 16;

/** Follows the pointer from here until it is let go: `move(dx)`. */
export function drag(event, move) {
  const { target, pointerId, clientX } = event;
  event.preventDefault();
  target.setPointerCapture(pointerId);
  const moved = ({ clientX: x }) => move(x - clientX);
  const end = () => {
    target.removeEventListener("pointermove", moved);
    target.removeEventListener("lostpointercapture", end);
  };
  target.addEventListener("pointermove", moved);
  target.addEventListener("lostpointercapture", end);
}

/**
 * pane(): the element whose width is set as the property `name` of its parent, at least `least`
 * pixels; `side`: 1 if it is left of the border, -1 if right. A double click sets it back.
 */
export function splitter({ label, pane, name, side, least }) {
  const set = (width) => {
    const most = pane().parentElement.clientWidth - 320;
    const px = Math.round(Math.max(least, Math.min(width, most)));
    pane().parentElement.style.setProperty(name, `${px}px`);
    element.setAttribute("aria-valuenow", px);
  };
  const element = h("div", {
    class: `splitter ${side > 0 ? "left" : "right"}`,
    role: "separator",
    tabindex: 0,
    "aria-orientation": "vertical",
    "aria-label": label,
    "aria-valuenow": least,
    "aria-valuemin": least,
    "aria-valuemax": 10000,
    onpointerdown: (event) => {
      const before = pane().offsetWidth;
      drag(event, (dx) => set(before + side * dx));
    },
    ondblclick: () => pane().parentElement.style.removeProperty(name),
    onkeydown: (event) => {
      const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
      if (!step) return;
      event.preventDefault();
      set(pane().offsetWidth + side * step);
    },
  });
  return element;
}
