// The five locks, for tests of their common promises and of their differences.

import { useKind } from '../../../core/test/support/engines.ts';
import { ownedLockKind, type OwnedLockKind } from '../../../core/test/support/owned-lock/kind.ts';
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '../../src/index.ts';
import { jsClassicLocks } from '../../src/js.ts';
import * as kinds from '../../src/kinds.ts';

// Importing this file is enough for tests with both engines, and for agents that recover these locks.
for (const each of [kinds.TTS, kinds.TICKET, kinds.MCS, kinds.LIFO, kinds.RECIPROCATING]) useKind(each, jsClassicLocks);

const named = (reported: string): Pick<OwnedLockKind, 'kindName' | 'reported'> => ({
  kindName: `sluice.${reported}`,
  reported,
});

export const TTS = ownedLockKind(TtsLock, { ...named('tts-lock'), order: 'any' });
export const TICKET = ownedLockKind(TicketLock, named('ticket-lock'));
export const MCS = ownedLockKind(McsLock, { ...named('mcs-lock'), isQueued: true });
export const LIFO = ownedLockKind(LifoLock, { ...named('lifo-lock'), order: 'last', isQueued: true });
export const RECIPROCATING = ownedLockKind(ReciprocatingLock, {
  ...named('reciprocating-lock'),
  order: 'segments',
  isQueued: true,
});

export const KINDS: readonly OwnedLockKind[] = [TTS, TICKET, MCS, LIFO, RECIPROCATING];
/**
 * Locks whose waiters are queued at the lock's own words. The place of a cancelled waiter stays until its turn comes.
 */
export const QUEUED = KINDS.filter(({ isQueued }) => isQueued);
