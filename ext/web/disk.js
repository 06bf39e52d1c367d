// disk.js -- a file on disk, where the browser lets the page write to it.

/** Whether this browser has pickers that hand out files to write to. */
export const canWrite = () => "showSaveFilePicker" in globalThis;

/** What the user has chosen to open: [{file, handle}], handle null without a picker of that kind. */
export async function chooseFiles() {
  const handles = await globalThis.showOpenFilePicker({ multiple: true });
  return await Promise.all(
    handles.map(async (handle) => ({ file: await handle.getFile(), handle })),
  );
}

/** What was dropped, as chooseFiles() gives it; call it within the event. */
export function droppedFiles(dataTransfer) {
  const items = [...dataTransfer.items].filter(({ kind }) => kind === "file").map((item) => ({
    file: item.getAsFile(),
    handle: item.getAsFileSystemHandle?.() ?? null,
  }));
  return Promise.all(items.map(async ({ file, handle }) => (
    { file, handle: await Promise.resolve(handle).catch(() => null) }
  )));
}

/** Where to save for the first time, or undefined if the user doesn't. */
export async function chooseTarget(name) {
  const handle = await globalThis.showSaveFilePicker({ suggestedName: name });
  const disk = new Disk(handle, await handle.getFile(), []);
  disk.agreed = true; // the picker has asked already
  return disk;
}

export class Disk {
  /** `file` is what the page has read of it, `beside` the names of its journals. */
  constructor(handle, file, beside) {
    this.handle = handle;
    this.name = handle.name;
    this.beside = beside;
    this.agreed = false; // to its being overwritten
    this.file = file; // as it was last seen here
  }

  /** Why the file can't be overwritten, or null. */
  async problem() {
    if (this.beside.length > 0) {
      return `It was opened with ${this.beside.join(" and ")}, which SQLite would apply again ` +
        "to a changed database.";
    }
    try {
      const { lastModified, size } = await this.handle.getFile();
      if (lastModified === this.file.lastModified && size === this.file.size) return null;
      return "It has changed on disk since it was opened here.";
    } catch {
      return "It isn't there any more.";
    }
  }

  /** Asks the browser, which asks the user; within a click. */
  async allowed() {
    const mode = { mode: "readwrite" };
    return await this.handle.requestPermission?.(mode) !== "denied";
  }

  /** All of the file, or nothing: the browser replaces it when the stream is closed. */
  async write(blob) {
    const stream = await this.handle.createWritable();
    try {
      await stream.write(blob);
      await stream.close();
    } catch (error) {
      await stream.abort?.().catch(() => {});
      throw error;
    }
    this.file = await this.handle.getFile();
  }

  /** What was written; the browser refuses if somebody else has changed it since. */
  async read() {
    return [{ name: this.name, bytes: new Uint8Array(await this.file.arrayBuffer()) }];
  }
}
