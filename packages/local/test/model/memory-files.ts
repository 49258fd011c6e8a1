// A folder in memory, which all processes of the model share.

import type { Files, OpenFile } from '../../src/folder/folder-files.ts';

interface Inode {
  bytes: Uint8Array;
}

export class MemoryFiles implements Files {
  readonly #names = new Map<string, Inode>();
  /** How many bytes the device still has; appends to reserved space need none. */
  space = Infinity;

  constructor(...names: string[]) {
    for (const name of names) this.#names.set(name, { bytes: new Uint8Array(0) });
  }

  list(): string[] {
    return [...this.#names.keys()];
  }

  exists(name: string): boolean {
    return this.#names.has(name);
  }

  rename(from: string, to: string): boolean {
    const inode = this.#names.get(from);
    if (inode === undefined) return false;
    this.#names.delete(from);
    this.#names.set(to, inode);
    return true;
  }

  read(name: string): Uint8Array | undefined {
    return this.#names.get(name)?.bytes.slice();
  }

  create(name: string): OpenFile {
    if (this.#names.has(name)) throw new Error(`${name} exists`);
    const inode: Inode = { bytes: new Uint8Array(0) };
    this.#names.set(name, inode);
    return {
      writeAt: (bytes, position) => {
        const size = Math.max(inode.bytes.length, position + bytes.length);
        const grows = size - inode.bytes.length;
        if (grows > this.space) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        this.space -= grows;
        const grown = new Uint8Array(size);
        grown.set(inode.bytes);
        grown.set(bytes, position);
        inode.bytes = grown;
      },
      close: () => undefined,
    };
  }

  remove(name: string): void {
    const inode = this.#names.get(name);
    this.space += inode?.bytes.length ?? 0;
    this.#names.delete(name);
  }

  touch(): void {
    // Nothing removes old files here.
  }
}
