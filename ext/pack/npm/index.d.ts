/** The path of the extension, for sqlite3_load_extension(). */
export function getLoadablePath(): string;

/**
 * Load the extension into a connection of better-sqlite3, node:sqlite (opened
 * with allowExtension: true) or bun:sqlite.
 */
export function load(db: { loadExtension(file: string): void }): void;
