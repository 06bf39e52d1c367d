// tree.js -- the tree of keys, of which a level is read when it is opened.

import { h, icon } from "./dom.js";
import { count } from "./words.js";

export class Tree {
  /** choose({key, hasChildren, hasValue}) when a node is chosen. */
  constructor(client, choose) {
    this.client = client;
    this.choose = choose;
    this.element = h("ul", {
      class: "tree",
      role: "tree",
      "aria-label": "Keys",
      onkeydown: (event) => this.#key(event),
    });
  }

  async load() {
    this.opened = new Set(
      [...this.element.querySelectorAll("[aria-expanded=true]")].map((item) => item.dataset.key),
    );
    this.element.replaceChildren();
    await this.#level(this.element, "[]", 0, 1);
    const first = this.element.querySelector("[role=treeitem]");
    if (first) first.tabIndex = 0;
  }

  async #level(list, prefix, skip, depth) {
    const { rows, more } = await this.client.request("children", { prefix, skip });
    list.querySelector(":scope > .tree-more")?.remove();
    const items = rows.map((node) => this.#item(node, depth));
    list.append(...items);
    if (more) {
      const next = () => this.#level(list, prefix, skip + rows.length, depth);
      list.append(
        h(
          "li",
          { class: "tree-more", role: "none" },
          h("button", { type: "button", class: "link", onclick: next }, "Show more"),
        ),
      );
    }
    if (rows.length === 0 && depth === 1) {
      list.append(h("li", { class: "quiet", role: "none" }, "No keys yet."));
    }
    await Promise.all(items.map((item) => this.opened?.has(item.dataset.key) && this.#open(item)));
    this.#count(items);
  }

  #item(node, depth) {
    const item = h(
      "li",
      {
        role: "treeitem",
        tabindex: -1,
        "data-key": node.key,
        "aria-level": depth,
        "aria-expanded": node.hasChildren ? "false" : null,
        "aria-selected": "false",
      },
      h(
        "div",
        {
          class: "tree-row",
          style: { paddingInlineStart: `${(depth - 1) * 14 + 4}px` },
          onclick: (event) => this.#click(event, item),
        },
        h("span", { class: "twisty" }, node.hasChildren ? icon("more") : null),
        h("span", { class: `tree-label part-${node.type}`, title: node.key }, node.label),
        node.hasValue && node.hasChildren
          ? h("span", { class: "dot", title: "has a value of its own" })
          : null,
        h("span", { class: "tree-count" }),
      ),
    );
    item.node = node;
    item.depth = depth;
    return item;
  }

  /** The counts come after the level itself, one by one. */
  async #count(items) {
    for (const item of items) {
      if (!item.node.hasChildren || !item.isConnected) continue;
      const n = await this.client.request("count", { prefix: item.node.key }).catch(() => null);
      if (n === null) return;
      item.querySelector(".tree-count").textContent = count(n);
    }
  }

  async #open(item) {
    if (item.getAttribute("aria-expanded") !== "false") return;
    item.setAttribute("aria-expanded", "true");
    const list = item.appendChild(h("ul", { role: "group" }));
    await this.#level(list, item.node.key, 0, item.depth + 1);
  }
  #close(item) {
    item.setAttribute("aria-expanded", "false");
    item.querySelector(":scope > ul")?.remove();
  }

  #click(event, item) {
    if (event.target.closest(".twisty") && item.node.hasChildren) {
      if (item.getAttribute("aria-expanded") === "true") this.#close(item);
      else this.#open(item);
    } else {
      this.#select(item);
    }
  }

  /** Marks a key, if it is shown, as the one that is chosen. */
  mark(key) {
    for (const item of this.element.querySelectorAll("[role=treeitem]")) {
      item.setAttribute("aria-selected", item.dataset.key === key ? "true" : "false");
    }
  }

  #select(item) {
    this.#focus(item);
    this.mark(item.node.key);
    if (item.node.hasChildren) this.#open(item);
    this.choose(item.node);
  }

  #focus(item) {
    for (const other of this.element.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
    item.tabIndex = 0;
    item.focus();
  }

  #key(event) {
    const items = [...this.element.querySelectorAll("[role=treeitem]")];
    const item = document.activeElement.closest("[role=treeitem]");
    const at = items.indexOf(item);
    if (at < 0) return;
    const expanded = item.getAttribute("aria-expanded");
    const keys = {
      ArrowDown: () => items[at + 1] && this.#focus(items[at + 1]),
      ArrowUp: () => items[at - 1] && this.#focus(items[at - 1]),
      Home: () => this.#focus(items[0]),
      End: () => this.#focus(items.at(-1)),
      ArrowRight: () =>
        expanded === "false"
          ? this.#open(item)
          : expanded && items[at + 1] && this.#focus(items[at + 1]),
      ArrowLeft: () => {
        const up = item.parentElement.closest("[role=treeitem]");
        if (expanded === "true") this.#close(item);
        else if (up) this.#focus(up);
      },
      Enter: () => this.#select(item),
      " ": () => this.#select(item),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  }
}
