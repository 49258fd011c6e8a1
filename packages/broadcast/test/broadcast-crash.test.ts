// An agent dies at every point of every operation at a broadcast, and so does the agent that recovers it.

import { hasCode } from '@sluice/core';
import '../../core/test/support/crash-injection.ts';
import { SPINS } from '../../core/test/support/crash-lines.ts';
import { leaveInTheMiddle, meanwhile, suddenly } from '../../core/test/support/crash-offices.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { together, type Operation } from '../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../core/test/support/signal-by-hand.ts';
import { Broadcast } from '../src/index.ts';
import { atStream, streamScene, valueOf } from './support/crash-streams.ts';
import './support/kinds.ts';

function nothing(): void {
  // Ignores the outcome of the wait, which does not matter here.
}

/** This list is not the caller's: the agent may die in `subscribe`, and the earlier promises must not be dropped. */
async function nextOf(stream: Broadcast<Uint8Array>): Promise<Uint8Array> {
  return stream.subscribe().nextAsync({ ref: false });
}

const operations: readonly Operation[] = [
  ...[0, 1, 3].map((waiters) =>
    atStream(`publishes a value for ${waiters} waiters`, ({ shadows, theirs }) => {
      shadows.come(waiters);
      return () => theirs.publish(valueOf(1));
    }),
  ),
  atStream('publishes several values', ({ shadows, theirs }) => {
    shadows.come(2);
    return () => {
      theirs.publish(valueOf(1));
      theirs.publish(valueOf(2));
      shadows.come();
      theirs.publish(valueOf(3));
    };
  }),
  atStream('publishes a value after some waiters have cancelled', ({ shadows, theirs }) => {
    shadows.come(4);
    for (const index of [0, 2]) shadows.leave(index);
    return () => theirs.publish(valueOf(1));
  }),
  ...[0, 1, 3].map((waiters) =>
    atStream(`closes a broadcast with ${waiters} waiters`, ({ shadows, theirs }) => {
      shadows.come(waiters);
      return () => {
        theirs.close();
        theirs.close();
      };
    }),
  ),
  atStream('publishes, closes, and gets a ClosedError', ({ shadows, theirs }) => {
    shadows.come(2);
    return () => {
      theirs.publish(valueOf(1));
      shadows.come();
      theirs.close();
      try {
        theirs.publish(valueOf(2));
      } catch (failure) {
        if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
      }
    };
  }),
  atStream('gets values in every way', ({ ours, theirs, subscription }) => {
    for (const n of [1, 2, 3, 4]) ours.publish(valueOf(n));
    return async () => {
      subscription.next();
      subscription.tryNext();
      subscription.tryNext(5);
      await subscription.nextAsync();
      theirs.subscribe({ from: 'oldest' }).next();
    };
  }),
  atStream('blocks between other waiters', ({ stage, shadows, ours, subscription }) => {
    shadows.come();
    meanwhile(
      stage,
      () => shadows.come(),
      () => ours.publish(valueOf(1)),
    );
    return () => subscription.next();
  }),
  atStream(
    'spins before it blocks',
    ({ stage, ours, subscription }) => {
      meanwhile(stage, () => ours.publish(valueOf(1)));
      return () => subscription.next();
    },
    SPINS,
  ),
  atStream('waits in async calls between other waiters', ({ stage, shadows, ours, theirs, subscription }) => {
    shadows.come();
    return async () => {
      const wait = together([
        subscription.nextAsync({ ref: false }),
        subscription.nextAsync({ ref: false }),
        nextOf(theirs),
      ]);
      shadows.come();
      ours.publish(valueOf(1));
      await stage.settle();
      ours.publish(valueOf(2));
      await stage.settle();
      await wait;
    };
  }),
  atStream('times out between other waiters', ({ stage, shadows, subscription }) => {
    shadows.come();
    meanwhile(stage, () => shadows.come(2));
    return () => subscription.tryNext(5);
  }),
  atStream('times out while a value is published', ({ stage, ours, subscription }) => {
    meanwhile(stage, () => {
      ours.publish(valueOf(1));
      return 'timed-out';
    });
    return () => subscription.tryNext(5);
  }),
  atStream('cancels in the middle of the walk that admits it', ({ stage, shadows, ours, subscription }) => async () => {
    const { signal, leave } = signalByHand();
    const wait = together([subscription.nextAsync({ signal, ref: false }).catch(nothing)]);
    shadows.come();
    leaveInTheMiddle(stage, leave, () => ours.publish(valueOf(1)));
    await stage.settle();
    await wait;
  }),
  atStream(
    'cancels in the middle of the walk of another waiter that cancels',
    ({ stage, shadows, subscription }) =>
      async () => {
        const { signal, leave } = signalByHand();
        const wait = together([subscription.nextAsync({ signal, ref: false }).catch(nothing)]);
        shadows.come(2);
        leaveInTheMiddle(stage, leave, () => shadows.leave(0));
        await stage.settle();
        await wait;
      },
  ),
  {
    name: 'creates a broadcast',
    prepare: (stage) => () => Broadcast.create({ arena: stage.victim.arena, name: 'new', codec: 'int32', capacity: 2 }),
  },
  {
    name: 'frees a broadcast',
    prepare(stage) {
      const { handle } = Broadcast.create({ arena: stage.living.arena, codec: 'int32', capacity: 2 });
      const theirs = Broadcast.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

const holdings: readonly Operation[] = [
  suddenly('waits for two broadcasts between other waiters', (stage) => {
    for (let count = 0; count < 2; count++) {
      const { shadows, subscription } = streamScene(stage);
      shadows.come();
      void together([subscription.nextAsync({ ref: false })]);
      shadows.come();
    }
  }),
  suddenly('was admitted and had not learned of it', (stage) => {
    const { shadows, ours, subscription, theirs } = streamScene(stage);
    shadows.come();
    void together([subscription.nextAsync({ ref: false }), nextOf(theirs)]);
    ours.publish(valueOf(1));
  }),
];

crashSuite({ operations, holdings });
