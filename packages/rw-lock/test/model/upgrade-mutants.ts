// Mutants of upgradeable readers: each changes one line. The case that a mutant names must fail with it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const UPGRADE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a writer takes no seat',
    in: 'SeatedEntrance.tryEnter',
    find: 'const outcome = this.#seat.enter(timeoutMs, this.#lines.asyncWaits);',
    replace: 'const outcome = TAKEN;',
    caughtBy: 'upgrade beside a writer',
  },
  {
    name: 'a writer keeps the seat',
    in: 'SeatedEntrance.exit',
    find: 'this.#seat.leave();',
    replace: '',
    caughtBy: 'upgrade beside a writer',
  },
  {
    name: 'a writer leaves the seat before it releases the lock',
    in: 'SeatedEntrance.enterSeated',
    find: 'return this.#writers.tryEnter(timeoutMs);',
    replace: 'this.#seat.leave(); return this.#writers.tryEnter(timeoutMs);',
    caughtBy: 'two upgrades',
  },
  {
    name: 'an upgradeable reader takes no seat',
    in: 'UpgradeableLock.tryLock',
    find: 'const outcome = this.#seat.enter(timeoutMs, this.#lines.asyncWaits);',
    replace: 'const outcome = TAKEN;',
    caughtBy: 'two upgradeable readers',
  },
  {
    name: 'an upgradeable reader keeps the seat',
    in: 'UpgradeableLock.unlock',
    find: 'this.#seat.leave();',
    replace: '',
    caughtBy: 'two upgradeable readers',
  },
  {
    name: 'an upgrade keeps the read lock while it waits',
    in: 'UpgradeableLock.tryUpgrade',
    find: 'this.#reader.unlock();',
    replace: '',
    caughtBy: 'upgrade beside a reader',
  },
  {
    name: 'an upgrade leaves the seat for a moment',
    in: 'UpgradeableLock.tryUpgrade',
    find: 'this.#reader.unlock();',
    replace: 'this.#reader.unlock(); this.#seat.leave(); this.#seat.enter(Infinity);',
    caughtBy: 'two upgrades',
  },
  {
    name: 'an upgrade that times out does not take its read lock again',
    in: 'UpgradeableLock.tryUpgrade',
    find: 'if (!isIn) this.#readAgain();',
    replace: '',
    caughtBy: 'an upgrade that may time out beside a reader',
  },
  {
    name: 'a writer that times out keeps the seat',
    in: 'SeatedEntrance.#orLeave',
    find: 'if (!isIn) this.#seat.leave();',
    replace: '',
    caughtBy: 'a writer that may time out behind a reader',
  },
  {
    name: 'an agent leaves the seat without waking the next one',
    in: 'Seat.leave',
    find: 'context.wakeAdmitted(left);',
    replace: '',
    caughtBy: 'two upgradeable readers',
  },
];
