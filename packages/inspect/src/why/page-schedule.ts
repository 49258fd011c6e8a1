// When a page is due: a wait, an event loop or the whole process stands still for too long. Each is reported once.

import type { Questions } from './questions.ts';
import type { ThreadSnapshot, ProcessSnapshot } from './process-snapshot.ts';
import { ACTIVE, type WordTable } from './word-table.ts';

/** Pages come this much later, in ms, so that the waits of a deadlock, which begin one after the other, are in one. */
const LATER_MS = 300;
/** A process is idle if its event loops are active for less than this part of the time. */
const IDLE_PART = 0.02;

export class PageSchedule {
  readonly #after: number;
  readonly #table: WordTable;
  /** What was reported and has not ended: the waits and the standstills of threads. */
  #reported = new Set<string>();
  #lastPage = -Infinity;
  /** Since when the process is idle, and the active ms of all threads then. */
  #idle: { readonly since: number; readonly active: number; readonly waits: string } | undefined;
  #isIdleReported = false;
  isIdle = false;

  constructor(after: number, table: WordTable) {
    this.#after = after;
    this.#table = table;
  }

  /** Whether a page is due now. */
  isPageDue(threads: readonly ThreadSnapshot[], questions: Questions): boolean {
    const now = this.#table.clock;
    const stalledSince = questions.stalledSince(threads);
    const keys = this.#keysOf(threads, stalledSince);
    // What has ended may be reported again when it comes again.
    this.#reported = new Set([...this.#reported].filter((key) => keys.has(key)));
    this.isIdle = this.#looksIdle(threads, now);
    if (now - this.#lastPage < this.#after) return false;
    const isNew = [...keys].some(([key, since]) => now - since >= this.#after + LATER_MS && !this.#reported.has(key));
    return isNew || (this.isIdle && !this.#isIdleReported);
  }

  /** Takes note of a page. Returns whether it says anything that is new, or that was asked for. */
  notePage(snapshot: ProcessSnapshot, asked: boolean): boolean {
    // A wait that began while the others were looked at is for the next page, with its place.
    const threads = snapshot.threads.filter(({ index, state }) => state !== 'running' || snapshot.paused.has(index));
    const keys = this.#keysOf(threads, snapshot.stalledSince);
    const old = [...keys].filter(([, since]) => snapshot.now - since >= this.#after).map(([key]) => key);
    const isNew = old.some((key) => !this.#reported.has(key));
    const isFirstIdle = snapshot.isIdle && !this.#isIdleReported;
    if (!asked && !isNew && !isFirstIdle) return false;
    for (const key of old) this.#reported.add(key);
    // Each page lists what keeps the event loops alive.
    if (!asked) this.#isIdleReported = true;
    this.#lastPage = snapshot.now;
    return true;
  }

  /** The waits and the standstills of threads, and since when they last. */
  #keysOf(threads: readonly ThreadSnapshot[], stalledSince: ReadonlyMap<number, number>): ReadonlyMap<string, number> {
    const keys = new Map<string, number>();
    for (const { index, state, started, wait, waits, answers } of threads) {
      if (state === 'ended') continue;
      if (state === 'starting') keys.set(`${index} ${started} starts`, started);
      // The report of an arena tells of its waits.
      else if (wait !== undefined) {
        if (!wait.isSluice) keys.set(`${index} ${started} wait ${waits}`, wait.since);
      } else {
        const since = stalledSince.get(index);
        // A thread that waits and goes on has an event loop that may never turn.
        if (since !== undefined)
          keys.set(`${index} ${started} stands ${answers} ${waits}`, this.#since(index, waits, since));
      }
    }
    return keys;
  }

  readonly #counts = new Map<number, { readonly waits: number; readonly since: number }>();

  /** Since when a thread stands still: its event loop does not turn, and it does not begin a wait either. */
  #since(index: number, waits: number, since: number): number {
    const known = this.#counts.get(index);
    if (known?.waits === waits) return Math.max(known.since, since);
    this.#counts.set(index, { waits, since: this.#table.clock });
    return known === undefined ? since : this.#table.clock;
  }

  #looksIdle(threads: readonly ThreadSnapshot[], now: number): boolean {
    const living = threads.filter(({ state }) => state !== 'ended');
    const active = living.reduce((sum, { index }) => sum + this.#table.number(this.#table.slot(index) + ACTIVE), 0);
    const waits = living
      .map(({ index, waits: count, wait }) => `${index} ${wait === undefined ? count : `in ${count}`}`)
      .join();
    const isQuiet = living.every(
      ({ state, wait, answers }) => state === 'running' && (wait !== undefined || answers > 0),
    );
    const idle = this.#idle;
    const isSame =
      isQuiet &&
      idle !== undefined &&
      idle.waits === waits &&
      active - idle.active <= IDLE_PART * Math.max(now - idle.since, 1000);
    if (!isSame) this.#idle = { since: now, active, waits };
    return isSame && now - idle.since >= this.#after + LATER_MS;
  }
}
