// An agent dies at every point of every operation at a barrier, and so does the agent that recovers it.

import '../../core/test/support/crash-injection.ts';
import { SPINS } from '../../core/test/support/crash-lines.ts';
import { leaveInTheMiddle, meanwhile, suddenly } from '../../core/test/support/crash-offices.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { refused, together, type Operation } from '../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../core/test/support/signal-by-hand.ts';
import { Barrier } from '../src/index.ts';
import { atBarrier, barrierScene } from './support/crash-barriers.ts';
import './support/kinds.ts';

function nothing(): void {
  // Ignores the outcome of the wait, which does not matter here.
}

const arriving: readonly Operation[] = [
  ...[0, 1, 3].map((waiters) =>
    atBarrier(`arrives last while ${waiters} parties wait`, [1, waiters], ({ shadows, theirs }) => {
      shadows.come(waiters);
      return () => theirs.wait();
    }),
  ),
  atBarrier('arrives last and runs the action', [1, 2, nothing], ({ shadows, theirs }) => {
    shadows.come(2);
    return () => theirs.wait();
  }),
  atBarrier('arrives last as a claimed party and runs the action', [1, 1, nothing], ({ shadows, theirs }) => {
    shadows.come();
    theirs.claim();
    return () => theirs.wait();
  }),
  atBarrier('runs an action that throws', [1, 1], ({ stage, shadows, ours }) => {
    const action = (): void => {
      throw Object.assign(new Error('no'), { code: 'SLUICE_CLOSED' });
    };
    const theirs = Barrier.from(stage.world.handle(ours.handle, stage.victim), { action });
    shadows.come();
    return async () => {
      await refused('SLUICE_CLOSED', () => theirs.wait());
      theirs.reset();
    };
  }),
  atBarrier('arrives first and blocks', [1, 2], ({ stage, shadows, theirs }) => {
    meanwhile(
      stage,
      () => shadows.come(),
      () => shadows.come(),
    );
    return () => theirs.wait();
  }),
  atBarrier(
    'spins before it blocks',
    [1, 1],
    ({ stage, shadows, theirs }) => {
      meanwhile(stage, () => shadows.come());
      return () => theirs.wait();
    },
    SPINS,
  ),
  atBarrier('arrives twice in async calls between other parties', [2, 2], ({ stage, shadows, theirs }) => {
    shadows.come();
    return async () => {
      const wait = together([theirs.waitAsync({ ref: false }), theirs.waitAsync({ ref: false })]);
      shadows.come();
      await stage.settle();
      await wait;
    };
  }),
  atBarrier('arrives while an action runs', [1, 2, nothing], ({ stage, shadows, ours, theirs }) => {
    shadows.come(2);
    return () =>
      leaveInTheMiddle(
        stage,
        () => theirs.tryWait(5),
        () => ours.tryWait(),
        'tripBarrier',
      );
  }),
  atBarrier('passes two generations', [1, 1], ({ stage, shadows, theirs }) => {
    shadows.come();
    return () => {
      theirs.wait();
      meanwhile(stage, () => shadows.come());
      theirs.wait();
    };
  }),
];

const joining: readonly Operation[] = [
  atBarrier('registers, arrives and deregisters', [0, 1], ({ shadows, theirs }) => () => {
    theirs.register();
    shadows.come();
    theirs.wait();
    theirs.deregister();
  }),
  atBarrier('claims two parties and removes one of them', [2, 2], ({ shadows, theirs }) => {
    shadows.come();
    return () => {
      theirs.claim(2);
      theirs.deregister();
      theirs.tryWait();
    };
  }),
  atBarrier('leaves as the last party that has not arrived', [1, 2], ({ shadows, theirs }) => {
    shadows.come(2);
    return () => theirs.deregister();
  }),
  atBarrier(
    'leaves as the last party that has not arrived, and runs the action',
    [1, 1, nothing],
    ({ shadows, theirs }) => {
      shadows.come();
      theirs.claim();
      return () => theirs.deregister();
    },
  ),
  {
    name: 'creates a barrier',
    prepare: (stage) => () => Barrier.create(3, { arena: stage.victim.arena, name: 'new' }),
  },
  {
    name: 'frees a barrier',
    prepare(stage) {
      const { handle } = Barrier.create(2, { arena: stage.living.arena });
      const theirs = Barrier.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

const breaking: readonly Operation[] = [
  atBarrier('times out as the only party', [1, 2], ({ theirs }) => () => {
    theirs.tryWait(5);
    theirs.reset();
  }),
  atBarrier('times out between other parties', [1, 3], ({ stage, shadows, theirs }) => {
    shadows.come();
    meanwhile(stage, () => shadows.come());
    return () => theirs.tryWait(5);
  }),
  atBarrier('times out while the generation trips', [1, 1], ({ stage, shadows, theirs }) => {
    meanwhile(stage, () => {
      shadows.come();
      return 'timed-out';
    });
    return () => theirs.tryWait(5);
  }),
  atBarrier('arrives at a broken barrier', [1, 1], ({ shadows, ours, theirs }) => {
    ours.tryWait(0.01);
    return () =>
      refused('SLUICE_BROKEN_BARRIER', () => {
        shadows.come();
        theirs.wait();
      });
  }),
  atBarrier('resets a generation in which other parties wait', [1, 3], ({ shadows, theirs }) => {
    shadows.come(2);
    return () => theirs.reset();
  }),
  atBarrier('aborts a barrier at which other parties wait', [1, 3], ({ shadows, theirs }) => {
    shadows.come(2);
    return () => theirs.abort();
  }),
  atBarrier('resets a broken barrier', [1, 2], ({ shadows, ours, theirs }) => {
    shadows.come();
    ours.tryWait(0.01);
    return () => theirs.reset();
  }),
  atBarrier('cancels in the middle of the walk that admits it', [1, 2], ({ stage, shadows, theirs }) => async () => {
    const { signal, leave } = signalByHand();
    const wait = together([theirs.waitAsync({ signal, ref: false }).catch(nothing)]);
    shadows.come();
    leaveInTheMiddle(stage, leave, () => shadows.come());
    await stage.settle();
    await wait;
  }),
  atBarrier(
    'cancels in the middle of the walk of another party that cancels',
    [1, 3],
    ({ stage, shadows, theirs }) =>
      async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.waitAsync({ signal, ref: false }).catch(nothing)]);
        shadows.come(2);
        leaveInTheMiddle(stage, leave, () => shadows.leave(0));
        await stage.settle();
        await wait;
      },
  ),
];

const holdings: readonly Operation[] = [
  suddenly('has claimed parties of two barriers', (stage) => {
    for (const living of [1, 3]) {
      const { shadows, theirs } = barrierScene(stage, 2, living);
      shadows.come(1);
      theirs.claim(2);
    }
  }),
  suddenly('waits at a barrier and has a party of another', (stage) => {
    const { shadows, theirs } = barrierScene(stage, 1, 2);
    shadows.come();
    void together([theirs.waitAsync({ ref: false })]);
    const other = barrierScene(stage, 0, 1);
    other.theirs.register();
    other.shadows.come();
  }),
  suddenly('waits at a barrier at which it has claimed two parties', (stage) => {
    const { shadows, theirs } = barrierScene(stage, 2, 2);
    theirs.claim(2);
    shadows.come();
    void together([theirs.waitAsync({ ref: false })]);
  }),
  suddenly('was admitted and had not learned of it', (stage) => {
    const { shadows, theirs } = barrierScene(stage, 2, 1);
    void together([theirs.waitAsync({ ref: false }), theirs.waitAsync({ ref: false })]);
    shadows.come();
  }),
  suddenly('waited in a generation that was broken, and had not learned of it', (stage) => {
    const { ours, theirs } = barrierScene(stage, 1, 1);
    void together([theirs.waitAsync({ ref: false })]);
    ours.reset();
  }),
];

crashSuite({ operations: [...arriving, ...joining, ...breaking], holdings });
