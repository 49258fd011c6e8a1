// Operations of the victim at an owned lock, common to all classes.

import { OwnerDiedError } from '../../../src/index.ts';
import { SPINS } from '../crash-lines.ts';
import { guardOf, large, meanwhile, orphan } from '../crash-offices.ts';
import { refused, together, type Operation } from '../crash-stage.ts';
import { signalByHand } from '../signal-by-hand.ts';
import { atLock, lockScene, type CrashKind, type LockScene } from './crash-scene.ts';

function nothing(): void {
  // Nothing to run, or the outcome does not matter here.
}

const taking = (of: CrashKind): readonly Operation[] => [
  atLock(of, 'locks @ and unlocks it', ({ theirs }) => () => {
    theirs.lock();
    theirs.unlock();
  }),
  large(
    atLock(of, 'locks @ in other ways', ({ theirs }) => async () => {
      theirs.tryLock();
      theirs.tryLock();
      theirs.unlock();
      await theirs.lockAsync();
      theirs.unlock();
      theirs.run(nothing);
    }),
  ),
  atLock(of, 'tries to lock @ that another agent owns', ({ shadows, side, theirs }) => {
    shadows.take(side);
    return () => [theirs.tryLock(), theirs.tryLock()];
  }),
  {
    name: `creates ${of.name}`,
    prepare:
      ({ victim }) =>
      () =>
        of.kind.create({ arena: victim.arena, name: 'new' }),
  },
  {
    name: `frees ${of.name}`,
    prepare(stage) {
      const { handle } = of.kind.create({ arena: stage.living.arena });
      const theirs = of.kind.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

const unlocking = (of: CrashKind): readonly Operation[] => [
  ...[1, 3].map((others) =>
    atLock(of, `unlocks @ with ${others} waiters`, ({ shadows, side, theirs }) => {
      theirs.lock();
      shadows.come(side, others);
      return () => theirs.unlock();
    }),
  ),
  ...[
    [0, 2],
    [1, 3],
    [0, 1, 3],
  ].map((gone) =>
    atLock(
      of,
      `unlocks @ of whose four waiters number ${gone.join(', ')} have cancelled`,
      ({ shadows, side, theirs }) => {
        theirs.lock();
        shadows.come(side, 4);
        for (const index of gone) shadows.leave(index);
        return () => theirs.unlock();
      },
    ),
  ),
  atLock(of, 'unlocks @ whose waiters have all cancelled', ({ shadows, side, theirs }) => {
    theirs.lock();
    shadows.come(side, 2);
    for (const index of [0, 1]) shadows.leave(index);
    return () => theirs.unlock();
  }),
  atLock(
    of,
    'unlocks @ twice while others arrive and unlock',
    ({ shadows, side, theirs, stage }) => {
      theirs.lock();
      shadows.come(side, 2);
      return async () => {
        theirs.unlock();
        await stage.settle();
        shadows.come(side, 2);
        const wait = together([theirs.lockAsync({ ref: false })]);
        for (let turns = 0; turns < 4; turns++) {
          shadows.go();
          await stage.settle();
        }
        await wait;
        theirs.unlock();
      };
    },
    { pages: 2 },
  ),
  atLock(
    of,
    'unlocks @ where all waiters are in one bucket',
    ({ shadows, side, stage, theirs }) => {
      const other = lockScene(stage, of);
      other.shadows.take(other.side);
      theirs.lock();
      for (const each of [other, { shadows, side }, other, { shadows, side }]) each.shadows.come(each.side);
      return () => theirs.unlock();
    },
    { buckets: 1 },
  ),
  atLock(
    of,
    'unlocks @ and wakes the next waiter early',
    ({ shadows, side, theirs }) => {
      theirs.lock();
      shadows.come(side, 2);
      return () => theirs.unlock();
    },
    SPINS,
  ),
];

/** Releases the guard of the next owner's error. */
function releaseGuard(failure: unknown): void {
  if (!(failure instanceof OwnerDiedError)) throw failure;
  failure.guard?.release();
}

/** The living agent's tasks unlock one after the other. */
async function letAllGo({ stage, shadows }: LockScene, times: number): Promise<void> {
  for (let turns = 0; turns < times; turns++) {
    shadows.go();
    await stage.settle();
  }
}

const waiting = (of: CrashKind): readonly Operation[] => [
  atLock(of, 'blocks on @', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    meanwhile(stage, () => shadows.go());
    return () => {
      theirs.lock();
      theirs.unlock();
    };
  }),
  large(
    atLock(
      of,
      'spins before it blocks on @',
      ({ stage, shadows, side, theirs }) => {
        shadows.take(side);
        meanwhile(stage, () => shadows.go());
        return () => theirs.lock();
      },
      SPINS,
    ),
  ),
  atLock(of, 'blocks on @ while others arrive behind it and cancel', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    meanwhile(stage, () => {
      shadows.come(side, 2);
      shadows.leave(0);
      shadows.leave(1);
      shadows.go();
    });
    return () => theirs.lock();
  }),
  large(
    atLock(of, 'waits for @ in async calls between others', (scene) => {
      const { stage, shadows, side, theirs } = scene;
      shadows.take(side);
      return async () => {
        const first = theirs.lockAsync({ ref: false });
        shadows.come(side);
        const both = [first, theirs.lockAsync({ ref: false })];
        const unlocked = together(both.map((wait) => wait.then(() => theirs.unlock())));
        await letAllGo(scene, 3);
        await stage.settle();
        await unlocked;
      };
    }),
  ),
];

const leaving = (of: CrashKind): readonly Operation[] => [
  atLock(of, 'times out at @ as the only waiter', ({ shadows, side, theirs }) => {
    shadows.take(side);
    return () => theirs.tryLock(5);
  }),
  atLock(of, 'times out at @ between others', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    shadows.come(side);
    meanwhile(stage, () => shadows.come(side, 2));
    return () => theirs.tryLock(5);
  }),
  large(
    atLock(of, 'times out at @ between cancelled waiters', ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      shadows.come(side, 3);
      meanwhile(stage, () => {
        shadows.come(side);
        for (const index of [1, 2, 3]) shadows.leave(index);
      });
      return () => theirs.tryLock(5);
    }),
  ),
  atLock(of, 'gets @ at the moment of its timeout', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    meanwhile(stage, () => {
      shadows.go();
      return 'timed-out';
    });
    return () => theirs.tryLock(5);
  }),
  ...[0, 1, 2].map((behind) =>
    atLock(
      of,
      `cancels at @ after its admission, before it is told, with ${behind} behind it`,
      ({ stage, shadows, side, theirs, leaveBeforeTold }) => {
        shadows.take(side);
        return async () => {
          const { signal, leave } = signalByHand();
          const wait = together([theirs.lockAsync({ signal, ref: false }).then(() => theirs.unlock(), nothing)]);
          shadows.come(side, behind);
          leaveBeforeTold(leave, () => shadows.go());
          for (let turns = 0; turns <= behind; turns++) {
            await stage.settle();
            shadows.go();
          }
          await stage.settle();
          await wait;
        };
      },
    ),
  ),
  atLock(
    of,
    'cancels at @ after its admission past a cancelled waiter, before it is told',
    ({ stage, shadows, side, theirs, leaveBeforeTold }) => {
      shadows.take(side);
      shadows.come(side, 2);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.lockAsync({ signal, ref: false }).then(() => theirs.unlock(), nothing)]);
        shadows.come(side);
        shadows.leave(1);
        shadows.go();
        await stage.settle();
        leaveBeforeTold(leave, () => shadows.go());
        for (let turns = 0; turns < 3; turns++) {
          await stage.settle();
          shadows.go();
        }
        await stage.settle();
        await wait;
      };
    },
  ),
  atLock(of, 'may not block on @ behind its own async wait', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    const wait = together([theirs.lockAsync({ ref: false })]);
    stage.life.before.set(of.cancels, () => shadows.come(side));
    return async () => {
      await refused('SLUICE_DEADLOCK', () => theirs.lock());
      for (let turns = 0; turns < 2; turns++) {
        shadows.go();
        await stage.settle();
      }
      await wait;
    };
  }),
];

const inheriting = (of: CrashKind): readonly Operation[] => [
  atLock(of, 'is told of a dead owner of @ and repairs', async ({ stage, open, shadows, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.lock());
      shadows.come(side, 2);
      guard?.markConsistent();
      guard?.release();
    };
  }),
  atLock(of, 'is told of a dead owner of @ and repairs nothing', async ({ stage, open, shadows, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.tryLock());
      shadows.come(side);
      guard?.release();
    };
  }),
  atLock(of, 'is told of a dead owner of @ and declines', async ({ stage, open, theirs }) => {
    await orphan(stage, open);
    return () => guardOf(() => theirs.run(nothing));
  }),
  atLock(of, 'is told of a dead owner of @ in an async call', ({ stage, open, shadows, side, theirs }) => {
    const owner = stage.world.join();
    open(owner).lock();
    const wait = together([theirs.lockAsync({ ref: false })]);
    shadows.come(side);
    owner.life.die();
    stage.living.arena.reclaim(owner.context.id);
    return async () => {
      await stage.settle();
      shadows.go();
      await stage.settle();
      await wait.then(() => theirs.unlock(), releaseGuard);
    };
  }),
  atLock(of, 'is refused @', async ({ stage, open, theirs }) => {
    await orphan(stage, open);
    return () => {
      guardOf(() => theirs.lock())?.release();
      guardOf(() => theirs.lock());
    };
  }),
];

/** What can happen at every owned lock. */
export const lockOperations = (of: CrashKind): readonly Operation[] => [
  ...taking(of),
  ...unlocking(of),
  ...waiting(of),
  ...leaving(of),
  ...inheriting(of),
];
