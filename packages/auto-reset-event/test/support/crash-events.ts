// Operations of the victim at an event, during which it dies.

import { SPINS } from '../../../core/test/support/crash-lines.ts';
import { large, leaveInTheMiddle, meanwhile, suddenly } from '../../../core/test/support/crash-offices.ts';
import { refused, together, type Operation } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { AutoResetEvent } from '../../src/index.ts';
import { atEvent, eventScene, type EventScene } from './event-scene.ts';

function nothing(): void {
  // Ignores the outcome of the wait, which does not matter here.
}

const signalling: readonly Operation[] = [
  atEvent(
    'signals an event',
    ({ signal }) =>
      () =>
        signal(),
  ),
  atEvent('signals an event that is already signalled', ({ shadows, signal }) => {
    shadows.signal();
    return () => signal();
  }),
  ...[1, 3].map((others) =>
    atEvent(`signals an event with ${others} waiters, twice`, ({ shadows, signal }) => {
      shadows.come(others);
      return () => {
        signal();
        signal();
      };
    }),
  ),
  atEvent('signals an event of which some waiters have cancelled', ({ shadows, signal }) => {
    shadows.come(4);
    for (const index of [0, 2]) shadows.leave(index);
    return () => signal();
  }),
  atEvent(
    'signals an event and wakes the next waiter early',
    ({ shadows, signal }) => {
      shadows.come(2);
      return () => signal();
    },
    SPINS,
  ),
  atEvent('resets an event', ({ shadows, theirs }) => {
    shadows.signal();
    return () => [theirs.reset(), theirs.reset()];
  }),
  {
    name: 'creates an event',
    prepare: (stage) => () => AutoResetEvent.create({ arena: stage.victim.arena, name: 'new' }),
  },
  {
    name: 'frees an event',
    prepare(stage) {
      const { handle } = AutoResetEvent.create({ arena: stage.living.arena });
      const theirs = AutoResetEvent.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

const waiting: readonly Operation[] = [
  large(
    atEvent('consumes a signal in every way', ({ shadows, theirs }) => async () => {
      const ways: readonly (() => unknown)[] = [
        () => theirs.wait(),
        () => theirs.tryWait(),
        () => theirs.tryWait(5),
        () => theirs.waitAsync(),
      ];
      for (const take of ways) {
        shadows.signal();
        await take();
      }
    }),
  ),
  atEvent('blocks on an event', ({ stage, shadows, theirs }) => {
    meanwhile(
      stage,
      () => shadows.come(),
      () => shadows.signal(),
    );
    return () => theirs.wait();
  }),
  atEvent(
    'spins before it blocks on an event',
    ({ stage, shadows, theirs }) => {
      meanwhile(stage, () => shadows.signal());
      return () => theirs.wait();
    },
    SPINS,
  ),
  large(
    atEvent('blocks on an event behind other waiters', ({ stage, shadows, theirs }) => {
      shadows.come(2);
      meanwhile(stage, () => shadows.come(), ...[1, 2, 3].map(() => () => shadows.signal()));
      return () => theirs.wait();
    }),
  ),
  large(
    atEvent('waits for an event in an async call between other waiters', ({ stage, shadows, theirs }) => {
      shadows.come();
      return async () => {
        const wait = together([theirs.waitAsync({ ref: false })]);
        shadows.come();
        shadows.signal();
        shadows.signal();
        await stage.settle();
        await wait;
      };
    }),
  ),
];

const leaving: readonly Operation[] = [
  atEvent(
    'times out at an event as the last waiter',
    ({ theirs }) =>
      () =>
        theirs.tryWait(5),
  ),
  atEvent('times out at an event between other waiters', ({ stage, shadows, theirs }) => {
    shadows.come();
    meanwhile(stage, () => shadows.come(2));
    return () => theirs.tryWait(5);
  }),
  atEvent('gets a signal at the moment of its timeout', ({ stage, shadows, theirs }) => {
    meanwhile(stage, () => {
      shadows.signal();
      return 'timed-out';
    });
    return () => theirs.tryWait(5);
  }),
  ...[0, 1].map((behind) =>
    atEvent(
      `cancels within the walk that delivers its signal, with ${behind} waiters behind it`,
      ({ stage, shadows, theirs }) =>
        async () => {
          const { signal, leave } = signalByHand();
          const wait = together([theirs.waitAsync({ signal, ref: false })]);
          shadows.come(behind);
          leaveInTheMiddle(stage, leave, () => shadows.signal());
          await stage.settle();
          await wait;
        },
    ),
  ),
  ...[0, 1].map((behind) =>
    atEvent(
      `cancels within the walk that delivers its signal past a cancelled waiter, with ${behind} waiters behind it`,
      ({ stage, shadows, theirs }) => {
        shadows.come(2);
        return async () => {
          const { signal, leave } = signalByHand();
          const wait = together([theirs.waitAsync({ signal, ref: false }).catch(nothing)]);
          shadows.come(behind);
          shadows.leave(1);
          shadows.signal();
          leaveInTheMiddle(stage, leave, () => shadows.signal());
          await stage.settle();
          await wait;
        };
      },
    ),
  ),
  atEvent('gets a DeadlockError for blocking on an event behind its own async wait', ({ stage, shadows, theirs }) => {
    const wait = together([theirs.waitAsync({ ref: false })]);
    stage.life.before.set('cancelWait', () => shadows.come());
    return async () => {
      await refused('SLUICE_DEADLOCK', () => theirs.wait());
      shadows.signal();
      await stage.settle();
      await wait;
    };
  }),
];

export const eventOperations: readonly Operation[] = [...signalling, ...waiting, ...leaving];

function wasSignalled({ shadows, theirs }: EventScene, behind: number): void {
  void together([theirs.waitAsync({ ref: false })]);
  shadows.come(behind);
  shadows.signal();
}

/** States in which the victim dies without a further step. */
export const eventHoldings: readonly Operation[] = [
  suddenly('was granted signals and had not learned of them', (stage) => {
    wasSignalled(eventScene(stage), 2);
    wasSignalled(eventScene(stage), 0);
  }),
  atEvent('waits for an event between other waiters', ({ shadows, theirs }) => {
    shadows.come();
    void together([theirs.waitAsync({ ref: false })]);
    shadows.come();
    shadows.signal();
    return nothing;
  }),
];
