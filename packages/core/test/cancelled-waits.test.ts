// Tests that cancelled waits leave few elements in proportion to the pending waits, and that no permit is lost.

import { Session } from '@sluice/harness';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { compact, MIN_LEFT_BEHIND } from '../src/agent/compaction.ts';
import { contextOf } from '../src/arena/arena.ts';
import { AsyncWait, AsyncWaits } from '../src/agent/async-waits.ts';
import { Arena, Semaphore } from '../src/index.ts';
import { jsEngine } from '../src/js.ts';

const LEFT = 'left';
const engines = [
  ['wasm', undefined],
  ['js', jsEngine],
] as const;

/** Creates an arena with a semaphore whose only permit is taken. */
function scene(engine: typeof jsEngine | undefined, buckets = 256): { arena: Arena; sem: Semaphore } {
  const arena = Arena.create({ policy: { buckets }, ...(engine === undefined ? {} : { engine }) });
  return { arena, sem: Semaphore.create(0, { arena }) };
}

test.each(engines)(
  '10,000 async waits that are cancelled in mid-line leave few elements, and none after the next release (%s)',
  async (_, engine) => {
    const { arena, sem } = scene(engine);
    const first = sem.acquireAsync();
    const controller = new AbortController();
    const waits = Array.from({ length: 10_000 }, () =>
      sem.acquireAsync(1, { signal: controller.signal }).catch(() => LEFT),
    );
    const patient = sem.acquireAsync();
    controller.abort();
    await Promise.all(waits);
    expect(sem.inspect()).toMatchObject({ waiters: [{ permits: 1 }, { permits: 1 }] });
    expect(sem.inspect().abandoned).toBeLessThanOrEqual(2 * MIN_LEFT_BEHIND);
    sem.release(2);
    await first;
    await patient;
    compact(contextOf(arena));
    expect(sem.inspect().abandoned).toBe(0);
    expect(arena.inspect().elements.abandoned).toBe(0);
  },
);

test.each(engines)(
  'merged tombstones at the end of the line are gone when the waiter behind them is cancelled (%s)',
  async (_, engine) => {
    const { arena, sem } = scene(engine);
    const first = sem.acquireAsync();
    const [some, last] = [new AbortController(), new AbortController()];
    const waits = Array.from({ length: 1000 }, (_wait, at) =>
      sem.acquireAsync(1 + (at % 3), { signal: some.signal }).catch(() => LEFT),
    );
    waits.push(sem.acquireAsync(1, { signal: last.signal }).catch(() => LEFT));
    some.abort();
    compact(contextOf(arena));
    expect(sem.inspect().abandoned).toBeLessThanOrEqual(2);
    last.abort();
    await Promise.all(waits);
    expect(sem.inspect().abandoned).toBe(0);
    sem.release();
    await first;
    expect(sem.available).toBe(0);
  },
);

test.each([1, 4, 256])(
  'cancelled random waits for any number of permits lose no permit, in %i buckets',
  async (buckets) => {
    const { arena, sem } = scene(undefined, buckets);
    const session = new Session('cancelled waits');
    const { random } = session;
    const other = Semaphore.create(0, { arena });
    const lines = [sem, other];
    const waits: { line: Semaphore; permits: number; controller: AbortController; state: 'waits' | 'has' | 'left' }[] =
      [];
    const given = [0, 0];
    const order: number[][] = [[], []];
    for (let turn = 0; turn < 20_000; turn++) {
      const line = random.pick(lines);
      const index = lines.indexOf(line);
      const what = random.below(100);
      if (what < 45) {
        const wait = {
          line,
          permits: random.chance(70) ? 1 : random.between(2, 5),
          controller: new AbortController(),
          state: 'waits' as 'waits' | 'has' | 'left',
        };
        const number = waits.push(wait);
        // A wait that is admitted at once may settle before a wait that was granted its permits and has not run since.
        const atOnce = line.available >= wait.permits;
        line.acquireAsync(wait.permits, { signal: wait.controller.signal }).then(
          () => {
            wait.state = 'has';
            if (!atOnce) order[index]?.push(number);
          },
          () => (wait.state = 'left'),
        );
      } else if (what < 88) {
        const under = waits.filter(({ state }) => state === 'waits').slice(-300);
        if (under.length > 0) random.pick(under).controller.abort();
      } else if (what < 94) {
        const permits = random.between(1, 6);
        line.release(permits);
        given[index] = (given[index] ?? 0) + permits;
      } else compact(contextOf(arena));
      if (random.chance(20)) await Promise.resolve();
    }
    await setImmediate();
    for (const [index, line] of lines.entries()) {
      const mine = waits.filter((wait) => wait.line === line);
      const held = mine.filter(({ state }) => state === 'has').reduce((sum, { permits }) => sum + permits, 0);
      const waiting = mine.filter(({ state }) => state === 'waits');
      compact(contextOf(arena));
      expect(line.inspect().abandoned).toBeLessThanOrEqual(2 * waiting.length + 2);
      // All pending waits are admitted, and the surplus permits are free.
      const missing = waiting.reduce((sum, { permits }) => sum + permits, 0);
      if (missing > 0) line.release(missing);
      while (mine.some(({ state }) => state === 'waits')) await setImmediate();
      expect(line.available).toBe((given[index] ?? 0) - held);
      expect(order[index]).toEqual([...(order[index] ?? [])].sort((a, b) => a - b));
      compact(contextOf(arena));
      expect(line.inspect().abandoned).toBe(0);
    }
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
    session.done(waits.length, 'waits');
  },
);

test('10,000 async waits that are granted at once settle in order, some in each turn of the event loop', async () => {
  const { sem } = scene(undefined);
  const settled: number[] = [];
  const waits = Array.from({ length: 10_000 }, (_, at) => sem.acquireAsync().then(() => settled.push(at)));
  sem.release(10_000);
  let longest = 0;
  for (let before = 0; settled.length < waits.length; before = settled.length) {
    await setImmediate();
    longest = Math.max(longest, settled.length - before);
  }
  expect(settled).toEqual(waits.map((_, at) => at));
  expect(longest).toBeLessThanOrEqual(1024);
  expect(sem.available).toBe(0);
});

test('a failure in a later turn of the event loop rejects every remaining async wait', async () => {
  const ends: string[] = [];
  const waits = new AsyncWaits(2);
  class Wait extends AsyncWait {
    readonly #name: string;
    constructor(name: string) {
      super();
      this.#name = name;
    }
    override settle(): boolean {
      if (this.#name === 'third') throw new Error('damaged');
      waits.delete(this);
      return ends.push(this.#name) > 0;
    }
    override fail(failure: unknown): void {
      waits.delete(this);
      ends.push(`${this.#name}: ${(failure as Error).message}`);
    }
  }
  for (const name of ['first', 'second', 'third', 'fourth']) waits.add(new Wait(name), 0);
  waits.settle();
  expect(ends).toEqual(['first', 'second']);
  expect(waits.goesOn).toBe(true);
  await setImmediate();
  expect(ends).toEqual(['first', 'second', 'third: damaged', 'fourth: damaged']);
  expect(waits.goesOn).toBe(false);
});
