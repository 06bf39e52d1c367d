// shapes.js -- the collections of a file, and those that fit what is stored: one
// for each number of key parts below a prefix that holds objects.

const PREFIXES = 40;
const KEYS = 500; // entries that the keys of a prefix are judged by
const SAMPLE = 2000; // entries that the columns of a collection are judged by
const TABLE = /^CREATE VIRTUAL TABLE temp\.("(?:[^"]|"")*"|\w+)/;

export function quote(name) {
  return `"${name.replaceAll('"', '""')}"`;
}
function unquote(name) {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

/**
 * The shapes of keys, the shallowest first: {parts, objects, name}. keys: [type, the parts after
 * the prefix: strings, and null for the others]; name: a string that all keys of the shape have
 * at one place, the last of them, or the number of parts.
 */
export function shapesOf(keys) {
  const shapes = new Map();
  for (const [type, parts] of keys) {
    const shape = shapes.get(parts.length) ??
      { parts: parts.length, entries: 0, objects: 0, same: parts };
    shapes.set(parts.length, {
      ...shape,
      entries: shape.entries + 1,
      objects: shape.objects + (type === "Object" ? 1 : 0),
      same: shape.same.map((part, i) => part === parts[i] ? part : null),
    });
  }
  return [...shapes.values()].filter(({ parts }) => parts > 0).sort((a, b) => a.parts - b.parts)
    .map(({ parts, entries, objects, same }) => ({
      parts,
      objects: 2 * objects >= entries,
      // What all keys of a single entry have in common says nothing.
      name: (entries > 1 && same.findLast((part) => part !== null)) || String(parts),
    }));
}

export class Shapes {
  constructor(db, slices) {
    this.db = db;
    this.slices = slices;
    this.made = new Map(); // name -> the statement, of those that are in temp
  }

  /**
   * {name, table, sql, prefix, parts, error}; of the file's collections and the user's own only
   * name and table. Without a store nothing is inferred. With `make` all of them are there for SQL, in temp: the file doesn't change.
   */
  async list(make, isStore) {
    const { db } = this;
    const known = db.all(
      `SELECT 'main', name, sql FROM main.sqlite_schema UNION ALL
       SELECT 'temp', name, sql FROM temp.sqlite_temp_schema`,
    ).filter(([schema, name]) => schema === "main" || !this.made.has(name));
    const list = known.filter(([, , sql]) =>
      /^CREATE VIRTUAL TABLE.*USING\s+kv_collection/is.test(sql)
    )
      .map(([schema, name]) => ({ name, table: `${schema}.${quote(name)}`, sql: null }));
    const taken = new Set(known.map(([, name]) => name.toLowerCase()));
    const inferred = [];
    for (const prefix of isStore ? await this.#prefixes() : []) {
      inferred.push(...await this.#infer(prefix, taken));
    }
    if (make) this.#make(inferred);
    return [...list, ...inferred];
  }

  async #prefixes() {
    const rows = await this.slices.all(
      this.db.prepare("SELECT key FROM kv_children('[]') WHERE has_children AND type<>'malformed'"),
    );
    return rows.slice(0, PREFIXES).map(([key]) => key);
  }

  /** Every shape of a prefix if one of them holds objects. */
  async #infer(prefix, taken) {
    const keys = await this.slices.all(
      this.db.prepare(
        `SELECT type, (SELECT json_group_array(iif(p.type='string', p.value, NULL))
            FROM kv_parts(e.key) p)
          FROM (SELECT key, type FROM kv_entries(?) LIMIT ${KEYS}) e`,
      ).bind([prefix]),
    );
    const shapes = shapesOf(keys.map(([type, parts]) => [type, JSON.parse(parts).slice(1)]));
    if (!shapes.some(({ objects }) => objects)) return [];
    const found = [];
    for (const { parts, name } of shapes) {
      const sql = this.db.value("SELECT kv_infer(?, ?, ?)", [prefix, SAMPLE, parts]);
      const base = unquote(sql?.match(TABLE)?.[1] ?? "");
      if (!base) continue;
      const full = found.length === 0 ? base : `${base}_${name}`;
      if (taken.has(full.toLowerCase())) continue;
      taken.add(full.toLowerCase());
      const plain = full !== base && /^[a-z_]\w*$/i.test(full);
      const table = full === base ? sql.match(TABLE)[1] : plain ? full : quote(full);
      found.push({
        name: full,
        table: `temp.${table}`,
        sql: sql.replace(TABLE, () => `CREATE VIRTUAL TABLE temp.${table}`),
        prefix,
        parts,
      });
    }
    return found;
  }

  #make(inferred) {
    const { db, made } = this;
    const there = new Set(
      db.all("SELECT name FROM temp.sqlite_temp_schema").map(([name]) => name),
    );
    const wanted = new Map(inferred.map((one) => [one.name, one]));
    for (const name of made.keys()) {
      if (wanted.get(name)?.sql === made.get(name) && there.has(name)) continue;
      if (there.has(name)) db.run(`DROP TABLE temp.${quote(name)}`);
      made.delete(name);
    }
    for (const one of inferred) {
      if (made.has(one.name)) continue;
      try {
        db.run(one.sql);
        made.set(one.name, one.sql);
      } catch (error) {
        one.error = error.message;
      }
    }
  }
}
