// What a tool of this thread is told: the waits of the thread, the locks and semaphores that it opens, and the
// recoveries that it does. @sluice/inspect has the tools.
//
// Without a tool, a call that waits reads one variable, and a call that does not wait reads none: a tool that is told
// of a lock when the thread opens it puts its own functions before those of the lock.

import type { AgentContext } from './agent-context.ts';

/** How a wait ended. `failed`: it was aborted, or threw. */
export type WaitEnding = 'taken' | 'timed-out' | 'closed' | 'failed';

/** A tool. Its functions never throw: their callers are in the middle of a wait. */
export interface Observer {
  /**
   * This thread begins to wait. `line` is the address of the line, or 0 for a wait in no line; `tag` then is that of
   * the semaphore that the wait is for, or 0. What it returns is passed to `waitEnds`.
   */
  waitBegins(context: AgentContext, line: number, tag: number, how: 'blocking' | 'async'): unknown;
  waitEnds(wait: unknown, ending: WaitEnding): void;
  /** The thread opens a lock or a semaphore. Called in the constructor: later fields are not there yet. */
  opened(lock: object, entrance?: object): void;
  /** The thread holds a lock again that it has not acquired by a call of the lock: a condition gave it back. */
  regained(lock: object): void;
  /** The thread released a lock without a call of the lock. */
  yielded(lock: object): void;
  /** The thread begins to recover a dead agent. What it returns is passed to `reclaimEnds`. */
  reclaimBegins(context: AgentContext, agent: number): unknown;
  /** `report` is `undefined` if the recovery failed. */
  reclaimEnds(reclaim: unknown, report: object | undefined): void;
}

/** The tool of this thread. */
export let observer: Observer | undefined;

/** Sets the tool of this thread, or removes it. */
export function setObserver(tool: Observer | undefined): void {
  observer = tool;
}

/** The async waits of which the tool was told. */
const asyncWaits = new WeakMap<object, unknown>();

/** Runs a blocking wait, and tells the tool of its beginning and its end. Call it only with a tool. */
export function observed<Outcome>(
  context: AgentContext,
  line: number,
  tag: number,
  wait: () => Outcome,
  endingOf: (outcome: Outcome) => WaitEnding,
): Outcome {
  const tool = observer;
  const begun = tool?.waitBegins(context, line, tag, 'blocking');
  // The wait calls itself without a tool. Nothing else of this thread runs until it ends.
  observer = undefined;
  let ending: WaitEnding = 'failed';
  try {
    const outcome = wait();
    ending = endingOf(outcome);
    return outcome;
  } finally {
    observer = tool;
    tool?.waitEnds(begun, ending);
  }
}

/** Tells the tool that an async wait begins. Call it only with a tool. */
export function asyncWaitBegins(wait: object, context: AgentContext, line: number, tag = 0): void {
  asyncWaits.set(wait, observer?.waitBegins(context, line, tag, 'async'));
}

/** Tells the tool that an async wait has ended, if the tool was told of its beginning. Call it only with a tool. */
export function asyncWaitEnds(wait: object, ending: WaitEnding): void {
  if (!asyncWaits.has(wait)) return;
  observer?.waitEnds(asyncWaits.get(wait), ending);
  asyncWaits.delete(wait);
}

/** The call that acquires several locks in the order of all agents, while it acquires one of them; for tools. */
export let heldTogether: object | undefined;

/** Acquires one of the locks of a call that acquires several. Nothing else of this thread runs meanwhile. */
export function acquireOneOf<Outcome>(call: object, acquire: () => Outcome): Outcome {
  heldTogether = call;
  try {
    return acquire();
  } finally {
    heldTogether = undefined;
  }
}

/** Opens a part of another primitive, or begins a wait at it: the tool is not told. */
export function unfollowed<Result>(open: () => Result): Result {
  const tool = observer;
  observer = undefined;
  try {
    return open();
  } finally {
    observer = tool;
  }
}

/** Tells the tool, if there is one, that the thread opens a lock or a semaphore. */
export function tellOpened(lock: object, entrance?: object): void {
  observer?.opened(lock, entrance);
}

/** Tells the tool, if there is one, that the thread holds a lock again, or has released it, without a call of the lock. */
export function tellHeld(lock: object, holds: boolean): void {
  if (holds) observer?.regained(lock);
  else observer?.yielded(lock);
}
