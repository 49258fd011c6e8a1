// Scenarios of workers that run tasks and may run one more. Each sleeps on the event count while the buffer is empty.
//
// The buffer is a count of tasks that a worker takes by a compare-and-swap. A worker's sleep blocks it: an explorer's
// agent has no event loop.

import type { Context, Scenario } from '@sluice/model';
import type { Case, Model } from '../../../core/test/model/case.ts';
import type { PoolEventCount } from '../../src/shared/event-count.ts';
import type { Leadership } from '../../src/shared/leadership.ts';
import type { PoolCore } from './claim-cases.ts';
import { EVENT_COUNT_MUTANTS } from './mutants.ts';

const NOTIFICATIONS = 0;
const TASKS = 4;
const LEADER = 8;
/** By worker: how many messages it got. */
const MESSAGES = 12;
const CLOSED = 28;
const WORD = 4;
const BYTES = 32;

export function eventCountCases({ PoolEventCount: Source, Leadership: LeadershipSource }: PoolCore): readonly Case[] {
  const eventCountOf = ({ words, parking }: Context): PoolEventCount => {
    const waitAsync = (address: number, expected: number): Promise<unknown> | undefined =>
      parking.wait(address, expected, false) === 'not-equal' ? undefined : Promise.resolve();
    return new Source(
      words,
      { wait: () => 'ok', waitAsync, notify: (address, count) => parking.notify(address, count) },
      NOTIFICATIONS,
    );
  };

  const pool =
    (tasks: number) =>
    (ctx: Context): void => {
      for (let n = 0; n < tasks; n++) {
        ctx.words.add32(TASKS, 1);
        eventCountOf(ctx).notify();
      }
    };

  const take = ({ words }: Context): boolean => {
    for (let seen = words.load32(TASKS); seen > 0; seen = words.load32(TASKS))
      if (words.cas32(TASKS, seen, seen - 1) === seen) return true;
    return false;
  };

  /** Takes one task. */
  const worker = (ctx: Context): void => {
    const eventCount = eventCountOf(ctx);
    for (;;) {
      const { notifications } = eventCount;
      if (take(ctx)) return;
      void eventCount.waitAsync(notifications);
    }
  };

  const leadershipOf = (ctx: Context): Leadership => new LeadershipSource(ctx.words, LEADER, eventCountOf(ctx));
  const tasksOf = ({ words }: Context): { readonly length: number } => ({
    get length() {
      return words.load32(TASKS);
    },
  });

  const poolWithLeader =
    (tasks: number) =>
    (ctx: Context): void => {
      for (let n = 0; n < tasks; n++) {
        ctx.words.add32(TASKS, 1);
        const sleeper = leadershipOf(ctx).announce(tasksOf(ctx));
        // A leader that blocks its thread sleeps in the line of the buffer, for which this stands.
        ctx.parking.notify(TASKS, 1);
        if (sleeper !== 0) post(ctx, sleeper);
      }
    };

  /** Takes one task, as the leader or after a notification, and then computes forever. */
  const workerWithLeader = (ctx: Context): void => {
    const eventCount = eventCountOf(ctx);
    for (;;) {
      const { notifications } = eventCount;
      if (take(ctx)) return;
      if (!leadershipOf(ctx).tryTake(ctx.index)) {
        void eventCount.waitAsync(notifications);
        continue;
      }
      while (!take(ctx)) ctx.parking.wait(TASKS, 0, false);
      leadershipOf(ctx).resign(ctx.index, tasksOf(ctx));
      return;
    }
  };

  /** Takes one task. As the leader, it sleeps until a message. `isImpatient`: it may look for a task without one, once. */
  const workerWithMessages =
    (isImpatient = false) =>
    (ctx: Context): void => {
      const { words, index, parking } = ctx;
      const eventCount = eventCountOf(ctx);
      const leadership = leadershipOf(ctx);
      const inbox = MESSAGES + index * WORD;
      let patience = isImpatient ? 1 : 0;
      for (let received = 0; ; ) {
        const { notifications } = eventCount;
        if (take(ctx)) break;
        if (!leadership.tryTake(index)) {
          void eventCount.waitAsync(notifications);
          continue;
        }
        leadership.fallAsleep(index);
        if (words.load32(TASKS) > 0) continue;
        if (patience > 0 && ctx.choose(2, 'timeout') === 1) {
          patience -= 1;
          continue;
        }
        parking.wait(inbox, received, false);
        received = words.load32(inbox);
      }
      leadership.resign(index, tasksOf(ctx));
    };

  const post = ({ words, parking }: Context, worker: number): void => {
    words.add32(MESSAGES + worker * WORD, 1);
    parking.notify(MESSAGES + worker * WORD, 1);
  };

  const poolThatCloses = (ctx: Context): void => {
    ctx.words.store32(CLOSED, 1);
    eventCountOf(ctx).notifyAll();
    const sleeper = leadershipOf(ctx).wake();
    if (sleeper !== 0) post(ctx, sleeper);
  };

  /** Waits until the buffer is closed. */
  const workerUntilClose = (ctx: Context): void => {
    const { words, index, parking } = ctx;
    const eventCount = eventCountOf(ctx);
    const leadership = leadershipOf(ctx);
    const inbox = MESSAGES + index * WORD;
    for (let received = 0; ; ) {
      const { notifications } = eventCount;
      if (words.load32(CLOSED) === 1) break;
      if (!leadership.tryTake(index)) {
        void eventCount.waitAsync(notifications);
        continue;
      }
      leadership.fallAsleep(index);
      if (words.load32(CLOSED) === 1) break;
      parking.wait(inbox, received, false);
      received = words.load32(inbox);
    }
    leadership.resign(index, tasksOf(ctx));
  };

  const leaderScenario = (name: string, tasks: number, work: (ctx: Context) => void = workerWithLeader): Scenario => ({
    name,
    bytes: BYTES,
    agents: [poolWithLeader(tasks), work, work].map((body, n) => ({
      name: n === 0 ? 'pool' : `worker ${n}`,
      body,
    })),
    final: (words) => (words.load32(TASKS) === 0 ? undefined : 'a task remains in the buffer'),
  });

  const scenario = (name: string, workers: number): Scenario => ({
    name,
    bytes: BYTES,
    agents: [pool(workers), ...Array.from({ length: workers }, () => worker)].map((body, n) => ({
      name: n === 0 ? 'pool' : `worker ${n}`,
      body,
    })),
    final: (words) => (words.load32(TASKS) === 0 ? undefined : 'a task remains in the buffer'),
  });

  return [
    { scenario: scenario('a worker sleeps while the pool queues a task', 1), options: {} },
    { scenario: scenario('two workers sleep while the pool queues two tasks', 2), options: {} },
    {
      scenario: leaderScenario('one of two workers is the leader while the pool queues two tasks', 2),
      options: { preemptions: 3 },
    },
    {
      scenario: leaderScenario(
        'a leader sleeps until a message while the pool queues two tasks',
        2,
        workerWithMessages(),
      ),
      options: { preemptions: 3 },
    },
    {
      scenario: leaderScenario('a sleeping leader looks without a message', 2, workerWithMessages(true)),
      options: { preemptions: 2 },
    },
    {
      scenario: {
        name: 'the pool closes the buffer while a leader falls asleep',
        bytes: BYTES,
        agents: [
          { name: 'pool', body: poolThatCloses },
          { name: 'worker 1', body: workerUntilClose },
          { name: 'worker 2', body: workerUntilClose },
        ],
      },
      options: {},
    },
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'event count',
    entry: new URL('entry.ts', import.meta.url),
    cases: eventCountCases,
    mutants: EVENT_COUNT_MUTANTS,
  },
];
