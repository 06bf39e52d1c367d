// files.js -- what was dropped on the page: which of the files is the database,
// and what belongs to it.

const MAGIC = "SQLite format 3\0";
const SUFFIXES = ["-wal", "-journal"];

/** The files that belong to a database of this name, with the suffix that says so. */
export function journalNames(name, files) {
  return SUFFIXES.flatMap((suffix) =>
    files.filter((file) => file.name === name + suffix).map((file) => ({
      suffix,
      bytes: file.bytes,
    }))
  );
}

/** Splits names into the database's and those beside it; throws what to do instead. */
export function chooseDatabase(names) {
  const main = names.filter((name) =>
    !SUFFIXES.concat("-shm").some((suffix) => name.endsWith(suffix))
  );
  if (main.length === 0) throw new Error("That is only a journal. Drop the database file with it.");
  if (main.length > 1) throw new Error(`Drop one database at a time, not ${main.length}.`);
  const beside = names.filter((name) => SUFFIXES.some((suffix) => name === main[0] + suffix));
  return { main: main[0], beside };
}

/** What is wrong with the head of a file, or null. */
export function headProblem(bytes) {
  if (bytes.length === 0) return null;
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  if (head === MAGIC) return null;
  return bytes.length < 100
    ? "This file is too short to be a database."
    : "This is not a SQLite database. A Deno KV file is one; " +
      "look for the path given to Deno.openKv().";
}

/** The warning for a file in WAL mode that came alone, or null. */
export function walWarning(bytes, beside) {
  const wal = bytes.length > 19 && bytes[18] === 2;
  return wal && !beside.some((name) => name.endsWith("-wal"))
    ? "This file uses a write-ahead log and came without one. Recent writes may be missing: " +
      "if a file of the same name ending in -wal lies beside it, drop both together."
    : null;
}
