// An agent dies at every point of every operation at a latch, and so does the agent that recovers it.

import '../../core/test/support/crash-injection.ts';
import { SPINS } from '../../core/test/support/crash-lines.ts';
import { leaveInTheMiddle, meanwhile } from '../../core/test/support/crash-offices.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { together, type Operation } from '../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../core/test/support/signal-by-hand.ts';
import { CountdownLatch } from '../src/index.ts';
import { atLatch, latchScene } from './support/crash-latches.ts';
import './support/kinds.ts';

function nothing(): void {
  // Ignores the outcome of the wait, which does not matter here.
}

const counting: readonly Operation[] = [
  atLatch('counts down with parts left', [1, 2], ({ shadows, theirs }) => {
    shadows.come(2);
    return () => theirs.done();
  }),
  ...[0, 1, 3].map((waiters) =>
    atLatch(`counts down to 0 for ${waiters} waiters`, [2, 0], ({ shadows, theirs }) => {
      shadows.come(waiters);
      return () => {
        theirs.done();
        theirs.done();
      };
    }),
  ),
  atLatch('counts down to 0 after some waiters have cancelled', [1, 0], ({ shadows, theirs }) => {
    shadows.come(4);
    for (const index of [0, 2]) shadows.leave(index);
    return () => theirs.done();
  }),
  atLatch('claims and counts down', [2, 1], ({ shadows, theirs }) => {
    shadows.come();
    return () => {
      theirs.claim(2);
      theirs.done();
      theirs.done();
    };
  }),
  atLatch('counts down all of its claims in one call', [3, 0], ({ shadows, theirs }) => {
    shadows.come(2);
    theirs.claim(3);
    return () => theirs.done(3);
  }),
  atLatch('adds, claims and counts down', [0, 1], ({ shadows, theirs }) => {
    shadows.come();
    return () => {
      theirs.add(2);
      theirs.claim(2);
      theirs.done(2);
    };
  }),
  atLatch('begins a round and ends it', [1, 0], ({ shadows, theirs }) => {
    shadows.come();
    return () => {
      theirs.done();
      theirs.add();
      theirs.claim();
      theirs.done();
    };
  }),
  {
    name: 'creates a latch',
    prepare: (stage) => () => CountdownLatch.create(3, { arena: stage.victim.arena, name: 'new' }),
  },
  {
    name: 'frees a latch',
    prepare(stage) {
      const { handle } = CountdownLatch.create(0, { arena: stage.living.arena });
      const theirs = CountdownLatch.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

const waiting: readonly Operation[] = [
  atLatch('waits at count 0 in every way', [0, 0], ({ theirs }) => async () => {
    theirs.wait();
    theirs.tryWait();
    theirs.tryWait(5);
    await theirs.waitAsync();
  }),
  atLatch('blocks on a latch', [0, 1], ({ stage, shadows, theirs }) => {
    meanwhile(
      stage,
      () => shadows.come(),
      () => shadows.done(),
    );
    return () => theirs.wait();
  }),
  atLatch(
    'spins before it blocks on a latch',
    [0, 1],
    ({ stage, shadows, theirs }) => {
      meanwhile(stage, () => shadows.done());
      return () => theirs.wait();
    },
    SPINS,
  ),
  atLatch('blocks on a latch between other waiters', [0, 2], ({ stage, shadows, theirs }) => {
    shadows.come(2);
    meanwhile(
      stage,
      () => shadows.come(),
      () => shadows.done(),
      () => shadows.done(),
    );
    return () => theirs.wait();
  }),
  atLatch('waits for a latch in async calls between other waiters', [0, 1], ({ stage, shadows, theirs }) => {
    shadows.come();
    return async () => {
      const wait = together([theirs.waitAsync({ ref: false }), theirs.waitAsync({ ref: false })]);
      shadows.come();
      shadows.done();
      await stage.settle();
      await wait;
    };
  }),
];

const leaving: readonly Operation[] = [
  atLatch(
    'times out as the only waiter',
    [0, 1],
    ({ theirs }) =>
      () =>
        theirs.tryWait(5),
  ),
  atLatch('times out between other waiters', [0, 1], ({ stage, shadows, theirs }) => {
    shadows.come();
    meanwhile(stage, () => shadows.come(2));
    return () => theirs.tryWait(5);
  }),
  atLatch('times out while the round ends', [0, 1], ({ stage, shadows, theirs }) => {
    meanwhile(stage, () => {
      shadows.done();
      return 'timed-out';
    });
    return () => theirs.tryWait(5);
  }),
  ...[0, 1].map((behind) =>
    atLatch(
      `cancels in the middle of the walk that admits it, with ${behind} waiters behind it`,
      [0, 1],
      ({ stage, shadows, theirs }) =>
        async () => {
          const { signal, leave } = signalByHand();
          const wait = together([theirs.waitAsync({ signal, ref: false }).catch(nothing)]);
          shadows.come(behind);
          leaveInTheMiddle(stage, leave, () => shadows.done());
          await stage.settle();
          await wait;
        },
    ),
  ),
  atLatch(
    'cancels in the middle of the walk of another waiter that cancels',
    [0, 1],
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

function suddenly(name: string, prepare: Operation['prepare']): Operation {
  return { name, prepare };
}

const holdings: readonly Operation[] = [
  suddenly('has claims at two latches', (stage) => {
    for (const owed of [0, 2]) {
      const { shadows, theirs } = latchScene(stage, 3, owed);
      shadows.come(2);
      theirs.claim(3);
      theirs.done();
    }
    return nothing;
  }),
  suddenly('waits at a latch and has a claim at another', (stage) => {
    const { shadows, theirs } = latchScene(stage, 0, 1);
    shadows.come();
    void together([theirs.waitAsync({ ref: false })]);
    shadows.come();
    const other = latchScene(stage, 1, 0);
    other.shadows.come();
    other.theirs.claim();
    return nothing;
  }),
  suddenly('was admitted and had not learned of it', (stage) => {
    const { shadows, ours, theirs } = latchScene(stage, 0, 0);
    ours.add();
    shadows.come();
    void together([theirs.waitAsync({ ref: false }), theirs.waitAsync({ ref: false })]);
    ours.done();
    return nothing;
  }),
  suddenly('has a claim of a round that other agents ended', (stage) => {
    const { shadows, ours, theirs } = latchScene(stage, 0, 0);
    ours.add(2);
    theirs.claim();
    ours.done(2);
    ours.add(2);
    shadows.come();
    theirs.tryWait();
    theirs.claim();
    return nothing;
  }),
];

crashSuite({ operations: [...counting, ...waiting, ...leaving], holdings });
