// The warning of a worker that has ended and whose agent no thread has recovered.

import type { ArenaHandle } from '@sluice/core';
import { AGENT_LEFT, AGENT_PENDING, AGENT_STATE, AGENT_THREAD, HEADER_AGENT_POOL } from '@sluice/core/format';
import { records, type Onlooker } from '@sluice/core/report';
import { onlookerOfHandle } from '../report/reader.ts';
import { SnapshotIndex } from '../report/snapshot-index.ts';
import { nameOf } from '../report/wording.ts';

/** The time in ms within which a watch recovers a worker that has ended. */
const GRACE_MS = 100;
/** The most primitives that a warning names. */
const MAX_NAMED = 3;

interface Ending {
  readonly threadId: number;
  once(event: 'exit', listener: () => void): void;
}

/** The part of `process` that emits an event for each new worker. */
interface Process {
  on(event: 'worker', listener: (worker: Ending) => void): void;
  off(event: 'worker', listener: (worker: Ending) => void): void;
}

/**
 * Calls `tell` when a worker of this thread has ended and its agent is still in an arena that `opened` returns. Returns
 * a function that ends these calls. Does nothing where the platform has no event for new workers.
 */
export function onUnwatchedDeath(opened: () => Iterable<ArenaHandle>, tell: (text: string) => void): () => void {
  const process: unknown = Reflect.get(globalThis, 'process');
  const { on, off } = (process ?? {}) as Partial<Process>;
  if (typeof on !== 'function' || typeof off !== 'function') return () => undefined;
  const onWorker = (worker: Ending): void => {
    // A worker that has ended has no id any more.
    const thread = worker.threadId + 1;
    worker.once('exit', () => {
      const timer = setTimeout(() => lookForDead(thread, opened, tell), GRACE_MS);
      (timer as { unref?(): void }).unref?.();
    });
  };
  on.call(process, 'worker', onWorker);
  return () => off.call(process, 'worker', onWorker);
}

function lookForDead(thread: number, opened: () => Iterable<ArenaHandle>, tell: (text: string) => void): void {
  for (const handle of opened()) {
    const text = unwatchedIn(handle, thread);
    if (text === undefined) continue;
    tell(text);
    return;
  }
}

/** Returns the warning, or `undefined` if there is none, or the arena cannot be read. */
function unwatchedIn(handle: ArenaHandle, thread: number): string | undefined {
  try {
    return unwatched(onlookerOfHandle(handle), thread);
  } catch {
    // The calls of the program say that the arena is damaged.
    return undefined;
  }
}

/** Returns the warning of a thread that has ended with an agent in the arena. `thread`: as in AGENT_THREAD. */
function unwatched(onlooker: Onlooker, thread: number): string | undefined {
  const { words } = onlooker;
  for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
    const state = words.load32(record + AGENT_STATE);
    // An agent that a thread has recovered in part was watched.
    if (owner === 0 || state === AGENT_LEFT || state === AGENT_PENDING) continue;
    if (words.load32(record + AGENT_THREAD) !== thread) continue;
    const index = new SnapshotIndex(onlooker);
    const held = new Set(index.agents.get(owner)?.holds.map(nameOf));
    return `${index.agent(owner)} has ended${heldText([...held])}. No thread has recovered it: start workers with spawn, call arena.watch(worker) right after new Worker, or call arena.reclaimDead().`;
  }
  return undefined;
}

function heldText(held: readonly string[]): string {
  if (held.length === 0) return '';
  const more = held.length - MAX_NAMED;
  return ` and still holds ${held.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
