// tracking.js -- what every entry held before it was first changed, in a
// temporary table that triggers fill. Both belong to the connection, not to
// the file.

const EXPIRED = `o.expiration_ms>=0
  AND o.expiration_ms<=CAST(unixepoch('subsec')*1000 AS INTEGER)`;
const NOTE = (key) => `
  INSERT INTO page_before SELECT ${key}, o.v, o.v_encoding, o.expiration_ms, ${EXPIRED}
    FROM (SELECT 1) LEFT JOIN kv o ON o.k=${key}
   WHERE NOT EXISTS (SELECT 1 FROM page_before b WHERE b.k=${key});`;
// expired: nobody saw that entry any more when it was first changed.
const TRIGGERS = `
CREATE TEMP TABLE IF NOT EXISTS page_before(
  k BLOB PRIMARY KEY, v, v_encoding, expiration_ms, expired) WITHOUT ROWID;
CREATE TEMP TRIGGER page_insert BEFORE INSERT ON main.kv BEGIN ${NOTE("new.k")} END;
CREATE TEMP TRIGGER page_update BEFORE UPDATE ON main.kv BEGIN ${NOTE("old.k")} ${
  NOTE("new.k")
} END;
CREATE TEMP TRIGGER page_delete BEFORE DELETE ON main.kv BEGIN ${NOTE("old.k")} END;`;

const BOTH = "FROM temp.page_before b LEFT JOIN main.kv o ON o.k=b.k";
const CHANGED = `${BOTH}
 WHERE (b.v IS NOT o.v OR b.v_encoding IS NOT o.v_encoding
    OR ifnull(b.expiration_ms, -1) IS NOT ifnull(o.expiration_ms, -1))
   AND NOT (o.k IS NULL AND b.expired IS 1)`;
const COLLECTED = `${BOTH} WHERE o.k IS NULL AND b.expired IS 1`;
const SHOWN = 4000; // characters of a value

export class Tracking {
  /** `db` has just been opened. */
  constructor(db) {
    this.db = db;
    if (this.#isStore()) db.run(TRIGGERS);
  }

  /** Whether there is a store. ROLLBACK and DROP take the triggers with them. */
  get on() {
    return this.db.value("SELECT count(*) FROM sqlite_temp_schema WHERE name='page_insert'") === 1;
  }

  #isStore() {
    const found = this.db.value("SELECT count(*) FROM pragma_table_info('kv', 'main')") > 0;
    return found && this.foreign() === null;
  }

  /** Why a table named kv isn't Deno's, or null. */
  foreign() {
    try {
      this.db.value("SELECT 1 FROM kv_entries LIMIT 1");
      return null;
    } catch (error) {
      return error.message.match(/main\.kv is not a table of Deno KV \((.*?)\) and/)?.[1] ?? null;
    }
  }

  /** After a write: a store that has come into being was empty before. */
  look() {
    if (this.on || !this.#isStore()) return;
    this.db.run(
      `${TRIGGERS} INSERT OR IGNORE INTO temp.page_before SELECT k, NULL, NULL, NULL, 0 FROM main.kv`,
    );
  }

  /** From now on an entry differs from what it is now. */
  reset() {
    if (this.on) this.db.run("DELETE FROM temp.page_before");
  }

  count() {
    return this.on ? this.db.value(`SELECT count(*) ${CHANGED}`) : 0;
  }

  /** Expired entries that writes have removed on their way: {total, rows}. */
  collected(limit) {
    if (!this.on) return { total: 0, rows: [] };
    const rows = this.db.all(
      `SELECT b.k, kv_raw(b.v, b.v_encoding), b.expiration_ms ${COLLECTED} ORDER BY b.k LIMIT ?`,
      [limit],
    );
    return {
      total: this.db.value(`SELECT count(*) ${COLLECTED}`),
      rows: rows.map(([k, raw, expiration]) => (
        { key: this.#keyText(k), ...this.#side(raw, expiration) }
      )),
    };
  }

  /** The entries that differ: {key, before, after}, each side {type, js, expiresAt} or null. */
  list(limit) {
    if (!this.on) return [];
    const rows = this.db.all(
      `SELECT b.k, iif(b.v IS NULL OR b.expired, NULL, kv_raw(b.v, b.v_encoding)), b.expiration_ms,
        iif(o.k IS NULL, NULL, kv_raw(o.v, o.v_encoding)), o.expiration_ms
       ${CHANGED} ORDER BY b.k LIMIT ?`,
      [limit],
    );
    return rows.map(([k, before, expiredBefore, after, expiresAfter]) => ({
      key: this.#keyText(k),
      before: this.#side(before, expiredBefore),
      after: this.#side(after, expiresAfter),
    }));
  }

  #keyText(k) {
    try {
      return this.db.value("SELECT kv_key_decode(?)", [k]);
    } catch {
      return `kv.malformedKey("${Array.from(k, (b) => b.toString(16).padStart(2, "0")).join("")}")`;
    }
  }
  #side(raw, expiration) {
    if (raw === null) return null;
    const [type, js] = this.db.first(
      "SELECT kv_type(?1), iif(kv_type(?1)='malformed', '', kv_js(?1))",
      [raw],
    );
    return { type, js: js.slice(0, SHOWN), expiresAt: expiration >= 0 ? expiration : null };
  }

  /** The statement that puts an entry back to what the file held. */
  undoing(key) {
    const [v, encoding, expiration, expired] = this.db.first(
      "SELECT v, v_encoding, expiration_ms, expired FROM temp.page_before WHERE k=kv_key_encode(?)",
      [key],
    );
    if (v === null || expired) return { sql: "DELETE FROM kv_entries WHERE key=?", params: [key] };
    return {
      sql: "INSERT OR REPLACE INTO kv_entries(key, raw, expires_at) VALUES (?, kv_raw(?, ?), ?)",
      params: [key, v, encoding, expiration >= 0 ? expiration : null],
    };
  }
}
