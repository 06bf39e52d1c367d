// past.js -- what entries were, as SQL: the history that kv_history() keeps. It runs in the
// worker.

const SHOWN = 4000; // characters of a value
const STATE = `versionstamp, until, at, deleted, type, expires_at,
 CASE WHEN type='malformed' THEN '' ELSE substr(js, 1, ${SHOWN}) END`;

function state([versionstamp, until, at, deleted, type, expiresAt, js]) {
  return { versionstamp, until, at, deleted: deleted === 1, type, expiresAt, js };
}

export class Past {
  constructor(db, slices) {
    this.db = db;
    this.slices = slices;
  }

  /** Whether the file keeps a history of anything. */
  get kept() {
    return this.db.value("SELECT count(*) FROM sqlite_schema WHERE name='kv_history_def'") > 0;
  }

  /** The states of an entry, the newest first: {rows, more}; null if none are kept. */
  versions(key, limit) {
    if (!this.kept) return null;
    try {
      const rows = this.db.all(
        `SELECT ${STATE} FROM kv_versions(?) ORDER BY at DESC LIMIT ?`,
        [key, limit + 1],
      );
      return { rows: rows.slice(0, limit).map(state), more: rows.length > limit };
    } catch (error) {
      if (/no history of/.test(error.message)) return null;
      throw error;
    }
  }

  restorable(prefix, asOf) {
    return this.db.value("SELECT kv_restore(?, ?, 1)", [prefix, asOf]);
  }

  /** Entries below a prefix that are no more, each as it was last: {rows, more}, or null. */
  async deleted(prefix, limit) {
    if (!this.kept) return null;
    const rows = [];
    let last = null;
    try {
      const statement = this.db.prepare(`SELECT ${STATE}, key FROM kv_versions(?, 1)`)
        .bind([prefix]);
      const walked = this.slices.walk(statement, () => {
        const row = statement.row();
        const now = { ...state(row), key: row[7] };
        if (now.deleted && now.until === null) rows.push({ ...last, gone: now.at });
        last = now;
        return rows.length <= limit;
      });
      await walked.finally(() => statement.finalize());
    } catch (error) {
      if (/no history of/.test(error.message)) return null;
      throw error;
    }
    return { rows: rows.slice(0, limit), more: rows.length > limit };
  }
}
