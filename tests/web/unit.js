// unit.js -- the page's own JavaScript, without browser and database: prints a
// line "ok SENTENCE" or "not ok SENTENCE: got, expected" for each check.

import { csv, inserts, json, tableOf } from "../../ext/web/copy.js";
import { chooseDatabase, headProblem, journalNames, walWarning } from "../../ext/web/files.js";
import {
  columnTracks,
  MAX_HEIGHT,
  PageCache,
  scrollHeight,
  scrollTo,
  sortedRows,
  visibleRows,
} from "../../ext/web/paging.js";
import { pretty } from "../../ext/web/pretty.js";
import { shapesOf } from "../../ext/web/shapes.js";
import {
  bytes,
  cell,
  charAt,
  chartColumns,
  duration,
  families,
  hexDump,
  many,
  placed,
  planWords,
  problemIn,
  remaining,
  spanAt,
  time,
} from "../../ext/web/words.js";

function same(sentence, got, expected) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(expected)];
  console.log(a === b ? `ok ${sentence}` : `not ok ${sentence}: ${a}, not ${b}`);
}
function failure(f) {
  try {
    f();
    return null;
  } catch (error) {
    return error.message;
  }
}

// ----------------------------------------------------------------- files

same(
  "the database is chosen among its journals",
  chooseDatabase(["a.db-wal", "a.db", "a.db-shm", "b.db-wal"]),
  {
    main: "a.db",
    beside: ["a.db-wal"],
  },
);
same(
  "a journal alone is refused",
  failure(() => chooseDatabase(["a.db-wal"])),
  "That is only a journal. Drop the database file with it.",
);
same(
  "two databases are refused",
  failure(() => chooseDatabase(["a.db", "b.db"])),
  "Drop one database at a time, not 2.",
);
same(
  "journals are found by the name of the database",
  journalNames("a", [{ name: "a-wal", bytes: 1 }, { name: "b-wal", bytes: 2 }]),
  [
    { suffix: "-wal", bytes: 1 },
  ],
);
/** The head of a database of 4,096 bytes a page. */
const head = ({ text = "SQLite format 3\0", wal = false, pages = 1, schema = 1 } = {}) => {
  const data = new Uint8Array(100);
  data.set(new TextEncoder().encode(text));
  data.set([16, 0, wal ? 2 : 1], 16);
  const view = new DataView(data.buffer);
  view.setUint32(28, pages);
  view.setUint32(40, schema);
  return data;
};
same("a SQLite file, or an empty one, has no problem", [
  headProblem(head(), 4096, []),
  headProblem(new Uint8Array(), 0, []),
], [null, null]);
same("other files are told so", [
  headProblem(head({ text: "PK" }), 4096, []).slice(0, 33),
  headProblem(new Uint8Array(9), 9, []).slice(0, 21),
], [
  "This is not a SQLite database. A ",
  "This file is too shor",
]);
same("a file with fewer pages than its header counts is said to be incomplete", [
  headProblem(head({ pages: 12 }), 9 * 4096, [])?.slice(0, 60),
  headProblem(head({ pages: 12 }), 9 * 4096, ["a-wal"]),
  headProblem(head({ pages: 12 }), 12 * 4096, []),
], ["This file is incomplete: 9 of its 12 pages are here. Copy it", null, null]);
same("of a missing write-ahead log only a file is warned that is empty without it", [
  walWarning(head({ wal: true, schema: 0 }), [])?.slice(0, 25),
  walWarning(head({ wal: true, schema: 0 }), ["a-wal"]),
  walWarning(head({ wal: true }), []),
  walWarning(head({ schema: 0 }), []),
], ["This file is still empty.", null, null, null]);

// --------------------------------------------------------------- problems

same(
  "an offset in UTF-8 is a character of the text",
  [0, 1, 3, 7, 10, 99].map((offset) => charAt("aä𝄞€b", offset)),
  [0, 1, 2, 4, 5, 6],
);
{
  const text = '{"ä": nul}';
  const problem = problemIn(text, "kv: kv_value(): no name (here) is read (at offset 7)");
  same("the extension's message is said in the editor's words", [problem, placed(text, problem)], [
    { message: "no name (here) is read", at: 6 },
    "Line 1, column 7: no name (here) is read",
  ]);
}
same("a problem without a place is said as it is", [
  placed("a", problemIn("a", "kv: too deep")),
  placed("a\nbc", { message: "x", at: 3 }),
], ["too deep", "Line 2, column 2: x"]);
same("a word is underlined, or a character, or the last one", [
  spanAt("a: nul }", 3),
  spanAt("[,]", 1),
  spanAt("[1, 2 \n", 8),
  spanAt("", 0),
], [[3, 6], [1, 2], [4, 5], [0, 0]]);

// ------------------------------------------------------------------ rows

{
  const columns = ["a", "b c", "a"];
  const rows = [
    [1n << 70n, 'x"y', null],
    [{ real: "1.0" }, "", new Uint8Array([0, 255])],
    [{ real: "-Inf" }, "l\n'q", "a\0b"],
  ];
  same(
    "rows as CSV",
    csv(columns, rows),
    [
      "a,b c,a",
      '1180591620717411303424,"x""y",',
      "1.0,\"\",x'00ff'",
      '-Inf,"l\n\'q",a\0b',
      "",
    ].join("\r\n"),
  );
  same(
    "rows as JSON",
    json(columns, rows),
    [
      '[{"a":1180591620717411303424,"b c":"x\\"y","a:1":null},',
      ' {"a":1.0,"b c":"","a:1":"00ff"},',
      ' {"a":-9e999,"b c":"l\\n\'q","a:1":"a\\u0000b"}]\n',
    ].join("\n"),
  );
  same(
    "rows as INSERT",
    inserts("t", columns, rows),
    [
      'INSERT INTO t(a, "b c", a) VALUES',
      " (1180591620717411303424, 'x\"y', NULL),",
      " (1.0, '', x'00ff'),",
      " (-9e999, 'l\n''q', CAST(x'610062' AS TEXT));\n",
    ].join("\n"),
  );
  same("the table of an INSERT is the first one that is read", [
    tableOf('SELECT "from", x from main."a ""b" WHERE y'),
    tableOf("SELECT * FROM kv_entries('[]')"),
    tableOf("PRAGMA page_size"),
  ], ['main."a ""b"', "kv_entries", "result"]);
}
{
  const values = [
    new Uint8Array([1, 0]),
    "b",
    new Uint8Array([1]),
    { real: "Inf" },
    "\uff5e",
    2n ** 70n,
    "\u{1f600}",
    null,
    "",
    -1,
    "ba",
    { real: "0.5" },
  ];
  const shown = (list) =>
    list.map(([x]) => x instanceof Uint8Array ? `x${x.length}` : String(x?.real ?? x));
  const up = sortedRows(values.map((x) => [x]), 0, false);
  same("values are sorted as SQLite does", shown(up), [
    "null",
    "-1",
    "0.5",
    "1180591620717411303424",
    "Inf",
    "",
    "b",
    "ba",
    "\uff5e",
    "\u{1f600}",
    "x1",
    "x2",
  ]);
  same("descending is the reverse, and equal rows stay", [
    shown(sortedRows(up, 0, true)).join() === shown(up.toReversed()).join(),
    sortedRows([[1, "a"], [1, "b"], [2, "c"]], 0, true).map(([, x]) => x).join(""),
  ], [true, "cab"]);
}

// ---------------------------------------------------------------- shapes

same(
  "keys of one length are a shape, which is named by what they have in common",
  shapesOf([
    ["Object", [null, "comments", "x"]],
    ["string", [null, "comments", "y"]],
    ["Object", [null]],
    ["number", ["a", "b"]],
    ["number", ["c", null]],
    ["Date", []],
  ]),
  [
    { parts: 1, objects: true, name: "1" },
    { parts: 2, objects: false, name: "2" },
    { parts: 3, objects: true, name: "comments" },
  ],
);

// ---------------------------------------------------------------- paging

same("a pixel of a short list is a pixel of rows", visibleRows(50, 100, 1000, 20), {
  first: 2,
  last: 8,
  shift: -10,
});
same("a list that fits is shown from its first row", visibleRows(0, 100, 3, 20), {
  first: 0,
  last: 3,
  shift: 0,
});
{
  const columns = [
    { name: "key", min: 130, tight: 90, grow: 2 },
    { name: "late", min: 100, optional: 2 },
    { name: "value", min: 300, tight: 110, grow: 3 },
    { name: "size", min: 80, optional: 1 },
  ];
  const of = (room, list = columns) => {
    const { shown, tracks, least } = columnTracks(list, room);
    return [shown.map(({ name }) => name).join(" "), tracks, least];
  };
  same("columns are shown as far as there is room, by their rank", [of(620), of(510), of(320)], [
    ["key late value size", "minmax(130px, 2fr) 100px minmax(300px, 3fr) 80px", 610],
    ["key value size", "minmax(130px, 2fr) minmax(300px, 3fr) 80px", 510],
    ["key value", "minmax(90px, 2fr) minmax(110px, 3fr)", 200],
  ]);
  same(
    "a column has the width that it was given",
    of(320, [{ ...columns[0], width: 57 }, columns[2]]),
    ["key value", "57px minmax(110px, 3fr)", 167],
  );
}
same(
  "types are in families",
  families([
    { type: "Map" },
    { type: "BigInt" },
    {
      type: "BigInt64Array",
    },
    { type: "RangeError" },
    { type: "KvU64" },
  ]).map(({ family, types }) => [family, types.length]),
  [
    ["object", 1],
    ["text", 1],
    ["number", 2],
    ["bytes", 1],
  ],
);
same("an empty list has no rows", visibleRows(0, 100, 0, 20), { first: 0, last: 0, shift: 0 });
const million = 10_000_000;
same(
  "a list of any length has a height that browsers can lay out",
  scrollHeight(million, 32),
  MAX_HEIGHT,
);
same(
  "the end of a long list is its last row",
  visibleRows(MAX_HEIGHT - 640, 640, million, 32).last,
  million,
);
{
  // Every row can be scrolled to, and is then in view.
  const missed = [];
  for (const row of [0, 1, 4999, 123456, 9999998, 9999999]) {
    const top = scrollTo(row, 0, 640, million, 32) ?? 0;
    const { first, last } = visibleRows(top, 640, million, 32);
    if (row < first || row >= last) missed.push({ row, first, last });
  }
  same("scrolling to a row of a long list brings it into view", missed, []);
}
same("scrolling to a row in view does nothing", scrollTo(3, 0, 640, 100, 32), null);
{
  const asked = [];
  const cache = new PageCache(async (page) => (asked.push(page), [page]), 2);
  const ready = [];
  cache.get(0, () => ready.push(0));
  cache.get(0, () => ready.push("twice"));
  await Promise.resolve().then(() => {});
  same("a page is fetched once, and told when it is there", [asked, ready, cache.get(0)], [
    [0],
    [0],
    [0],
  ]);
  cache.get(1, () => {});
  cache.get(2, () => {});
  same("the page that was used longest ago is forgotten", [...cache.pages.keys()], [1, 2]);
}

// ----------------------------------------------------------------- words

same(
  "sizes have three digits at most",
  [0, 1, 999, 1000, 9949, 12345, 999499, 999500, 5e12].map(bytes),
  [
    "0 B",
    "1 B",
    "999 B",
    "1.0 KB",
    "9.9 KB",
    "12 KB",
    "999 KB",
    "1.0 MB",
    "5.0 TB",
  ],
);
same("numbers agree with their nouns", [many(1, "entry", "entries"), many(2000, "row")], [
  "1 entry",
  "2,000 rows",
]);
same(
  "what remains is in its two largest units",
  [-1, 0, 300, 61000, 3600000, 90061000, 86400000].map(remaining),
  [
    "expired",
    "expired",
    "1 s",
    "1 min 1 s",
    "1 h",
    "1 d 1 h",
    "1 d",
  ],
);
same("durations are short", [0.2, 15.4, 1500].map(duration), ["below 1 ms", "15 ms", "1.5 s"]);
same("times that no calendar has are shown as numbers", [time(0), time(9e15)], [
  "1970-01-01 00:00:00Z",
  "9000000000000000 ms",
]);
same(
  "cells tell blobs, reals and NULL from text",
  [null, 1, { real: "1.0" }, "x", new Uint8Array([1, 255])].map(cell),
  [
    "NULL",
    "1",
    "1.0",
    "x",
    "x'01ff'",
  ],
);
same(
  "a hex dump shows offset, bytes and text",
  hexDump(new TextEncoder().encode("sqlite-kv: 0123é")).split("\n"),
  [
    "000000  73 71 6c 69 74 65 2d 6b 76 3a 20 30 31 32 33 c3  sqlite-kv: 0123·",
    `000010  a9${" ".repeat(45)}  ·`,
  ],
);
same(
  "plans are told in words",
  [
    "SCAN kv_entries VIRTUAL TABLE INDEX 4676:RANGE key>? AND prefix=? ORDER BY key DESC",
    "SCAN kv_entries VIRTUAL TABLE INDEX 2:POINT key IN (...)",
    "SCAN kv_entries VIRTUAL TABLE INDEX 0:ALL",
    "SCAN json_each VIRTUAL TABLE INDEX 1:",
    "SEARCH t USING INDEX i (a=?)",
    "USE TEMP B-TREE FOR ORDER BY",
    "something new",
  ].map(planWords),
  [
    "reads one range of kv_entries, not all of it (key>? and prefix=?), backwards",
    "looks up single entries of kv_entries by key (key IN (...))",
    "reads all of kv_entries",
    "calls json_each",
    "searches t by the index i (a=?)",
    "collects the rows in memory and sorts them for ORDER BY",
    "something new",
  ],
);
same(
  "a chart takes a text and the last number",
  chartColumns(["n", "type", "bytes"], [[1, "a", 5], [2, "b", null]]),
  { label: 1, value: 2 },
);
same("a chart needs a number", chartColumns(["a", "b"], [["x", "y"]]), null);
same("a chart needs rows", chartColumns(["a", "b"], []), null);

// ------------------------------------------------------------------ JSON

same(
  "JSON is indented and its numbers stay as they are",
  pretty('{"a":[1.0,12345678901234567890],"b":{},"c":[],"d":"{,:\\"]"}'),
  [
    "{",
    '  "a": [',
    "    1.0,",
    "    12345678901234567890",
    "  ],",
    '  "b": {},',
    '  "c": [],',
    '  "d": "{,:\\"]"',
    "}",
  ].join("\n"),
);
