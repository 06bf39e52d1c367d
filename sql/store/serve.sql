-- The table of kv-serve on a cluster, which makes it itself, in these words
-- (ext/serve/cluster.c).

-- name: serve_done
CREATE TABLE IF NOT EXISTS {kv_serve_done!}(id TEXT NOT NULL PRIMARY KEY, versionstamp TEXT, at INTEGER NOT NULL) WITHOUT ROWID
