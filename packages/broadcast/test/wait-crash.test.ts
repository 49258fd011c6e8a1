// An agent dies at every point of every operation at a broadcast with overflow 'wait', and so does the agent that
// recovers it.

import { hasCode } from '@sluice/core';
import '../../core/test/support/crash-injection.ts';
import { meanwhile, suddenly } from '../../core/test/support/crash-offices.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { together, type Operation } from '../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../core/test/support/signal-by-hand.ts';
import { Broadcast } from '../src/index.ts';
import { atWaits, valueOf, waitScene } from './support/crash-waits.ts';
import './support/kinds.ts';

function nothing(): void {
  // Ignores the outcome of the wait, which does not matter here.
}

/** This list is not the caller's: the agent may die in `subscribe`, and the earlier promises must not be dropped. */
async function nextOf(stream: Broadcast<Uint8Array>): Promise<Uint8Array> {
  return stream.subscribe().nextAsync({ ref: false });
}

const operations: readonly Operation[] = [
  atWaits('publishes while there is room', ({ shadows, theirs }) => () => {
    theirs.publish(valueOf(1));
    shadows.read();
    theirs.tryPublish(valueOf(2));
  }),
  atWaits('finds no room', ({ ours, theirs }) => {
    ours.publish(valueOf(1));
    return () => theirs.tryPublish(valueOf(2));
  }),
  atWaits('blocks until there is room', ({ stage, shadows, ours, theirs }) => {
    ours.publish(valueOf(1));
    meanwhile(stage, () => shadows.read(1));
    return () => theirs.publish(valueOf(2));
  }),
  atWaits('blocks in line, and then for room', ({ stage, shadows, ours, theirs }) => {
    ours.publish(valueOf(1));
    shadows.come();
    meanwhile(
      stage,
      () => shadows.leave(0),
      () => shadows.read(1),
      () => shadows.read(1),
    );
    return () => theirs.tryPublish(valueOf(2), 50);
  }),
  atWaits('waits for room ahead of other publishers', ({ stage, shadows, ours, theirs }) => {
    ours.publish(valueOf(1));
    return async () => {
      const wait = together([theirs.publishAsync(valueOf(2), { ref: false })]);
      shadows.come(2);
      shadows.read(1);
      await stage.settle();
      await wait;
    };
  }),
  atWaits('waits for room between other publishers', ({ stage, shadows, ours, theirs }) => {
    ours.publish(valueOf(1));
    shadows.come();
    return async () => {
      const wait = together([
        theirs.publishAsync(valueOf(2), { ref: false }),
        theirs.publishAsync(valueOf(3), { ref: false }),
      ]);
      shadows.come();
      for (let round = 0; round < 4; round++) {
        shadows.read(1);
        await stage.settle();
      }
      await wait;
    };
  }),
  atWaits('times out while it waits for room', ({ shadows, ours, theirs }) => {
    ours.publish(valueOf(1));
    return () => {
      theirs.tryPublish(valueOf(2), 5);
      shadows.come();
    };
  }),
  atWaits('times out while room comes', ({ stage, shadows, ours, theirs }) => {
    ours.publish(valueOf(1));
    meanwhile(stage, () => {
      shadows.read(1);
      return 'timed-out';
    });
    return () => theirs.tryPublish(valueOf(2), 5);
  }),
  atWaits('cancels its waits between other publishers', ({ stage, shadows, ours, theirs }) => {
    ours.publish(valueOf(1));
    return async () => {
      const [first, second] = [signalByHand(), signalByHand()];
      const wait = together([
        theirs.publishAsync(valueOf(2), { signal: first.signal, ref: false }).catch(nothing),
        theirs.publishAsync(valueOf(3), { signal: second.signal, ref: false }).catch(nothing),
      ]);
      shadows.come();
      second.leave();
      await stage.settle();
      first.leave();
      await stage.settle();
      await wait;
    };
  }),
  atWaits('closes a broadcast at which publishers wait', ({ shadows, ours, theirs }) => {
    ours.publish(valueOf(1));
    shadows.come(2);
    return () => {
      theirs.close();
      theirs.close();
      try {
        theirs.publish(valueOf(2));
      } catch (failure) {
        if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
      }
    };
  }),
  atWaits('subscribes, reads and closes its subscription', ({ ours, theirs }) => () => {
    const subscription = theirs.subscribe({ from: 'oldest' });
    ours.publish(valueOf(1));
    subscription.next();
    subscription.close();
  }),
  atWaits('holds publishers back, and reads', ({ stage, shadows, ours, theirs }) => {
    const subscription = theirs.subscribe();
    ours.publish(valueOf(1));
    shadows.read();
    shadows.come(2);
    return async () => {
      for (let round = 0; round < 2; round++) {
        subscription.next();
        await stage.settle();
        shadows.read();
      }
    };
  }),
  atWaits('holds publishers back, and closes its subscriptions', ({ shadows, ours, theirs }) => {
    const subscriptions = [theirs.subscribe(), theirs.subscribe()];
    ours.publish(valueOf(1));
    shadows.read();
    shadows.come();
    return () => {
      for (const subscription of subscriptions) subscription.close();
    };
  }),
  atWaits('waits for values', ({ stage, shadows, theirs }) => async () => {
    const wait = together([nextOf(theirs), nextOf(theirs)]);
    shadows.come();
    await stage.settle();
    await wait;
  }),
  {
    name: 'creates a broadcast whose publishers wait',
    prepare: (stage) => () =>
      Broadcast.create({ arena: stage.victim.arena, name: 'new', codec: 'int32', capacity: 2, overflow: 'wait' }),
  },
  {
    name: 'frees a broadcast whose publishers wait',
    prepare(stage) {
      const { handle } = Broadcast.create({ arena: stage.living.arena, codec: 'int32', capacity: 2, overflow: 'wait' });
      const theirs = Broadcast.from(stage.world.handle(handle, stage.victim));
      theirs.subscribe();
      return () => theirs.free();
    },
  },
];

const holdings: readonly Operation[] = [
  suddenly('has subscriptions that hold publishers back', (stage) => {
    const { shadows, ours, theirs } = waitScene(stage);
    theirs.subscribe();
    theirs.subscribe();
    ours.publish(valueOf(1));
    shadows.read();
    shadows.come(2);
  }),
  suddenly('is the head of the line and waits for room ahead of other publishers', (stage) => {
    const { shadows, ours, theirs } = waitScene(stage);
    ours.publish(valueOf(1));
    void together([theirs.publishAsync(valueOf(2), { ref: false }), theirs.publishAsync(valueOf(3), { ref: false })]);
    shadows.come();
  }),
  suddenly('was granted room and had not learned of it', (stage) => {
    const { shadows, ours, theirs } = waitScene(stage);
    ours.publish(valueOf(1));
    void together([theirs.publishAsync(valueOf(2), { ref: false })]);
    shadows.come();
    shadows.read();
  }),
];

crashSuite({ operations, holdings });
