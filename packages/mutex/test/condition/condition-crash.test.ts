// An agent dies at every point of every operation at a condition, and so does the agent that recovers it.

import '../../../core/test/support/crash-injection.ts';
import { SPINS } from '../../../core/test/support/crash-lines.ts';
import { meanwhile } from '../../../core/test/support/crash-offices.ts';
import { together, type Operation } from '../../../core/test/support/crash-stage.ts';
import { crashSuite } from '../../../core/test/support/crash-suite.ts';
import { Condition } from '../../src/index.ts';
import { atCondition, conditionScene } from './support/crash-conditions.ts';
import './support/kinds.ts';
import { IN_ORDER, type Sort } from './support/sorts.ts';

function nothing(): void {
  // The outcome of the wait does not matter here.
}

const notifying = (sort: Sort): Operation[] => [
  ...[0, 1, 3].map((waiters) =>
    atCondition(sort, `notifies ${waiters} waiters, twice`, ({ shadows, notify }) => {
      shadows.come(waiters);
      return () => {
        notify();
        notify();
      };
    }),
  ),
  atCondition(sort, 'notifies with the lock held', ({ shadows, lock, notify }) => {
    shadows.come(2);
    return () => {
      lock.lock();
      notify(2);
      lock.unlock();
    };
  }),
  atCondition(sort, 'notifies after some waiters have cancelled', ({ shadows, notify }) => {
    shadows.come(4);
    for (const index of [0, 2]) shadows.leave(index);
    return () => notify();
  }),
];

const waiting = (sort: Sort): Operation[] => [
  atCondition(sort, 'waits and is notified while it sleeps', ({ stage, shadows, lock, theirs }) => {
    shadows.come();
    meanwhile(stage, () => shadows.notify(2));
    return () => {
      lock.lock();
      theirs.wait();
      lock.unlock();
    };
  }),
  atCondition(sort, 'waits and is notified while the lock is owned', ({ stage, shadows, lock, theirs }) => {
    meanwhile(stage, () => {
      shadows.come();
      shadows.lock.lock();
      shadows.notify();
      shadows.lock.unlock();
    });
    return () => {
      lock.lock();
      theirs.wait();
      lock.unlock();
    };
  }),
  atCondition(
    sort,
    'spins before it is notified',
    ({ stage, shadows, lock, theirs }) => {
      meanwhile(stage, () => shadows.notify());
      return () => {
        lock.lock();
        theirs.wait();
        lock.unlock();
      };
    },
    SPINS,
  ),
  atCondition(sort, 'waits in an async call behind another waiter', ({ stage, shadows, lock, theirs }) => {
    shadows.come();
    return async () => {
      lock.lock();
      const wait = together([theirs.waitAsync({ ref: false }).then(() => lock.unlock())]);
      shadows.notify(2);
      await stage.settle();
      await wait;
    };
  }),
];

const leaving = (sort: Sort): Operation[] => [
  atCondition(sort, 'times out as the only waiter', ({ lock, theirs }) => () => {
    lock.lock();
    theirs.tryWait(5);
    lock.unlock();
  }),
  atCondition(sort, 'times out between other waiters', ({ stage, shadows, lock, theirs }) => {
    shadows.come();
    meanwhile(stage, () => shadows.come(2));
    return () => {
      lock.lock();
      theirs.tryWait(5);
      lock.unlock();
    };
  }),
  atCondition(sort, 'is notified at the moment of its timeout', ({ stage, shadows, lock, theirs }) => {
    meanwhile(stage, () => {
      shadows.come();
      shadows.notify();
      return 'timed-out';
    });
    return () => {
      lock.lock();
      theirs.tryWait(5);
      lock.unlock();
    };
  }),
];

const holdings = (sort: Sort): Operation[] => [
  {
    name: `was notified and did not yet know it (${sort.name})`,
    prepare: (stage) => {
      const { shadows, lock, theirs } = conditionScene(stage, sort);
      lock.lock();
      void together([theirs.waitAsync({ ref: false }).catch(nothing)]);
      shadows.come(2);
      shadows.notify();
      return nothing;
    },
  },
  {
    name: `waits between other waiters (${sort.name})`,
    prepare: (stage) => {
      const { shadows, lock, theirs } = conditionScene(stage, sort);
      shadows.come();
      lock.lock();
      void together([theirs.waitAsync({ ref: false }).catch(nothing)]);
      shadows.come();
      shadows.notify();
      return nothing;
    },
  },
];

const creating: readonly Operation[] = IN_ORDER.map((sort) => ({
  name: `creates and frees a condition (${sort.name})`,
  prepare: (stage) => {
    const { lock } = sort.create(stage.victim.arena);
    return () => Condition.create(lock).free();
  },
}));

crashSuite({
  operations: [...IN_ORDER.flatMap((sort) => [...notifying(sort), ...waiting(sort), ...leaving(sort)]), ...creating],
  holdings: IN_ORDER.flatMap(holdings),
});
