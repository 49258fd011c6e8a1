// Recovers the agents of workers when these end.

import { show } from '../check.ts';
import { MisuseError } from '../errors.ts';
import { setRef } from '../keep-alive.ts';
import { AGENT_ARMED, AGENT_THREAD, HEADER_AGENT_POOL } from '../kernel/layout.ts';
import { dispose } from '../lock.ts';
import { ARMED_WAITS } from './life.ts';
import { records } from './pool.ts';
import { freeBlocksOfJoiners, hasLeft, recover, tidy, type ReclaimReport } from './reclaim.ts';
import type { Seat } from './seat.ts';

/** A worker of `node:worker_threads`, or a Web Worker. */
export type WatchedWorker = ThreadWorker | WebWorker;

export interface ThreadWorker {
  readonly threadId: number;
  on(event: 'exit', listener: () => void): unknown;
  off(event: 'exit', listener: () => void): unknown;
}

export interface WebWorker {
  postMessage(message: unknown): void;
  terminate(): void;
}

export interface WatchOptions {
  /** Called after each agent that was recovered. What it throws goes to the platform as an uncaught error. */
  readonly onReclaim?: ((report: ReclaimReport) => void) | undefined;
}

/** Between the end of a worker and another look, when the first one came too early; doubled each time. */
const RETRY_MS = 2;
/** Between two questions to an agent that answers. One that does not turn its event loop is asked ever less often. */
const ASK_MS = 50;
const LONGEST_RETRY_MS = 1000;

/** One worker that is watched, until `stop` or the end of a `using` block. */
export class Watch {
  readonly #seat: Seat;
  readonly #onReclaim: ((report: ReclaimReport) => void) | undefined;
  readonly #end: () => void;
  #timer: unknown;
  #stopped = false;

  /** @internal */
  constructor(seat: Seat, worker: WatchedWorker, { onReclaim }: WatchOptions) {
    this.#seat = seat;
    this.#onReclaim = onReclaim;
    if (isThreadWorker(worker)) {
      const thread = worker.threadId + 1;
      if (thread <= 0) throw new MisuseError('The worker has ended: it cannot be watched any more. Use arena.reclaimDead().');
      const onExit = (): void => this.#chase(thread, RETRY_MS);
      worker.on('exit', onExit);
      this.#end = () => void worker.off('exit', onExit);
    } else {
      // A Web Worker says neither which thread it is nor when it ends: so all agents are asked, again and again.
      const gaps = new Map<number, { gap: number; at: number }>();
      const ask = (): void => {
        this.#askAll(gaps);
        this.#later(ask, ASK_MS);
      };
      this.#later(ask, ASK_MS);
      this.#end = () => undefined;
    }
  }

  /** Ends the watch. An agent that dies later is recovered by nobody, unless `reclaim` or `reclaimDead` is called. */
  stop(): void {
    this.#stopped = true;
    this.#end();
    clearTimeout(this.#timer as number);
  }

  [dispose](): void {
    this.stop();
  }

  /** Recovers all agents of a thread that has ended; comes back as long as it cannot. */
  #chase(thread: number, retryMs: number): void {
    const { words } = this.#seat;
    let left = 0;
    for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
      if (owner === 0 || words.load32(record + AGENT_THREAD) !== thread || hasLeft(this.#seat, record)) continue;
      if (!this.#recover(record, owner, isExitCertain())) left += 1;
    }
    freeBlocksOfJoiners(this.#seat, thread);
    tidy(this.#seat);
    // Another agent is at it and may die, or the thread runs on for a while.
    if (left > 0) this.#later(() => this.#chase(thread, Math.min(2 * retryMs, LONGEST_RETRY_MS)), retryMs);
  }

  #askAll(gaps: Map<number, { gap: number; at: number }>): void {
    const { words, id, parking } = this.#seat;
    for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
      if (owner === 0 || owner === id || hasLeft(this.#seat, record)) continue;
      const now = parking.now();
      const { gap, at } = gaps.get(owner) ?? { gap: ASK_MS, at: now };
      if (now < at) continue;
      // All its waits are armed: it has turned its event loop since the last question.
      const next = words.load32(record + AGENT_ARMED) >= ARMED_WAITS ? ASK_MS : 2 * gap;
      gaps.set(owner, { gap: next, at: now + next });
      if (this.#recover(record, owner, false)) gaps.delete(owner);
    }
    tidy(this.#seat);
  }

  #recover(record: number, id: number, certain: boolean): boolean {
    const outcome = recover(this.#seat, record, id, certain);
    if (typeof outcome === 'string') return false;
    const { finished, ...own } = outcome;
    for (const report of [...finished, { ...own, finished }]) this.#onReclaim?.(report);
    return true;
  }

  #later(action: () => void, delayMs: number): void {
    if (this.#stopped) return;
    const timer: unknown = setTimeout(action, delayMs);
    setRef(timer, false);
    this.#timer = timer;
  }
}

/**
 * Where a worker's `exit` comes after its thread has ended: on Node and Bun. On Deno a terminated worker may run on, so
 * the token has the last word.
 */
function isExitCertain(): boolean {
  return !('Deno' in globalThis);
}

function isThreadWorker(worker: WatchedWorker): worker is ThreadWorker {
  return 'threadId' in worker;
}

/** Throws `TypeError` for what is no worker, and for options that are none. */
export function checkWatch(worker: unknown, { onReclaim }: WatchOptions): void {
  const given = (typeof worker === 'object' && worker !== null ? worker : {}) as Partial<ThreadWorker & WebWorker>;
  const isThread = typeof given.threadId === 'number' && typeof given.on === 'function' && typeof given.off === 'function';
  const isWeb = typeof given.terminate === 'function' && typeof given.postMessage === 'function';
  if (!isThread && !isWeb) throw new TypeError(`The worker must be a Worker: received ${show(worker)}`);
  if (onReclaim !== undefined && typeof onReclaim !== 'function') {
    throw new TypeError(`onReclaim must be a function: received ${show(onReclaim)}`);
  }
}
