// Scenarios of the wake-up message: the pool's thread sleeps until a message, and workers put results in.
//
// The buffer is a count of results. A word counts the messages to the pool's thread. A thread of its own stands for the
// exit event of a worker, for which the pool looks for results, too.

import type { Context, Scenario } from '@sluice/model';
import type { Case, Model } from '../../../core/test/model/case.ts';
import type { WakeMessage } from '../../src/shared/wake-message.ts';
import type { PoolCore } from './claim-cases.ts';
import { WAKE_MESSAGE_MUTANTS } from './mutants.ts';

const RESULTS = 0;
const ASLEEP = 4;
const MESSAGES = 8;
const BYTES = 16;

export function wakeMessageCases({ WakeMessage: Source }: PoolCore): readonly Case[] {
  const wakeMessageOf = ({ words }: Context): WakeMessage => new Source(words, ASLEEP);

  const post = ({ words, parking }: Context): void => {
    words.add32(MESSAGES, 1);
    parking.notify(MESSAGES, 1);
  };

  /** Receives results forever. */
  const pool = (ctx: Context): void => {
    const { words, parking } = ctx;
    for (let received = 0; ; ) {
      for (let seen = words.load32(RESULTS); seen > 0; seen = words.load32(RESULTS))
        words.cas32(RESULTS, seen, seen - 1);
      wakeMessageOf(ctx).setAsleep();
      if (words.load32(RESULTS) > 0) continue;
      parking.wait(MESSAGES, received, false);
      received = words.load32(MESSAGES);
    }
  };

  /** Receives results forever. While it may sleep, it decides up to `times` to stay awake, and looks once then. */
  const wakefulPool =
    (times: number) =>
    (ctx: Context): void => {
      const { words, parking } = ctx;
      let left = times;
      for (let received = 0; ; ) {
        for (let seen = words.load32(RESULTS); seen > 0; seen = words.load32(RESULTS))
          words.cas32(RESULTS, seen, seen - 1);
        wakeMessageOf(ctx).setAsleep();
        if (words.load32(RESULTS) > 0) continue;
        ctx.step('before it may stay awake');
        if (left > 0) {
          left -= 1;
          if (wakeMessageOf(ctx).stayAwake()) {
            ctx.step('before it looks in the next turn');
            continue;
          }
        }
        parking.wait(MESSAGES, received, false);
        received = words.load32(MESSAGES);
      }
    };

  const worker =
    (results: number) =>
    (ctx: Context): void => {
      for (let n = 0; n < results; n++) {
        ctx.step('before it puts a result in');
        ctx.words.add32(RESULTS, 1);
        ctx.step('before it rings');
        if (!wakeMessageOf(ctx).claim()) continue;
        ctx.step('before it sends the message');
        post(ctx);
      }
    };

  const exitOf =
    (agent: number) =>
    (ctx: Context): void => {
      ctx.waitForDeath(agent);
      post(ctx);
    };

  const scenario = (name: string, results: number, mayCrash?: readonly number[], body = pool): Scenario => ({
    name,
    bytes: BYTES,
    agents: [
      { name: 'pool', body },
      { name: 'worker 1', body: worker(results) },
      { name: 'worker 2', body: worker(1) },
      ...(mayCrash === undefined ? [] : [{ name: 'the end of worker 1', body: exitOf(1) }]),
    ],
    stuck: (words) => (words.load32(RESULTS) === 0 ? undefined : 'a result remains while the pool sleeps'),
    ...(mayCrash === undefined ? {} : { mayCrash, deaths: 1 }),
  });

  return [
    {
      scenario: scenario('two workers put three results in while the pool falls asleep', 2),
      options: { preemptions: 4 },
    },
    { scenario: scenario('a worker dies between its result and its message', 1, [1]), options: { preemptions: 4 } },
    {
      scenario: scenario(
        'the pool stays awake twice while two workers put two results in',
        1,
        undefined,
        wakefulPool(2),
      ),
      options: { preemptions: 4 },
    },
    {
      scenario: scenario('a worker dies while the pool decides to stay awake', 1, [1], wakefulPool(1)),
      options: { preemptions: 4 },
    },
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'wake message',
    entry: new URL('entry.ts', import.meta.url),
    cases: wakeMessageCases,
    mutants: WAKE_MESSAGE_MUTANTS,
  },
];
