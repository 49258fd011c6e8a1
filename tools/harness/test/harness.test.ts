import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Random, withWorkers } from '../src/index.ts';

const jobs = new URL('./jobs/sample.mjs', import.meta.url);

test('results() returns the results in the order in which the jobs were started', async () => {
  const results = await withWorkers({ jobs, seed: 1 }, async (group) => {
    group.start(3, 'double', (index) => index * 10);
    return group.results();
  });
  expect(results).toEqual([0, 21, 42]);
});

test('the same seed gives each worker the same random numbers, and no two workers the same', async () => {
  const run = () =>
    withWorkers({ jobs, seed: 7 }, async (group) => {
      group.start(2, 'draw', () => null);
      return group.results<number[]>();
    });
  const [first, second] = [await run(), await run()];
  expect(first).toEqual(second);
  expect(first[0]).not.toEqual(first[1]);
});

test('until() waits until the word shows a parked worker, and a woken worker finishes', async () => {
  const words = new Int32Array(new SharedArrayBuffer(8));
  await withWorkers({ jobs, seed: 1 }, async (group) => {
    group.start(2, 'sleep', () => words.buffer);
    await group.until('both sleep', () => Atomics.load(words, 1) === 2);
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
    expect(await group.results()).toEqual(['woken', 'woken']);
  });
});

test('a job that throws fails the group with the job’s stack', async () => {
  const group = withWorkers({ jobs, seed: 1 }, async (group) => {
    group.start(1, 'explode', () => null);
    await group.until('never', () => false);
  });
  await expect(group).rejects.toThrow(/Worker 0 \(explode\) failed: RangeError: boom[^]*sample\.mjs/);
});

test('a worker that ends before its job is done fails the group', async () => {
  const group = withWorkers({ jobs, seed: 1 }, async (group) => {
    group.start(1, 'leave', () => null);
    await group.results();
  });
  await expect(group).rejects.toThrow('Worker 0 (leave) ended with exit code 3 before it was done');
});

test('the error for a missing job lists the jobs of the module', async () => {
  const group = withWorkers({ jobs, seed: 1 }, async (group) => {
    group.start(1, 'nothing', () => null);
    await group.results();
  });
  await expect(group).rejects.toThrow(/has no job nothing, only double, draw, explode/);
});

test('the watchdog names what was awaited, the workers that are not done, the seed and the dump, and ends sleeping workers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const words = new Int32Array(new SharedArrayBuffer(8));
  const group = withWorkers({ jobs, seed: 5, watchdogMs: 300, dump: () => ({ waiting: 1 }) }, async (group) => {
    for (const { worker } of group.start(1, 'sleep', () => words.buffer)) await once(worker, 'message');
    const miracle = group.until('a miracle', () => false);
    vi.advanceTimersByTime(300);
    await miracle;
  });
  await expect(group).rejects.toThrow(
    /after 300 ms still waiting for a miracle \(seed 5\)[^]*1 of 1 workers[^]*"going to sleep"[^]*waiting: 1/,
  );
});

test('random numbers stay within their bounds and include both ends', () => {
  const random = new Random(3);
  const drawn = Array.from({ length: 1000 }, () => random.between(2, 5));
  expect([...new Set(drawn)].sort()).toEqual([2, 3, 4, 5]);
  expect(Array.from({ length: 100 }, () => random.chance(0))).not.toContain(true);
  expect(Array.from({ length: 100 }, () => random.chance(100))).not.toContain(false);
});
