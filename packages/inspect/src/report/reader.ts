// An arena as reports read it.

import { contextOf } from '@sluice/core/internal';
import { onlookerAt, type Onlooker } from '@sluice/core/report';
import type { Arena, ArenaHandle } from '@sluice/core';
import { completed, knownKind } from './known-kinds.ts';

/** Reads an arena that this thread has opened. Throws `MisuseError` if its agent has left. */
export function onlookerOf(arena: Arena): Onlooker {
  const context = contextOf(arena);
  const { words, id, heap, parking } = context;
  const looked = new Map<number, ReturnType<Onlooker['kindWith']>>();
  const kindWith: Onlooker['kindWith'] = (code) => {
    const known = looked.get(code);
    if (known !== undefined) return known;
    const loaded = context.kindWith(code);
    const kind = loaded === undefined ? knownKind(code) : completed(code, loaded);
    looked.set(code, kind);
    return kind;
  };
  return { words, id, heap, parking, asker: context, kindWith };
}

/** Reads the arena of a handle without an agent of this thread in it. Throws `HandleError`. */
export function onlookerOfHandle(handle: ArenaHandle): Onlooker {
  return onlookerAt(handle, knownKind);
}
