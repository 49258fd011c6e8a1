// What the victim does at a lock that a capacitor wraps when it dies.

import { OwnerDiedError } from '../../../core/src/index.ts';
import { atLock, LOCK_KINDS, lockScene, type LockKind, type LockScene } from './crash-lock-scene.ts';
import { SPINS } from '../../../core/test/support/crash-lines.ts';
import { guardOf, large, meanwhile, orphan } from '../../../core/test/support/crash-offices.ts';
import { refused, together, type Operation } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';

function nothing(): void {
  // Time passes, or nothing is run.
}

const taking = (of: LockKind): readonly Operation[] => [
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
  atLock(of, 'tries to lock @ that another one owns', ({ shadows, side, theirs }) => {
    shadows.take(side);
    return () => [theirs.tryLock(), theirs.tryLock()];
  }),
  {
    name: `creates a ${of.name}`,
    prepare: ({ victim }) => () => of.create(victim.arena, 'new'),
  },
  {
    name: `frees a ${of.name}`,
    prepare(stage) {
      const theirs = of.open(of.create(stage.living.arena), stage.victim, stage.world);
      return () => theirs.free();
    },
  },
];

const unlocking = (of: LockKind): readonly Operation[] => [
  ...[1, 3].map((others) =>
    atLock(of, `unlocks @ for which ${others} wait`, ({ shadows, side, theirs }) => {
      theirs.lock();
      shadows.come(side, others);
      return () => theirs.unlock();
    }),
  ),
  ...[[0, 2], [1, 3], [0, 1, 3]].map((gone) =>
    atLock(of, `unlocks @ for which all but ${gone.join(', ')} of four wait`, ({ shadows, side, theirs }) => {
      theirs.lock();
      shadows.come(side, 4);
      for (const index of gone) shadows.leave(index);
      return () => theirs.unlock();
    }),
  ),
  atLock(of, 'unlocks @ that others have given up', ({ shadows, side, theirs }) => {
    theirs.lock();
    shadows.come(side, 2);
    for (const index of [0, 1]) shadows.leave(index);
    return () => theirs.unlock();
  }),
  atLock(of, 'unlocks @ twice while others come and go', ({ shadows, side, theirs, stage }) => {
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
  }, { pages: 2 }),
  atLock(of, 'unlocks @ where all waiters are in one bucket', ({ shadows, side, stage, theirs }) => {
    const other = lockScene(stage, of);
    other.shadows.take(other.side);
    theirs.lock();
    for (const each of [other, { shadows, side }, other, { shadows, side }]) each.shadows.come(each.side);
    return () => theirs.unlock();
  }, { buckets: 1 }),
  atLock(of, 'unlocks @ and wakesEarly the next', ({ shadows, side, theirs }) => {
    theirs.lock();
    shadows.come(side, 2);
    return () => theirs.unlock();
  }, SPINS),
];

/** Of the heir's error, if it is one. */
function releaseGuard(failure: unknown): void {
  if (!(failure instanceof OwnerDiedError)) throw failure;
  failure.guard?.release();
}

/** Who waits there again: the living agent's tasks let all in, one by one. */
async function letAllGo({ stage, shadows }: LockScene, times: number): Promise<void> {
  for (let turns = 0; turns < times; turns++) {
    shadows.go();
    await stage.settle();
  }
}

const waiting = (of: LockKind): readonly Operation[] => [
  atLock(of, 'blocks on @', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    meanwhile(stage, () => shadows.go());
    return () => {
      theirs.lock();
      theirs.unlock();
    };
  }),
  large(
    atLock(of, 'spins before it blocks on @', ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      meanwhile(stage, () => shadows.go());
      return () => theirs.lock();
    }, SPINS),
  ),
  atLock(of, 'blocks on @ while others come behind it and give up', ({ stage, shadows, side, theirs }) => {
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

const leaving = (of: LockKind): readonly Operation[] => [
  atLock(of, 'gives up @ as the only one', ({ shadows, side, theirs }) => {
    shadows.take(side);
    return () => theirs.tryLock(5);
  }),
  atLock(of, 'gives up @ in the middle of a line', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    shadows.come(side);
    meanwhile(stage, () => shadows.come(side, 2));
    return () => theirs.tryLock(5);
  }),
  large(
    atLock(of, 'gives up @ between others that gave up', ({ stage, shadows, side, theirs }) => {
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
    atLock(of, `gives up @ that is on its way, with ${behind} behind it`, ({ stage, shadows, side, theirs, leaveOnItsWay }) => {
      shadows.take(side);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.lockAsync({ signal, ref: false }).then(() => theirs.unlock(), nothing)]);
        shadows.come(side, behind);
        leaveOnItsWay(leave, () => shadows.go());
        for (let turns = 0; turns <= behind; turns++) {
          await stage.settle();
          shadows.go();
        }
        await stage.settle();
        await wait;
      };
    }),
  ),
  atLock(of, 'gives up @ that is on its way past another', ({ stage, shadows, side, theirs, leaveOnItsWay }) => {
    shadows.take(side);
    shadows.come(side, 2);
    return async () => {
      const { signal, leave } = signalByHand();
      const wait = together([theirs.lockAsync({ signal, ref: false }).then(() => theirs.unlock(), nothing)]);
      shadows.come(side);
      shadows.leave(1);
      shadows.go();
      await stage.settle();
      leaveOnItsWay(leave, () => shadows.go());
      for (let turns = 0; turns < 3; turns++) {
        await stage.settle();
        shadows.go();
      }
      await stage.settle();
      await wait;
    };
  }),
  atLock(of, 'may not block on @ while its own async wait is pending', ({ stage, shadows, side, theirs }) => {
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

const inheriting = (of: LockKind): readonly Operation[] => [
  atLock(of, 'inherits @ and repairs what it protects', async ({ stage, open, shadows, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.lock());
      shadows.come(side, 2);
      guard?.markConsistent();
      guard?.release();
    };
  }),
  atLock(of, 'inherits @ and repairs nothing', async ({ stage, open, shadows, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.tryLock());
      shadows.come(side);
      guard?.release();
    };
  }),
  atLock(of, 'inherits @ and declines it', async ({ stage, open, theirs }) => {
    await orphan(stage, open);
    return () => guardOf(() => theirs.run(nothing));
  }),
  atLock(of, 'is told that the owner of @ died, in an async call', ({ stage, open, shadows, side, theirs }) => {
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
  atLock(of, 'has @ refused to itself', async ({ stage, open, theirs }) => {
    await orphan(stage, open);
    return () => {
      guardOf(() => theirs.lock())?.release();
      guardOf(() => theirs.lock());
    };
  }),
];

const [tts] = LOCK_KINDS;

/** The one that was let in, and others were faster. */
const competing: readonly Operation[] = tts === undefined ? [] : [
  atLock(tts, 'is woken for @ and others are faster', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    const snatch = (): void => {
      shadows.go();
      shadows.take(side);
    };
    meanwhile(stage, snatch, () => shadows.come(side), () => shadows.leave(0), snatch, () => shadows.go());
    return () => theirs.lock();
  }),
  ...[0, 2].map((others) =>
    atLock(tts, `is woken for @ as its time is up and others are faster, while ${others} wait`, ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      meanwhile(stage, () => {
        shadows.go();
        shadows.take(side);
        shadows.come(side, others);
        return 'timed-out';
      });
      return () => theirs.tryLock(5);
    }),
  ),
  atLock(tts, 'is woken for @ in an async call, and others are faster', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    return async () => {
      const wait = together([theirs.lockAsync({ ref: false })]);
      for (let times = 0; times < 3; times++) {
        shadows.go();
        shadows.take(side);
        await stage.settle();
      }
      shadows.go();
      await stage.settle();
      await wait;
      theirs.unlock();
    };
  }),
  atLock(tts, 'barges past those that wait for @', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    shadows.come(side, 2);
    return async () => {
      shadows.go();
      theirs.lock();
      await stage.settle();
      theirs.unlock();
    };
  }),
];

function owns({ shadows, side, theirs }: LockScene): void {
  theirs.lock();
  shadows.come(side, 2);
}

function waits({ shadows, side, theirs }: LockScene): void {
  shadows.take(side);
  shadows.come(side);
  void together([theirs.lockAsync({ ref: false })]);
  shadows.come(side);
}

function wasGiven({ shadows, side, theirs }: LockScene): void {
  shadows.take(side);
  void together([theirs.lockAsync({ ref: false })]);
  shadows.go();
  shadows.come(side);
}

function suddenly(name: string, each: (scene: LockScene) => void): Operation {
  return {
    name,
    world: { pages: 2 },
    async prepare(stage) {
      for (const of of LOCK_KINDS) each(lockScene(stage, of));
      await Promise.resolve();
      return nothing;
    },
  };
}

/** What it has in hand when it dies of a sudden. */
export const lockHands: readonly Operation[] = [
  suddenly('owns a lock of every kind', owns),
  suddenly('waits for a lock of every kind', waits),
  suddenly('was given a lock of every kind and had not looked', wasGiven),
];

export const lockOperations: readonly Operation[] = [
  ...LOCK_KINDS.flatMap((of) => [...taking(of), ...unlocking(of), ...waiting(of), ...leaving(of), ...inheriting(of)]),
  ...competing,
];
