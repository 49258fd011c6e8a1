// The kinds of both mutexes, for the tests of owned locks and for agents that recover mutexes.

import { useKind } from '../../../core/test/support/engines.ts';
import { ownedLockKind, type OwnedLockKind } from '../../../core/test/support/owned-lock/kind.ts';
import { Mutex, RecursiveMutex } from '../../src/index.ts';
import { jsMutex } from '../../src/js.ts';
import { MUTEX as MUTEX_KIND, RECURSIVE_MUTEX } from '../../src/kinds.ts';

useKind(MUTEX_KIND, jsMutex);
useKind(RECURSIVE_MUTEX, jsMutex);

const MUTEX_TRAITS = { kindName: 'sluice.mutex', reported: 'mutex' } as const;
const RECURSIVE_TRAITS = { kindName: 'sluice.recursive-mutex', reported: 'mutex', isReentrant: true } as const;

export const MUTEX = ownedLockKind(Mutex, MUTEX_TRAITS, { order: 'fifo' });
export const RECURSIVE = ownedLockKind(RecursiveMutex, RECURSIVE_TRAITS, { order: 'fifo' });
export const MUTEX_IN_TURNS = ownedLockKind(Mutex, MUTEX_TRAITS, { order: 'turns' });
export const RECURSIVE_IN_TURNS = ownedLockKind(RecursiveMutex, RECURSIVE_TRAITS, { order: 'turns' });
export const KINDS: readonly OwnedLockKind[] = [MUTEX, RECURSIVE];
