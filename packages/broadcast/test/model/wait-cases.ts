// Cases of a broadcast whose publishers wait. Each is small enough for a complete search, or for a complete search
// within a bound on preemptions.

import type { Options } from '@sluice/model';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { both, close, publish } from './broadcast-bodies.ts';
import type { BroadcastBody, BroadcastCore } from './broadcast-world.ts';
import { come, read, stay, tryPublish } from './wait-bodies.ts';
import { waitCase, type WaitPlan } from './wait-world.ts';
import { WAIT_DEATH_MUTANTS, WAIT_MUTANTS } from './wait-mutants.ts';

const THREE_PREEMPTIONS: Options = { preemptions: 3 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const ONE_PREEMPTION: Options = { preemptions: 1 };

/** Words at which a half is about to wrap: of the word itself, and of the position. */
const EDGES = [2n ** 31n - 2n, 2n ** 32n - 2n, 2n ** 33n - 2n];

export function waitCases(core: BroadcastCore): Case[] {
  const make = (name: string, bodies: readonly BroadcastBody[], options: Options, plan: WaitPlan = {}): Case =>
    waitCase(core, name, bodies, options, plan);
  return [
    make('one publisher, one subscription', [both(publish(1, 2), close), read()], THREE_PREEMPTIONS, {
      publishers: [0],
    }),
    make(
      'one publisher of three values, one subscription, a ring of two',
      [both(publish(1, 2, 3, 4), close), read()],
      TWO_PREEMPTIONS,
      { capacity: 2, publishers: [0] },
    ),
    make(
      'one publisher, one subscription that is closed',
      [both(publish(1, 2, 3), close), read({ most: 1 })],
      THREE_PREEMPTIONS,
      { publishers: [0] },
    ),
    make('one publisher, two subscriptions', [both(publish(1, 2), close), read(), read()], ONE_PREEMPTION, {
      publishers: [0],
    }),
    make(
      'one publisher, two subscriptions, one of which is closed',
      [both(publish(1, 2), close), read({ most: 1 }), read()],
      ONE_PREEMPTION,
      { publishers: [0] },
    ),
    make(
      'two publishers, one subscription',
      [publish(1), publish(2), read({ total: 2, publishers: 2 })],
      TWO_PREEMPTIONS,
      { spares: 2, publishers: [0, 1] },
    ),
    make(
      'two publishers of three values, one subscription',
      [publish(1, 2), publish(3), read({ total: 3, most: 1, publishers: 2 })],
      TWO_PREEMPTIONS,
      { spares: 2, publishers: [0, 1] },
    ),
    make(
      'two publishers of two values, one subscription',
      [publish(1, 2), publish(3, 4), read({ total: 4, publishers: 2 })],
      ONE_PREEMPTION,
      { spares: 2, publishers: [0, 1] },
    ),
    make('a subscription begins and is closed', [publish(1, 2), come], THREE_PREEMPTIONS, { publishers: [0] }),
    make('a subscription begins while an agent publishes', [publish(1), stay], THREE_PREEMPTIONS, {
      publishers: [0],
      left: 1,
    }),
    make('two subscriptions begin and are closed', [publish(1, 2), come, come], ONE_PREEMPTION, { publishers: [0] }),
    make('a subscription takes over a mark', [publish(1, 2), both(come, read({ total: 2 })), come], ONE_PREEMPTION, {
      publishers: [0],
    }),
    make(
      'a subscription begins while another holds a publisher back',
      [publish(1, 2, 3), read({ total: 3, most: 1 }), read({ total: 3, from: 'next' })],
      ONE_PREEMPTION,
      { publishers: [0] },
    ),
    make('a publisher may time out', [tryPublish(1, 1, 2), stay], TWO_PREEMPTIONS, { publishers: [0], left: 1 }),
    make(
      'a publisher that may time out, one subscription',
      [both(tryPublish(1, 1, 2), close), read()],
      TWO_PREEMPTIONS,
      { publishers: [0] },
    ),
    make('a non-blocking publisher, one subscription', [both(tryPublish(0, 1, 2), close), read()], THREE_PREEMPTIONS, {
      publishers: [0],
    }),
    make(
      'two publishers, one of which may time out, one subscription',
      [tryPublish(1, 1), publish(2), read({ total: 1, publishers: 2 })],
      ONE_PREEMPTION,
      { spares: 2, publishers: [0, 1] },
    ),
    make('a waiting publisher races close()', [publish(1, 2), close, stay], TWO_PREEMPTIONS, {
      publishers: [0],
      left: 1,
    }),
    make('two waiting publishers race close()', [publish(1, 2), publish(3), close, stay], ONE_PREEMPTION, {
      spares: 2,
      publishers: [0, 1],
      left: 1,
    }),
    make('one publisher, one subscription, four buckets', [both(publish(1), close), read()], ONE_PREEMPTION, {
      publishers: [0],
      buckets: 4,
    }),
    make(
      'two waiting publishers race close(), four buckets',
      [publish(1, 2), publish(3), close, stay],
      ONE_PREEMPTION,
      { spares: 2, publishers: [0, 1], left: 1, buckets: 4 },
    ),
    make(
      'two publishers, one subscription, four buckets',
      [publish(1, 2), publish(3), read({ total: 3, publishers: 2 })],
      ONE_PREEMPTION,
      { spares: 2, publishers: [0, 1], buckets: 4 },
    ),
    ...EDGES.map((word) =>
      make(`the word starts at ${word}, with marks`, [both(publish(1, 2, 3), close), read()], ONE_PREEMPTION, {
        word,
        publishers: [0],
      }),
    ),
  ];
}

/** Publishes after a death, as another agent. */
const rescue: BroadcastBody = (actor) => {
  reclaim(0)(actor);
  actor.stream.publish(9);
};

export function waitDeathCases(core: BroadcastCore): Case[] {
  const make = (name: string, bodies: readonly BroadcastBody[], options: Options, plan: WaitPlan = {}): Case =>
    waitCase(core, name, bodies, options, { mayCrash: [0], ...plan });
  return [
    make('death of a subscription', [read({ total: 2 }), publish(1, 2), reclaim(0)], ONE_PREEMPTION),
    make('death of a subscription that has only begun', [come, publish(1), reclaim(0)], TWO_PREEMPTIONS),
    make(
      'death of an agent that closes its subscription while a publisher waits for it',
      [come, publish(1, 2), reclaim(0)],
      ONE_PREEMPTION,
    ),
    make(
      'death of a publisher that has a subscription',
      [publish(1), read({ total: 1, publishers: 2 }), rescue],
      ONE_PREEMPTION,
      { spares: 2 },
    ),
    make('death of a waiting publisher', [publish(1, 2), read({ total: 1, publishers: 2 }), rescue], ONE_PREEMPTION, {
      spares: 2,
    }),
    make(
      'death of a publisher ahead of another',
      [publish(1, 2), publish(3), both(reclaim(0), read({ total: 1, publishers: 2 }))],
      ONE_PREEMPTION,
      { spares: 2 },
    ),
    make(
      'death of the agent that closes a broadcast with marks',
      [
        close,
        publish(1, 2),
        (actor) => {
          reclaim(0)(actor);
          actor.stream.close();
        },
        stay,
      ],
      ONE_PREEMPTION,
      { left: 1 },
    ),
    make(
      'death of a subscription, then of its reclaimer',
      [read({ total: 2 }), publish(1, 2), reclaim(0), reclaim(2, 0)],
      { preemptions: 0 },
      { mayCrash: [0, 2], deaths: 2 },
    ),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'broadcast that waits', entry: ENTRY, cases: waitCases, mutants: WAIT_MUTANTS },
  { name: 'broadcast that waits, death', entry: ENTRY, cases: waitDeathCases, mutants: WAIT_DEATH_MUTANTS },
];
