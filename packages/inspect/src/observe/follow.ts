// Follows a lock or a semaphore from the moment in which the thread opens it: each instance gets functions of its own
// that hide those of its class (calls.ts). Older instances are not followed. So a program without tools pays for no
// check in its calls.

import { OwnedLock } from '@sluice/core';
import type { BlockRef } from '@sluice/core/internal';
import {
  blocking,
  draining,
  entering,
  isBounded,
  lockOf,
  noteGiven,
  noteTaken,
  permitsIn,
  primitiveOf,
  promised,
  releasing,
  runningAsync,
  trying,
  unlockOf,
  upgrading,
  upgradingAsync,
  type Call,
  type Followed,
  type Method,
} from './calls.ts';
import { active } from './tool.ts';

type Callable = Readonly<Record<string, Call | undefined>>;

/** By instance. */
const followed = new WeakMap<object, Followed>();

/** Begins to follow a lock or a semaphore. `entrance`: the entrance of an owned lock, or an object that has a `ref`. */
export function follow(instance: object, entrance?: object): void {
  const { ref, upgradesTo } = (entrance ?? {}) as { readonly ref?: BlockRef; readonly upgradesTo?: object };
  // An owned lock of another package may have no `ref`.
  if (ref === undefined) return;
  const isOwned = typeof (entrance as Callable)['enterAsync'] === 'function';
  const at: Followed = { ref, isOwned, instance, upgradesTo, primitive: undefined, slot: '' };
  const calls = instance as Callable;
  if (typeof calls['at'] === 'function' && calls['release'] === undefined) {
    followTable(instance);
    return;
  }
  followed.set(instance, at);
  active?.opened(ref, instance);
  const writer = upgradesTo === undefined ? undefined : followed.get(upgradesTo);
  if (writer !== undefined) followUpgradeable(instance, at, writer);
  else if (calls['release'] !== undefined) followPermits(instance, at);
  else followLock(instance, entrance as Callable, at);
}

/** Records that this agent holds the lock again, although the program called no function of the lock. */
export function holdsAgain(instance: object): void {
  const at = followed.get(instance);
  if (at !== undefined) noteTaken(at, 1, active, undefined);
}

/** Records that this agent has released the lock, although the program called no function of the lock. */
export function yields(instance: object): void {
  const at = followed.get(instance);
  if (at === undefined) return;
  const { isRecursive, depth } = primitiveOf(at);
  noteGiven(at, isRecursive ? depth : 1);
}

/** Follows a table of locks: its calls skip their fast paths, and go through the lock of the key, which is followed. */
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
  // A class that overrides `lockAsync` need not go through the entrance.
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

/** Follows the upgradeable side of a read-write lock. `writer`: the side that it holds after an upgrade. */
function followUpgradeable(lock: object, at: Followed, writer: Followed): void {
  replace(lock, 'lock', (call) => () => blocking(at, 'blocking', 1, call));
  replace(
    lock,
    'tryLock',
    (call) =>
      (ms = 0) =>
        trying(at, ms, 1, () => call(ms)),
  );
  replace(lock, 'lockAsync', (call) => (options) => promised(at, 1, isBounded(options), () => call(options)));
  replace(lock, 'runAsync', runningAsync);
  // After an upgrade it unlocks the writer, which is followed itself.
  replace(lock, 'unlock', (call) => () => (primitiveOf(at).depth > 0 ? releasing(at, 1, call) : call()));
  replace(
    lock,
    'tryUpgrade',
    (call) =>
      (ms = 0) =>
        upgrading(at, writer, ms === Infinity ? 'blocking' : 'timed', () => call(ms)),
  );
  replace(
    lock,
    'upgradeAsync',
    (call) => (options) => upgradingAsync(at, writer, isBounded(options), () => call(options)),
  );
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

/** Hides a function of the class, if there is one, by one of the instance. Not enumerable: logs and posts omit it. */
function replace(instance: object, name: string, around: (call: Call) => Call): void {
  const method = Reflect.get(instance, name) as Call | undefined;
  if (typeof method !== 'function') return;
  own(instance, name, around(method.bind(instance)));
}

function own(instance: object, name: string, value: (...args: never[]) => unknown): void {
  Object.defineProperty(instance, name, { value, configurable: true, writable: true, enumerable: false });
}
