// The conformance suite of all locks, for mutexes with the order 'turns'. A running agent may find the mutex free
// although others wait. The waiters are still served in order.

import { conformsEverywhere } from '../../core/test/support/owned-lock/places.ts';
import type { OwnedLockKind } from '../../core/test/support/owned-lock/kind.ts';
import { MUTEX_IN_TURNS, RECURSIVE_IN_TURNS } from './support/kinds.ts';

for (const kind of [MUTEX_IN_TURNS, RECURSIVE_IN_TURNS] as readonly OwnedLockKind[]) {
  conformsEverywhere(
    `${kind.what}, 'turns'`,
    (options, open) => {
      const lock = kind.create(options);
      return { lock, rival: open(lock.handle, (handle) => kind.from(handle)) };
    },
    { owned: true, reentrant: kind.isReentrant, fifo: true, barging: true },
  );
}
