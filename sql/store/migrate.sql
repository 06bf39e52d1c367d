-- Deno's migrations, as Deno's own files show them (layout 3).
--
-- {name!} is a table's name with its schema, written as Deno writes it, so
-- that the text in sqlite_schema is the same; {name-} is the bare name.
-- A migration that has been released is never edited.

-- name: migrate_state
create table if not exists {migration_state!}(
  k integer not null primary key,
  version integer not null
)

-- name: migrate_version
-- Deno adds columns to its first two tables later.  The text is what SQLite makes of
-- that.
create table {data_version!} (
  k integer primary key,
  version integer not null
, seq integer not null default 0)

-- name: migrate_row
insert into {data_version} (k, version) values (0, 0)

-- name: migrate_kv
create table {kv!} (
  k blob primary key,
  v blob not null,
  v_encoding integer not null,
  version integer not null
, seq integer not null default 0, expiration_ms integer not null default -1) without rowid

-- name: migrate_2_queue
create table if not exists {queue!} (
  ts integer not null,
  id text not null,
  data blob not null,
  backoff_schedule text not null,
  keys_if_undelivered blob not null,

  primary key (ts, id)
)

-- name: migrate_2_running
create table if not exists {queue_running!}(
  deadline integer not null,
  id text not null,
  data blob not null,
  backoff_schedule text not null,
  keys_if_undelivered blob not null,

  primary key (deadline, id)
)

-- name: migrate_3_version_seq
alter table {data_version} add column seq integer not null default 0

-- name: migrate_3_kv_seq
alter table {kv} add column seq integer not null default 0

-- name: migrate_3_kv_expiration
alter table {kv} add column expiration_ms integer not null default -1

-- name: migrate_3_index
create index if not exists {kv_expiration_ms_idx!} on {kv-} (expiration_ms)

-- name: migrate_set
insert or replace into {migration_state} (k, version) values (0, 3)
