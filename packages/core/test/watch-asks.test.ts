// Tests a watch on a Web Worker, which has no exit event. The watch probes all agents of the arena from time to time.

import { afterEach, expect, test, vi } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { join } from '../src/memory/lay-out-arena.ts';
import { ARMED_WAITS } from '../src/agent/liveness-probe.ts';
import { Arena, Semaphore, type ReclaimReport, type WebWorker } from '../src/index.ts';
import { AGENT_ARMED, AGENT_LIFE } from '../src/kernel/layout.ts';
import { ownTimers } from '../src/platform/own-timers.ts';
import { turn } from './support/turn.ts';
import { WatchedWorker } from './support/watched-worker.ts';

/** On a loaded machine a second is not enough. */
const PATIENCE = { timeout: 120_000 };

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

/** An object that a watch accepts as a Web Worker. */
const webWorker: WebWorker = { postMessage: () => undefined, terminate: () => undefined };

const ASK_MS = 50;
const MINUTE = 60_000;
/** The number of probes that an agent answers while its event loop does not run. */
const MAX_ANSWERS = 32;

async function start(sem: Semaphore): Promise<WatchedWorker> {
  const watched = await WatchedWorker.start(sem);
  workers.push(watched);
  return watched;
}

test('a watch recovers every dead agent that it finds, in any worker, and reports each to every watch', async () => {
  const arena = Arena.create({ maxPages: 8 });
  const sem = Semaphore.create(3, { arena });
  const told: number[][] = [[], []];
  const watches = told.map((agents) => arena.watch(webWorker, { onReclaim: ({ agent }) => agents.push(agent) }));
  const ended = [await start(sem), await start(sem)];
  const lives = await start(sem);
  expect(sem.available).toBe(0);
  await Promise.all(ended.map(({ worker }) => worker.terminate()));
  await vi.waitFor(() => expect(sem.available).toBe(2), PATIENCE);
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

test('a watch that begins during a report gets only later reports, and a stopped watch gets none', async () => {
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
  await vi.waitFor(() => expect(sem.available).toBe(1), PATIENCE);
  await turn();
  expect(told).toEqual(['first']);
  for (const watch of watches) watch.stop();
});

test('probing continues when one of two watches stops, and ends when both have stopped', () => {
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

/** Adds another agent of this thread that never runs its event loop. It answers one probe per pending wait. */
function joinSleeper(arena: Arena): { record: number; questions: () => number } {
  const { words, kernel, heap, parking } = contextOf(arena);
  const { agent } = join(words, kernel, heap);
  const waits = ARMED_WAITS;
  for (let wait = 0; wait < waits; wait++) void parking.waitAsync(agent + AGENT_LIFE, 0);
  words.store32(agent + AGENT_ARMED, waits);
  return { record: agent, questions: () => waits - words.load32(agent + AGENT_ARMED) };
}

test.each([1, 5])('a sleeping agent answers for ten minutes, with %i watch(es) on it', (count) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const arena = Arena.create({ maxPages: 8 });
  const { questions } = joinSleeper(arena);
  for (let watch = 0; watch < count; watch++) arena.watch(webWorker);
  vi.advanceTimersByTime(10 * MINUTE);
  expect(questions()).toBeGreaterThan(8);
  expect(questions()).toBeLessThan(MAX_ANSWERS);
});

test('an agent that does not run its event loop is probed at growing intervals', () => {
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
    // A probe happens at the next tick of 50 ms.
    expect(next - time).toBeLessThanOrEqual((time - first) / 2 + 2 * ASK_MS);
  }
});

test('an agent that runs its event loop is probed repeatedly', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const arena = Arena.create({ maxPages: 8 });
  const { words, parking } = contextOf(arena);
  const sleeper = joinSleeper(arena);
  arena.watch(webWorker);
  for (let round = 0; round < 40; round++) {
    // Allow twice the interval: by rounding, a tick may be slightly too early, and then the probe waits for the next
    // tick.
    vi.advanceTimersByTime(2 * ASK_MS);
    const questions = sleeper.questions();
    expect(questions).toBeGreaterThan(0);
    for (let wait = 0; wait < questions; wait++) void parking.waitAsync(sleeper.record + AGENT_LIFE, 0);
    words.add32(sleeper.record + AGENT_ARMED, questions);
    await turn();
  }
});

test('an error that onReclaim throws is uncaught, and every dead agent is recovered', async () => {
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
