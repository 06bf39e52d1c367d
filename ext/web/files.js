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

const u32 = (bytes, at) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);

/**
 * What is wrong with a database of `size` bytes, as far as its first 100 show it; null if
 * nothing is. `beside`: the names of the files that came with it.
 */
export function headProblem(bytes, size, beside) {
  if (size === 0) return null;
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  if (head !== MAGIC) {
    return size < 100
      ? "This file is too short to be a database."
      : "This is not a SQLite database. A Deno KV file is one; " +
        "look for the path given to Deno.openKv().";
  }
  const { pages, here } = pageCounts(bytes, size);
  return here < pages && beside.length === 0
    ? `This file is incomplete: ${here} of its ${pages} pages are here. ` +
      "Copy it again while no Deno has it open, and drop a -wal file with it if there is one."
    : null;
}

/** The pages of a database by its header, and those that the file has. */
function pageCounts(bytes, size) {
  if (bytes.length < 100) return { pages: 1, here: 0 };
  const pageSize = (bytes[16] << 8 | bytes[17]) === 1 ? 65536 : bytes[16] << 8 | bytes[17];
  // The header's count is valid if the same change wrote both.
  const pages = u32(bytes, 24) === u32(bytes, 92) ? u32(bytes, 28) : 0;
  return { pages, here: pageSize > 0 ? Math.floor(size / pageSize) : pages };
}

/**
 * What to say of a file that came without its write-ahead log if everything is in there; else
 * null. A file that Deno has closed is in WAL mode too, and whole.
 */
export function walWarning(bytes, beside) {
  const empty = bytes.length >= 100 && bytes[18] === 2 && u32(bytes, 40) === 0;
  return empty && !beside.some((name) => name.endsWith("-wal"))
    ? "This file is still empty. If a file of the same name ending in -wal lies beside it, " +
      "what was written is in there: drop both together."
    : null;
}
