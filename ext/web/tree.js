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

  /** Reads the tree anew, opened as it was; what was begun before it is dropped. */
  async load() {
    const turn = this.turn = {};
    const { element } = this;
    const opened = new Set(
      [...element.querySelectorAll("[aria-expanded=true]")].map((item) => item.dataset.key),
    );
    const list = h("ul", {});
    await this.#level(list, "[]", 0, 1, opened);
    if (this.turn !== turn) return;
    const focused = element.contains(document.activeElement);
    const at = element.querySelector("[tabindex='0']")?.dataset.key;
    element.replaceChildren(...list.childNodes);
    const items = [...element.querySelectorAll("[role=treeitem]")];
    const item = items.find(({ dataset }) => dataset.key === at) ?? items[0];
    if (focused && item) this.#focus(item);
    else if (item) item.tabIndex = 0;
    await this.#count(items);
  }

  /** Reads members of a level into its list, and what is below those that are opened. */
  async #level(list, prefix, skip, depth, opened) {
    const { rows, more } = await this.client.request("children", { prefix, skip });
    const items = rows.map((node) => this.#item(node, depth));
    list.append(...items);
    if (more) {
      const next = async ({ currentTarget }) => {
        const row = currentTarget.parentElement;
        const level = row.parentElement;
        row.remove();
        await this.#count(await this.#level(level, prefix, skip + rows.length, depth));
      };
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
    await Promise.all(
      items.filter(({ dataset }) => opened?.has(dataset.key)).map((item) =>
        this.#expand(item, opened)
      ),
    );
    return items;
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
    await this.#count(await this.#expand(item) ?? []);
  }
  async #expand(item, opened) {
    if (item.getAttribute("aria-expanded") !== "false") return;
    item.setAttribute("aria-expanded", "true");
    const list = item.appendChild(h("ul", { role: "group" }));
    return await this.#level(list, item.node.key, 0, item.depth + 1, opened);
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
