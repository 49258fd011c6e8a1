// The calls of the file system that the protocol of the take-over makes (claim.ts). The model replaces them.

import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { failedWith } from './failed-with.ts';

/** One file that a server appends to. */
export interface OpenFile {
  /** Writes all of the text at a position in bytes. Throws if the device has no space. */
  writeAt(bytes: Uint8Array, position: number): void;
  close(): void;
}

export interface Files {
  list(): string[];
  exists(name: string): boolean;
  /** Returns false if there is no such file. Throws for other reasons. */
  rename(from: string, to: string): boolean;
  /** Returns undefined if there is no such file. */
  read(name: string): Uint8Array | undefined;
  /** Creates a file that does not exist. */
  create(name: string): OpenFile;
  remove(name: string): void;
  /** Sets the time of the last use, for programs that remove old files. */
  touch(name: string): void;
}

/** The files of one folder. `mode`: the rights of new files. */
export class FolderFiles implements Files {
  readonly #folder: string;
  readonly #mode: number;

  constructor(folder: string, mode: number) {
    this.#folder = folder;
    this.#mode = mode;
  }

  list(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch (failure) {
      if (failedWith(failure, 'ENOENT')) return [];
      throw failure;
    }
  }

  exists(name: string): boolean {
    return existsSync(join(this.#folder, name));
  }

  rename(from: string, to: string): boolean {
    try {
      renameSync(join(this.#folder, from), join(this.#folder, to));
      return true;
    } catch (failure) {
      if (failedWith(failure, 'ENOENT')) return false;
      throw failure;
    }
  }

  read(name: string): Uint8Array | undefined {
    try {
      return readFileSync(join(this.#folder, name));
    } catch (failure) {
      if (failedWith(failure, 'ENOENT')) return undefined;
      throw failure;
    }
  }

  create(name: string): OpenFile {
    const file = openSync(join(this.#folder, name), 'wx', this.#mode);
    return {
      writeAt: (bytes, position) => {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, position + at);
      },
      close: () => closeSync(file),
    };
  }

  remove(name: string): void {
    rmSync(join(this.#folder, name), { force: true });
  }

  touch(name: string): void {
    const now = new Date();
    utimesSync(join(this.#folder, name), now, now);
  }
}
