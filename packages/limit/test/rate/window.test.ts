// In any window of t ms at most burst + t * permits / interval permits are taken, for any clocks. For waiters the
// limiter makes up for late timers, too.

import { Arena } from '@sluice/core';
import { scale, Session, type Random } from '@sluice/harness';
import { expect, test } from 'vitest';
import { byHand, START, withOwnClock, type ByHand } from './support/clocks.ts';
import './support/kernel.ts';
import { engineNamed } from '../../../core/test/support/engines.ts';
import { excess, PlainBucket, type Grant } from './support/plain-bucket.ts';

interface Rates {
  readonly permits: number;
  readonly interval: number;
  readonly burst: number;
}

/** Rates whose permits cost whole ticks, so that the limiter rounds nothing. */
function drawRates(random: Random): Rates {
  return {
    permits: random.pick([1, 2, 5, 8, 10, 100]),
    interval: random.pick([0.5, 1, 8, 100, 1000, 60_000]),
    burst: random.pick([1, 2, 3, 10, 64]),
  };
}

/** A step in time, mostly about the time in which a permit comes. */
function drawMs(random: Random, { permits, interval, burst }: Rates): number {
  const scaleOf = random.pick([0.25, 1, 1, 2, burst]);
  return Math.floor((interval / permits) * scaleOf * random.between(0, 8) * 2) / 16;
}

test.each(['wasm', 'js'] as const)('a rate limiter takes exactly what a plain bucket takes (%s)', (engine) => {
  const session = new Session(`one agent beside a plain bucket, ${engine}`);
  const { random } = session;
  const arena = Arena.create({ maxPages: 16, engine: engineNamed(engine) });
  let taken = 0;
  const rounds = scale(60);
  for (let round = 0; round < rounds; round++) {
    const rates = drawRates(random);
    const { limiter, clock } = byHand({ ...rates, arena });
    const start = clock.now;
    const plain = new PlainBucket(rates.permits, rates.interval, rates.burst);
    for (let call = 0; call < 100; call++) {
      clock.pass(drawMs(random, rates));
      const weight = random.between(1, rates.burst);
      const isTaken = limiter.tryAcquire(weight);
      expect(isTaken, `seed ${session.seed}, round ${round}, call ${call}`).toBe(plain.take(clock.now - start, weight));
      if (isTaken) taken += 1;
      else expect(limiter.retryAfter(weight)).toBeGreaterThan(0);
    }
    limiter.free();
  }
  session.done(rounds * 100, `${taken} taken`);
});

test('a call succeeds after retryAfter() ms, and not before', () => {
  const session = new Session('retryAfter');
  const { random } = session;
  const arena = Arena.create({ maxPages: 16 });
  for (let round = 0; round < 200; round++) {
    const rates = drawRates(random);
    const { limiter, clock } = byHand({ ...rates, arena });
    const weight = random.between(1, rates.burst);
    while (limiter.tryAcquire(random.between(1, rates.burst)));
    const ms = limiter.retryAfter(weight);
    if (ms > 0) {
      clock.pass(ms - 1);
      expect(limiter.tryAcquire(weight)).toBe(false);
      clock.pass(1);
    }
    expect([limiter.retryAfter(weight), limiter.tryAcquire(weight)]).toEqual([0, true]);
    limiter.free();
  }
  session.done(200);
});

test('agents whose clocks differ and jump take no more permits in any window of the common time than the rate allows', () => {
  const session = new Session('clocks that jump');
  const { random } = session;
  const arena = Arena.create({ maxPages: 16 });
  let [taken, jumps] = [0, 0];
  const rounds = scale(60);
  for (let round = 0; round < rounds; round++) {
    const rates = drawRates(random);
    const first = byHand({ ...rates, arena });
    const agents: ByHand[] = [
      first,
      ...[1, 2, 3].map(() => withOwnClock(first.limiter, first.clock.now + random.pick([0, 0, -5000, 5000, 1e9]))),
    ];
    const grants: Grant[] = [];
    // The common time as an observer knows it: the latest time that an agent has used, and the correction of each
    // agent's clock.
    let agreed = 0;
    const moved = agents.map(() => 0);
    for (let call = 0; call < 200; call++) {
      const ms = drawMs(random, rates);
      for (const { clock } of agents) clock.pass(ms);
      const at = random.below(agents.length);
      const { limiter, clock } = agents[at] ?? first;
      if (random.chance(20)) {
        clock.pass(random.pick([-1e9, -1000, -1, 1, 1000, 1e9]));
        jumps += 1;
      }
      const own = clock.now - START + (moved[at] ?? 0);
      agreed = Math.max(agreed, own);
      const weight = random.between(1, rates.burst);
      if (limiter.tryAcquire(weight)) {
        grants.push({ at: agreed, weight });
        taken += 1;
      } else moved[at] = (moved[at] ?? 0) + agreed - own;
    }
    expect(
      excess(grants, rates.permits, rates.interval, rates.burst),
      `seed ${session.seed}, round ${round}: ${JSON.stringify(rates)}`,
    ).toBeLessThanOrEqual(1e-3);
    first.limiter.free();
  }
  session.done(rounds * 200, `${taken} taken, ${jumps} jumps`);
});

test('an agent whose clock is far behind, or far ahead, gets its permits at the rate', () => {
  for (const off of [-1e10, -1000, 1000, 1e10]) {
    const { limiter, clock } = byHand({ permits: 1, interval: 10, burst: 2 });
    const other = withOwnClock(limiter, clock.now + off);
    // The agent that is ahead takes all permits, at its time.
    const ahead = off > 0 ? other : { limiter, clock };
    const late = off > 0 ? { limiter, clock } : other;
    while (ahead.limiter.tryAcquire());
    expect(late.limiter.tryAcquire()).toBe(false);
    for (let permit = 0; permit < 5; permit++) {
      late.clock.pass(9);
      expect(late.limiter.tryAcquire()).toBe(false);
      late.clock.pass(1);
      expect(late.limiter.tryAcquire()).toBe(true);
    }
    limiter.free();
  }
});

test('bookings, and available permits, follow the clock of an agent that is behind', () => {
  const { limiter, clock } = byHand({ permits: 1, interval: 10, burst: 1 });
  expect(limiter.tryAcquire()).toBe(true);
  // No other agent moves the common time.
  const late = withOwnClock(limiter, clock.now - 1e9);
  const booked = late.limiter.reserve();
  expect(booked.delay).toBe(10);
  late.clock.pass(4);
  expect([booked.remaining, late.limiter.retryAfter(), late.limiter.available]).toEqual([6, 16, 0]);
  late.clock.pass(16);
  expect([booked.remaining, late.limiter.retryAfter(), late.limiter.available]).toEqual([0, 0, 1]);
  // Bookings no faster than the rate have no delay.
  for (let call = 0; call < 5; call++) {
    expect(late.limiter.reserve().delay).toBe(0);
    late.clock.pass(10);
  }
  limiter.free();
});

test('a late timer loses no permit for the waiters behind it', async () => {
  const { limiter, clock } = byHand({ permits: 1, interval: 1, burst: 1 });
  limiter.tryAcquire();
  const calls = [limiter.acquireAsync(), limiter.acquireAsync(), limiter.acquireAsync()];
  // Three permits have come when the first waiter looks at its clock.
  clock.pass(3);
  await Promise.all(calls);
  expect(limiter.tryAcquire()).toBe(false);
  limiter.free();
});

test('the calls after a late timer get the permits that came meanwhile, less the pauses between them', async () => {
  const { limiter, clock } = byHand({ permits: 1, interval: 1, burst: 1 });
  limiter.tryAcquire();
  const waiter = limiter.acquireAsync();
  // Its permit came at 1 ms, and those of 2, 3 and 4 ms are left.
  clock.pass(4);
  await waiter;
  expect([limiter.tryAcquire(), limiter.tryAcquire()]).toEqual([true, true]);
  // Nothing is left: the permit of 4.5 ms counts from then, and the next one comes at 5.5 ms.
  clock.pass(0.5);
  expect([limiter.tryAcquire(), limiter.tryAcquire()]).toEqual([true, false]);
  clock.pass(0.5);
  expect(limiter.tryAcquire()).toBe(false);
  clock.pass(0.5);
  expect(limiter.tryAcquire()).toBe(true);
  limiter.free();
});

test.each([
  { pause: 4, passed: 3 },
  { pause: 5, passed: 1 },
])(
  'after a pause of $pause ms, $passed call(s) pass at once behind a waiter whose timer left two permits',
  async ({ pause, passed }) => {
    const { limiter, clock } = byHand({ permits: 1, interval: 1, burst: 1 });
    limiter.tryAcquire();
    const waiter = limiter.acquireAsync();
    clock.pass(4);
    await waiter;
    clock.pass(pause);
    let count = 0;
    while (limiter.tryAcquire()) count += 1;
    expect(count).toBe(passed);
    limiter.free();
  },
);

test('no window has more permits than promised, and none are lost but in pauses, with timers that are late by chance', async () => {
  const session = new Session('late timers');
  const { random } = session;
  const arena = Arena.create({ maxPages: 16 });
  let taken = 0;
  const rounds = scale(40);
  for (let round = 0; round < rounds; round++) {
    const permits = random.pick([1, 2, 4, 8]);
    const burst = random.pick([1, 2, 3]);
    const { limiter, clock } = byHand({ permits, interval: 1, burst, arena });
    const grants: Grant[] = [];
    // By how much the limiter may be behind the rate: pauses, and what timers were late by beyond 5 ms.
    let lost = 0;
    const note = (): void => {
      grants.push({ at: clock.now - START, weight: 1 });
      taken += 1;
    };
    for (let call = 0; call < 60; call++) {
      if (random.chance(10)) {
        const pause = random.between(1, 19) / 4;
        clock.pass(pause);
        lost += pause;
      }
      if (limiter.tryAcquire()) {
        note();
        continue;
      }
      const due = 1 / permits;
      const waiter = limiter.acquireAsync();
      const late = random.between(0, 28) / 4;
      clock.pass(due + late);
      lost += Math.max(0, due + late - 5);
      await waiter;
      note();
    }
    const where = `seed ${session.seed}, round ${round}: ${permits} permits, burst ${burst}`;
    expect(excess(grants, permits, 1, burst), where).toBeLessThanOrEqual(5 * permits + 1e-3);
    const all = (clock.now - START) * permits;
    expect(grants.length, where).toBeGreaterThanOrEqual(all - lost * permits - 5 * permits);
    limiter.free();
  }
  session.done(rounds * 60, `${taken} taken`);
});

test('a waiter that looks after a long time gets the permits of the last 5 ms only', async () => {
  const { limiter, clock } = byHand({ permits: 1, interval: 1, burst: 1 });
  limiter.tryAcquire();
  let passed = 0;
  const calls = Array.from({ length: 10 }, async () => {
    await limiter.acquireAsync();
    passed += 1;
  });
  clock.pass(100);
  while (passed < 6) await calls[passed];
  // The permits of 95 to 100 ms. The next comes at 101 ms.
  expect([passed, limiter.retryAfter()]).toEqual([6, 5]);
  for (; passed < 10; ) {
    clock.pass(1);
    await calls[passed];
  }
  limiter.free();
});

test('a waiter whose clock is set back waits for its permit only', async () => {
  const { limiter, clock } = byHand({ permits: 1, interval: 1, burst: 1 });
  limiter.tryAcquire();
  const head = limiter.acquireAsync();
  const other = withOwnClock(limiter, clock.now + 3_600_000);
  const waiter = other.limiter.acquireAsync();
  other.clock.pass(-3_600_000);
  for (const each of [clock, other.clock]) each.pass(1);
  await head;
  for (const each of [clock, other.clock]) each.pass(1);
  await waiter;
  limiter.free();
});
