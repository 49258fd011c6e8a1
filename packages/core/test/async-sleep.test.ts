// Only the first async wait of an agent in a line sleeps. One wake-up settles all waits that are due. The waits behind
// the first are in no chain.

import { scale, Session } from '@sluice/harness';
import { expect, onTestFinished, test, vi, type MockInstance } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { AsyncWait, AsyncWaits } from '../src/agent/async-waits.ts';
import { records } from '../src/memory/records.ts';
import { Arena, Semaphore } from '../src/index.ts';
import { jsEngine } from '../src/js.ts';
import { DRAWN, GATE, HEADER_ELEMENT_POOL, LINE } from '../src/kernel/layout.ts';
import { LINKED, PARKED, QUEUED } from '../src/kernel/states.ts';
import { openAs, secondAgent } from './support/second-agent.ts';
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

/** The gates of the agent's waiters, in line order. */
function gates({ arena, handle: { address } }: Semaphore, agent?: Semaphore): number[] {
  const { words } = contextOf(arena);
  const id = contextOf(agent?.arena ?? arena).id;
  return [...records(words, HEADER_ELEMENT_POOL)]
    .filter(
      ({ record, owner }) =>
        owner === id &&
        words.get32(record + LINE) === address &&
        [QUEUED, LINKED, PARKED].includes(words.load32(record + GATE)),
    )
    .sort((one, other) => Number(words.get64(one.record + DRAWN) - words.get64(other.record + DRAWN)))
    .map(({ record }) => words.load32(record + GATE));
}

/** Expects that `waiting` waiters are in line and only the first of them sleeps. */
function onlyFirstOf(waiters: number): number[] {
  return Array.from({ length: waiters }, (_, at) => (at === 0 ? PARKED : QUEUED));
}

function spyOn(method: 'notify' | 'waitAsync'): MockInstance {
  const spy: MockInstance = vi.spyOn(Atomics, method);
  onTestFinished(() => spy.mockRestore());
  return spy;
}

test.each(scenes)(
  'only the first of 1,000 waits of an agent sleeps, and one wake-up settles all of them in order (%s, %i buckets)',
  async (engine, buckets) => {
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
  },
);

test.each(scenes)('when the first wait settles, the next wait sleeps (%s, %i buckets)', async (engine, buckets) => {
  const sem = scene(engine, buckets);
  const waits = Array.from({ length: 9 }, () => sem.acquireAsync());
  for (const [at, wait] of waits.entries()) {
    expect(gates(sem)).toEqual(onlyFirstOf(9 - at));
    sem.release();
    await wait;
  }
  expect(sem.available).toBe(0);
});

test.each(scenes)(
  'when the first wait is aborted, the next wait sleeps in the same turn of the event loop (%s, %i buckets)',
  async (engine, buckets) => {
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
  },
);

test('when the first wait times out, the next wait sleeps', async () => {
  const sem = scene('wasm', 16);
  const late = sem.acquireAsync(1, { timeout: 1 }).catch(() => 'late');
  const next = sem.acquireAsync();
  expect(await late).toBe('late');
  expect(gates(sem)).toEqual(onlyFirstOf(1));
  sem.release();
  await next;
});

test('aborting a wait in mid-line wakes no thread', async () => {
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

test('a first wait for several permits settles before the waits behind it, even if its permits come one by one', async () => {
  const sem = scene('wasm', 4);
  const order: string[] = [];
  const waits = [
    sem.acquireAsync(3).then(() => order.push('three')),
    sem.acquireAsync().then(() => order.push('one')),
    sem.acquireAsync(2).then(() => order.push('two')),
  ];
  for (let given = 0; given < 6; given++) {
    sem.release();
    await turn();
  }
  await Promise.all(waits);
  expect(order).toEqual(['three', 'one', 'two']);
});

test('a wait that times out while earlier waits settle in later turns settles after them, and the next wait sleeps', async () => {
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

test('close() ends all waits of an agent with one wake-up', async () => {
  const sem = scene('wasm', 16);
  const waits = Array.from({ length: 1000 }, () =>
    sem.acquireAsync().catch((failure: unknown) => (failure as { code: string }).code),
  );
  const woke = spyOn('notify');
  sem.close();
  expect(woke).toHaveBeenCalledTimes(1);
  expect(await Promise.all(waits)).toEqual(waits.map(() => 'SLUICE_CLOSED'));
});

test('a first wait that cannot sleep fails, and the next wait sleeps in its place', () => {
  const waits = new AsyncWaits();
  const events: string[] = [];
  class Wait extends AsyncWait {
    readonly #name: string;
    constructor(name: string) {
      super();
      this.#name = name;
    }
    override settle(): boolean {
      return false;
    }
    override sleep(): boolean {
      events.push(this.#name);
      if (this.#name === 'damaged') this.fail();
      return true;
    }
    override fail(): void {
      waits.delete(this);
    }
  }
  for (const name of ['damaged', 'next', 'behind']) waits.add(new Wait(name), 0);
  waits.settle();
  expect(events).toEqual(['damaged', 'next']);
  expect(waits.size).toBe(2);
});

test.each([1, 4, 256])(
  'in a random history of two agents, only the first wait of each agent sleeps, and all settle in order, in %i bucket(s)',
  async (buckets) => {
    const session = new Session('async waits that sleep');
    const { random } = session;
    const arena = Arena.create({ maxPages: 64, policy: { buckets } });
    const sem = Semaphore.create(0, { arena });
    const ours = [sem, openAs(secondAgent(arena), sem.handle, (handle) => Semaphore.from(handle))] as const;
    const waits: {
      readonly agent: number;
      readonly permits: number;
      readonly leave: () => void;
      state: 'waits' | 'has' | 'left';
    }[] = [];
    const order: number[] = [];
    let given = 0;
    for (let act = 0; act < scale(4000); act++) {
      const what = random.below(100);
      if (what < 50) {
        const controller = new AbortController();
        const agent = random.below(2);
        const permits = random.chance(70) ? 1 : random.between(2, 4);
        const timeout = random.chance(5) ? random.below(3) + 0.5 : Infinity;
        // A call that is admitted at once may settle before earlier calls that were granted their permits and have not
        // run since.
        if (sem.available >= permits) continue;
        const number = waits.push({ agent, permits, leave: () => controller.abort(), state: 'waits' }) - 1;
        const end = (state: 'has' | 'left'): void => void Object.assign(waits[number] ?? {}, { state });
        ours[agent]?.acquireAsync(permits, { signal: controller.signal, timeout }).then(
          () => {
            order.push(number);
            end('has');
          },
          () => end('left'),
        );
      } else if (what < 80) {
        const under = waits.filter(({ state }) => state === 'waits');
        if (under.length > 0) (random.chance(30) ? under[0] : random.pick(under))?.leave();
      } else if (what < 95) {
        const permits = random.between(1, 5);
        random.pick(ours).release(permits);
        given += permits;
      } else {
        for (let turns = 0; turns < 3; turns++) await turn();
        for (const agent of [0, 1]) {
          const mine = gates(sem, ours[agent]);
          expect(mine).toEqual(onlyFirstOf(mine.length));
        }
      }
    }
    for (let turns = 0; turns < 10; turns++) await turn();
    const missing = waits.reduce((sum, { permits, state }) => (state === 'waits' ? sum + permits : sum), 0);
    if (missing > 0) sem.release(missing);
    for (let turns = 0; turns < 10; turns++) await turn();
    expect(waits.filter(({ state }) => state === 'waits')).toEqual([]);
    const held = waits.reduce((sum, { permits, state }) => (state === 'has' ? sum + permits : sum), 0);
    expect(sem.available).toBe(given + missing - held);
    for (const agent of [0, 1]) {
      const mine = order.filter((number) => waits[number]?.agent === agent);
      expect(mine).toEqual([...mine].sort((one, other) => one - other));
    }
    session.done(waits.length, 'waits');
  },
);
