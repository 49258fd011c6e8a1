// The five locks, for tests of what they promise alike, and of what sets them apart.

import { useKind } from '../../../core/test/support/engines.ts';
import type { Kind } from '../../../core/test/support/misuse-table.ts';
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock, type LockOptions } from '../../src/index.ts';
import { jsLocks } from '../../src/js.ts';
import * as kinds from '../../src/kinds.ts';

// Importing this file is enough for tests with both engines, and for agents that have to recover these locks.
for (const each of [kinds.TTS, kinds.TICKET, kinds.MCS, kinds.LIFO, kinds.RECIPROCATING]) useKind(each, jsLocks);

export type AnyLock = TtsLock | TicketLock | McsLock | LifoLock | ReciprocatingLock;

export interface LockKind extends Kind<AnyLock> {
  /** As in a handle and in a report. */
  readonly kindName: AnyLock['handle']['kind'];
  /**
   * Who is served next of those that wait: who came first, who came last, the same but before those who come later, or
   * whoever is there first.
   */
  readonly serves: 'first' | 'last' | 'segments' | 'anybody';
}

interface Factory<L extends AnyLock> {
  create(options?: LockOptions): L;
  from(handle: L['handle'], options?: Pick<LockOptions, 'policy'>): L;
}

function kind<L extends AnyLock>(
  what: string,
  Class: Factory<L>,
  kindName: LockKind['kindName'],
  serves: LockKind['serves'],
): LockKind {
  return {
    what,
    Class,
    kindName,
    serves,
    create: (options) => Class.create(options),
    from: (handle, options) => Class.from(handle, options),
  };
}

export const TTS = kind('TtsLock', TtsLock, 'sluice.tts-lock', 'anybody');
export const TICKET = kind('TicketLock', TicketLock, 'sluice.ticket-lock', 'first');
export const MCS = kind('McsLock', McsLock, 'sluice.mcs-lock', 'first');
export const LIFO = kind('LifoLock', LifoLock, 'sluice.lifo-lock', 'last');
export const RECIPROCATING = kind('ReciprocatingLock', ReciprocatingLock, 'sluice.reciprocating-lock', 'segments');

export const KINDS: readonly LockKind[] = [TTS, TICKET, MCS, LIFO, RECIPROCATING];
export const QUEUED: readonly LockKind[] = [MCS, LIFO, RECIPROCATING];

/** Whether its waiters hang at its own words, where the place of one that gives up stays until its turn comes. */
export function isQueued(kind: LockKind): boolean {
  return QUEUED.includes(kind);
}

/** Whether of those that wait together who came last is served first. */
export function servesLastFirst({ serves }: LockKind): boolean {
  return serves === 'last' || serves === 'segments';
}
