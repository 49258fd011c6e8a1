// What the victim does at a mutex or a recursive mutex when it dies.

import { SPINS } from '../../../core/test/support/crash-lines.ts';
import { guardOf, large, leaveInTheMiddle, meanwhile, orphan } from '../../../core/test/support/crash-offices.ts';
import { refused, together, type Operation } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { Mutex, RecursiveMutex } from '../../src/index.ts';
import { atDeep, atMutex, mutexScene } from './mutex-scene.ts';

function nothing(): void {
  // Time passes, or nothing is run.
}

const taking: readonly Operation[] = [
  atMutex('locks a mutex and unlocks it', ({ theirs }) => () => {
    theirs.lock();
    theirs.unlock();
  }),
  large(
    atMutex('locks a mutex in other ways', ({ theirs }) => async () => {
      theirs.tryLock();
      theirs.tryLock();
      theirs.unlock();
      await theirs.lockAsync();
      theirs.unlock();
      theirs.run(nothing);
    }),
  ),
  atMutex('tries to lock what another one owns', ({ shadows, side, theirs }) => {
    shadows.take(side);
    return () => [theirs.tryLock(), theirs.tryLock()];
  }),
  {
    name: 'creates a mutex',
    prepare: (stage) => () => Mutex.create({ arena: stage.victim.arena, name: 'new' }),
  },
  {
    name: 'frees a mutex',
    prepare(stage) {
      const { handle } = Mutex.create({ arena: stage.living.arena });
      const theirs = Mutex.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
  atDeep('goes deep into a recursive mutex and comes back', ({ theirs }) => () => {
    for (let depth = 0; depth < 3; depth++) theirs.lock();
    for (let depth = 0; depth < 3; depth++) theirs.unlock();
  }),
  atDeep('dies deep in a recursive mutex that others want', ({ shadows, side, theirs }) => {
    for (let depth = 0; depth < 4; depth++) theirs.lock();
    shadows.come(side, 2);
    return () => theirs.run(() => theirs.unlock());
  }),
  {
    name: 'frees a recursive mutex',
    prepare(stage) {
      const { handle } = RecursiveMutex.create({ arena: stage.living.arena });
      const theirs = RecursiveMutex.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

const unlocking: readonly Operation[] = [
  ...[1, 3].map((others) =>
    atMutex(`unlocks a mutex for which ${others} wait`, ({ shadows, side, theirs }) => {
      theirs.lock();
      shadows.come(side, others);
      return () => theirs.unlock();
    }),
  ),
  atMutex('unlocks a mutex for which some do not wait any more', ({ shadows, side, theirs }) => {
    theirs.lock();
    shadows.come(side, 4);
    for (const index of [0, 2]) shadows.leave(index);
    return () => theirs.unlock();
  }),
  atMutex('unlocks a mutex that others have given up', ({ shadows, side, theirs }) => {
    theirs.lock();
    shadows.come(side, 2);
    for (const index of [0, 1]) shadows.leave(index);
    return () => theirs.unlock();
  }),
  atMutex('unlocks a mutex where all waiters are in one bucket', ({ shadows, side, stage, theirs }) => {
    const other = mutexScene(stage);
    other.shadows.take(other.side);
    theirs.lock();
    for (const each of [other, { shadows, side }, other, { shadows, side }]) each.shadows.come(each.side);
    return () => theirs.unlock();
  }, { buckets: 1 }),
  atMutex('unlocks a mutex and wakesEarly the next', ({ shadows, side, theirs }) => {
    theirs.lock();
    shadows.come(side, 2);
    return () => theirs.unlock();
  }, SPINS),
  atDeep('unlocks a recursive mutex for which others wait', ({ shadows, side, theirs }) => {
    theirs.lock();
    theirs.lock();
    shadows.come(side, 2);
    return () => {
      theirs.unlock();
      theirs.unlock();
    };
  }),
];

const waiting: readonly Operation[] = [
  atMutex('blocks on a mutex', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    meanwhile(stage, () => shadows.go());
    return () => {
      theirs.lock();
      theirs.unlock();
    };
  }),
  large(
    atMutex('spins before it blocks on a mutex', ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      meanwhile(stage, () => shadows.go());
      return () => theirs.lock();
    }, SPINS),
  ),
  atDeep('blocks on a recursive mutex and goes deep', ({ stage, open, shadows, side, theirs }) => {
    shadows.take(side);
    const another = { lock: open(stage.third), shared: false };
    meanwhile(stage, () => shadows.come(another), () => shadows.go());
    return () => {
      theirs.lock();
      theirs.lock();
    };
  }),
  large(
    atMutex('blocks in the middle of the line of a mutex', ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      shadows.come(side);
      meanwhile(stage, () => shadows.come(side, 2), () => shadows.leave(0), () => shadows.go());
      return () => theirs.lock();
    }),
  ),
  large(
    atMutex('waits for a mutex in async calls between others', ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      return async () => {
        const first = theirs.lockAsync({ ref: false });
        shadows.come(side);
        const both = together([first, theirs.lockAsync({ ref: false })]);
        shadows.go();
        await stage.settle();
        await Promise.race([first, both]);
        theirs.unlock();
        await stage.settle();
        shadows.go();
        await stage.settle();
        await both;
        theirs.unlock();
      };
    }),
  ),
];

const leaving: readonly Operation[] = [
  atMutex('gives up a mutex as last in line', ({ shadows, side, theirs }) => {
    shadows.take(side);
    return () => theirs.tryLock(5);
  }),
  atMutex('gives up a mutex in the middle of a line', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    shadows.come(side);
    meanwhile(stage, () => shadows.come(side, 2));
    return () => theirs.tryLock(5);
  }),
  large(
    atMutex('gives up a mutex behind others that gave up', ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      shadows.come(side, 3);
      meanwhile(stage, () => shadows.leave(1), () => shadows.leave(2));
      return () => theirs.tryLock(5);
    }),
  ),
  atMutex('gets a mutex at the moment of its timeout', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    meanwhile(stage, () => {
      shadows.go();
      return 'timed-out';
    });
    return () => theirs.tryLock(5);
  }),
  ...[0, 1, 2].map((behind) =>
    atMutex(`gives up a mutex that is on its way, with ${behind} behind it`, ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.lockAsync({ signal, ref: false })]);
        shadows.come(side, behind);
        leaveInTheMiddle(stage, leave, () => shadows.go());
        await stage.settle();
        await wait;
        theirs.unlock();
      };
    }),
  ),
  ...[0, 1].map((behind) =>
    atMutex(`gives up a mutex that is on its way past another, with ${behind} behind it`, ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      shadows.come(side, 2);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.lockAsync({ signal, ref: false }).catch(nothing)]);
        shadows.come(side, behind);
        shadows.leave(1);
        shadows.go();
        await stage.settle();
        leaveInTheMiddle(stage, leave, () => shadows.go());
        await stage.settle();
        await wait;
      };
    }),
  ),
  atMutex('may not block on a mutex behind its own async wait', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    const wait = together([theirs.lockAsync({ ref: false })]);
    stage.life.before.set('leave', () => shadows.come(side));
    return async () => {
      await refused('SLUICE_DEADLOCK', () => theirs.lock());
      shadows.go();
      await stage.settle();
      await wait;
    };
  }),
];

const inheriting: readonly Operation[] = [
  atMutex('inherits a mutex and repairs what it protects', async ({ stage, open, shadows, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.lock());
      shadows.come(side, 2);
      guard?.markConsistent();
      guard?.release();
    };
  }),
  atMutex('inherits a mutex and repairs nothing', async ({ stage, open, shadows, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.tryLock());
      shadows.come(side);
      guard?.release();
    };
  }),
  atMutex('inherits a mutex and declines it', async ({ stage, open, theirs }) => {
    await orphan(stage, open);
    return () => guardOf(() => theirs.run(nothing));
  }),
  atMutex('has a mutex refused to itself', async ({ stage, open, theirs }) => {
    await orphan(stage, open);
    return () => {
      guardOf(() => theirs.lock())?.release();
      guardOf(() => theirs.lock());
    };
  }),
  atDeep('inherits a recursive mutex and goes deep', async ({ stage, open, shadows, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.lock());
      shadows.come(side);
      theirs.lock();
      theirs.unlock();
      guard?.markConsistent();
      guard?.release();
    };
  }),
];

export const mutexOperations: readonly Operation[] = [...taking, ...unlocking, ...waiting, ...leaving, ...inheriting];
