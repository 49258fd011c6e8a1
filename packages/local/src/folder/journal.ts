// The journal of a server: a state, then the steps that have changed it. The next server reads it.
//
//   line                             meaning
//   [FORMAT]                         the first line
//   the state                        the second line
//   [us, owner, words of a step]     that process sent this step at this time
//   [us, owner]                      that process is dead
//
// 1. The content is in the kernel's memory as soon as it is written, so it survives the death of every process. It need
//    not survive the machine: then all holders are gone, too.
// 2. The file ends with zeros, which reserve space. A step that takes something is refused before it changes anything
//    if too little space is left. The rest is for steps that keep or free something.
// 3. A line that is incomplete was never answered. It is left out.

import {
  decodeState,
  dropOwner,
  emptyState,
  encodeState,
  FORMAT,
  renewAll,
  runStep,
  shapeOf,
  type State,
} from '@sluice/remote/steps';
import { publish, readNewest, run, type Token } from './claim.ts';
import { failedWith } from './failed-with.ts';
import type { Files, OpenFile } from './folder-files.ts';

/** Space is reserved in pieces of this many bytes. */
const PIECE = 256 * 1024;
/** The part of it that only steps that keep or free something may use. */
const KEPT = 128 * 1024;
/** A journal that is longer than this, and than four times its state, is written anew. */
const LONG = 4 * 1024 * 1024;

const utf8 = new TextEncoder();

/** The data of a namespace has another version. */
export class OtherFormat extends Error {
  readonly there: string;

  constructor(there: string) {
    super(`format ${there}`);
    this.there = there;
  }
}

export class Journal {
  readonly #files: Files;
  readonly #token: Token;
  #number = 0;
  #file: OpenFile;
  #position: number;
  #reserved: number;
  #stateBytes: number;

  private constructor(files: Files, token: Token, file: OpenFile, stateBytes: number) {
    this.#files = files;
    this.#token = token;
    this.#file = file;
    this.#position = this.#stateBytes = stateBytes;
    this.#reserved = stateBytes + PIECE;
  }

  /** Begins a journal with a state. Throws if the device has no space. */
  static *begin(files: Files, token: Token, state: State, us: number): Generator<void, Journal> {
    const content = contentOf(state, us);
    const file = yield* publish(files, token, 0, padded(content));
    return new Journal(files, token, file, content.length);
  }

  /** Whether there is space for the records of steps that take something. Reserves more if it can. */
  hasSpace(bytes: number): boolean {
    while (this.#position + bytes + KEPT > this.#reserved) {
      try {
        this.#file.writeAt(new Uint8Array(PIECE), this.#reserved);
      } catch (failure) {
        if (failedWith(failure, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EIO')) return false;
        throw failure;
      }
      this.#reserved += PIECE;
    }
    return true;
  }

  /** Whether there is space for the records of steps that keep or free something. */
  hasRest(bytes: number): boolean {
    return this.#position + bytes <= this.#reserved || this.hasSpace(bytes);
  }

  /** Appends records, each of one line. */
  append(records: string): void {
    const bytes = utf8.encode(records);
    this.#file.writeAt(bytes, this.#position);
    this.#position += bytes.length;
    this.#reserved = Math.max(this.#reserved, this.#position);
  }

  /** Writes the journal anew if it has become long. Without space for that it goes on. */
  shorten(state: State, us: number): void {
    if (this.#position < Math.max(LONG, 4 * this.#stateBytes)) return;
    const content = contentOf(state, us);
    let file: OpenFile;
    try {
      file = run(publish(this.#files, this.#token, this.#number + 1, padded(content)));
    } catch (failure) {
      if (failedWith(failure, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EIO')) return;
      throw failure;
    }
    this.#number++;
    this.#file.close();
    this.#file = file;
    this.#position = this.#stateBytes = content.length;
    this.#reserved = content.length + PIECE;
  }

  close(): void {
    this.#file.close();
  }
}

function contentOf(state: State, us: number): Uint8Array {
  return utf8.encode(`${JSON.stringify([FORMAT])}\n${encodeState(state, us)}\n`);
}

function padded(content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(content.length + PIECE);
  bytes.set(content);
  return bytes;
}

export function stepRecord(us: number, owner: string, words: readonly unknown[]): string {
  return `${JSON.stringify([us, owner, ...words])}\n`;
}

export function deathRecord(us: number, owner: string): string {
  return `${JSON.stringify([us, owner])}\n`;
}

/**
 * Returns the state that the journals of a folder contain. Call this after the claim. Throws `OtherFormat` if another
 * version has written them.
 */
export function* restore(files: Files, us: number): Generator<void, State> {
  const bytes = yield* readNewest(files);
  const state = bytes === undefined ? emptyState() : stateIn(bytes);
  renewAll(state, us);
  return state;
}

/** Returns the state after all steps of a journal. */
export function stateIn(bytes: Uint8Array): State {
  const zero = bytes.indexOf(0);
  const lines = new TextDecoder().decode(zero < 0 ? bytes : bytes.subarray(0, zero)).split('\n');
  const [format] = JSON.parse(lines[0] ?? '[]') as unknown[];
  if (format !== FORMAT) throw new OtherFormat(String(format));
  const state = decodeState(lines[1] ?? '');
  // What follows the last line break is incomplete.
  for (const line of lines.slice(2, -1)) replay(state, JSON.parse(line) as unknown[]);
  return state;
}

function replay(state: State, [us, owner, ...words]: readonly unknown[]): void {
  const nobody = (): void => undefined;
  if (words.length === 0) return dropOwner(state, nobody, Number(us), String(owner));
  const shaped = shapeOf(words);
  if (typeof shaped !== 'string') runStep(state, nobody, Number(us), String(owner), shaped);
}
