// An agent dies at every point of every operation at a manual-reset event, and so does the agent that recovers it.

import '../../core/test/support/crash-injection.ts';
import { SPINS } from '../../core/test/support/crash-lines.ts';
import { leaveInTheMiddle, meanwhile, suddenly } from '../../core/test/support/crash-offices.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { together, type Operation } from '../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../core/test/support/signal-by-hand.ts';
import { ManualResetEvent } from '../src/index.ts';
import { atEvent, eventScene } from './support/crash-events.ts';
import './support/kinds.ts';

function nothing(): void {
  // Ignores the outcome of the wait, which does not matter here.
}

const operations: readonly Operation[] = [
  ...[0, 1, 3].map((waiters) =>
    atEvent(`sets an event for ${waiters} waiters`, ({ shadows, theirs }) => {
      shadows.come(waiters);
      return () => theirs.set();
    }),
  ),
  atEvent('sets, resets and sets an event', ({ shadows, theirs }) => {
    shadows.come(2);
    return () => {
      theirs.set();
      theirs.set();
      theirs.reset();
      shadows.come();
      theirs.set();
    };
  }),
  atEvent('sets an event after some waiters have cancelled', ({ shadows, theirs }) => {
    shadows.come(4);
    for (const index of [0, 2]) shadows.leave(index);
    return () => theirs.set();
  }),
  atEvent('waits for a set event in every way', ({ ours, theirs }) => {
    ours.set();
    return async () => {
      theirs.wait();
      theirs.tryWait(5);
      await theirs.waitAsync();
    };
  }),
  atEvent('blocks between other waiters', ({ stage, shadows, ours, theirs }) => {
    shadows.come();
    meanwhile(
      stage,
      () => shadows.come(),
      () => ours.set(),
    );
    return () => theirs.wait();
  }),
  atEvent(
    'spins before it blocks',
    ({ stage, ours, theirs }) => {
      meanwhile(stage, () => ours.set());
      return () => theirs.wait();
    },
    SPINS,
  ),
  atEvent('waits in async calls between other waiters', ({ stage, shadows, ours, theirs }) => {
    shadows.come();
    return async () => {
      const wait = together([theirs.waitAsync({ ref: false }), theirs.waitAsync({ ref: false })]);
      shadows.come();
      ours.set();
      ours.reset();
      await stage.settle();
      await wait;
    };
  }),
  atEvent('times out between other waiters', ({ stage, shadows, theirs }) => {
    shadows.come();
    meanwhile(stage, () => shadows.come(2));
    return () => theirs.tryWait(5);
  }),
  atEvent('times out while the event is set', ({ stage, ours, theirs }) => {
    meanwhile(stage, () => {
      ours.set();
      return 'timed-out';
    });
    return () => theirs.tryWait(5);
  }),
  atEvent('cancels in the middle of the walk that admits it', ({ stage, shadows, ours, theirs }) => async () => {
    const { signal, leave } = signalByHand();
    const wait = together([theirs.waitAsync({ signal, ref: false }).catch(nothing)]);
    shadows.come();
    leaveInTheMiddle(stage, leave, () => ours.set());
    await stage.settle();
    await wait;
  }),
  atEvent(
    'cancels in the middle of the walk of another waiter that cancels',
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
  {
    name: 'creates an event',
    prepare: (stage) => () => ManualResetEvent.create({ arena: stage.victim.arena, name: 'new', isSet: true }),
  },
  {
    name: 'frees an event',
    prepare(stage) {
      const { handle } = ManualResetEvent.create({ arena: stage.living.arena });
      const theirs = ManualResetEvent.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

const holdings: readonly Operation[] = [
  suddenly('waits for two events between other waiters', (stage) => {
    for (let count = 0; count < 2; count++) {
      const { shadows, theirs } = eventScene(stage);
      shadows.come();
      void together([theirs.waitAsync({ ref: false })]);
      shadows.come();
    }
  }),
  suddenly('was admitted and had not learned of it', (stage) => {
    const { shadows, ours, theirs } = eventScene(stage);
    shadows.come();
    void together([theirs.waitAsync({ ref: false }), theirs.waitAsync({ ref: false })]);
    ours.set();
  }),
  suddenly('was admitted before a reset and had not learned of it', (stage) => {
    const { shadows, ours, theirs } = eventScene(stage);
    void together([theirs.waitAsync({ ref: false })]);
    ours.set();
    ours.reset();
    shadows.come();
  }),
];

crashSuite({ operations, holdings });
