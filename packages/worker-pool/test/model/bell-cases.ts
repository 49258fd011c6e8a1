// Workers that run tasks and may run one more, each asleep at the bell while the buffer is empty.
//
// The buffer is a count of tasks that a worker takes by a compare-and-swap. A worker's sleep blocks it: an explorer's agent has no event loop.

import type { Context, Scenario } from '@sluice/model';
import type { Case } from '../../../core/test/model/semaphore-cases.ts';
import type { Bell } from '../../src/bell.ts';
import type { Post } from '../../src/post.ts';
import type { PoolCore } from './claim-cases.ts';

const RINGS = 0;
const TASKS = 4;
const POST = 8;
const BYTES = 32;

export function bellCases({ Bell: Source, Post: PostSource }: PoolCore): readonly Case[] {
  const bellOf = ({ words, parking }: Context): Bell => {
    const waitAsync = (address: number, expected: number): Promise<unknown> | undefined =>
      parking.wait(address, expected, false) === 'not-equal' ? undefined : Promise.resolve();
    return new Source(words, { wait: () => 'ok', waitAsync, notify: (address, count) => parking.notify(address, count) }, RINGS);
  };

  const pool =
    (tasks: number) =>
    (ctx: Context): void => {
      for (let n = 0; n < tasks; n++) {
        ctx.words.add32(TASKS, 1);
        bellOf(ctx).ring();
      }
    };

  const take = ({ words }: Context): boolean => {
    for (let seen = words.load32(TASKS); seen > 0; seen = words.load32(TASKS)) if (words.cas32(TASKS, seen, seen - 1) === seen) return true;
    return false;
  };

  /** Takes one task. */
  const worker = (ctx: Context): void => {
    const bell = bellOf(ctx);
    for (;;) {
      const { rings } = bell;
      if (take(ctx)) return;
      void bell.sleep(rings);
    }
  };

  const postOf = (ctx: Context): Post => new PostSource(ctx.words, POST, bellOf(ctx));
  const tasksOf = ({ words }: Context): { readonly length: number } => ({
    get length() {
      return words.load32(TASKS);
    },
  });

  const poolWithPost =
    (tasks: number) =>
    (ctx: Context): void => {
      for (let n = 0; n < tasks; n++) {
        ctx.words.add32(TASKS, 1);
        // The line of the buffer.
        ctx.parking.notify(TASKS, 1);
        postOf(ctx).announce(tasksOf(ctx));
      }
    };

  /** Takes one task, from the post or from the bell, and then computes for ever. */
  const workerWithPost = (ctx: Context): void => {
    const bell = bellOf(ctx);
    for (;;) {
      const { rings } = bell;
      if (take(ctx)) return;
      if (!postOf(ctx).take(ctx.index)) {
        void bell.sleep(rings);
        continue;
      }
      while (!take(ctx)) ctx.parking.wait(TASKS, 0, false);
      postOf(ctx).leave(ctx.index, tasksOf(ctx));
      return;
    }
  };

  const postScenario = (name: string, tasks: number): Scenario => ({
    name,
    bytes: BYTES,
    agents: [poolWithPost(tasks), workerWithPost, workerWithPost].map((body, n) => ({ name: n === 0 ? 'pool' : `worker ${n}`, body })),
    final: (words) => (words.load32(TASKS) === 0 ? undefined : 'a task is left'),
  });

  const scenario = (name: string, workers: number): Scenario => ({
    name,
    bytes: BYTES,
    agents: [pool(workers), ...Array.from({ length: workers }, () => worker)].map((body, n) => ({ name: n === 0 ? 'pool' : `worker ${n}`, body })),
    final: (words) => (words.load32(TASKS) === 0 ? undefined : 'a task is left'),
  });

  return [
    { scenario: scenario('a worker sleeps while the pool puts a task in', 1), options: {} },
    { scenario: scenario('two workers sleep while the pool puts two tasks in', 2), options: {} },
    { scenario: postScenario('one of two workers has the post while the pool puts two tasks in', 2), options: { preemptions: 3 } },
  ];
}
