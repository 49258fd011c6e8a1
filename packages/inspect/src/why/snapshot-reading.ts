// How a page names words and places, and which threads have probably taken a word.

import { cwd } from 'node:process';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { duration, printable } from '@sluice/core/calls';
import { LEFT_ZERO, REACHED_ZERO } from './word-table.ts';
import {
  wordIn,
  type ThreadSnapshot,
  type ThreadWait,
  type WordUse,
  type ProcessSnapshot,
} from './process-snapshot.ts';
import type { StackFrame } from './stacks.ts';

/** Threads and words of a snapshot, looked up once. */
export class SnapshotReading {
  readonly snapshot: ProcessSnapshot;
  /** The numbers of words in this page, in the order in which it names them. */
  readonly #numbers = new Map<string, number>();
  readonly #byWord = new Map<string, { readonly thread: ThreadSnapshot; readonly use: WordUse }[]>();

  constructor(snapshot: ProcessSnapshot) {
    this.snapshot = snapshot;
    for (const thread of snapshot.threads) {
      for (const use of thread.uses) {
        const known = this.#byWord.get(use.word);
        if (known === undefined) this.#byWord.set(use.word, [{ thread, use }]);
        else known.push({ thread, use });
      }
    }
  }

  /** The words that the page has named so far. */
  get named(): ReadonlyMap<string, number> {
    return this.#numbers;
  }

  /** "word 1", or "a primitive of Sluice". */
  word(word: string): string {
    if (word === '') return 'a primitive of Sluice';
    const number = this.#numbers.get(word) ?? this.#numbers.size + 1;
    this.#numbers.set(word, number);
    return `word ${number}`;
  }

  /** Returns what a thread waits for in Atomics.wait, by the id of the buffer that its stack has, if there is one. */
  waitOf({ id, wait }: ThreadSnapshot): ThreadWait | undefined {
    const buffer = this.snapshot.stacks.get(id)?.word?.buffer ?? 0;
    if (wait === undefined || wait.isSluice || buffer === 0) return wait;
    return { ...wait, word: wordIn(buffer, wait.at) };
  }

  /** The value of the word for which a thread waits, as the thread itself read it, or `undefined`. */
  valueNow({ id }: ThreadSnapshot): number | undefined {
    return this.snapshot.stacks.get(id)?.word?.now;
  }

  usesOf(word: string): readonly { readonly thread: ThreadSnapshot; readonly use: WordUse }[] {
    return this.#byWord.get(word) ?? [];
  }

  /**
   * Returns the threads that have probably taken what a waiter waits for, and not given it back.
   *
   * A waiter sleeps while the word is 0, or while it is not 0. The last change of such a thread to the word was from the
   * other state to that one, as a lock or the last permit is taken, and the thread has not notified the word since. A
   * thread that waits for the same word has only marked it as contended, or waits for others, too.
   */
  takersFor(wait: ThreadWait): ThreadSnapshot[] {
    const change = wait.value === 0 ? REACHED_ZERO : LEFT_ZERO;
    return this.usesOf(wait.word)
      .filter(({ thread, use }) => use.change === change && this.waitOf(thread)?.word !== wait.word)
      .map(({ thread }) => thread);
  }

  /** Tells the file and the line of a wait and of its caller. Returns '' if the place is not known. */
  placeText(thread: ThreadSnapshot): string {
    const [frame, caller] = this.snapshot.stacks.get(thread.id)?.frames ?? [];
    if (frame === undefined) return '';
    return ` at ${placeOf(frame)}${caller === undefined ? '' : `, called at ${placeOf(caller)},`}`;
  }

  /** " for 2.1 s". */
  age(since: number): string {
    return ` for ${duration(this.snapshot.now - since)}`;
  }
}

/** Returns the file and the line. Paths are relative to the working directory of the process. */
export function placeOf({ url, line }: Pick<StackFrame, 'url' | 'line'>): string {
  return `${pathOf(url)}:${line}`;
}

export function frameText(frame: StackFrame): string {
  return frame.name === '' ? placeOf(frame) : `${printable(frame.name)} (${placeOf(frame)})`;
}

/** Shortens the URLs and the paths in a text. */
export function shortened(text: string): string {
  return text.replaceAll(/(?:file:\/\/)?\/[^\s:()]+/g, (path) => pathOf(path));
}

function pathOf(url: string): string {
  if (url === '') return '[worker eval]';
  if (url.startsWith('file:')) {
    try {
      return printable(nearest(fileURLToPath(url)));
    } catch {
      return printable(url);
    }
  }
  return printable(url.startsWith('/') ? nearest(url) : url);
}

/** Whether the place is in a package that the program has installed. */
export function isInstalled({ url }: Pick<StackFrame, 'url'>): boolean {
  return url.includes('/node_modules/');
}

function nearest(path: string): string {
  const installed = path.lastIndexOf('/node_modules/');
  if (installed >= 0) return path.slice(installed + 1);
  const near = relative(cwd(), path);
  return near === '' || near.startsWith('..') ? path : near;
}
