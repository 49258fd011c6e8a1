// Operations of the victim at a turnstile, during which it dies.

import { Turnstile } from '../../src/index.ts';
import { Death } from '../../../core/test/support/crash.ts';
import { SPINS } from '../../../core/test/support/crash-lines.ts';
import { large, leaveInTheMiddle, meanwhile } from '../../../core/test/support/crash-offices.ts';
import { refused, together, type Operation, type Stage } from '../../../core/test/support/crash-stage.ts';
import { rounds } from '../../../core/test/support/rounds.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import './kinds.ts';
import { TurnstileShadows } from './turnstile-shadows.ts';

interface Scene {
  readonly stage: Stage;
  readonly shadows: TurnstileShadows;
  /** The victim's own instance. */
  readonly theirs: Turnstile;
}

/** Longer than a turn, ms. */
const LONG_MS = 1;

function turnstileScene(stage: Stage): Scene {
  const shadows = new TurnstileShadows(stage);
  stage.witnesses.push(shadows);
  return { stage, shadows, theirs: Turnstile.from(stage.world.handle(shadows.turnstile.handle, stage.victim)) };
}

type Prepare = (scene: Scene) => (() => unknown) | Promise<() => unknown>;

function at(name: string, prepare: Prepare, world: Operation['world'] = {}): Operation {
  return { name, world: { pages: 2, ...world }, prepare: (stage) => prepare(turnstileScene(stage)) };
}

function nothing(): void {
  // Ignores the outcome of the wait, which does not matter here.
}

/** Lets all other agents run. */
async function settle({ stage }: Scene): Promise<void> {
  await stage.settle();
  if (stage.life.isDead) throw new Death('died of an error of its own');
}

/** Lets the successor end the turn, and all other agents run. */
async function endTurn(scene: Scene): Promise<void> {
  rounds.look();
  await settle(scene);
}

function timeout(): 'timed-out' {
  return 'timed-out';
}

const passing: readonly Operation[] = [
  at('goes in and out of a turnstile', ({ theirs }) => () => {
    theirs.arrive();
    theirs.depart();
  }),
  large(
    at('goes in and out of a turnstile in other ways', ({ theirs }) => async () => {
      theirs.tryArrive();
      await theirs.arriveAsync();
      theirs.arrive();
      for (let times = 0; times < 3; times++) theirs.depart();
    }),
  ),
  at('makes a non-blocking arrival at a turnstile in the turn of another agent', ({ shadows, theirs }) => {
    shadows.take();
    return () => [theirs.tryArrive(), theirs.tryArrive()];
  }),
  at(
    'gets an error for departing from a turnstile',
    ({ theirs }) =>
      () =>
        refused('SLUICE_MISUSE', () => theirs.depart()),
  ),
  at('goes out of a turnstile and comes back while others wait', ({ shadows, theirs }) => {
    theirs.arrive();
    shadows.come(2);
    return () => {
      for (let times = 0; times < 4; times++) {
        theirs.depart();
        theirs.arrive();
      }
      theirs.depart();
    };
  }),
  at('goes out of a turnstile, and its turn is over', ({ stage, shadows, theirs }) => {
    theirs.arrive();
    shadows.come(2);
    return () => {
      theirs.depart();
      theirs.arrive();
      stage.world.lot.clock += LONG_MS;
      theirs.depart();
    };
  }),
  at('goes out of a turnstile whose waiters cancel', ({ shadows, theirs }) => {
    theirs.arrive();
    shadows.come(2);
    return () => {
      theirs.depart();
      for (const index of [0, 1]) shadows.leave(index);
      if (theirs.tryArrive()) theirs.depart();
    };
  }),
  at(
    'goes out of a turnstile whose waiters are in one bucket',
    ({ stage, shadows, theirs }) => {
      const other = turnstileScene(stage);
      other.shadows.take();
      theirs.arrive();
      for (const each of [other.shadows, shadows, other.shadows, shadows]) each.come();
      return () => {
        theirs.depart();
        theirs.arrive();
        stage.world.lot.clock += LONG_MS;
        theirs.depart();
      };
    },
    { buckets: 1 },
  ),
  large(
    at('goes out of a turnstile, another takes its turn, and it comes back', (scene) => {
      const { stage, shadows, theirs } = scene;
      theirs.arrive();
      shadows.come();
      return async () => {
        theirs.depart();
        await settle(scene);
        meanwhile(stage, () => shadows.go());
        theirs.arrive();
        theirs.depart();
      };
    }),
  ),
  {
    name: 'creates a turnstile',
    prepare: (stage) => () => Turnstile.create({ arena: stage.victim.arena, name: 'new' }),
  },
  {
    name: 'frees a turnstile',
    prepare(stage) {
      const { handle } = Turnstile.create({ arena: stage.living.arena });
      const theirs = Turnstile.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

/** Lets the agent inside go out and come back: its turn has begun. */
function goOn(shadows: TurnstileShadows): void {
  shadows.comeBack(shadows.go());
}

const waiting: readonly Operation[] = [
  at('blocks on a turnstile', ({ stage, shadows, theirs }) => {
    shadows.take();
    meanwhile(stage, () => shadows.go());
    return () => {
      theirs.arrive();
      theirs.depart();
    };
  }),
  at(
    'spins before it blocks on a turnstile',
    ({ stage, shadows, theirs }) => {
      shadows.take();
      meanwhile(stage, () => shadows.go());
      return () => theirs.arrive();
    },
    SPINS,
  ),
  at('takes the turn of an agent that does not come back', ({ stage, shadows, theirs }) => {
    shadows.take();
    meanwhile(
      stage,
      () => shadows.come(2),
      () => shadows.go(),
    );
    return () => {
      theirs.arrive();
      theirs.depart();
    };
  }),
  at('ends the turn of an agent that comes back', ({ stage, shadows, theirs }) => {
    shadows.take();
    meanwhile(
      stage,
      () => goOn(shadows),
      timeout,
      () => shadows.go(),
    );
    return () => {
      theirs.arrive();
      theirs.depart();
    };
  }),
  at('cancels in the turn of an agent that comes back', ({ stage, shadows, theirs }) => {
    shadows.take();
    shadows.come();
    meanwhile(stage, () => goOn(shadows), timeout);
    return () => theirs.tryArrive(5);
  }),
  large(
    at('waits for a turnstile in an async call and ends the turn before it', (scene) => {
      const { stage, shadows, theirs } = scene;
      shadows.take();
      return async () => {
        const wait = together([theirs.arriveAsync({ ref: false })]);
        shadows.come();
        goOn(shadows);
        await settle(scene);
        await endTurn(scene);
        shadows.go();
        await stage.settle();
        await wait;
        theirs.depart();
      };
    }),
  ),
];

const leaving: readonly Operation[] = [
  at('cancels at a turnstile as the last waiter', ({ shadows, theirs }) => {
    shadows.take();
    return () => theirs.tryArrive(5);
  }),
  at('cancels at a turnstile in the middle of the queue', ({ stage, shadows, theirs }) => {
    shadows.take();
    shadows.come();
    meanwhile(stage, () => shadows.come(2));
    return () => theirs.tryArrive(5);
  }),
  at('is admitted by a turnstile at the moment of its timeout', ({ stage, shadows, theirs }) => {
    shadows.take();
    meanwhile(stage, () => {
      shadows.go();
      return 'timed-out';
    });
    return () => theirs.tryArrive(5);
  }),
  ...[0, 2].map((behind) =>
    at(`cancels at a turnstile whose grant is on its way, with ${behind} waiters behind it`, (scene) => {
      const { stage, shadows, theirs } = scene;
      shadows.take();
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.arriveAsync({ signal, ref: false }).then(() => theirs.depart(), nothing)]);
        shadows.come(behind);
        leaveInTheMiddle(stage, leave, () => shadows.go());
        await settle(scene);
        leave();
        await stage.settle();
        await wait;
      };
    }),
  ),
  at('gets a DeadlockError for blocking on a turnstile behind its own async wait', (scene) => {
    const { stage, shadows, theirs } = scene;
    shadows.take();
    const wait = together([theirs.arriveAsync({ ref: false })]);
    stage.life.before.set('cancelTurnstileWait', () => shadows.come());
    return async () => {
      await refused('SLUICE_DEADLOCK', () => theirs.arrive());
      shadows.go();
      await settle(scene);
      await wait;
    };
  }),
];

function suddenly(name: string, prepare: (scene: Scene) => void | Promise<void>): Operation {
  return {
    name,
    world: { pages: 2 },
    async prepare(stage) {
      await prepare(turnstileScene(stage));
      return nothing;
    },
  };
}

/** States in which the victim dies without a further step. */
export const turnstileHoldings: readonly Operation[] = [
  suddenly('is inside a turnstile while other agents wait', ({ shadows, theirs }) => {
    theirs.arrive();
    shadows.come(2);
  }),
  suddenly('went out of a turnstile and was about to come back', ({ shadows, theirs }) => {
    theirs.arrive();
    shadows.come(2);
    theirs.depart();
  }),
  suddenly('went out of a turnstile, and all waiters cancel', ({ shadows, theirs }) => {
    theirs.arrive();
    shadows.come();
    theirs.depart();
    shadows.leave(0);
  }),
  suddenly('went out of a turnstile, and another agent took its turn', async (scene) => {
    scene.theirs.arrive();
    scene.shadows.come(2);
    scene.theirs.depart();
    await settle(scene);
  }),
  suddenly('waits for a turnstile between other waiters', ({ shadows, theirs }) => {
    shadows.take();
    shadows.come();
    void together([theirs.arriveAsync({ ref: false })]);
    shadows.come();
  }),
  suddenly('was admitted by a turnstile and had not run', ({ stage, shadows, theirs }) => {
    shadows.take();
    void together([theirs.arriveAsync({ ref: false })]);
    shadows.come();
    goOn(shadows);
    stage.world.lot.clock += LONG_MS;
    shadows.go();
  }),
];

export const turnstileOperations: readonly Operation[] = [...passing, ...waiting, ...leaving];
