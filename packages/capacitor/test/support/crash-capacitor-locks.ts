// Operations of the victim at a lock behind a capacitor, during which it dies.

import { Capacitor, CapacitorLock } from '../../src/index.ts';
import { TtsLock } from '../../../classics/src/index.ts';
import { GateShadows } from './gate-shadows.ts';
import './kinds.ts';
import { ShadowHolders, type ShadowSide } from '../../../core/test/support/shadow-holders.ts';
import { SPINS } from '../../../core/test/support/crash-lines.ts';
import { guardOf, large, leaveInTheMiddle, meanwhile, orphan } from '../../../core/test/support/crash-offices.ts';
import { together, type Operation, type Stage } from '../../../core/test/support/crash-stage.ts';
import type { Agent } from '../../../core/test/support/crash-world.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import '../../../classics/test/support/kinds.ts';

interface Scene {
  readonly stage: Stage;
  readonly shadows: ShadowHolders;
  /** The instance of the living agent's tasks. */
  readonly side: ShadowSide;
  /** The victim's own instance. */
  readonly theirs: CapacitorLock;
  /** The instance of a further agent. */
  readonly open: (agent: Agent) => CapacitorLock;
}

/** A timeout in ms that the platform's clock never reaches. */
const LONG_MS = 1e6;

function lockScene(stage: Stage, bypassLimit: number, skipWhenUncontended: boolean): Scene {
  const { world, living } = stage;
  const inner = TtsLock.create({ arena: living.arena, name: 'inner' });
  const lock = CapacitorLock.create(inner, { bypassLimit, skipWhenUncontended, name: 'gate' });
  const { gate } = lock.handle;
  if (gate.kind !== 'sluice.capacitor') throw new Error('this is no capacitor');
  const open = (agent: Agent): CapacitorLock => {
    const ofAgent = TtsLock.from(world.handle(inner.handle, agent));
    const { arena } = ofAgent.handle;
    const [gateThere, innerThere] = [
      { ...gate, arena },
      { ...inner.handle, kind: inner.handle.kind, arena },
    ];
    return CapacitorLock.from({ ...lock.handle, gate: gateThere, inner: innerThere }, ofAgent);
  };
  const side = { lock, shared: false };
  const { address } = inner.handle;
  const shadows = new ShadowHolders(living.arena, address, address, [side], { unordered: true });
  const theirs = open(stage.victim);
  // After all have used the lock, no agent is left at its capacitor.
  stage.witnesses.push(shadows, new GateShadows(world.words, Capacitor.from(world.handle(gate, living))));
  return { stage, shadows, side, theirs, open };
}

type Prepare = (scene: Scene) => (() => unknown) | Promise<() => unknown>;

interface More {
  readonly bypassLimit?: number;
  readonly skips?: boolean;
  readonly world?: Operation['world'];
}

function at(name: string, prepare: Prepare, { bypassLimit = 2, skips = false, world = {} }: More = {}): Operation {
  return { name, world: { pages: 2, ...world }, prepare: (stage) => prepare(lockScene(stage, bypassLimit, skips)) };
}

function nothing(): void {
  // Ignores the outcome, which does not matter here.
}

const holding: readonly Operation[] = [
  at('locks a lock behind a capacitor and unlocks it', ({ theirs }) => () => {
    theirs.lock();
    theirs.unlock();
  }),
  large(
    at('locks a lock behind a capacitor in other ways', ({ theirs }) => async () => {
      theirs.tryLock();
      theirs.tryLock();
      theirs.unlock();
      await theirs.lockAsync();
      theirs.unlock();
      theirs.run(nothing);
      await theirs.runAsync(nothing);
    }),
  ),
  at(
    'bypasses an idle capacitor',
    ({ theirs }) =>
      () => {
        theirs.lock();
        theirs.unlock();
        theirs.tryLock();
        theirs.unlock();
      },
    { skips: true },
  ),
  at(
    'gets an error for bypassing a capacitor',
    ({ shadows, side, theirs }) => {
      shadows.take(side);
      shadows.come(side, 2);
      return () => theirs.tryLock();
    },
    { skips: true },
  ),
  ...[1, 4].map((others) =>
    at(`unlocks a lock behind a capacitor while ${others} agents wait`, ({ shadows, side, theirs }) => {
      theirs.lock();
      shadows.come(side, others);
      return () => theirs.unlock();
    }),
  ),
  at(
    'unlocks a lock behind a capacitor after some waiters have cancelled',
    async ({ stage, shadows, side, theirs }) => {
      theirs.lock();
      shadows.come(side, 4);
      await stage.settle();
      for (const index of [0, 2]) shadows.leave(index);
      return () => theirs.unlock();
    },
  ),
  at(
    'unlocks a lock behind a capacitor and wakes the next waiter early',
    ({ shadows, side, theirs }) => {
      theirs.lock();
      shadows.come(side, 3);
      return () => theirs.unlock();
    },
    { bypassLimit: 1, world: SPINS },
  ),
];

const waiting: readonly Operation[] = [
  at('blocks at the lock behind a capacitor', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    meanwhile(stage, () => shadows.go());
    return () => {
      theirs.lock();
      theirs.unlock();
    };
  }),
  at(
    'blocks at the capacitor before a lock',
    ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      meanwhile(
        stage,
        () => shadows.come(side),
        () => shadows.go(),
      );
      return () => {
        theirs.lock();
        theirs.unlock();
      };
    },
    { bypassLimit: 1 },
  ),
  large(
    at(
      'waits for a lock behind a capacitor in async calls between other waiters',
      ({ stage, shadows, side, theirs }) => {
        shadows.take(side);
        return async () => {
          const first = theirs.lockAsync({ ref: false });
          shadows.come(side);
          const both = [first, theirs.lockAsync({ ref: false })];
          const unlocked = together(both.map((wait) => wait.then(() => theirs.unlock())));
          for (let turns = 0; turns < 4; turns++) {
            shadows.go();
            await stage.settle();
          }
          await unlocked;
        };
      },
    ),
  ),
];

const leaving: readonly Operation[] = [
  ...[1, 2].map((bypassLimit) =>
    at(
      `times out at ${bypassLimit === 1 ? 'the capacitor before a lock' : 'the lock behind a capacitor'}`,
      ({ stage, shadows, side, theirs }) => {
        shadows.take(side);
        meanwhile(stage, () => {
          shadows.come(side);
          return 'timed-out';
        });
        return () => theirs.tryLock(LONG_MS);
      },
      { bypassLimit },
    ),
  ),
  at(
    'is admitted by the capacitor before a lock at the moment of its timeout',
    ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      meanwhile(stage, () => {
        shadows.go();
        return 'timed-out';
      });
      return () => theirs.tryLock(LONG_MS);
    },
    { bypassLimit: 1 },
  ),
  ...[1, 2].map((bypassLimit) =>
    at(
      `aborts a wait ${bypassLimit === 1 ? 'at the capacitor before a lock' : 'at the lock behind a capacitor'} as it ends`,
      (scene) => {
        const { stage, shadows, side, theirs } = scene;
        shadows.take(side);
        return async () => {
          const { signal, leave } = signalByHand();
          const wait = together([theirs.lockAsync({ signal, ref: false }).then(() => theirs.unlock(), nothing)]);
          await stage.settle();
          shadows.come(side);
          leaveInTheMiddle(stage, leave, () => shadows.go());
          for (let turns = 0; turns < 3; turns++) {
            await stage.settle();
            shadows.go();
          }
          await stage.settle();
          await wait;
        };
      },
      { bypassLimit },
    ),
  ),
];

const inheriting: readonly Operation[] = [
  at(
    'inherits a lock behind a capacitor and repairs what it protects',
    async ({ stage, open, shadows, side, theirs }) => {
      await orphan(stage, open);
      return () => {
        const guard = guardOf(() => theirs.lock());
        shadows.come(side, 2);
        guard?.markConsistent();
        guard?.release();
      };
    },
  ),
  at('inherits a lock behind a capacitor and repairs nothing', async ({ stage, open, shadows, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.tryLock());
      shadows.come(side);
      guard?.release();
    };
  }),
  at('inherits a lock behind a capacitor and declines it', async ({ stage, open, theirs }) => {
    await orphan(stage, open);
    return () => guardOf(() => theirs.run(nothing));
  }),
  at('gets a DeadlockError for a lock behind a capacitor that it holds', async ({ stage, open, theirs }) => {
    await orphan(stage, open);
    return () => {
      guardOf(() => theirs.lock())?.release();
      guardOf(() => theirs.lock());
    };
  }),
];

/** States in which the victim dies without a further step. */
export const capacitorLockHoldings: readonly Operation[] = [
  at('owns a lock behind a capacitor while other agents wait', ({ shadows, side, theirs }) => {
    theirs.lock();
    shadows.come(side, 3);
    return nothing;
  }),
  at('waits for a lock behind a capacitor, in both places', ({ shadows, side, theirs }) => {
    shadows.take(side);
    void together([theirs.lockAsync({ ref: false }), theirs.lockAsync({ ref: false })]);
    shadows.come(side);
    return nothing;
  }),
];

export const capacitorLockOperations: readonly Operation[] = [...holding, ...waiting, ...leaving, ...inheriting];
