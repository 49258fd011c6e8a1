// An agent dies at every point of every operation at an event count, and so does the agent that recovers it.

import '../../../core/test/support/crash-injection.ts';
import { SPINS } from '../../../core/test/support/crash-lines.ts';
import { leaveInTheMiddle, meanwhile, suddenly } from '../../../core/test/support/crash-offices.ts';
import { together, type Operation } from '../../../core/test/support/crash-stage.ts';
import { crashSuite } from '../../../core/test/support/crash-suite.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { EventCount, Sequencer } from '../../src/index.ts';
import { atEventCount, eventCountScene } from './support/crash-event-counts.ts';
import './support/kinds.ts';

function nothing(): void {
  // Ignores the outcome of the wait, which does not matter here.
}

const operations: readonly Operation[] = [
  ...[[], [1], [1, 1, 1], [2, 1, 3]].map((values) =>
    atEventCount(`advances an event count for waiters of ${values.join(', ') || 'no value'}`, ({ shadows, theirs }) => {
      shadows.come(...values);
      return () => theirs.advance();
    }),
  ),
  atEventCount('advances an event count by three', ({ shadows, theirs }) => {
    shadows.come(3, 1, 4, 2);
    return () => theirs.advance(3);
  }),
  atEventCount('advances an event count again and again', ({ shadows, theirs }) => {
    shadows.come(1, 2);
    return () => {
      theirs.advance();
      shadows.come(2, 3);
      theirs.advance();
      theirs.advance(2);
    };
  }),
  atEventCount('advances an event count after some waiters have cancelled', ({ shadows, theirs }) => {
    shadows.come(1, 1, 2, 1);
    for (const index of [0, 2]) shadows.leave(index);
    return () => theirs.advance();
  }),
  atEventCount('waits for values that were reached in every way', ({ ours, theirs }) => {
    ours.advance(2);
    return async () => {
      theirs.await(1);
      theirs.tryAwait(2, 5);
      await theirs.awaitAsync(2);
    };
  }),
  atEventCount('blocks between other waiters', ({ stage, shadows, ours, theirs }) => {
    shadows.come(1, 2);
    meanwhile(
      stage,
      () => shadows.come(2),
      () => ours.advance(),
      () => ours.advance(),
    );
    return () => theirs.await(2);
  }),
  atEventCount(
    'spins before it blocks',
    ({ stage, ours, theirs }) => {
      meanwhile(stage, () => ours.advance());
      return () => theirs.await(1);
    },
    SPINS,
  ),
  atEventCount('waits in async calls between other waiters', ({ stage, shadows, ours, theirs }) => {
    shadows.come(1);
    return async () => {
      const wait = together([theirs.awaitAsync(2, { ref: false }), theirs.awaitAsync(1, { ref: false })]);
      shadows.come(2);
      ours.advance();
      await stage.settle();
      ours.advance();
      await stage.settle();
      await wait;
    };
  }),
  atEventCount('times out between other waiters', ({ stage, shadows, theirs }) => {
    shadows.come(1);
    meanwhile(stage, () => shadows.come(1, 2));
    return () => theirs.tryAwait(1, 5);
  }),
  atEventCount('times out while the count reaches its value', ({ stage, ours, theirs }) => {
    meanwhile(stage, () => {
      ours.advance();
      return 'timed-out';
    });
    return () => theirs.tryAwait(1, 5);
  }),
  atEventCount('cancels in the middle of the walk that admits it', ({ stage, shadows, ours, theirs }) => async () => {
    const { signal, leave } = signalByHand();
    const wait = together([theirs.awaitAsync(1, { signal, ref: false }).catch(nothing)]);
    shadows.come(1);
    leaveInTheMiddle(stage, leave, () => ours.advance());
    await stage.settle();
    await wait;
  }),
  {
    name: 'creates an event count',
    prepare: (stage) => () => EventCount.create({ arena: stage.victim.arena, name: 'new' }),
  },
  {
    name: 'frees an event count',
    prepare(stage) {
      const { handle } = EventCount.create({ arena: stage.living.arena });
      const theirs = EventCount.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
  {
    name: 'creates a sequencer, draws tickets and frees it',
    prepare: (stage) => () => {
      const sequencer = Sequencer.create({ arena: stage.victim.arena, name: 'new' });
      sequencer.ticket();
      sequencer.ticket();
      sequencer.free();
    },
  },
];

const holdings: readonly Operation[] = [
  suddenly('waits for two event counts between other waiters', (stage) => {
    for (let count = 0; count < 2; count++) {
      const { shadows, theirs } = eventCountScene(stage);
      shadows.come(1);
      void together([theirs.awaitAsync(1, { ref: false })]);
      shadows.come(2);
    }
  }),
  suddenly('was admitted and had not learned of it', (stage) => {
    const { shadows, ours, theirs } = eventCountScene(stage);
    shadows.come(1, 3);
    void together([theirs.awaitAsync(1, { ref: false }), theirs.awaitAsync(2, { ref: false })]);
    ours.advance(2);
  }),
];

crashSuite({ operations, holdings });
