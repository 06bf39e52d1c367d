// scripts.js -- what the box for SQL asks: scripts, of whose last statement
// further rows can be read.

import { SqlError } from "./engine.js";
import { charAt } from "./words.js";

/** A row as the page shows it: a REAL as {real}, in SQLite's spelling. */
function shownRow(statement) {
  return statement.row().map((x, i) =>
    typeof x === "number" && statement.isReal(i) ? { real: statement.text(i) } : x
  );
}

export class Scripts {
  constructor(db, slices) {
    this.db = db;
    this.slices = slices;
    this.cursor = null; // {id, statement, ahead}: the row that was read last, and not shown
    this.serial = 0;
  }

  /**
   * Of each statement with columns the first `limit` rows; an error, with the place in the
   * script if it has one, is the last result.
   */
  async run(sql, params, limit) {
    this.close();
    const { db } = this;
    const before = db.totalChanges;
    let wrote = db.inTransaction;
    const results = [];
    try {
      for (const statement of db.statements(sql)) {
        this.close();
        const result = await this.#one(statement, params, limit);
        wrote ||= result.wrote;
        results.push(result);
      }
    } catch (error) {
      const at = error.offset >= 0 ? charAt(sql, error.offset) : null;
      results.push({ error: error.message, code: error.code, at });
    }
    // What is a part of a transaction counts as a write, ROLLBACK too.
    return { results, wrote: wrote || db.inTransaction || db.totalChanges !== before };
  }

  async #one(statement, params, limit) {
    const { db, slices } = this;
    const start = performance.now();
    const before = db.totalChanges;
    // A SELECT may write, by kv_set() and the like; CREATE changes no row.
    const { readOnly } = statement;
    const wrote = () => !readOnly || db.totalChanges !== before;
    const result = {
      sql: statement.sql,
      columns: statement.columns,
      plan: statement.isPlan,
      rows: [],
      count: 0,
    };
    if (wrote()) slices.stopWalkers();
    let ahead;
    try {
      statement.bind(params);
      await slices.walk(statement, () => {
        result.count++;
        if (result.rows.length < limit) return void result.rows.push(shownRow(statement));
        if (wrote()) return; // it must run to its end
        ahead = shownRow(statement);
        return false;
      });
    } finally {
      if (!ahead) statement.finalize();
    }
    result.ms = performance.now() - start;
    result.wrote = wrote();
    if (result.wrote && result.columns.length === 0) result.changes = db.changes;
    if (ahead) {
      result.cursor = ++this.serial;
      this.cursor = { id: result.cursor, statement, ahead };
    }
    return result;
  }

  /** Further rows of the result that is open. */
  async more(id, limit) {
    const { cursor } = this;
    if (cursor?.id !== id) {
      throw new SqlError("The result has ended with a later statement; run its own again.", 1, -1);
    }
    const rows = [cursor.ahead];
    let more = false;
    try {
      more = await this.slices.walk(cursor.statement, () => {
        rows.push(shownRow(cursor.statement));
        return rows.length <= limit;
      });
    } finally {
      if (more) cursor.ahead = rows.pop();
      else this.close();
    }
    return { rows, more };
  }

  close() {
    this.cursor?.statement.finalize();
    this.cursor = null;
  }
}
