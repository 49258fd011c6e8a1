// Recovers the agents of workers that end.

import { show } from '../api/check.ts';
import { MisuseError } from '../api/errors.ts';
import { setRef } from '../platform/keep-alive.ts';
import { dispose } from '../api/guard.ts';
import { INSPECT, consoleText } from '../api/console-text.ts';
import { ownTimers } from '../platform/own-timers.ts';
import { refusePosting } from '../platform/unpostable.ts';
import { livenessPollerOf } from './probe-schedule.ts';
import { recoverThread } from './claim-dead-agent.ts';
import type { ReclaimReport } from './reclaim-report.ts';
import type { AgentContext } from '../agent/agent-context.ts';

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
  /**
   * Called after each agent that was recovered. An error that it throws becomes an uncaught error, and the watch
   * continues.
   */
  readonly onReclaim?: ((report: ReclaimReport) => void) | undefined;
}

export const WATCH_OPTIONS: readonly (keyof WatchOptions)[] = ['onReclaim'];

/** The time in ms until the next attempt for an agent that another agent is recovering. That agent may die. */
const RETRY_MS = 2;

/** The watch of one worker, until `stop` or the end of a `using` block. */
export class Watch {
  readonly #context: AgentContext;
  readonly #onReclaim: ((report: ReclaimReport) => void) | undefined;
  readonly #end: () => void;
  readonly #all: Set<Watch>;
  #stopped = false;

  /** `all` contains the watches of this agent that have not ended. @internal */
  constructor(context: AgentContext, worker: WatchedWorker, { onReclaim }: WatchOptions, all: Set<Watch>) {
    refusePosting(this);
    this.#context = context;
    this.#onReclaim = onReclaim;
    this.#all = all;
    this.#end = isThreadWorker(worker) && isExitCertain() ? this.#awaitExit(worker) : this.#ask();
    all.add(this);
  }

  /** Ends the watch. No agent recovers an agent that dies later, unless a thread calls `reclaim` or `reclaimDead`. */
  stop(): void {
    this.#stopped = true;
    this.#all.delete(this);
    this.#end();
  }

  [INSPECT](): string {
    return consoleText('Watch', () => ({ stopped: this.#stopped }));
  }

  [dispose](): void {
    this.stop();
  }

  #awaitExit(worker: ThreadWorker): () => void {
    const thread = worker.threadId + 1;
    if (thread <= 0)
      throw new MisuseError('The worker has ended: it cannot be watched any more. Use arena.reclaimDead().');
    const onExit = (): void => this.#recoverThread(thread);
    worker.on('exit', onExit);
    return () => void worker.off('exit', onExit);
  }

  /**
   * A Web Worker reports neither its thread nor its end, so the watch probes all agents of the arena from time to time.
   */
  #ask(): () => void {
    const report = (outcome: ReclaimReport): void => this.#report(outcome);
    return livenessPollerOf(this.#context).add(report);
  }

  /** Recovers all agents of a thread that has ended. */
  #recoverThread(thread: number): void {
    // Between two attempts, this agent may have left the arena.
    if (this.#context.hasLeft) return;
    const { reports, done } = recoverThread(this.#context, thread);
    if (done) this.#all.delete(this);
    else if (!this.#stopped)
      setRef(
        ownTimers.after(() => this.#recoverThread(thread), RETRY_MS),
        false,
      );
    // Do this last: the callback may wait for something that was recovered here.
    for (const report of reports) this.#report(report);
  }

  #report(report: ReclaimReport): void {
    try {
      this.#onReclaim?.(report);
    } catch (failure) {
      ownTimers.inMicrotask(() => {
        throw failure;
      });
    }
  }
}

/**
 * Whether a worker's `exit` event comes only after its thread has ended. It does on Node and Bun. On Deno a terminated
 * worker may run on, so it is probed like a Web Worker.
 */
function isExitCertain(): boolean {
  return !('Deno' in globalThis);
}

/** Whether the worker has an `exit` event. Bun's Web Worker has a thread id, too, but no such event. */
function isThreadWorker(worker: object): worker is ThreadWorker {
  const { threadId, on, off } = worker as Partial<ThreadWorker>;
  return typeof threadId === 'number' && typeof on === 'function' && typeof off === 'function';
}

function isWebWorker(worker: object): worker is WebWorker {
  const { postMessage, terminate } = worker as Partial<WebWorker>;
  return typeof postMessage === 'function' && typeof terminate === 'function';
}

/** Throws `TypeError` if `worker` is not a worker or `onReclaim` is not a function. */
export function checkWatch(worker: unknown, { onReclaim }: WatchOptions): void {
  const isWorker = typeof worker === 'object' && worker !== null && (isThreadWorker(worker) || isWebWorker(worker));
  if (!isWorker) throw new TypeError(`The worker must be a Worker: received ${show(worker)}`);
  if (onReclaim !== undefined && typeof onReclaim !== 'function') {
    throw new TypeError(`onReclaim must be a function: received ${show(onReclaim)}`);
  }
}
