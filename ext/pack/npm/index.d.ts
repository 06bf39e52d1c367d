/** The path of the extension, for sqlite3_load_extension(). */
export function getLoadablePath(): string;

/**
 * Load the extension into a connection of better-sqlite3, node:sqlite (opened
 * with allowExtension: true) or bun:sqlite.
 */
export function load(db: { loadExtension(file: string): void }): void;

export interface OpenOptions {
  /**
   * The driver: a name, or a class of better-sqlite3's kind.  By default the first
   * of bun:sqlite, node:sqlite and better-sqlite3 that can load extensions.
   */
  driver?: "bun:sqlite" | "node:sqlite" | "better-sqlite3" | (new (path: string, options?: any) => unknown);
  /** The path of the extension, if it isn't the package's own. */
  extension?: string;
  /** Print each statement or request. */
  debug?: boolean;
}

export type KvImplementation = "in-memory" | "sqlite" | "remote";
export type EncodeV8 = (value: unknown) => Uint8Array;
export type DecodeV8 = (bytes: Uint8Array) => unknown;

export interface Serializer {
  /** What values are encoded and decoded with, but for a KvU64 and a Uint8Array: both, or neither. */
  encodeV8?: EncodeV8;
  decodeV8?: DecodeV8;
}

export interface NapiBasedServiceOptions extends OpenOptions, Serializer {
  /** Open a store in memory, whatever the path. */
  inMemory?: boolean;
}

export interface InMemoryServiceOptions extends OpenOptions {
  /** For @deno/kv alone: here the backoff schedule of a message decides. */
  maxQueueAttempts?: number;
}

export interface RemoteServiceOptions extends OpenOptions, Serializer {
  /** The access token; that of the environment variable DENO_KV_ACCESS_TOKEN unless given. */
  accessToken?: string;
  /** What requests are sent with, instead of fetch(). */
  fetcher?: typeof fetch;
  /** How often a request is repeated that the server couldn't carry out; 10. */
  maxRetries?: number;
  /** Of KV Connect: 1, 2 and 3. */
  supportedVersions?: (1 | 2 | 3)[];
  /** For @deno/kv alone: here every value can be read. */
  wrapUnknownValues?: boolean;
}

export interface OpenKvOptions extends NapiBasedServiceOptions, Omit<RemoteServiceOptions, keyof NapiBasedServiceOptions>, Pick<InMemoryServiceOptions, "maxQueueAttempts"> {
  implementation?: KvImplementation;
}

/**
 * Open the key space of a SQLite file, as Deno.openKv() does, or of a URL by KV Connect.
 * Without a path, or with "", it is in memory, unless the environment variable
 * DENO_KV_DEFAULT_PATH names a file.
 */
export function openKv(path?: string, options?: OpenKvOptions): Promise<Kv>;

/** What opens databases of one kind. */
export interface KvService {
  openKv(path?: string): Promise<Kv>;
}
/** Files. */
export function makeNapiBasedService(options?: NapiBasedServiceOptions): KvService;
/** Servers of KV Connect. */
export function makeRemoteService(options?: RemoteServiceOptions): KvService;
/** Stores in memory; those of one service that have the same path are one. */
export function makeInMemoryService(options?: InMemoryServiceOptions): KvService;
/** Deno's own openKv(), in Deno with --unstable-kv. */
export function makeNativeService(): { openKv(path?: string): Promise<any> };

export const NAPI_FUNCTIONS: string[];
/** The part of @deno/kv in native code, which this package doesn't have. */
export type NapiInterface = Record<string, (...args: any[]) => unknown>;
export function isNapiInterface(obj: unknown): obj is NapiInterface;

/** The serializer of @deno/kv for strings, null, undefined and booleans alone. */
export function makeLimitedV8Serializer(): {
  encodeV8: EncodeV8;
  decodeV8(bytes: Uint8Array, options?: { wrapUnknownValues?: boolean }): unknown;
};
/** What V8 has written, as it is. */
export class UnknownV8 {
  constructor(bytes: Uint8Array);
  readonly bytes: Uint8Array;
}

export type KvKeyPart = Uint8Array | string | number | bigint | boolean | symbol;
export type KvKey = readonly KvKeyPart[];
export type KvConsistencyLevel = "strong" | "eventual";

export interface KvEntry<T> {
  key: KvKey;
  value: T;
  versionstamp: string;
}
export type KvEntryMaybe<T> = KvEntry<T> | { key: KvKey; value: null; versionstamp: null };

export type KvListSelector =
  | { prefix: KvKey }
  | { prefix: KvKey; start: KvKey }
  | { prefix: KvKey; end: KvKey }
  | { start: KvKey; end: KvKey };

export interface KvListOptions {
  limit?: number;
  cursor?: string;
  reverse?: boolean;
  consistency?: KvConsistencyLevel;
  batchSize?: number;
}

export class KvListIterator<T> implements AsyncIterableIterator<KvEntry<T>> {
  private constructor();
  /** Where to go on: the option cursor of another list(). */
  get cursor(): string;
  next(): Promise<IteratorResult<KvEntry<T>, undefined>>;
  [Symbol.asyncIterator](): AsyncIterableIterator<KvEntry<T>>;
}

export interface AtomicCheck {
  key: KvKey;
  versionstamp: string | null;
}

export type KvMutation =
  & { key: KvKey }
  & (
    | { type: "set"; value: unknown; expireIn?: number }
    | { type: "delete" }
    | { type: "sum"; value: BigintHolder }
    | { type: "max"; value: BigintHolder }
    | { type: "min"; value: BigintHolder }
  );

export interface KvEnqueueOptions {
  delay?: number;
  keysIfUndelivered?: KvKey[];
  backoffSchedule?: number[];
}

export interface KvCommitResult {
  ok: true;
  versionstamp: string;
}
export interface KvCommitError {
  ok: false;
}

export class AtomicOperation {
  private constructor();
  check(...checks: AtomicCheck[]): this;
  mutate(...mutations: KvMutation[]): this;
  sum(key: KvKey, n: bigint): this;
  min(key: KvKey, n: bigint): this;
  max(key: KvKey, n: bigint): this;
  set(key: KvKey, value: unknown, options?: { expireIn?: number }): this;
  delete(key: KvKey): this;
  enqueue(value: unknown, options?: KvEnqueueOptions): this;
  commit(): Promise<KvCommitResult | KvCommitError>;
}

/** What kv.sql binds: stored with its type, an array as key text, else as SQL shows it. */
export type SqlValue = string | number | bigint | boolean | null | undefined | object;

export interface SqlTag {
  <T = Record<string, any>>(parts: TemplateStringsArray, ...values: SqlValue[]): Promise<T[]>;
}

/** The declarations of columns by their names, as in kv_collection(): { id: "INTEGER KEY", name: "TEXT NOT NULL" }. */
export type Columns = Record<string, string>;

type ColumnType<T extends string> =
  T extends `${string}BIGINT${string}` ? bigint
  : T extends `${string}INT${string}` | `REAL${string}` | `FLOA${string}` | `DOUB${string}` | `NUMERIC${string}` | `DECIMAL${string}` ? number
  : T extends `DATETIME${string}` | `TIMESTAMP${string}` ? Date
  : T extends `${string}CHAR${string}` | `TEXT${string}` | `CLOB${string}` | "DATE" | "TIME" | "UUID" ? string
  : T extends `BOOL${string}` ? boolean
  : T extends "BLOB" ? Uint8Array
  : unknown;
type FirstWord<D extends string> = D extends `${infer W} ${string}` ? W : D;
type ColumnValue<D extends string> = ColumnType<FirstWord<Uppercase<D>>>;
type HasWord<D extends string, W extends string> = ` ${Uppercase<D>} ` extends `${string} ${W} ${string}` ? true : false;
type IsNullable<D extends string> = true extends HasWord<D, "KEY"> | HasWord<D, "NOT NULL"> ? false : true;
type KeyColumn<C extends Columns> = { [K in keyof C]: HasWord<C[K], "KEY"> extends true ? K : never }[keyof C];
type IsOne<K, U = K> = K extends unknown ? [U] extends [K] ? true : false : never;
type IsGenerated<C extends Columns, K extends keyof C> = HasWord<C[K], "DEFAULT"> extends true ? true
  : IsNullable<C[K]> extends true ? true
  : K extends KeyColumn<C> ? ColumnValue<C[K]> extends number ? IsOne<KeyColumn<C>> : false : false;
type GeneratedColumn<C extends Columns> = { [K in keyof C]: IsGenerated<C, K> extends true ? K : never }[keyof C];

/** A row as it is read. */
export type CollectionRow<C extends Columns> = { -readonly [K in keyof C]: ColumnValue<C[K]> | (IsNullable<C[K]> extends true ? null : never) };
/** A row to be inserted: what can be NULL, has a DEFAULT or is a single INTEGER KEY may be left out. */
export type CollectionInsert<C extends Columns> =
  & { [K in Exclude<keyof C, GeneratedColumn<C>>]: ColumnValue<C[K]> }
  & { [K in GeneratedColumn<C>]?: ColumnValue<C[K]> | null };
/** The key of a row, and what is to be changed of it. */
export type CollectionUpdate<C extends Columns> =
  & { [K in KeyColumn<C>]: ColumnValue<C[K]> }
  & { [K in Exclude<keyof C, KeyColumn<C>>]?: CollectionRow<C>[K] };
export type CollectionKey<C extends Columns> = { [K in KeyColumn<C>]: ColumnValue<C[K]> };

/** The entries below a prefix as rows.  What another program has stored with another type is read with that type. */
export class Collection<C extends Columns> {
  private constructor();
  /** The rows, by what follows SELECT * FROM the table: users.select`WHERE age > ${40} ORDER BY name`. */
  select(parts?: TemplateStringsArray, ...values: SqlValue[]): Promise<CollectionRow<C>[]>;
  /** The row with these values of the KEY columns, or null. */
  get(...key: CollectionKey<C>[keyof CollectionKey<C>][]): Promise<CollectionRow<C> | null>;
  /** Insert a row; its key, generated parts included. */
  insert(row: CollectionInsert<C>): Promise<CollectionKey<C>>;
  /** Change the columns that are given, but for the KEY columns, which select the row: false if there is none. */
  update(row: CollectionUpdate<C>): Promise<boolean>;
  /** Delete the row with these values of the KEY columns: false if there is none. */
  delete(...key: CollectionKey<C>[keyof CollectionKey<C>][]): Promise<boolean>;
}

export class Kv {
  private constructor();
  get<T = unknown>(key: KvKey, options?: { consistency?: KvConsistencyLevel }): Promise<KvEntryMaybe<T>>;
  getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: KvKey }],
    options?: { consistency?: KvConsistencyLevel },
  ): Promise<{ [K in keyof T]: KvEntryMaybe<T[K]> }>;
  set(key: KvKey, value: unknown, options?: { expireIn?: number }): Promise<KvCommitResult>;
  delete(key: KvKey): Promise<void>;
  list<T = unknown>(selector: KvListSelector, options?: KvListOptions): KvListIterator<T>;
  enqueue(value: unknown, options?: KvEnqueueOptions): Promise<KvCommitResult>;
  /** The option lease: for how many ms a message is claimed, unless the event loop runs and extends it; 5000. */
  listenQueue(handler: (value: any) => Promise<void> | void, options?: { lease?: number }): Promise<void>;
  atomic(): AtomicOperation;
  /** The option raw: every state that a write leaves, and not only the latest. */
  watch<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: KvKey }],
    options?: { raw?: boolean },
  ): ReadableStream<{ [K in keyof T]: KvEntryMaybe<T[K]> }>;
  /** A statement whose values are bound as its parameters; integers beyond 2^53 are bigints. */
  readonly sql: SqlTag & {
    /** The same, with the columns key and js as JavaScript: an array, and the value. */
    readonly js: SqlTag;
  };
  /**
   * The entries below a prefix as rows with these columns.  In SQL they are the table temp.NAME,
   * by default the last part of the prefix.
   */
  collection<const C extends Columns>(prefix: KvKey, columns: C, options?: { name?: string }): Promise<Collection<C>>;
  /**
   * Run f in a transaction.  All that it does with the kv that it is given is done, or nothing
   * if it throws; whatever else is asked for waits.
   */
  transaction<T>(f: (kv: Kv) => Promise<T> | T): Promise<T>;
  commitVersionstamp(): symbol;
  close(): void;
  [Symbol.dispose](): void;
}

/** A KvU64 of this package, of Deno or of @deno/kv. */
export interface BigintHolder {
  readonly value: bigint;
}

export class KvU64 {
  constructor(value: bigint);
  readonly value: bigint;
  /** Their sum, which wraps at 2^64.  This and the others are missing in Deno, whose own class it is there. */
  sum(other: BigintHolder): KvU64;
  min(other: BigintHolder): KvU64;
  max(other: BigintHolder): KvU64;
}

/**
 * A host object of Deno (a Blob, CryptoKey ...) where it can't be made: off Deno, or if it
 * is malformed.  It can be set again as it is.
 */
export class KvHostObject {
  private constructor();
  /** What it is: "Blob", "File", "CryptoKey" ..., or "malformed". */
  readonly kind: string;
  /** The media type of a Blob, the type of a key, the name of a DOMException. */
  readonly type?: string;
  /** Its size in bytes. */
  readonly size?: number;
}
