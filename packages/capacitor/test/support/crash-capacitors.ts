// Operations of the victim at a capacitor, with lanes or without, during which it dies.

import { Capacitor, LanedCapacitor, SemaphoreCapacitor } from '../../src/index.ts';
import { Semaphore, type Arena } from '../../../core/src/index.ts';
import { GateShadows } from './gate-shadows.ts';
import './kinds.ts';
import { SPINS } from '../../../core/test/support/crash-lines.ts';
import { large, leaveInTheMiddle, meanwhile } from '../../../core/test/support/crash-offices.ts';
import { exhaust, FIRST_ELEMENTS } from '../../../core/test/support/crash-rarities.ts';
import { refused, together, type Operation, type Stage } from '../../../core/test/support/crash-stage.ts';
import type { Agent, World } from '../../../core/test/support/crash-world.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';

type AnyCapacitor = Capacitor | LanedCapacitor | SemaphoreCapacitor;

interface GateKind {
  readonly name: string;
  /** The step by which a waiter cancels. */
  readonly cancels: string;
  readonly create: (arena: Arena, bypassLimit: number) => AnyCapacitor;
  readonly open: (gate: AnyCapacitor, agent: Agent, world: World) => AnyCapacitor;
}

const PLAIN: GateKind = {
  name: 'capacitor',
  cancels: 'cancelWait',
  create: (arena, bypassLimit) => Capacitor.create({ arena, bypassLimit, name: 'capacitor' }),
  open: ({ handle }, agent, world) => Capacitor.from(world.handle(handle as Capacitor['handle'], agent)),
};
const LANED: GateKind = {
  name: 'capacitor with lanes',
  cancels: 'cancelLaneWait',
  create: (arena, bypassLimit) => LanedCapacitor.create({ arena, bypassLimit, lanes: 2, name: 'lanes' }),
  open: ({ handle }, agent, world) => LanedCapacitor.from(world.handle(handle as LanedCapacitor['handle'], agent)),
};
/** The semaphores of the capacitors over one. */
const semaphores = new WeakMap<AnyCapacitor, Semaphore>();
const OVER: GateKind = {
  name: 'capacitor over a semaphore',
  cancels: 'cancelWait',
  create: (arena, bypassLimit) => {
    const semaphore = Semaphore.create(bypassLimit, { arena, name: 'gate' });
    const gate = SemaphoreCapacitor.create(semaphore, { name: 'over' });
    semaphores.set(gate, semaphore);
    return gate;
  },
  open: (gate, agent, world) => {
    const semaphore = semaphores.get(gate);
    if (semaphore === undefined) throw new Error('no capacitor over a semaphore');
    return SemaphoreCapacitor.from(
      world.handle(gate.handle as SemaphoreCapacitor['handle'], agent),
      Semaphore.from(world.handle(semaphore.handle, agent)),
    );
  },
};
const KINDS = [PLAIN, LANED, OVER];

interface Scene {
  readonly stage: Stage;
  readonly shadows: GateShadows;
  /** The victim's own instance. */
  readonly theirs: AnyCapacitor;
}

function gateScene(stage: Stage, { create, open }: GateKind, bypassLimit: number): Scene {
  const gate = create(stage.living.arena, bypassLimit);
  const shadows = new GateShadows(stage.world.words, gate, semaphores.get(gate)?.handle.address);
  stage.witnesses.push(shadows);
  return { stage, shadows, theirs: open(gate, stage.victim, stage.world) };
}

type Prepare = (scene: Scene) => (() => unknown) | Promise<() => unknown>;

/** `what`: the name of the operation, with `@` for the name of the capacitor. */
function at(
  of: GateKind,
  bypassLimit: number,
  what: string,
  prepare: Prepare,
  world: Operation['world'] = {},
): Operation {
  return {
    name: what.replace('@', `a ${of.name}`),
    world: { pages: 2, ...world },
    prepare: (stage) => prepare(gateScene(stage, of, bypassLimit)),
  };
}

/** In lanes a cancelled grant departs at once, and may admit the dead agent's next wait. */
function cascading(operation: Operation): Operation {
  return { ...operation, cascades: true };
}

function nothing(): void {
  // Ignores the outcome of the wait, which does not matter here.
}

const passing = (of: GateKind): readonly Operation[] => [
  at(of, 2, 'goes in and out of @', ({ theirs }) => () => {
    theirs.arrive();
    theirs.depart();
  }),
  large(
    at(of, 2, 'goes in and out of @ in other ways', ({ theirs }) => async () => {
      theirs.tryArrive();
      await theirs.arriveAsync();
      theirs.depart();
      theirs.depart();
      theirs.tryArrive(5);
      theirs.depart();
    }),
  ),
  at(of, 3, 'is inside @ twice, with another agent', ({ shadows, theirs }) => {
    shadows.take();
    return () => {
      theirs.arrive();
      theirs.arrive();
      theirs.depart();
      theirs.depart();
    };
  }),
  at(of, 2, 'makes a non-blocking arrival at @ that is closed', ({ shadows, theirs }) => {
    shadows.take(2);
    return () => [theirs.tryArrive(), theirs.tryArrive()];
  }),
  at(of, 2, 'gets an error for departing from @', ({ shadows, theirs }) => {
    shadows.take();
    return () => refused('SLUICE_MISUSE', () => theirs.depart());
  }),
  {
    name: `creates a ${of.name}`,
    world: { pages: 2 },
    prepare:
      ({ victim }) =>
      () =>
        of.create(victim.arena, 2),
  },
  {
    name: `frees a ${of.name}`,
    world: { pages: 2 },
    prepare(stage) {
      const theirs = of.open(of.create(stage.living.arena, 2), stage.victim, stage.world);
      return () => theirs.free();
    },
  },
];

const opening = (of: GateKind): readonly Operation[] => [
  ...[1, 2, 5].map((others) =>
    at(of, 2, `departs from @ as the last agent while ${others} wait`, ({ shadows, theirs }) => {
      theirs.arrive();
      shadows.take();
      shadows.come(others);
      shadows.go();
      return () => theirs.depart();
    }),
  ),
  at(of, 3, 'departs from @ as one of two agents while others wait', ({ shadows, theirs }) => {
    theirs.arrive();
    shadows.take(2);
    shadows.come(2);
    shadows.go();
    return () => theirs.depart();
  }),
  at(of, 3, 'departs from @ as a whole platoon', ({ shadows, theirs }) => {
    for (let times = 0; times < 3; times++) theirs.arrive();
    shadows.come(4);
    return () => {
      for (let times = 0; times < 3; times++) theirs.depart();
    };
  }),
  ...[
    [0, 2],
    [0, 1, 2],
    [1, 3],
  ].map((gone) =>
    at(of, 2, `departs from @ after ${gone.join(', ')} of four waiters have cancelled`, ({ shadows, theirs }) => {
      theirs.arrive();
      theirs.arrive();
      shadows.come(4);
      for (const index of gone) shadows.leave(index);
      return () => {
        theirs.depart();
        theirs.depart();
      };
    }),
  ),
  at(of, 2, 'departs from @ after all waiters have cancelled', ({ shadows, theirs }) => {
    theirs.arrive();
    theirs.arrive();
    shadows.come(3);
    for (const index of [0, 1, 2]) shadows.leave(index);
    return () => {
      theirs.depart();
      theirs.depart();
    };
  }),
  at(
    of,
    2,
    'departs from @ while all waiters are in one bucket',
    ({ shadows, stage, theirs }) => {
      const other = gateScene(stage, of, 2);
      other.shadows.take(2);
      theirs.arrive();
      theirs.arrive();
      for (const each of [other, { shadows }, other, { shadows }]) each.shadows.come();
      return () => {
        theirs.depart();
        theirs.depart();
      };
    },
    { buckets: 1 },
  ),
  at(
    of,
    2,
    'departs from @ and wakes the next waiter early',
    ({ shadows, theirs }) => {
      theirs.arrive();
      theirs.arrive();
      shadows.come(3);
      return () => {
        theirs.depart();
        theirs.depart();
      };
    },
    SPINS,
  ),
];

const waiting = (of: GateKind): readonly Operation[] => [
  at(of, 2, 'blocks on @', ({ stage, shadows, theirs }) => {
    shadows.take(2);
    meanwhile(
      stage,
      () => shadows.go(),
      () => shadows.go(),
    );
    return () => {
      theirs.arrive();
      theirs.depart();
    };
  }),
  large(
    at(
      of,
      2,
      'spins before it blocks on @',
      ({ stage, shadows, theirs }) => {
        shadows.take(2);
        meanwhile(stage, () => shadows.go(2));
        return () => theirs.arrive();
      },
      SPINS,
    ),
  ),
  large(
    at(of, 2, 'blocks on @ in the middle of the queue', ({ stage, shadows, theirs }) => {
      shadows.take(2);
      shadows.come(3);
      meanwhile(
        stage,
        () => shadows.come(2),
        () => shadows.leave(1),
        async () => {
          shadows.go(2);
          await Promise.resolve();
        },
        () => shadows.leave(4),
      );
      return () => theirs.tryArrive(5);
    }),
  ),
  cascading(
    at(of, 2, 'waits for @ in async calls between other waiters', ({ stage, shadows, theirs }) => {
      shadows.take(2);
      return async () => {
        const first = theirs.arriveAsync({ ref: false });
        shadows.come();
        const both = [first, theirs.arriveAsync({ ref: false })];
        const departed = together(both.map((wait) => wait.then(() => theirs.depart())));
        shadows.go(2);
        for (let turns = 0; turns < 2; turns++) {
          await stage.settle();
          shadows.go();
        }
        await stage.settle();
        await departed;
      };
    }),
  ),
];

const leaving = (of: GateKind): readonly Operation[] => [
  at(of, 2, 'cancels at @ as the last waiter', ({ shadows, theirs }) => {
    shadows.take(2);
    return () => theirs.tryArrive(5);
  }),
  at(of, 2, 'cancels at @ in the middle of the queue', ({ stage, shadows, theirs }) => {
    shadows.take(2);
    shadows.come();
    meanwhile(stage, () => shadows.come(2));
    return () => theirs.tryArrive(5);
  }),
  large(
    at(of, 2, 'cancels at @ between other waiters that have cancelled', ({ stage, shadows, theirs }) => {
      shadows.take(2);
      shadows.come(3);
      meanwhile(stage, () => {
        shadows.come();
        for (const index of [1, 2, 3]) shadows.leave(index);
      });
      return () => theirs.tryArrive(5);
    }),
  ),
  at(of, 2, 'is admitted by @ at the moment of its timeout', ({ stage, shadows, theirs }) => {
    shadows.take(2);
    meanwhile(stage, () => {
      shadows.go(2);
      return 'timed-out';
    });
    return () => theirs.tryArrive(5);
  }),
  ...[0, 1, 3].map((behind) =>
    at(of, 2, `cancels at @ that is about to open, with ${behind} waiters behind it`, ({ stage, shadows, theirs }) => {
      shadows.take(2);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.arriveAsync({ signal, ref: false }).then(() => theirs.depart(), nothing)]);
        shadows.come(behind);
        leaveInTheMiddle(stage, leave, () => shadows.go(2));
        await stage.settle();
        await wait;
      };
    }),
  ),
  at(of, 2, 'gets a DeadlockError for blocking on @ behind its own async wait', ({ stage, shadows, theirs }) => {
    shadows.take(2);
    const wait = together([theirs.arriveAsync({ ref: false })]);
    stage.life.before.set(of.cancels, () => shadows.come());
    return async () => {
      await refused('SLUICE_DEADLOCK', () => theirs.arrive());
      shadows.go(2);
      await stage.settle();
      await wait;
    };
  }),
];

/** Only the capacitor without lanes draws a ticket before it has an element. */
const withoutElement: readonly Operation[] = [
  at(
    PLAIN,
    2,
    'has no element for its ticket at @',
    async ({ stage, shadows, theirs }) => {
      await exhaust(stage);
      shadows.take(2);
      return () => refused('SLUICE_ARENA_FULL', () => theirs.arrive());
    },
    { pages: 1 },
  ),
  at(
    PLAIN,
    2,
    'has no element for its ticket at @ until it opens',
    async ({ stage, shadows, theirs }) => {
      await exhaust(stage);
      shadows.take(2);
      stage.life.before.set('withdraw', () => shadows.come());
      meanwhile(stage, nothing, () => shadows.go(2));
      return () => theirs.arrive();
    },
    { pages: 1 },
  ),
  at(
    PLAIN,
    2,
    'has no element for its ticket at @ until it gets one',
    async ({ stage, shadows, theirs }) => {
      const crowd = await exhaust(stage);
      shadows.take(2);
      stage.life.before.set('withdraw', () => shadows.come());
      meanwhile(
        stage,
        () => crowd.leave(FIRST_ELEMENTS - 1),
        () => shadows.go(2),
      );
      return () => theirs.arrive();
    },
    { pages: 1 },
  ),
];

/** Acts between the draw of its lane and the load of that lane. */
const inLanes: readonly Operation[] = [
  at(LANED, 2, 'finds another agent in the lane of @ that it tried', ({ stage, shadows, theirs }) => {
    shadows.take();
    stage.life.before.set('tryArriveInLane', () => shadows.take());
    return () => theirs.tryArrive();
  }),
  at(LANED, 2, 'cancels at @ and blocks at its old place', ({ stage, shadows, theirs }) => {
    shadows.take(2);
    shadows.come();
    const timeOut = (): string => {
      shadows.come();
      return 'timed-out';
    };
    meanwhile(
      stage,
      timeOut,
      () => shadows.go(2),
      () => shadows.go(),
    );
    return () => {
      theirs.tryArrive(5);
      theirs.arrive();
      theirs.depart();
    };
  }),
  at(LANED, 2, 'cancels at @ twice at one place', ({ shadows, theirs }) => {
    shadows.take(2);
    return () => {
      theirs.tryArrive(5);
      theirs.tryArrive(5);
      shadows.go(2);
    };
  }),
  at(LANED, 4, 'opens the lanes of @ in several steps', ({ stage, shadows, theirs }) => {
    for (let times = 0; times < 4; times++) theirs.arrive();
    shadows.come(6);
    for (const index of [0, 1, 2, 3]) shadows.leave(index);
    stage.life.before.set('walk', () => shadows.come());
    return () => {
      for (let times = 0; times < 4; times++) theirs.depart();
    };
  }),
];

function suddenly(name: string, each: (scene: Scene) => void): Operation {
  return {
    name,
    world: { pages: 2 },
    async prepare(stage) {
      for (const of of KINDS) each(gateScene(stage, of, 3));
      await Promise.resolve();
      return nothing;
    },
  };
}

/** States in which the victim dies without a further step. */
export const capacitorHoldings: readonly Operation[] = [
  suddenly('is inside capacitors while other agents wait', ({ shadows, theirs }) => {
    theirs.arrive();
    theirs.arrive();
    shadows.take();
    shadows.come(4);
  }),
  suddenly('is the last agent inside capacitors, more than once', ({ shadows, theirs }) => {
    for (let times = 0; times < 3; times++) theirs.arrive();
    shadows.come(4);
    shadows.leave(1);
  }),
  suddenly('waits for capacitors that it is inside', ({ shadows, theirs }) => {
    shadows.take(2);
    theirs.arrive();
    shadows.come();
    void together([theirs.arriveAsync({ ref: false }), theirs.arriveAsync({ ref: false })]);
    shadows.come();
  }),
  suddenly('waits for capacitors, at its old place if it has one', ({ shadows, theirs }) => {
    shadows.take(3);
    shadows.come();
    theirs.tryArrive(5);
    shadows.come();
    void together([theirs.arriveAsync({ ref: false })]);
  }),
  suddenly('was admitted by capacitors and had not run', ({ shadows, theirs }) => {
    shadows.take(3);
    void together([theirs.arriveAsync({ ref: false }), theirs.arriveAsync({ ref: false })]);
    shadows.come(2);
    shadows.go(3);
  }),
  cascading(
    suddenly('was admitted by capacitors with a whole platoon and had not run', ({ shadows, theirs }) => {
      shadows.take(3);
      void together(Array.from({ length: 4 }, () => theirs.arriveAsync({ ref: false })));
      shadows.come(2);
      shadows.go(3);
    }),
  ),
];

export const capacitorOperations: readonly Operation[] = [
  ...KINDS.flatMap((of) => [...passing(of), ...opening(of), ...waiting(of), ...leaving(of)]),
  ...withoutElement,
  ...inLanes,
];
