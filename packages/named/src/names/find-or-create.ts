// Primitives by name. The first agent that asks for a name creates the primitive, and all other agents get the same
// one.

import { HandleError, type Arena, type WaitOptions } from '@sluice/core';
import { checkFunction, checkWait, NO_WAIT_OPTIONS, refuseToBlock, show } from '@sluice/core/calls';
import { chosenArena, mayBlock } from '@sluice/core/internal';
import { checkKey } from '../table/key.ts';
import { createUnder, createUnderAsync, openNamed } from './name-creation.ts';
import { forget, handleOf, NameLookup } from './name-lookup.ts';
import type { CreatableKind, Nameable, NamedKind, NamedOptions } from './named-kind.ts';
import { findNames, namesOf, type AnyHandle } from './name-table.ts';

/**
 * Returns the primitive of that name in the arena. The first call of any thread creates it, by `create`, or without
 * `create` by `kind.create({ arena, name })`. All threads get the same primitive.
 *
 * While one thread creates it, the others wait. If `create` throws, the call throws the same error, and the longest
 * waiter creates the primitive. If the creating thread dies, the longest waiter creates it after the recovery. A
 * primitive that the dead thread had created stays in the arena without the name. If the primitive was freed, the next
 * call creates another.
 *
 * @param name - 1 to 4,096 UTF-16 code units. Two names are equal only if all their code units are.
 * @param kind - The class of the primitive. Each thread opens the primitive by its `from`.
 * @throws {TypeError} If an argument has the wrong type.
 * @throws {RangeError} If the name is empty or too long.
 * @throws {MisuseError} If the name leads to a primitive of another kind, if the creator returns a primitive of another
 *   arena, or if this thread is creating the primitive already; on a browser's main thread, if the call has to wait:
 *   use `namedAsync` there.
 * @throws {ArenaFullError} If the arena has no room for the name or for the waiter.
 *
 * ```ts run
 * import { Arena, Semaphore } from '@sluice/core';
 * import { Mutex } from '@sluice/mutex';
 * import { named } from '@sluice/named';
 *
 * const arena = Arena.default();
 * const orders = named(arena, 'orders', Mutex);
 * const slots = named(arena, 'slots', Semaphore, (options) => Semaphore.create(4, options));
 * console.log(orders.name, slots.available, named(arena, 'orders', Mutex).handle.address === orders.handle.address); // orders 4 true
 * ```
 */
export function named<T extends Nameable>(arena: Arena, name: string, kind: CreatableKind<T>): T;
export function named<T extends Nameable>(
  arena: Arena,
  name: string,
  kind: NamedKind<T>,
  create: (options: NamedOptions) => T,
): T;
export function named<T extends Nameable>(
  arena: Arena,
  name: string,
  kind: NamedKind<T>,
  create?: (options: NamedOptions) => T,
): T {
  const make = checkArguments(arena, name, kind, create);
  const names = namesOf(arena);
  for (;;) {
    const look = new NameLookup(names, name);
    const lock = names.take(name, mayBlock() ? Infinity : 0, look.before);
    if (lock === undefined && look.handle === undefined) refuseToBlock();
    const handle = lock === undefined ? look.handle : look.again();
    if (handle === undefined) return createUnder(names, name, kind, make);
    const found = openNamed(names, name, kind, handle);
    if (found !== undefined) return found;
  }
}

/**
 * Resolves with the primitive of a name as `named` returns it, without blocking the thread. `create` may return a
 * promise. Other threads wait until it settles.
 *
 * Rejects with the errors of `named`, and with `TimeoutError` or `signal.reason` if another thread does not finish its
 * creation in time.
 */
export async function namedAsync<T extends Nameable>(
  arena: Arena,
  name: string,
  kind: CreatableKind<T>,
  create?: undefined,
  options?: WaitOptions,
): Promise<T>;
export async function namedAsync<T extends Nameable>(
  arena: Arena,
  name: string,
  kind: NamedKind<T>,
  create: (options: NamedOptions) => T | PromiseLike<T>,
  options?: WaitOptions,
): Promise<T>;
export async function namedAsync<T extends Nameable>(
  arena: Arena,
  name: string,
  kind: NamedKind<T>,
  create?: (options: NamedOptions) => T | PromiseLike<T>,
  options: WaitOptions = NO_WAIT_OPTIONS,
): Promise<T> {
  const make = checkArguments(arena, name, kind, create);
  const wait = checkWait(options);
  const names = namesOf(arena);
  for (;;) {
    const look = new NameLookup(names, name);
    let handle: AnyHandle | undefined;
    await names.takeAsync(
      name,
      wait,
      (lock) => (handle = lock === undefined ? look.handle : look.again()),
      look.before,
    );
    if (handle === undefined) return createUnderAsync(names, name, kind, make);
    const found = openNamed(names, name, kind, handle);
    if (found !== undefined) return found;
  }
}

/**
 * Returns the primitive of that name, or `undefined` if there is none or it is still being created. Never waits.
 *
 * @throws The errors of `named`.
 */
export function findNamed<T extends Nameable>(arena: Arena, name: string, kind: NamedKind<T>): T | undefined {
  checkArguments(arena, name, kind, never);
  const handle = handleOf(arena, name);
  const names = findNames(arena);
  return handle === undefined || names === undefined ? undefined : openNamed(names, name, kind, handle);
}

/**
 * Forgets a name. Returns whether it led to a primitive. The primitive stays, and threads that have it can still use
 * it. The next `named` creates another.
 *
 * @throws {MisuseError} While a thread creates the primitive or waits for it. The name is then kept.
 */
export function forgetNamed(arena: Arena, name: string): boolean {
  checkName(arena, name);
  return forget(arena, name, undefined);
}

/**
 * Frees the primitive of a name by its `free`, and forgets the name. Returns whether there was one.
 *
 * @throws The errors of `free`, for example while an agent uses the primitive. Then the name still leads to it.
 */
export function freeNamed<T extends Nameable & { free(): void }>(
  arena: Arena,
  name: string,
  kind: NamedKind<T>,
): boolean {
  const found = findNamed(arena, name, kind);
  if (found === undefined) return false;
  found.free();
  forget(arena, name, found.handle as AnyHandle);
  return true;
}

function checkName(arena: unknown, name: unknown): void {
  if (arena === undefined) throw new TypeError('The arena must be an Arena: received undefined');
  chosenArena(arena as Arena);
  if (checkKey('The name', name) === '') throw new RangeError('The name must not be empty.');
}

function checkArguments<T extends Nameable>(
  arena: Arena,
  name: string,
  kind: NamedKind<T>,
  create: unknown,
): (options: NamedOptions) => unknown {
  checkName(arena, name);
  const given: unknown = kind;
  const { from, create: own } = (given ?? {}) as { readonly from?: unknown; readonly create?: unknown };
  if (typeof from !== 'function')
    throw new TypeError(`The kind must have a function from, as the class Mutex: received ${show(kind)}`);
  if (create !== undefined) {
    checkFunction(create);
    return create as (options: NamedOptions) => unknown;
  }
  if (typeof own !== 'function')
    throw new TypeError('The kind must have a function create, or pass one as the fourth argument.');
  return (options) => (kind as CreatableKind<T>).create(options);
}

function never(): never {
  throw new HandleError('Nothing is created here.');
}
