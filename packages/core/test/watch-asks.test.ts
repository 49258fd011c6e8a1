// A watch on a Web Worker, which has no exit event: the watch asks all agents of the arena from time to time.

import { afterEach, expect, test, vi } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { join } from '../src/memory/found.ts';
import { ARMED_WAITS } from '../src/agent/life.ts';
import { Arena, Semaphore, type ReclaimReport, type WebWorker } from '../src/index.ts';
import { AGENT_ARMED, AGENT_LIFE } from '../src/kernel/layout.ts';
import { ownTimers } from '../src/platform/own-timers.ts';
import { turn } from './support/turn.ts';
import { WatchedWorker } from './support/watched-worker.ts';

// Fake timers do not reach the probes by themselves.
Object.assign(ownTimers, {
  after: (run: () => void, ms: number) => setTimeout(run, ms),
  cancel: (timer: unknown) => clearTimeout(timer as number),
});

const workers: WatchedWorker[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(workers.splice(0).map(({ worker }) => worker.terminate()));
});

/** All that a watch knows of a Web Worker is that it is one. */
const webWorker: WebWorker = { postMessage: () => undefined, terminate: () => undefined };

const ASK_MS = 50;
const MINUTE = 60_000;
/** An agent answers so often while its event loop stands still. */
const MOST_ANSWERS = 32;

async function start(sem: Semaphore): Promise<WatchedWorker> {
  const watched = await WatchedWorker.start(sem);
  workers.push(watched);
  return watched;
}

test('it recovers agents that it finds dead, whichever worker they were in, and reports each to every watch', async () => {
  const arena = Arena.create({ maxPages: 8 });
  const sem = Semaphore.create(3, { arena });
  const told: number[][] = [[], []];
  const watches = told.map((agents) => arena.watch(webWorker, { onReclaim: ({ agent }) => agents.push(agent) }));
  const ended = [await start(sem), await start(sem)];
  const lives = await start(sem);
  expect(sem.available).toBe(0);
  await Promise.all(ended.map(({ worker }) => worker.terminate()));
  await vi.waitFor(() => expect(sem.available).toBe(2));
  const agents = ended.map(({ agent }) => agent).sort();
  expect(told.map((each) => [...each].sort())).toEqual([agents, agents]);
  expect(
    arena
      .inspect()
      .agents.map(({ agent }) => agent)
      .sort(),
  ).toEqual([arena.agentId, lives.agent].sort());
  for (const watch of watches) watch.stop();
});

test('a watch that begins while a report is handed out gets only later reports, and one that ends gets none', async () => {
  const arena = Arena.create({ maxPages: 8 });
  const sem = Semaphore.create(1, { arena });
  const told: string[] = [];
  const watches = [arena.watch(webWorker, { onReclaim: () => begin('first') })];
  function begin(name: string): void {
    told.push(name);
    watches[1]?.stop();
    // A worker that replaces the dead one.
    if (told.length < 5) watches.push(arena.watch(webWorker, { onReclaim: () => begin('later') }));
  }
  watches.push(arena.watch(webWorker, { onReclaim: () => told.push('ended') }));
  await (await start(sem)).worker.terminate();
  await vi.waitFor(() => expect(sem.available).toBe(1));
  await turn();
  expect(told).toEqual(['first']);
  for (const watch of watches) watch.stop();
});

test('probing goes on when one of two watches ends, and stops when both have ended', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const arena = Arena.create({ maxPages: 8 });
  const { questions } = joinSleeper(arena);
  const watches = [arena.watch(webWorker), arena.watch(webWorker)];
  vi.advanceTimersByTime(ASK_MS);
  expect(questions()).toBe(1);
  watches[0]?.stop();
  vi.advanceTimersByTime(20 * ASK_MS);
  const asked = questions();
  expect(asked).toBeGreaterThan(1);
  watches[1]?.stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(MINUTE);
  expect(questions()).toBe(asked);
  arena.watch(webWorker);
  vi.advanceTimersByTime(MINUTE);
  expect(questions()).toBeGreaterThan(asked);
});

/** Another agent of this thread that never turns its event loop: it answers as often as it has waits pending. */
function joinSleeper(arena: Arena): { record: number; questions: () => number } {
  const { words, kernel, heap, parking } = contextOf(arena);
  const { agent } = join(words, kernel, heap);
  const waits = ARMED_WAITS;
  for (let wait = 0; wait < waits; wait++) void parking.waitAsync(agent + AGENT_LIFE, 0);
  words.store32(agent + AGENT_ARMED, waits);
  return { record: agent, questions: () => waits - words.load32(agent + AGENT_ARMED) };
}

test.each([1, 5])('an agent that sleeps answers for ten minutes, with %i watch(es) on it', (count) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const arena = Arena.create({ maxPages: 8 });
  const { questions } = joinSleeper(arena);
  for (let watch = 0; watch < count; watch++) arena.watch(webWorker);
  vi.advanceTimersByTime(10 * MINUTE);
  expect(questions()).toBeGreaterThan(8);
  expect(questions()).toBeLessThan(MOST_ANSWERS);
});

test('an agent that stands still is asked again before half as long has passed as since the first question', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const arena = Arena.create({ maxPages: 8 });
  const { questions } = joinSleeper(arena);
  arena.watch(webWorker);
  const asked: number[] = [];
  for (let now = ASK_MS; now <= MINUTE; now += ASK_MS) {
    vi.advanceTimersByTime(ASK_MS);
    if (questions() > asked.length) asked.push(now);
  }
  const [first = 0, ...others] = asked.slice(0, -1);
  expect(others.length).toBeGreaterThan(10);
  for (const [index, time] of others.entries()) {
    const next = asked[index + 2] ?? 0;
    // A question comes with the next tick of 50 ms.
    expect(next - time).toBeLessThanOrEqual((time - first) / 2 + 2 * ASK_MS);
  }
});

test('an agent that turns its event loop is asked again and again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const arena = Arena.create({ maxPages: 8 });
  const { words, parking } = contextOf(arena);
  const sleeper = joinSleeper(arena);
  arena.watch(webWorker);
  for (let round = 0; round < 40; round++) {
    // Twice its gap: rounding may make it come a moment too early, and then it waits for the next time.
    vi.advanceTimersByTime(2 * ASK_MS);
    const questions = sleeper.questions();
    expect(questions).toBeGreaterThan(0);
    for (let wait = 0; wait < questions; wait++) void parking.waitAsync(sleeper.record + AGENT_LIFE, 0);
    words.add32(sleeper.record + AGENT_ARMED, questions);
    await turn();
  }
});

test('an error that a watch throws is an uncaught one, and every dead agent is recovered', async () => {
  const arena = Arena.create({ maxPages: 8 });
  const sem = Semaphore.create(2, { arena });
  const ended = [await start(sem), await start(sem)];
  await Promise.all(ended.map(({ worker }) => worker.terminate()));
  const thrown: unknown[] = [];
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => void thrown.push(error));
  try {
    const onReclaim = ({ agent }: ReclaimReport): void => {
      throw new Error(`told of ${agent}`);
    };
    const watch = arena.watch(webWorker, { onReclaim });
    while (thrown.length < 2) await turn();
    watch.stop();
    expect(thrown.map((error) => (error as Error).message).sort()).toEqual(
      ended.map(({ agent }) => `told of ${agent}`).sort(),
    );
    expect(sem.available).toBe(2);
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of others) process.on('uncaughtException', listener);
  }
});
