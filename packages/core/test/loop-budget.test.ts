import { expect, test } from 'vitest';
import { LoopBudget } from '../src/platform/loop-budget.ts';

/** An event loop whose clock and turns the test controls. */
class Fixture {
  time = 0;
  looks = 0;
  turns: (() => void)[] = [];
  readonly budget = new LoopBudget(
    () => {
      this.looks += 1;
      return this.time;
    },
    (run) => void this.turns.push(run),
  );

  /** Works for `ms` ms and then calls `spend` once. Returns whether the call is deferred. */
  spend(ms = 0): boolean {
    this.time += ms;
    return this.budget.spend() !== undefined;
  }

  turn(): void {
    for (const run of this.turns.splice(0)) run();
  }
}

test('spend() defers a call if the turn of the event loop has lasted 4 ms', () => {
  const fixture = new Fixture();
  expect([fixture.spend(), fixture.spend(2), fixture.spend(1.5), fixture.spend(0.5)]).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test('a deferred call settles in the next turn, and later calls settle at once', async () => {
  const fixture = new Fixture();
  fixture.spend();
  fixture.time = 10;
  let isOver = false;
  const later = fixture.budget.spend()?.then(() => (isOver = true));
  await Promise.resolve();
  expect(isOver).toBe(false);
  fixture.turn();
  await later;
  expect(fixture.spend()).toBe(false);
});

test('all calls after a deferred one settle in the same turn, in order, even if the clock goes back', async () => {
  const fixture = new Fixture();
  // With quick calls, the clock is read again after 64 calls.
  for (let n = 0; n < 1000; n++) expect(fixture.spend()).toBe(false);
  fixture.time = 4;
  const order: number[] = [];
  let late: Promise<void> | undefined;
  while (late === undefined) late = fixture.budget.spend();
  const all = [late.then(() => order.push(0))];
  fixture.time = 3;
  for (let n = 1; n <= 100; n++) all.push((fixture.budget.spend() as Promise<void>).then(() => order.push(n)));
  fixture.turn();
  await Promise.all(all);
  expect(order).toEqual(Array.from({ length: 101 }, (_, n) => n));
});

test('the first call of a turn after a deferred one reads the clock', () => {
  const fixture = new Fixture();
  for (let n = 0; n < 1000; n++) fixture.spend();
  fixture.time = 4;
  while (!fixture.spend());
  fixture.turn();
  expect(fixture.spend()).toBe(false);
  expect(fixture.turns).toHaveLength(1);
});

test('quick calls read the clock once in 64 calls, and slow ones in each call', () => {
  const quick = new Fixture();
  for (let n = 0; n < 64_000; n++) quick.spend();
  expect(quick.looks).toBeLessThan(1010);
  const slow = new Fixture();
  for (let n = 0; n < 100; n++) if (slow.spend(1)) slow.turn();
  expect(slow.looks).toBe(100);
});

test('calls that become slower are deferred after at most 64 calls and 4 ms more', () => {
  const fixture = new Fixture();
  for (let n = 0; n < 1000; n++) fixture.spend();
  let calls = 0;
  while (!fixture.spend(1)) calls += 1;
  expect(calls).toBeLessThanOrEqual(64);
  fixture.turn();
  calls = 0;
  while (!fixture.spend(1)) calls += 1;
  expect(calls).toBeLessThanOrEqual(5);
});

test('calls in separate turns are not deferred, however much time passes between them', () => {
  const fixture = new Fixture();
  for (let n = 0; n < 100; n++) {
    expect(fixture.spend(1000)).toBe(false);
    fixture.turn();
  }
});

test('a turn has at most one callback', () => {
  const fixture = new Fixture();
  for (let n = 0; n < 1000; n++) fixture.spend(0.01);
  expect(fixture.turns).toHaveLength(1);
});

test('refuse() rejects with its reason, in the next turn if the budget is used up', async () => {
  const fixture = new Fixture();
  const failure = new Error('late');
  await expect(fixture.budget.refuse(failure)).rejects.toBe(failure);
  while (!fixture.spend(1));
  const refused = fixture.budget.refuse(failure);
  let isOver = false;
  refused.catch(() => (isOver = true));
  for (let n = 0; n < 10; n++) await Promise.resolve();
  expect(isOver).toBe(false);
  fixture.turn();
  await expect(refused).rejects.toBe(failure);
});
