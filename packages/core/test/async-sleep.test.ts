// Of the async waits of one agent in one line only the first sleeps, and one wake-up serves all that are due.

import { expect, onTestFinished, test, vi, type MockInstance } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { AsyncWait, AsyncWaits } from '../src/arena/async-waits.ts';
import { records } from '../src/arena/pool.ts';
import { Arena, Semaphore } from '../src/index.ts';
import { jsEngine } from '../src/js.ts';
import { AT, GATE, HEADER_ELEMENT_POOL, SEM } from '../src/kernel/layout.ts';
import { LINKED, PARKED } from '../src/kernel/states.ts';
import { turn } from './support/turn.ts';

const scenes = [
  ['wasm', 1],
  ['wasm', 256],
  ['js', 4],
] as const;

function scene(engine: 'wasm' | 'js', buckets: number): Semaphore {
  const arena = Arena.create({ maxPages: 64, policy: { buckets }, ...(engine === 'js' ? { engine: jsEngine } : {}) });
  return Semaphore.create(0, { arena });
}

/** The gates of the waiters, in line order. */
function gates({ arena, handle: { address } }: Semaphore): number[] {
  const { words } = contextOf(arena);
  return [...records(words, HEADER_ELEMENT_POOL)]
    .filter(({ record }) => words.get32(record + SEM) === address && [LINKED, PARKED].includes(words.load32(record + GATE)))
    .sort((one, other) => Number(words.get64(one.record + AT) - words.get64(other.record + AT)))
    .map(({ record }) => words.load32(record + GATE));
}

/** Only the first of so many waiters sleeps. */
function onlyFirstOf(waiters: number): number[] {
  return Array.from({ length: waiters }, (_, at) => (at === 0 ? PARKED : LINKED));
}

function spyOn(method: 'notify' | 'waitAsync'): MockInstance {
  const spy: MockInstance = vi.spyOn(Atomics, method);
  onTestFinished(() => spy.mockRestore());
  return spy;
}

test.each(scenes)('1,000 waits sleep once, and one wake-up lets all of them in, in order (%s, %i buckets)', async (engine, buckets) => {
  const sem = scene(engine, buckets);
  const [slept, woke] = [spyOn('waitAsync'), spyOn('notify')];
  const order: number[] = [];
  const waits = Array.from({ length: 1000 }, (_, at) => sem.acquireAsync().then(() => order.push(at)));
  expect(slept).toHaveBeenCalledTimes(1);
  expect(gates(sem)).toEqual(onlyFirstOf(1000));
  sem.release(1000);
  expect(woke).toHaveBeenCalledTimes(1);
  await Promise.all(waits);
  expect(slept).toHaveBeenCalledTimes(1);
  expect(order).toEqual(waits.map((_, at) => at));
});

test.each(scenes)('when the first is let in, the next one sleeps (%s, %i buckets)', async (engine, buckets) => {
  const sem = scene(engine, buckets);
  const waits = Array.from({ length: 9 }, () => sem.acquireAsync());
  for (const [at, wait] of waits.entries()) {
    expect(gates(sem)).toEqual(onlyFirstOf(9 - at));
    sem.release();
    await wait;
  }
  expect(sem.available).toBe(0);
});

test.each(scenes)('when the first is aborted, the next one sleeps in the same turn (%s, %i buckets)', async (engine, buckets) => {
  const sem = scene(engine, buckets);
  const signals = Array.from({ length: 9 }, () => new AbortController());
  const waits = signals.map(({ signal }) => sem.acquireAsync(1, { signal }).catch((reason: unknown) => reason));
  const last = sem.acquireAsync();
  for (const [at, controller] of signals.entries()) {
    controller.abort('enough');
    expect(gates(sem)).toEqual(onlyFirstOf(9 - at));
  }
  expect(await Promise.all(waits)).toEqual(signals.map(() => 'enough'));
  sem.release();
  await last;
  expect(sem.available).toBe(0);
});

test('when the first times out, the next one sleeps', async () => {
  const sem = scene('wasm', 16);
  const late = sem.acquireAsync(1, { timeout: 1 }).catch(() => 'late');
  const next = sem.acquireAsync();
  expect(await late).toBe('late');
  expect(gates(sem)).toEqual(onlyFirstOf(1));
  sem.release();
  await next;
});

test('a wait that is aborted in mid-line wakes no thread', async () => {
  const sem = scene('wasm', 16);
  const first = sem.acquireAsync();
  const controllers = Array.from({ length: 100 }, () => new AbortController());
  const waits = controllers.map(({ signal }) => sem.acquireAsync(1, { signal }).catch(() => 'left'));
  const last = sem.acquireAsync();
  const woke = spyOn('notify');
  for (const controller of controllers) controller.abort();
  expect(woke).not.toHaveBeenCalled();
  expect(await Promise.all(waits)).toEqual(waits.map(() => 'left'));
  expect(gates(sem)).toEqual(onlyFirstOf(2));
  sem.release(2);
  await Promise.all([first, last]);
  expect(sem.available).toBe(0);
});

test('a first wait for several permits that come one by one is let in before those behind it', async () => {
  const sem = scene('wasm', 4);
  const order: string[] = [];
  const waits = [sem.acquireAsync(3).then(() => order.push('three')), sem.acquireAsync().then(() => order.push('one')), sem.acquireAsync(2).then(() => order.push('two'))];
  for (let given = 0; given < 6; given++) {
    sem.release();
    await turn();
  }
  await Promise.all(waits);
  expect(order).toEqual(['three', 'one', 'two']);
});

test('a wait that gives up while those before it settle in later turns settles in its turn, and the next one sleeps', async () => {
  const sem = scene('wasm', 16);
  const controller = new AbortController();
  const granted = Array.from({ length: 1000 }, () => sem.acquireAsync(1, { signal: controller.signal }));
  const left = sem.acquireAsync(1, { signal: controller.signal }).catch(() => 'left');
  const last = sem.acquireAsync();
  sem.release(1000);
  await granted[0];
  controller.abort();
  await Promise.all(granted);
  expect(await left).toBe('left');
  await turn();
  expect(gates(sem)).toEqual(onlyFirstOf(1));
  sem.release();
  await last;
});

test('a close ends all waits of an agent by one wake-up', async () => {
  const sem = scene('wasm', 16);
  const waits = Array.from({ length: 1000 }, () => sem.acquireAsync().catch((failure: unknown) => (failure as { code: string }).code));
  const woke = spyOn('notify');
  sem.close();
  expect(woke).toHaveBeenCalledTimes(1);
  expect(await Promise.all(waits)).toEqual(waits.map(() => 'SLUICE_CLOSED'));
});

test('a first wait that cannot sleep fails, and the next one sleeps in its place', () => {
  const waits = new AsyncWaits();
  const events: string[] = [];
  class Wait extends AsyncWait {
    override readonly settle = (): boolean => false;
    override readonly sleep: () => boolean;
    override readonly fail = (): void => waits.delete(this);
    constructor(name: string) {
      super();
      this.sleep = () => {
        events.push(name);
        if (name === 'damaged') this.fail();
        return true;
      };
    }
  }
  for (const name of ['damaged', 'next', 'behind']) waits.add(new Wait(name), 0);
  waits.settle();
  expect(events).toEqual(['damaged', 'next']);
  expect(waits.size).toBe(2);
});
