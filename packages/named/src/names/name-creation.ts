// The creation of a named primitive, by the agent that owns the lock of the name.

import { hasCode, MisuseError } from '@sluice/core';
import { isThenable, show } from '@sluice/core/calls';
import { labelOf, quoted, titleOfName } from '../table/key.ts';
import type { Locks } from '../table/locks.ts';
import type { Nameable, NamedKind, NamedOptions } from './named-kind.ts';
import { isThere, placesIn, writeHandle, type AnyHandle } from './name-table.ts';

export function createUnder<T extends Nameable>(
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

export async function createUnderAsync<T extends Nameable>(
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
export function openNamed<T extends Nameable>(
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
