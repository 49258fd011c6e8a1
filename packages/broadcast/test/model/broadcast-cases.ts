// Cases of the broadcast. Each is small enough for a complete search, or for a complete search within a bound on
// preemptions.

import type { Options } from '@sluice/model';
import { reclaim, sleepOn } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { both, close, follow, join, leave, look, publish, sleep, tryNext, waitOrAbort } from './broadcast-bodies.ts';
import { broadcastCase, type BroadcastBody, type BroadcastCore, type BroadcastPlan } from './broadcast-world.ts';
import { DEATH_MUTANTS, MUTANTS } from './mutants.ts';

const ALL: Options = {};
const THREE_PREEMPTIONS: Options = { preemptions: 3 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const ONE_PREEMPTION: Options = { preemptions: 1 };
const NO_PREEMPTION: Options = { preemptions: 0 };
const LOCAL: Options = { preemptions: 1, scheduleLocal: true };

/** Words at which a half is about to wrap: of the word itself, and of the position. */
const EDGES = [2n ** 31n - 2n, 2n ** 32n - 2n, 2n ** 33n - 2n, 2n ** 63n - 2n];

export function broadcastCases(core: BroadcastCore): Case[] {
  const make = (name: string, bodies: readonly BroadcastBody[], options: Options, plan: BroadcastPlan = {}): Case =>
    broadcastCase(core, name, bodies, options, plan);
  return [
    make('one value, one subscriber', [both(publish(1), close), follow(1)], ALL, { publishers: [0], followers: [1] }),
    make('two values, one subscriber', [both(publish(1, 2), close), follow(2)], THREE_PREEMPTIONS, {
      publishers: [0],
      followers: [1],
    }),
    make('four values, one subscriber that may lag', [both(publish(1, 2, 3, 4), close), follow(4)], TWO_PREEMPTIONS, {
      publishers: [0],
      followers: [1],
    }),
    make('three values in a ring of one', [both(publish(1, 2, 3), close), follow(3)], TWO_PREEMPTIONS, {
      capacity: 1,
      publishers: [0],
      followers: [1],
    }),
    make('one value, two subscribers', [both(publish(1), close), follow(1), follow(1)], ONE_PREEMPTION, {
      publishers: [0],
      followers: [1, 2],
    }),
    make('a subscriber begins while values are published', [both(publish(1, 2), close), join(2)], THREE_PREEMPTIONS, {
      publishers: [0],
    }),
    make('two publishers', [publish(1), publish(2)], ALL, { spares: 2, publishers: [0, 1] }),
    make('two publishers of two values', [publish(1, 2), publish(3, 4)], THREE_PREEMPTIONS, {
      spares: 2,
      publishers: [0, 1],
    }),
    make('two publishers and a reader, a ring of one', [publish(1), publish(2, 3), look(1)], THREE_PREEMPTIONS, {
      capacity: 1,
      spares: 2,
      publishers: [0, 1],
    }),
    make(
      'two publishers and a reader of one value, a ring of one',
      [publish(1), publish(2), look(1)],
      THREE_PREEMPTIONS,
      { capacity: 1, spares: 2, word: 2n },
    ),
    make('two publishers and a sleeper', [publish(1), publish(2), sleep], TWO_PREEMPTIONS, {
      spares: 2,
      publishers: [0, 1],
      asleep: [2],
    }),
    make('publish() races close(), with a subscriber', [publish(1), close, follow()], TWO_PREEMPTIONS, {
      publishers: [0],
      followers: [2],
    }),
    make('two publishers of two values, a ring of one', [publish(1, 2), publish(3, 4)], TWO_PREEMPTIONS, {
      capacity: 1,
      spares: 2,
      publishers: [0, 1],
    }),
    make('two publishers race close(), with a sleeper', [publish(1), publish(2), close, sleep], TWO_PREEMPTIONS, {
      spares: 2,
      publishers: [0, 1],
      asleep: [3],
    }),
    make('two publishers race close()', [publish(1), publish(2), close], TWO_PREEMPTIONS, {
      spares: 2,
      publishers: [0, 1],
    }),
    make('two calls of close() race, with a sleeper', [close, close, sleep], ALL, { asleep: [2] }),
    make('close() while one of two sleepers cancels', [close, sleep, leave], TWO_PREEMPTIONS, { asleep: [1, 2] }),
    make('a subscriber may time out', [publish(1), tryNext(2)], ALL),
    make('a waiter may be aborted', [publish(1), waitOrAbort], ALL),
    make('one of two sleepers cancels', [publish(1), sleep, leave], TWO_PREEMPTIONS, { asleep: [1, 2] }),
    make('both of two sleepers cancel', [publish(1), leave, leave], TWO_PREEMPTIONS, { asleep: [1, 2] }),
    make('a sleeper cancels while a value is published, every word watched', [publish(1), leave, sleep], LOCAL, {
      asleep: [1, 2],
    }),
    make('two buckets', [publish(1), leave, sleep], TWO_PREEMPTIONS, { asleep: [1, 2], buckets: 4 }),
    make('two buckets, from the second value', [publish(1), sleep], ALL, { asleep: [1], buckets: 4, word: 2n }),
    ...EDGES.map((word) =>
      make(`the word starts at ${word}`, [both(publish(1, 2), close), sleep, tryNext(1)], ONE_PREEMPTION, {
        word,
        asleep: [1],
        publishers: [0],
      }),
    ),
  ];
}

const glance: BroadcastBody = tryNext(1);
/** Publishes after a death, as another agent. */
const rescue: BroadcastBody = (actor) => {
  reclaim(0)(actor);
  actor.stream.publish(9);
};
const endAfter: BroadcastBody = (actor) => {
  reclaim(0)(actor);
  actor.stream.close();
};
const wakes: BroadcastBody = (actor) => void sleepOn(actor, 0);

export function broadcastDeathCases(core: BroadcastCore): Case[] {
  const make = (name: string, bodies: readonly BroadcastBody[], options: Options, plan: BroadcastPlan = {}): Case =>
    broadcastCase(core, name, bodies, options, { mayCrash: [0], ...plan });
  return [
    make('death of a publisher', [publish(1), reclaim(0)], ALL),
    make('death of a publisher while another agent reads', [publish(1), look(1), reclaim(0)], ONE_PREEMPTION),
    make('death of a publisher while another publishes', [publish(1), rescue], ALL),
    make('death of a publisher while another agent sleeps', [publish(1), wakes, rescue], ONE_PREEMPTION, {
      asleep: [1],
    }),
    make('death of a publisher at a closed broadcast', [both(close, publish(1)), reclaim(0)], ALL),
    make('death of the agent that closes', [close, wakes, endAfter], ONE_PREEMPTION, { asleep: [1] }),
    make('death of a sleeper', [wakes, publish(1), reclaim(0)], TWO_PREEMPTIONS, { asleep: [0] }),
    make('death of one of two sleepers', [wakes, wakes, publish(1), reclaim(0)], NO_PREEMPTION, {
      asleep: [0, 1],
    }),
    make('death of a subscriber that may time out', [glance, publish(1), reclaim(0)], TWO_PREEMPTIONS),
    make('death of a sleeper that cancels', [leave, glance, reclaim(0)], ONE_PREEMPTION, { asleep: [0] }),
    make(
      'death of a publisher, then of its reclaimer',
      [
        publish(1),
        wakes,
        reclaim(0),
        (actor) => {
          reclaim(2, 0)(actor);
          actor.stream.publish(9);
        },
      ],
      NO_PREEMPTION,
      { asleep: [1], mayCrash: [0, 2], deaths: 2 },
    ),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'broadcast', entry: ENTRY, cases: broadcastCases, mutants: MUTANTS },
  { name: 'broadcast death', entry: ENTRY, cases: broadcastDeathCases, mutants: DEATH_MUTANTS },
];
