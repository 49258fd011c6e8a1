// Lookups of a name in the table: the handle that it leads to, and the end of the name.

import { MisuseError, type Arena } from '@sluice/core';
import { quoted, titleOfName } from '../table/key.ts';
import type { Locks } from '../table/locks.ts';
import { findNames, forgetHandle, isReady, isThere, placesIn, readHandle, type AnyHandle } from './name-table.ts';

/** The result of a lookup of a name, under the mutex of the table. */
export class NameLookup {
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

export function handleOf(arena: Arena, name: string): AnyHandle | undefined {
  const names = findNames(arena);
  return names?.keys.look(name, undefined, false, (entry) => {
    const look = new NameLookup(names, name);
    return entry !== 0 && look.before(entry) ? look.handle : undefined;
  });
}

/** Forgets a name. With `only`, forgets it only if it leads to that handle. */
export function forget(arena: Arena, name: string, only: AnyHandle | undefined): boolean {
  const names = findNames(arena);
  if (names === undefined) return false;
  const { words } = names.context;
  return names.keys.look(name, undefined, false, (entry) => {
    if (entry === 0) return false;
    const wasReady = isReady(words, entry);
    if (only !== undefined && !(wasReady && leadsTo(readHandle(arena, words, entry), only))) return false;
    if (!names.keys.blocks.isFree(entry, true))
      throw new MisuseError(
        `The name ${quoted(name)} cannot be forgotten while its primitive is created: ${names.open(entry).errors.why(0)}.`,
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
