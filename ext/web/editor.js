// editor.js -- CodeMirror, in a shadow root of its own: there its styles need no
// permission of the page's policy.

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { sql, SQLite } from "@codemirror/lang-sql";
import {
  bracketMatching,
  foldGutter,
  HighlightStyle,
  syntaxHighlighting,
} from "@codemirror/language";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { spanAt } from "./words.js";

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--accent)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--select)",
  },
  ".cm-tooltip": {
    background: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "8px",
    overflow: "hidden",
  },
  ".cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".cm-completionDetail": { color: "var(--quiet)", fontStyle: "normal" },
  ".cm-completionInfo": { padding: "6px 10px", maxWidth: "320px" },
  ".cm-wrong": {
    textDecoration: "underline wavy 1.5px var(--bad)",
    textUnderlineOffset: "3px",
    textDecorationSkipInk: "none",
  },
  ".cm-placeholder": { color: "var(--faint)" },
  ".cm-foldPlaceholder": { background: "var(--sunken)", border: "none", color: "var(--quiet)" },
});

const colours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.definitionKeyword],
    color: "var(--syntax-word)",
  },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--syntax-text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--syntax-number)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--syntax-name)" },
  { tag: [tags.className, tags.typeName, tags.standard(tags.name)], color: "var(--syntax-type)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
]);

// What is wrong with the text, underlined: where, or null.
const setWrong = StateEffect.define();
const wrong = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setWrong)) continue;
      const text = transaction.state.doc.toString();
      const [from, to] = effect.value === null ? [0, 0] : spanAt(text, effect.value);
      marks = from < to
        ? Decoration.set(Decoration.mark({ class: "cm-wrong" }).range(from, to))
        : Decoration.none;
    }
    return marks;
  },
  provide: (field) => [
    EditorView.decorations.from(field),
    EditorView.contentAttributes.from(
      field,
      (marks) => marks.size > 0 ? { "aria-invalid": "true" } : {},
    ),
  ],
});

/**
 * An editor. language: "js" or "sql"; label for screen readers; run() on
 * Ctrl+Enter; change() when the text has changed.
 */
export function editor(
  { language, label, doc = "", readOnly = false, hint = "", run, change, completions = [] },
) {
  const host = hostElement();
  const locked = new Compartment();
  const words = new Compartment();
  const lock = (on) => [EditorState.readOnly.of(on), EditorView.editable.of(!on)];
  const view = new EditorView({
    root: host.shadowRoot,
    parent: host.shadowRoot,
    state: EditorState.create({
      doc,
      extensions: [
        keymap.of([
          { key: "Mod-Enter", run: () => (run?.(), Boolean(run)) },
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...completionKeymap,
        ]),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ icons: false }),
        syntaxHighlighting(colours),
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && change?.()),
        placeholder(hint),
        wrong,
        locked.of(lock(readOnly)),
        words.of(language === "sql" ? sqlWith(completions, {}) : javascript()),
        ...(language === "js" ? [lineNumbers(), foldGutter()] : []),
      ],
    }),
  });
  return {
    element: host,
    view,
    get text() {
      return view.state.doc.toString();
    },
    set text(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    set readOnly(on) {
      view.dispatch({ effects: locked.reconfigure(lock(on)) });
    },
    /** Underlines what is at a place, or nothing. */
    mark(at) {
      view.dispatch({ effects: setWrong.of(at) });
    },
    learn(list, schema) {
      view.dispatch({ effects: words.reconfigure(sqlWith(list, schema)) });
    },
    focus: () => view.focus(),
  };
}

function hostElement() {
  const host = document.createElement("div");
  host.className = "editor";
  host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(":host { display: block; overflow: hidden } .cm-editor { height: 100% }");
  host.shadowRoot.adoptedStyleSheets = [sheet];
  return host;
}

/** SQL with completion: words are [{label, detail, info}], schema is {table: [column]}. */
function sqlWith(list, schema) {
  const support = sql({ dialect: SQLite, schema, upperCaseKeywords: true });
  const words = SQLite.language.data.of({
    autocomplete(context) {
      const word = context.matchBefore(/\w+/);
      return word && word.text.length > 1
        ? { from: word.from, options: list, validFor: /^\w*$/ }
        : null;
    },
  });
  return [support, words];
}
