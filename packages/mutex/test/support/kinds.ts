// The two mutexes, for tests of what they promise as owned locks, and for agents that have to recover them.

import { useKind } from '../../../core/test/support/engines.ts';
import { ownedLockKind, type OwnedLockKind } from '../../../core/test/support/owned-lock/kind.ts';
import { Mutex, RecursiveMutex } from '../../src/index.ts';
import { jsMutex } from '../../src/js.ts';
import { MUTEX as MUTEX_KIND, RECURSIVE_MUTEX } from '../../src/kinds.ts';

useKind(MUTEX_KIND, jsMutex);
useKind(RECURSIVE_MUTEX, jsMutex);

export const MUTEX = ownedLockKind(Mutex, { kindName: 'sluice.mutex', reported: 'mutex' });
export const RECURSIVE = ownedLockKind(RecursiveMutex, { kindName: 'sluice.recursive-mutex', reported: 'mutex', isReentrant: true });
export const KINDS: readonly OwnedLockKind[] = [MUTEX, RECURSIVE];
