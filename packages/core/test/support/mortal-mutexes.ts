// What the victim does at a mutex or a recursive mutex when it dies.

import { Mutex, RecursiveMutex } from '../../../mutex/src/index.ts';
import { SPINS } from './mortal-lines.ts';
import { atDeep, atMutex, guardOf, large, leaveInTheMiddle, meanwhile, mutexScene, orphan } from './mortal-offices.ts';
import { refused, together, type Operation } from './mortal-stage.ts';
import { signalByHand } from './signal-by-hand.ts';

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
  atMutex('tries to lock what another one owns', ({ guests, side, theirs }) => {
    guests.take(side);
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
  atDeep('dies deep in a recursive mutex that others want', ({ guests, side, theirs }) => {
    for (let depth = 0; depth < 4; depth++) theirs.lock();
    guests.come(side, 2);
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
    atMutex(`unlocks a mutex for which ${others} wait`, ({ guests, side, theirs }) => {
      theirs.lock();
      guests.come(side, others);
      return () => theirs.unlock();
    }),
  ),
  atMutex('unlocks a mutex for which some do not wait any more', ({ guests, side, theirs }) => {
    theirs.lock();
    guests.come(side, 4);
    for (const index of [0, 2]) guests.leave(index);
    return () => theirs.unlock();
  }),
  atMutex('unlocks a mutex that others have given up', ({ guests, side, theirs }) => {
    theirs.lock();
    guests.come(side, 2);
    for (const index of [0, 1]) guests.leave(index);
    return () => theirs.unlock();
  }),
  atMutex('unlocks a mutex where all waiters are in one bucket', ({ guests, side, stage, theirs }) => {
    const other = mutexScene(stage);
    other.guests.take(other.side);
    theirs.lock();
    for (const each of [other, { guests, side }, other, { guests, side }]) each.guests.come(each.side);
    return () => theirs.unlock();
  }, { buckets: 1 }),
  atMutex('unlocks a mutex and rouses the next', ({ guests, side, theirs }) => {
    theirs.lock();
    guests.come(side, 2);
    return () => theirs.unlock();
  }, SPINS),
  atDeep('unlocks a recursive mutex for which others wait', ({ guests, side, theirs }) => {
    theirs.lock();
    theirs.lock();
    guests.come(side, 2);
    return () => {
      theirs.unlock();
      theirs.unlock();
    };
  }),
];

const waiting: readonly Operation[] = [
  atMutex('blocks on a mutex', ({ stage, guests, side, theirs }) => {
    guests.take(side);
    meanwhile(stage, () => guests.go());
    return () => {
      theirs.lock();
      theirs.unlock();
    };
  }),
  large(
    atMutex('spins before it blocks on a mutex', ({ stage, guests, side, theirs }) => {
      guests.take(side);
      meanwhile(stage, () => guests.go());
      return () => theirs.lock();
    }, SPINS),
  ),
  atDeep('blocks on a recursive mutex and goes deep', ({ stage, open, guests, side, theirs }) => {
    guests.take(side);
    const another = { lock: open(stage.third), shared: false };
    meanwhile(stage, () => guests.come(another), () => guests.go());
    return () => {
      theirs.lock();
      theirs.lock();
    };
  }),
  large(
    atMutex('blocks in the middle of the line of a mutex', ({ stage, guests, side, theirs }) => {
      guests.take(side);
      guests.come(side);
      meanwhile(stage, () => guests.come(side, 2), () => guests.leave(0), () => guests.go());
      return () => theirs.lock();
    }),
  ),
  large(
    atMutex('waits for a mutex in async calls between others', ({ stage, guests, side, theirs }) => {
      guests.take(side);
      return async () => {
        const first = theirs.lockAsync({ ref: false });
        guests.come(side);
        const both = together([first, theirs.lockAsync({ ref: false })]);
        guests.go();
        await stage.settle();
        await Promise.race([first, both]);
        theirs.unlock();
        await stage.settle();
        guests.go();
        await stage.settle();
        await both;
        theirs.unlock();
      };
    }),
  ),
];

const leaving: readonly Operation[] = [
  atMutex('gives up a mutex as last in line', ({ guests, side, theirs }) => {
    guests.take(side);
    return () => theirs.tryLock(5);
  }),
  atMutex('gives up a mutex in the middle of a line', ({ stage, guests, side, theirs }) => {
    guests.take(side);
    guests.come(side);
    meanwhile(stage, () => guests.come(side, 2));
    return () => theirs.tryLock(5);
  }),
  large(
    atMutex('gives up a mutex behind others that gave up', ({ stage, guests, side, theirs }) => {
      guests.take(side);
      guests.come(side, 3);
      meanwhile(stage, () => guests.leave(1), () => guests.leave(2));
      return () => theirs.tryLock(5);
    }),
  ),
  atMutex('gets a mutex at the moment of its timeout', ({ stage, guests, side, theirs }) => {
    guests.take(side);
    meanwhile(stage, () => {
      guests.go();
      return 'timed-out';
    });
    return () => theirs.tryLock(5);
  }),
  ...[0, 1, 2].map((behind) =>
    atMutex(`gives up a mutex that is on its way, with ${behind} behind it`, ({ stage, guests, side, theirs }) => {
      guests.take(side);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.lockAsync({ signal, ref: false })]);
        guests.come(side, behind);
        leaveInTheMiddle(stage, leave, () => guests.go());
        await stage.settle();
        await wait;
        theirs.unlock();
      };
    }),
  ),
  ...[0, 1].map((behind) =>
    atMutex(`gives up a mutex that is on its way past another, with ${behind} behind it`, ({ stage, guests, side, theirs }) => {
      guests.take(side);
      guests.come(side, 2);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.lockAsync({ signal, ref: false }).catch(nothing)]);
        guests.come(side, behind);
        guests.leave(1);
        guests.go();
        await stage.settle();
        leaveInTheMiddle(stage, leave, () => guests.go());
        await stage.settle();
        await wait;
      };
    }),
  ),
  atMutex('may not block on a mutex behind its own async wait', ({ stage, guests, side, theirs }) => {
    guests.take(side);
    const wait = together([theirs.lockAsync({ ref: false })]);
    stage.life.before.set('leave', () => guests.come(side));
    return async () => {
      await refused('SLUICE_DEADLOCK', () => theirs.lock());
      guests.go();
      await stage.settle();
      await wait;
    };
  }),
];

const inheriting: readonly Operation[] = [
  atMutex('inherits a mutex and repairs what it protects', async ({ stage, open, guests, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.lock());
      guests.come(side, 2);
      guard?.markConsistent();
      guard?.release();
    };
  }),
  atMutex('inherits a mutex and repairs nothing', async ({ stage, open, guests, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.tryLock());
      guests.come(side);
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
  atDeep('inherits a recursive mutex and goes deep', async ({ stage, open, guests, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.lock());
      guests.come(side);
      theirs.lock();
      theirs.unlock();
      guard?.markConsistent();
      guard?.release();
    };
  }),
];

export const mutexOperations: readonly Operation[] = [...taking, ...unlocking, ...waiting, ...leaving, ...inheriting];
