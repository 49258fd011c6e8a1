// Follows the calls of a lock or a semaphore from the moment in which the thread opens it: each instance gets functions
// of its own before those of its class. Older instances are not followed. So a program without tools pays for no check
// in its calls.

import { OwnedLock } from '@sluice/core';
import type { AgentContext, BlockRef } from '@sluice/core/internal';
import { primitiveAt, type UsedPrimitive } from './primitive.ts';
import { active, type Body, type Manner, type Tool } from './tool.ts';

/** A lock or a semaphore whose calls are followed. */
interface Followed {
  readonly ref: BlockRef;
  readonly isOwned: boolean;
  readonly instance: object;
  primitive: UsedPrimitive | undefined;
  /** The key, for a lock of a key. */
  slot: string;
}

/** By instance. */
const followed = new WeakMap<object, Followed>();

/** The lock or semaphore that this thread is calling. Cleared when the call returns or awaits. */
let current: Followed | undefined;

/** Returns the primitive that this thread is calling. A lock of a key waits at an address of its own. */
export function underCall(context: AgentContext): UsedPrimitive | undefined {
  return current?.ref.context === context ? current.primitive : undefined;
}

type Call = (...args: unknown[]) => unknown;
type Callable = Readonly<Record<string, Call | undefined>>;

/** Begins to follow a lock or a semaphore. `entrance`: that of an owned lock, or what has a `ref`. */
export function follow(instance: object, entrance?: object): void {
  const ref = (entrance as { readonly ref?: BlockRef } | undefined)?.ref;
  // An owned lock of another package may not tell where it lies.
  if (ref === undefined) return;
  const isOwned = typeof (entrance as Callable)['enterAsync'] === 'function';
  const at: Followed = { ref, isOwned, instance, primitive: undefined, slot: '' };
  const calls = instance as Callable;
  if (typeof calls['at'] === 'function' && calls['release'] === undefined) {
    followTable(instance);
    return;
  }
  followed.set(instance, at);
  active?.opened(ref);
  if (calls['release'] !== undefined) followPermits(instance, at);
  else followLock(instance, entrance as Callable, at);
}

/** This agent holds the lock again without a call of it. */
export function holdsAgain(instance: object): void {
  const at = followed.get(instance);
  if (at !== undefined) noteTaken(at, 1, active, undefined);
}

/** This agent has released the lock without a call of it. */
export function yields(instance: object): void {
  const at = followed.get(instance);
  if (at === undefined) return;
  const { isRecursive, depth } = primitiveOf(at);
  noteGiven(at, isRecursive ? depth : 1);
}

/** A table of locks has short ways of its own. Its calls go through the lock of the key, which is followed. */
function followTable(table: object): void {
  for (const name of ['lock', 'unlock', 'runAsync'])
    replace(table, name, (call) => (key, ...args) => {
      if (active === undefined) return call(key, ...args);
      const lock = (table as Callable)['at']?.(key) as Callable;
      return lock[name]?.(...args);
    });
}

function followLock(lock: object, entrance: Callable, at: Followed): void {
  own(lock, 'lock', lockOf(lock, Reflect.get(lock, 'lock') as Method, at));
  replace(
    lock,
    'tryLock',
    (call) =>
      (ms = 0) =>
        trying(at, ms, 1, () => call(ms)),
  );
  // A class with a way of its own: the lock of its owner.
  if (Reflect.get(lock, 'lockAsync') !== OwnedLock.prototype.lockAsync)
    replace(lock, 'lockAsync', (call) => (options) => promised(at, 1, isBounded(options), () => call(options)));
  replace(lock, 'runAsync', runningAsync);
  own(lock, 'unlock', unlockOf(lock, Reflect.get(lock, 'unlock') as Method, at));
  if (!at.isOwned) return;
  // `run`, `takeOver` and the calls that hold several locks go through the entrance.
  replace(entrance, 'enter', (call) => () => blocking(at, 'blocking', 1, call));
  replace(
    entrance,
    'tryEnter',
    (call) =>
      (ms = 0) =>
        trying(at, ms, 1, () => call(ms)),
  );
  replace(entrance, 'enterAsync', (call) => (options, entered) => entering(at, call, options, entered));
  replace(entrance, 'exit', (call) => () => releasing(at, 1, call));
}

function followPermits(semaphore: object, at: Followed): void {
  replace(
    semaphore,
    'acquire',
    (call) =>
      (...args) =>
        blocking(at, 'blocking', permitsIn(args), () => call(...args)),
  );
  replace(
    semaphore,
    'tryAcquire',
    (call) =>
      (...args) =>
        trying(at, args[1] ?? 0, permitsIn(args), () => call(...args)),
  );
  replace(
    semaphore,
    'acquireAsync',
    (call) =>
      (...args) =>
        promised(at, permitsIn(args), isBounded(args[1]), () => call(...args)),
  );
  replace(semaphore, 'runAsync', runningAsync);
  replace(
    semaphore,
    'release',
    (call) =>
      (...args) =>
        releasing(at, permitsIn(args), () => call(...args)),
  );
  replace(semaphore, 'drain', (call) => () => draining(at, call));
}

function permitsIn([permits = 1]: readonly unknown[]): number {
  return typeof permits === 'number' ? permits : 1;
}

/** Whether the options of an async call have a timeout, or a signal that may be one. */
function isBounded(options: unknown): boolean {
  const { timeout, signal } = (options ?? {}) as { readonly timeout?: number; readonly signal?: unknown };
  return timeout !== undefined || signal !== undefined;
}

/** A `runAsync`: the tools can tell what the body does from what other tasks of the thread do. */
function runningAsync(call: Call): Call {
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

/** Puts a function before the one of the class, if the class has one. Not enumerable: logs and posts do not show it. */
function replace(instance: object, name: string, around: (call: Call) => Call): void {
  const method = Reflect.get(instance, name) as Call | undefined;
  if (typeof method !== 'function') return;
  own(instance, name, around(method.bind(instance)));
}

function own(instance: object, name: string, value: (...args: never[]) => unknown): void {
  Object.defineProperty(instance, name, { value, configurable: true, writable: true, enumerable: false });
}

type Lockable = object;
type Method = (this: Lockable) => void;

// `lock` and `unlock` of an owned lock do what `blocking` and `releasing` do, but count no permits. They are functions of
// their own, because an engine inlines a method that is the same for all locks of a class, and no function that it gets
// as an argument.

function lockOf(lock: Lockable, method: Method, at: Followed): () => void {
  return () => {
    const tool = active;
    if (tool === undefined || current !== undefined) {
      method.call(lock);
      return;
    }
    const primitive = at.primitive ?? firstUse(at);
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
      tool.holdBegins(primitive, 1, at.slot, asked);
    } else noteTaken(at, 1, tool, asked);
  };
}

function unlockOf(lock: Lockable, method: Method, at: Followed): () => void {
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
  const primitive = primitiveAt(at.ref.context, at.ref.address);
  primitive.isOwned = at.isOwned;
  const { key } = at.instance as { readonly key?: unknown };
  if (typeof key === 'string') at.slot = key;
  at.primitive = primitive;
  return primitive;
}

function primitiveOf(at: Followed): UsedPrimitive {
  return at.primitive ?? firstUse(at);
}

function blocking(at: Followed, how: Manner, permits: number, call: Call): unknown {
  const tool = active;
  // A call within another one is a part of it.
  if (tool === undefined || current !== undefined) return call();
  const primitive = primitiveOf(at);
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

function trying(at: Followed, ms: unknown, permits: number, call: Call): unknown {
  return blocking(at, ms === Infinity ? 'blocking' : 'timed', permits, call);
}

function releasing(at: Followed, permits: number, call: Call): unknown {
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
function entering(at: Followed, call: Call, options: unknown, entered: unknown): unknown {
  const tool = active;
  if (tool === undefined || current !== undefined) return call(options, entered);
  const primitive = primitiveOf(at);
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
function promised(at: Followed, permits: number, bounded: boolean, call: Call): unknown {
  const tool = active;
  if (tool === undefined || current !== undefined) return call();
  const primitive = primitiveOf(at);
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

function draining(at: Followed, call: Call): unknown {
  const tool = active;
  if (tool === undefined) return call();
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
function noteTaken(at: Followed, permits: number, tool: Tool | undefined, asked: unknown): void {
  const primitive = primitiveOf(at);
  primitive.depth += permits;
  primitive.taken += permits;
  const own = active === tool ? asked : undefined;
  if (primitive.isRecursive && primitive.depth > permits) active?.holdFails(primitive, own);
  else active?.holdBegins(primitive, permits, at.slot, own);
}

/** The permits are released. Those that the agent held before the tools came are unknown. */
function noteGiven(at: Followed, permits: number): void {
  const primitive = primitiveOf(at);
  const known = Math.min(permits, primitive.depth);
  if (known < permits) active?.othersReleased(primitive);
  if (known === 0) return;
  primitive.depth -= known;
  primitive.given += known;
  if (!primitive.isRecursive || primitive.depth === 0) active?.holdEnds(primitive, known, at.slot);
}
