// Waits at several sources, and takes from one. `selectAsync` uses it.
//
// INVARIANTS
//
//   1. The first claim wins, and no later claim succeeds. A source claims at the moment at which it can take, so at
//      most one source takes.
//   2. A buffer claims while this agent owns the lock of its side. So nothing else may happen within a claim: the other
//      waits are aborted only when the winner's promise has settled. Until then the claim of a losing source fails.
//   3. The call settles after all its waits have settled. So a call that is over leaves no wait in any line.

import { hasCode, TimeoutError, type WaitOptions } from '@sluice/core';
import {
  checkObject,
  checkWait,
  offAbort,
  onAbort,
  reasonOf,
  setAlarm,
  show,
  threadBudget,
  WAIT_OPTIONS,
} from '@sluice/core/calls';
import type { Outcome, Source } from './source.ts';

export type Sources = Readonly<Record<string, Source<unknown>>> | readonly Source<unknown>[];

/** The source that was first, with its value. For an array of sources the key is the index. */
export type Selected<Given extends Sources> = Given extends readonly Source<infer T>[]
  ? { readonly key: number; readonly value: T }
  : {
      [Key in keyof Given]: { readonly key: Key; readonly value: Given[Key] extends Source<infer T> ? T : never };
    }[keyof Given];

export interface SelectOptions extends WaitOptions {
  /** The source that wins if several are ready: one at random (default), or the first in the list. */
  readonly order?: 'random' | 'listed' | undefined;
  /** The effect of a closed source: the call rejects with its `ClosedError` (default), or continues without it. */
  readonly closed?: 'reject' | 'skip' | undefined;
}

type Key = string | number;
type Entry = readonly [Key, Source<unknown>];
type Result = Outcome<unknown> & { readonly key: Key };

const SELECT_OPTIONS = [...WAIT_OPTIONS, 'order', 'closed'];
/** Ends the waits at the other sources. */
const LOST = new Error('Another source of the selection was first.');

/** Implements `selectAsync`. Rejects with its errors. */
export async function selected(
  sources: Sources,
  options: SelectOptions,
): Promise<{ readonly key: Key; readonly value: unknown }> {
  const { timeout = Infinity, signal, ref } = checkWait(options, SELECT_OPTIONS);
  const { order, closed } = options;
  checkOneOf('order', order, ['random', 'listed']);
  checkOneOf('closed', closed, ['reject', 'skip']);
  const entries = entriesOf(sources);
  const selection = new Selection(order === 'listed' ? entries : shuffled(entries), closed === 'skip');
  const result = selection.tryNow() ?? (timeout === 0 ? undefined : await selection.wait({ timeout, signal, ref }));
  const later = threadBudget.spend();
  if (later !== undefined) await later;
  if (result === undefined) throw tooLate(entries, timeout);
  if ('failure' in result) throw result.failure;
  return { key: result.key, value: result.value };
}

class Selection {
  #entries: readonly Entry[];
  readonly #skipsClosed: boolean;
  readonly #stop = new AbortController();
  /** The key of the source that claimed first or failed first. */
  #winner: Key | undefined;
  #result: Result | undefined;
  /** The error of the source that was closed last, if closed sources are skipped. */
  #closed: unknown;

  constructor(entries: readonly Entry[], skipsClosed: boolean) {
    this.#entries = entries;
    this.#skipsClosed = skipsClosed;
  }

  /** Takes from the first source that is ready. Returns `undefined` if none is. */
  tryNow(): Result | undefined {
    const open: Entry[] = [];
    for (const entry of this.#entries) {
      const [key, source] = entry;
      try {
        const outcome = source.tryNow();
        if (outcome !== undefined) return { key, ...outcome };
        open.push(entry);
      } catch (failure) {
        if (!this.#isSkipped(failure)) return { key, failure };
      }
    }
    this.#entries = open;
    return open.length === 0 ? { key: '', failure: this.#closed } : undefined;
  }

  /** Waits until a source wins. Resolves with `undefined` on a timeout. Rejects with the signal's reason. */
  async wait({ timeout = Infinity, signal, ref = true }: WaitOptions): Promise<Result | undefined> {
    const abort = (): void => this.#stop.abort(reasonOf(signal));
    onAbort(signal, abort);
    const alarm = setAlarm(timeout, () => this.#stop.abort(LOST), ref);
    try {
      await Promise.all(this.#entries.map((entry) => this.#waitAt(entry, ref)));
    } finally {
      alarm?.stop();
      offAbort(signal, abort);
    }
    if (this.#result !== undefined) return this.#result;
    if (!this.#stop.signal.aborted) return { key: '', failure: this.#closed };
    if (signal?.aborted === true && this.#stop.signal.reason !== LOST) throw reasonOf(signal);
    return undefined;
  }

  async #waitAt([key, source]: Entry, ref: boolean): Promise<void> {
    // An earlier source in the list was ready at once.
    if (this.#hasWinner()) return;
    const { signal } = this.#stop;
    try {
      const outcome = await source.wait({ signal, ref }, () => this.#claim(key));
      if (outcome === undefined) return;
      this.#result = { key, ...outcome };
    } catch (failure) {
      // A losing source ends with the abort. A winning source may fail after its claim.
      if (this.#hasWinner() ? this.#winner !== key : signal.aborted || this.#isSkipped(failure)) return;
      this.#winner = key;
      this.#result = { key, failure };
    }
    this.#stop.abort(LOST);
  }

  #hasWinner(): boolean {
    return this.#winner !== undefined;
  }

  #claim(key: Key): boolean {
    if (this.#hasWinner()) return false;
    this.#winner = key;
    return true;
  }

  #isSkipped(failure: unknown): boolean {
    if (!this.#skipsClosed || !hasCode(failure, 'SLUICE_CLOSED')) return false;
    this.#closed = failure;
    return true;
  }
}

/** Returns the sources with their keys. Throws `TypeError` if there is none, or if one is not a source. */
function entriesOf(sources: Sources): Entry[] {
  checkObject(sources);
  const entries: Entry[] = Array.isArray(sources)
    ? sources.map((source: Source<unknown>, key) => [key, source] as const)
    : Object.entries(sources);
  if (entries.length === 0) throw new TypeError('A selection must have at least one source: received none');
  for (const [key, source] of entries) {
    const given = source as Partial<Source<unknown>> | null | undefined;
    if (typeof given?.tryNow === 'function' && typeof given.wait === 'function') continue;
    throw new TypeError(
      `The source ${show(key)} must come from select.take(), select.put(), select.acquire() or select.wait(): received ${show(source)}`,
    );
  }
  return entries;
}

/** Returns the sources in random order (Fisher and Yates). */
function shuffled(entries: readonly Entry[]): Entry[] {
  const all = [...entries];
  for (let last = all.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [all[last], all[other]] = [all[other] as Entry, all[last] as Entry];
  }
  return all;
}

function checkOneOf(name: string, value: unknown, known: readonly string[]): void {
  if (value === undefined || known.includes(value as string)) return;
  throw new TypeError(`${name} must be ${known.map((one) => show(one)).join(' or ')}: received ${show(value)}`);
}

function tooLate(entries: readonly Entry[], timeoutMs: number): TimeoutError {
  const names = entries.map(([key]) => key).join(', ');
  return new TimeoutError(
    `selectAsync: no source was ready within ${timeoutMs} ms, of ${entries.length} (${names}). Nothing was taken.`,
  );
}
