// An arena as reports read it.

import { contextOf } from '@sluice/core/internal';
import { onlookerAt, type Onlooker } from '@sluice/core/report';
import type { Arena, ArenaHandle } from '@sluice/core';
import { knownKind } from './known-kinds.ts';

/** Reads an arena that this thread has opened. Throws `MisuseError` if its agent has left. */
export function onlookerOf(arena: Arena): Onlooker {
  const context = contextOf(arena);
  const { words, id, heap, parking } = context;
  return { words, id, heap, parking, asker: context, kindWith: (code) => context.kindWith(code) ?? knownKind(code) };
}

/** Reads the arena of a handle without an agent of this thread in it. Throws `HandleError`. */
export function onlookerOfHandle(handle: ArenaHandle): Onlooker {
  return onlookerAt(handle, knownKind);
}
