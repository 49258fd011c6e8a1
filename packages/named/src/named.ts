// Primitives by name. The first agent that asks for a name creates the primitive, and all other agents get the same
// one.

import { HandleError, hasCode, MisuseError, type Arena, type WaitOptions } from '@sluice/core';
import {
  checkFunction,
  checkWait,
  chosenArena,
  isThenable,
  mayBlock,
  refuseToBlock,
  show,
} from '@sluice/core/internal';
import { checkKey, labelOf } from './key.ts';
import type { Locks } from './locks.ts';
import {
  findNames,
  forgetHandle,
  isReady,
  isThere,
  namesOf,
  placesIn,
  readHandle,
  writeHandle,
  type AnyHandle,
} from './names.ts';

/** A primitive that has a handle, such as a `Mutex`. */
export interface Nameable {
  readonly handle: object;
}

/** A class that opens primitives of one kind by a static `from`, such as `Mutex`. */
export interface NamedKind<T extends Nameable> {
  from(handle: T['handle']): T;
}

/** The options that the creator of a named primitive should pass on. */
export interface NamedOptions {
  readonly arena: Arena;
  /** The name, cut to the 60 bytes that reports and messages have room for. */
  readonly name: string;
}

/** A kind whose `create` needs only options. */
export interface CreatableKind<T extends Nameable> extends NamedKind<T> {
  create(options: NamedOptions): T;
}

const NO_OPTIONS: WaitOptions = {};

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
    const look = new Look(names, name);
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
  options: WaitOptions = NO_OPTIONS,
): Promise<T> {
  const make = checkArguments(arena, name, kind, create);
  const wait = checkWait(options);
  const names = namesOf(arena);
  for (;;) {
    const look = new Look(names, name);
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

/** The result of a lookup of a name, under the mutex of the table. */
class Look {
  handle: AnyHandle | undefined;
  readonly before: (entry: number) => boolean;
  readonly #names: Locks;
  readonly #name: string;

  constructor(names: Locks, name: string) {
    this.#names = names;
    this.#name = name;
    this.before = (entry) => this.#look(entry);
  }

  /** Looks again after the wait for another creator. If there is a handle, the lock is then unlocked. */
  again(): AnyHandle | undefined {
    // The mutex of the table is needed although this agent owns the lock of the name. Without it, another agent that
    // finds the same freed primitive would erase the entry that this agent writes next. A recovery may have handed this
    // agent the lock while it was already in the table.
    if (!this.#names.keys.look(this.#name, undefined, true, (entry) => entry !== 0 && this.#look(entry)))
      return undefined;
    this.#names.release(this.#name, () => titleOfName(this.#name), true);
    return this.handle;
  }

  #look(entry: number): boolean {
    const {
      arena,
      context: { words },
    } = this.#names;
    if (!isReady(words, entry)) return false;
    const handle = readHandle(arena, words, entry);
    // Its primitive was freed.
    if (!isThere(words, handle)) {
      forgetHandle(words, entry);
      return false;
    }
    this.handle = handle;
    return true;
  }
}

function createUnder<T extends Nameable>(
  names: Locks,
  name: string,
  kind: NamedKind<T>,
  make: (options: NamedOptions) => unknown,
): T {
  let opened: T;
  try {
    const made = make({ arena: names.arena, name: labelOf('', name) });
    if (isThenable(made))
      throw new MisuseError(
        `The creator of ${quoted(name)} returned a promise. Use namedAsync. The name leads to no primitive.`,
        { cause: made },
      );
    opened = keep(names, name, kind, made);
  } catch (failure) {
    giveUp(names, name);
    throw failure;
  }
  names.release(name, () => titleOfName(name));
  return opened;
}

async function createUnderAsync<T extends Nameable>(
  names: Locks,
  name: string,
  kind: NamedKind<T>,
  make: (options: NamedOptions) => unknown,
): Promise<T> {
  let opened: T;
  try {
    opened = keep(names, name, kind, await make({ arena: names.arena, name: labelOf('', name) }));
  } catch (failure) {
    giveUp(names, name);
    throw failure;
  }
  names.release(name, () => titleOfName(name));
  return opened;
}

/** Lets the next agent create, after a creator that failed. */
function giveUp(names: Locks, name: string): void {
  try {
    names.release(name, () => titleOfName(name));
  } catch {
    // Ignored: the caller gets the creator's error, which says more.
  }
}

/** Makes the name lead to the primitive that the creator returned. */
function keep<T extends Nameable>(names: Locks, name: string, kind: NamedKind<T>, made: unknown): T {
  const { handle } = (made ?? {}) as { readonly handle?: unknown };
  if (typeof handle !== 'object' || handle === null) {
    throw new TypeError(
      `The creator of ${quoted(name)} must return a primitive with a handle: received ${show(made)}. The name leads to no primitive.`,
    );
  }
  const places = [...placesIn(handle as AnyHandle)];
  if (places.length === 0 || places.some(({ arena }) => arena !== names.arena.id)) {
    throw new MisuseError(
      `The creator of ${quoted(name)} made a primitive in another arena than ${names.arena.toString()}. The name leads to no primitive; pass its options on to create.`,
    );
  }
  const lock = names.owned(name);
  if (lock === undefined)
    throw new MisuseError(`The name ${quoted(name)} is not this agent's to create any more. It leads to no primitive.`);
  const opened = kind.from(handle);
  if (!writeHandle(names.context.words, lock.entry, handle as AnyHandle)) {
    throw new MisuseError(
      `The handle of ${quoted(name)} is too large to be kept by name. The name leads to no primitive.`,
    );
  }
  return opened;
}

/** Opens the primitive of a handle. Returns `undefined` if the primitive was freed in the meantime. */
function openNamed<T extends Nameable>(
  names: Locks,
  name: string,
  kind: NamedKind<T>,
  handle: AnyHandle,
): T | undefined {
  try {
    return kind.from(handle);
  } catch (failure) {
    if (!hasCode(failure, 'SLUICE_HANDLE')) throw failure;
    if (!isThere(names.context.words, handle)) return undefined;
    throw new MisuseError(
      `The name ${quoted(name)} leads to a primitive of kind ${String(handle['kind'])}, but was asked for as another kind. Nothing was created.`,
      { cause: failure },
    );
  }
}

function handleOf(arena: Arena, name: string): AnyHandle | undefined {
  const names = findNames(arena);
  return names?.keys.look(name, undefined, false, (entry) => {
    const look = new Look(names, name);
    return entry !== 0 && look.before(entry) ? look.handle : undefined;
  });
}

/** Forgets a name. With `only`, forgets it only if it leads to that handle. */
function forget(arena: Arena, name: string, only: AnyHandle | undefined): boolean {
  const names = findNames(arena);
  if (names === undefined) return false;
  const { words } = names.context;
  return names.keys.look(name, undefined, false, (entry) => {
    if (entry === 0) return false;
    const wasReady = isReady(words, entry);
    if (only !== undefined && !(wasReady && leadsTo(readHandle(arena, words, entry), only))) return false;
    if (!names.keys.blocks.isFree(entry, true))
      throw new MisuseError(
        `The name ${quoted(name)} cannot be forgotten while its primitive is created: ${names.open(entry).account.why(0)}.`,
      );
    forgetHandle(words, entry);
    names.keys.table.tidy(entry);
    return wasReady;
  });
}

function leadsTo(handle: AnyHandle, other: AnyHandle): boolean {
  const at = ({ address, tag }: { readonly address: number; readonly tag: number }): string => `${address} ${tag}`;
  return [...placesIn(handle)].map(at).join() === [...placesIn(other)].map(at).join();
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

function quoted(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}

function titleOfName(name: string): string {
  return `The name ${quoted(name)}`;
}
