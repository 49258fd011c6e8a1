// The names of an arena, for reports.

import type { Arena } from '@sluice/core';
import { chosenArena } from '@sluice/core/internal';
import type { Locks } from '../table/locks.ts';
import { findNames, isReady, isThere, readHandle } from './name-table.ts';

/** One name of an arena. */
export interface NamedReport {
  readonly name: string;
  /**
   * The state of the name. `'ready'`: it leads to a primitive. `'creating'`: an agent is creating the primitive.
   * `'free'`: its primitive was freed, or its creator died.
   */
  readonly state: 'ready' | 'creating' | 'free';
  /** The kind of the primitive's handle, such as 'sluice.mutex', or '' without a primitive. */
  readonly kind: string;
  /** The address of the primitive's block, as in `arena.inspect().blocks`. 0: none. */
  readonly address: number;
  /** The id of the agent that is creating the primitive. 0: none. */
  readonly creator: number;
  /** How messages name it, such as "agent 3 (thread 5, resizer)". Absent if there is none. */
  readonly creatorTitle?: string;
  /** The number of calls that wait for the primitive, of all agents. */
  readonly waiting: number;
}

/** Returns the names of an arena, in no particular order. */
export function listNamed(arena: Arena): readonly NamedReport[] {
  const names = findNames(chosenArena(arena));
  if (names === undefined) return [];
  return names.keys.under(() => [...names.keys.table.entries()].map((entry) => reportEntry(names, entry)));
}

function reportEntry(names: Locks, entry: number): NamedReport {
  const { words } = names.context;
  const { owner, ownerTitle, waiters } = names.open(entry).mutex.inspect();
  const handle = isReady(words, entry) ? readHandle(names.arena, words, entry) : undefined;
  const found = handle !== undefined && isThere(words, handle) ? handle : undefined;
  return {
    name: names.keys.table.keyOf(entry),
    state: found !== undefined ? 'ready' : owner === 0 ? 'free' : 'creating',
    kind: typeof found?.['kind'] === 'string' ? found['kind'] : '',
    address: typeof found?.['address'] === 'number' ? found['address'] : 0,
    creator: owner,
    ...(ownerTitle !== undefined && { creatorTitle: ownerTitle }),
    waiting: waiters.length,
  };
}
