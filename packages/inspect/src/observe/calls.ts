// The functions that wrap the methods of a followed lock or semaphore (follow.ts). They tell the tools of this thread
// when a call asks, holds and releases.

import type { AgentContext, BlockRef } from '@sluice/core/internal';
import { callers, type Place } from './call-place.ts';
import { primitiveAt, upgradeableAt, type UsedPrimitive } from './used-primitive.ts';
import { active, type Body, type Manner, type Tool } from './tool.ts';

/** A lock or a semaphore whose calls are followed. */
export interface Followed {
  readonly ref: BlockRef;
  readonly isOwned: boolean;
  readonly instance: object;
  /** The write lock, if this is the upgradeable side of a read-write lock. */
  readonly upgradesTo: object | undefined;
  primitive: UsedPrimitive | undefined;
  /** The key, for a lock of a key. */
  slot: string;
}

/** The lock or semaphore that this thread is calling. Cleared when the call returns or awaits. */
let current: Followed | undefined;

/** The lock or semaphore that a call of this thread asked for last. */
let asking: Followed | undefined;

/** Returns the places of the callers of the call that asks. For `holdAsked`. */
export function callersOfCall(): readonly Place[] {
  return callers(asking?.instance);
}

/** Returns the places of the callers of the call that begins or ends a wait. */
export function callersOfWait(): readonly Place[] {
  return callers(current?.instance);
}

/** Returns the primitive that this thread is calling. A lock of a key waits at an address of its own. */
export function underCall(context: AgentContext): UsedPrimitive | undefined {
  return current?.ref.context === context ? current.primitive : undefined;
}

export type Call = (...args: unknown[]) => unknown;
export function permitsIn([permits = 1]: readonly unknown[]): number {
  return typeof permits === 'number' ? permits : 1;
}

/** Whether the options of an async call have a timeout, or a signal that may be one. */
export function isBounded(options: unknown): boolean {
  const { timeout, signal } = (options ?? {}) as { readonly timeout?: number; readonly signal?: unknown };
  return timeout !== undefined || signal !== undefined;
}

/** A `runAsync`: the tools can tell what the body does from what other tasks of the thread do. */
export function runningAsync(call: Call): Call {
  return (body, ...args) => {
    const tool = active;
    if (tool === undefined || current !== undefined || typeof body !== 'function') return call(body, ...args);
    // The call checks the body by its prototype.
    const inner = Object.setPrototypeOf(tool.runs(body as Body), Object.getPrototypeOf(body) as object) as Body;
    try {
      return call(inner, ...args);
    } finally {
      tool.runAsked();
    }
  };
}

type Lockable = object;
export type Method = (this: Lockable) => void;

// `lock` and `unlock` of an owned lock do what `blocking` and `releasing` do, but count no permits. They are functions of
// their own, because an engine inlines a method that is the same for all locks of a class, and no function that it gets
// as an argument.

export function lockOf(lock: Lockable, method: Method, at: Followed): () => void {
  return () => {
    const tool = active;
    if (tool === undefined || current !== undefined) {
      method.call(lock);
      return;
    }
    const primitive = at.primitive ?? firstUse(at);
    asking = at;
    const asked = tool.holdAsked(primitive, 'blocking', at.slot, false);
    current = at;
    try {
      method.call(lock);
    } catch (failure) {
      current = undefined;
      if (isNotice(failure)) noteTaken(at, 1, tool, asked);
      else tool.holdFails(primitive, asked);
      throw failure;
    }
    current = undefined;
    if (active === tool && !primitive.isRecursive) {
      primitive.depth += 1;
      primitive.taken += 1;
      primitive.calls += 1;
      if (asked !== undefined || tool.followsAll) tool.holdBegins(primitive, 1, at.slot, asked);
    } else noteTaken(at, 1, tool, asked);
  };
}

export function unlockOf(lock: Lockable, method: Method, at: Followed): () => void {
  return () => {
    const tool = active;
    if (tool === undefined || current !== undefined) {
      method.call(lock);
      return;
    }
    const { primitive } = at;
    if (primitive === undefined || primitive.isRecursive || primitive.depth === 0) noteGiven(at, 1);
    else {
      primitive.depth -= 1;
      primitive.given += 1;
      tool.holdEnds(primitive, 1, at.slot);
    }
    current = at;
    try {
      method.call(lock);
    } finally {
      current = undefined;
    }
  };
}

/** The fields of an instance are not there when it is opened. */
function firstUse(at: Followed): UsedPrimitive {
  const { context, address } = at.ref;
  const primitive =
    at.upgradesTo === undefined ? primitiveAt(context, address) : upgradeableAt(context, address, 'upgradeable');
  primitive.isOwned = at.isOwned;
  const { key } = at.instance as { readonly key?: unknown };
  if (typeof key === 'string') at.slot = key;
  at.primitive = primitive;
  return primitive;
}

export function primitiveOf(at: Followed): UsedPrimitive {
  return at.primitive ?? firstUse(at);
}

export function blocking(at: Followed, how: Manner, permits: number, call: Call): unknown {
  const tool = active;
  // A call within another one is a part of it.
  if (tool === undefined || current !== undefined) return call();
  const primitive = primitiveOf(at);
  asking = at;
  const asked = tool.holdAsked(primitive, how, at.slot, how === 'timed');
  const before = current;
  current = at;
  let isHeld = false;
  try {
    const outcome = call();
    isHeld = outcome !== false;
    return outcome;
  } catch (failure) {
    isHeld = isNotice(failure);
    throw failure;
  } finally {
    current = before;
    if (isHeld) noteTaken(at, permits, tool, asked);
    else tool.holdFails(primitive, asked);
  }
}

export function trying(at: Followed, ms: unknown, permits: number, call: Call): unknown {
  return blocking(at, ms === Infinity ? 'blocking' : 'timed', permits, call);
}

/** A call that gives up the upgradeable side before it waits, and has that side or the write lock afterwards. */
export function upgrading(at: Followed, writer: Followed, how: Manner, call: Call): unknown {
  const tool = active;
  if (tool === undefined || current !== undefined || primitiveOf(at).depth === 0) return call();
  const primitive = upgradeableAt(at.ref.context, at.ref.address, 'upgrade');
  // A wait of the call is one for the write lock.
  primitiveOf(writer);
  noteGiven(at, 1);
  asking = at;
  const asked = tool.holdAsked(primitive, how, '', how === 'timed');
  current = writer;
  let isWriter = false;
  try {
    const outcome = call();
    isWriter = outcome === true;
    return outcome;
  } finally {
    current = undefined;
    if (isWriter) noteTaken(writer, 1, tool, asked);
    else {
      tool.holdFails(primitive, asked);
      noteTaken(at, 1, tool, undefined);
    }
  }
}

/** Does what `upgrading` does, for an async call. */
export function upgradingAsync(at: Followed, writer: Followed, bounded: boolean, call: Call): unknown {
  const tool = active;
  if (tool === undefined || current !== undefined || primitiveOf(at).depth === 0) return call();
  const primitive = upgradeableAt(at.ref.context, at.ref.address, 'upgrade');
  primitiveOf(writer);
  noteGiven(at, 1);
  asking = at;
  const asked = tool.holdAsked(primitive, 'async', '', bounded);
  const fails = (): void => {
    if (active === tool) tool.holdFails(primitive, asked);
    noteTaken(at, 1, tool, undefined);
  };
  current = writer;
  try {
    const outcome = call() as Promise<void>;
    // The first reaction of the promise: it runs before those of the program.
    void outcome.then(() => noteTaken(writer, 1, tool, asked), fails);
    return outcome;
  } finally {
    current = undefined;
  }
}

export function releasing(at: Followed, permits: number, call: Call): unknown {
  if (active === undefined || current !== undefined) return call();
  const before = current;
  // Before the call: it may give the lock to another task of this agent.
  noteGiven(at, permits);
  current = at;
  try {
    return call();
  } finally {
    current = before;
  }
}

/** An async call of an entrance. It tells in which turn of the event loop it has the lock. */
export function entering(at: Followed, call: Call, options: unknown, entered: unknown): unknown {
  const tool = active;
  if (tool === undefined || current !== undefined) return call(options, entered);
  const primitive = primitiveOf(at);
  asking = at;
  const asked = tool.holdAsked(primitive, 'async', at.slot, isBounded(options));
  const then = (): void => {
    noteTaken(at, 1, tool, asked);
    // It may release the lock again.
    const before = current;
    current = undefined;
    try {
      (entered as (() => void) | undefined)?.();
    } finally {
      current = before;
    }
  };
  return settled(at, tool, asked, () => call(options, then), undefined);
}

/** An async call that resolves when the permits are acquired. */
export function promised(at: Followed, permits: number, bounded: boolean, call: Call): unknown {
  const tool = active;
  if (tool === undefined || current !== undefined) return call();
  const primitive = primitiveOf(at);
  asking = at;
  const asked = tool.holdAsked(primitive, 'async', at.slot, bounded);
  return settled(at, tool, asked, call, () => noteTaken(at, permits, tool, asked));
}

/** Calls, and tells the tool of a failure, and of success by `then`. */
function settled(at: Followed, tool: Tool, asked: unknown, call: Call, then: (() => void) | undefined): unknown {
  const fails = (failure: unknown): void => {
    if (isNotice(failure) && then !== undefined) then();
    else if (active === tool) tool.holdFails(primitiveOf(at), asked);
  };
  const before = current;
  current = at;
  try {
    const outcome = call();
    // The first reaction of the promise: it runs before those of the program.
    if (outcome !== undefined) void (outcome as Promise<void>).then(then, fails);
    return outcome;
  } catch (failure) {
    fails(failure);
    throw failure;
  } finally {
    current = before;
  }
}

export function draining(at: Followed, call: Call): unknown {
  const tool = active;
  if (tool === undefined) return call();
  asking = at;
  const asked = tool.holdAsked(primitiveOf(at), 'timed', at.slot, true);
  const taken = call();
  if (typeof taken === 'number' && taken > 0) noteTaken(at, taken, tool, asked);
  else tool.holdFails(primitiveOf(at), asked);
  return taken;
}

/** Whether the call threw a notice of a dead owner, and the agent owns the lock in spite of it. */
function isNotice(failure: unknown): boolean {
  return failure instanceof Error && (failure as { readonly guard?: unknown }).guard !== undefined;
}

/** This agent holds the permits from now on. `tool`: the one that returned `asked`. */
export function noteTaken(at: Followed, permits: number, tool: Tool | undefined, asked: unknown): void {
  const primitive = primitiveOf(at);
  primitive.depth += permits;
  primitive.taken += permits;
  const own = active === tool ? asked : undefined;
  if (primitive.isRecursive && primitive.depth > permits) {
    active?.holdFails(primitive, own);
    return;
  }
  primitive.calls += 1;
  active?.holdBegins(primitive, permits, at.slot, own);
}

/** The permits are released. Those that the agent held before the tools came are unknown. */
export function noteGiven(at: Followed, permits: number): void {
  const primitive = primitiveOf(at);
  const known = Math.min(permits, primitive.depth);
  if (known < permits) active?.othersReleased(primitive);
  if (known === 0) return;
  primitive.depth -= known;
  primitive.given += known;
  if (!primitive.isRecursive || primitive.depth === 0) active?.holdEnds(primitive, known, at.slot);
}
