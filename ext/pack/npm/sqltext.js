// sqltext.js -- where the values of kv.sql stand: an item that a statement stores, or an
// argument of ours that is a value, keeps its type; elsewhere a value is what SQL shows.
"use strict";

const TOKEN = new RegExp(["\\s+|--[^\\n]*|/\\*[^]*?(?:\\*/|$)", "'(?:[^']|'')*'", '"(?:[^"]|"")*"', "`(?:[^`]|``)*`", "\\[[^\\]]*\\]",
  "[A-Za-z_$\\x80-\\uffff][\\w$\\x80-\\uffff]*", "\\d[\\w.]*", "\\|\\||->>?|<<|>>|<>|[<>!=]=", "[^]"].join("|"), "gy");
const SPACE = /^(?:\s|--|\/\*)/;
const PLACE = "\x01";                           // of a value

// What can come after an item: of words, those that are no operators.
const OPERATOR = /^(?:COLLATE|IS|IN|LIKE|GLOB|MATCH|REGEXP|BETWEEN|AND|OR|NOT|ISNULL|NOTNULL|ESCAPE)$/i;
const ENDS = (token) => token === undefined || /^[),;]$/.test(token) || /^\w/.test(token) && !OPERATOR.test(token);

// Our functions with arguments that are values, from which argument on to which.
const ARGUMENTS = {
  kv_value: [0, 0], kv_value_encode: [0, 0], kv_value_encoding: [0, 0], kv_set: [1, 1], kv_sum: [1, 1], kv_enqueue: [0, 0],
  kv_op: [1, 2], kv_atomic: [1, 2], kv_value_set: [2, Infinity], kv_lookup: [1, Infinity],
};

const unquoted = (name) => name && (/^["'`[]/.test(name) ? name.slice(1, -1) : name);

/** The tokens of a statement; what comes after its end is an error. */
function tokensOf(sql) {
  const tokens = [], all = sql.match(TOKEN) ?? [];
  let isTrigger = false;
  for (const [i, token] of all.entries()) {
    if (SPACE.test(token)) continue;
    tokens.push(token);
    if (tokens.length < 8 && /^TRIGGER$/i.test(token) && tokens.some((t) => /^CREATE$/i.test(t))) isTrigger = true;
    if (token !== ";" || isTrigger && !(/^END$/i.test(tokens.at(-2)) && tokens.at(-3) === ";")) continue;
    const rest = all.slice(i + 1).find((t) => t !== ";" && !SPACE.test(t));
    if (rest !== undefined) throw new TypeError(`kv: kv.sql runs one statement: there is another after the first ";": ${rest}`);
    break;
  }
  return tokens;
}

/**
 * What is known of the statement of a template: the table that it writes, and of each value
 * whether its place is "stored", "argument" or "shown", and the column that it is stored in:
 * its name, or its index where INSERT names no columns.
 */
function read(parts) {
  const tokens = tokensOf(parts.join(PLACE)), places = [], columns = [], frames = [];
  let frame = { clause: "" }, verb = "", table, tableEnd, named;
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1], word = /^[A-Z]/i.test(token) ? token.toUpperCase() : token, atTop = frames.length === 0;
    if (word === "(") {
      const items = frame.clause === "VALUES" && /^(?:VALUES|,)$/i.test(before) || frame.clause === "SET" && before === "=";
      frames.push(frame);
      frame = { clause: items ? "items" : "", argument: 0, values: ARGUMENTS[unquoted(before)?.toLowerCase()] };
      if (tableEnd !== undefined && (i - 1 === tableEnd || i - 3 === tableEnd && /^AS$/i.test(tokens[i - 2]))) named = frame.names = [];
    } else if (word === ")") {
      frame = frames.pop() ?? frame;
    } else if (word === ",") {
      frame.argument++;
    } else if (word === PLACE) {
      const isItem = /^(?:[(,=]|SELECT|ALL|DISTINCT)$/i.test(before) && ENDS(tokens[i + 1]);
      const [from, to] = frame.values ?? [];
      const isArgument = isItem && frame.argument >= from && frame.argument <= to;
      const isStored = isItem && (frame.clause === "SET" ? before === "=" : /^(?:items|SELECT)$/.test(frame.clause) && before !== "=");
      columns.push(!isStored ? null : before === "=" ? unquoted(tokens[i - 2]) : named?.[frame.argument] ?? frame.argument);
      places.push(isArgument ? "argument" : isStored ? "stored" : "shown");
    } else if (/^(?:INSERT|REPLACE|UPDATE)$/.test(word) && atTop && verb === "" && tokens[i + 1] !== "(") {
      verb = word;
    } else {
      frame.names?.push(unquoted(token));
    }
    if (!atTop || verb === "") continue;
    const isName = before && /^(?:INTO|UPDATE)$/i.test(before) || /^OR$/i.test(tokens[i - 2]) && verb === "UPDATE";
    if (isName && table === undefined && !/^(?:OR|SET)$/.test(word)) {
      const hasSchema = tokens[i + 1] === ".";
      table = hasSchema ? { schema: unquoted(token), name: unquoted(tokens[i + 2]) } : { schema: null, name: unquoted(token) };
      tableEnd = hasSchema ? i + 2 : i;
    }
    if (/^(?:VALUES|SET|SELECT)$/.test(word) && !(word === "SELECT" && verb === "UPDATE")) [frame.clause, frame.argument] = [word, 0];
    else if (/^(?:FROM|WHERE|RETURNING|ORDER|LIMIT|GROUP|ON)$/.test(word)) frame.clause = "";
  }
  if (places.length < parts.length - 1) throw new TypeError("kv: a value of kv.sql is inside a string, a name or a comment");
  return { places, columns, table };
}

const known = new WeakMap();

/** The same, remembered for each template. */
function readTemplate(parts) {
  let statement = known.get(parts);
  if (statement === undefined) known.set(parts, statement = read(parts));
  return statement;
}

module.exports = { readTemplate };
