// The number of calls that start in an interval, whatever the clocks of the agents do.

import { Arena } from '@sluice/core';
import { scale, Session, type Random } from '@sluice/harness';
import { expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { byHand, START, tries, withOwnClock, type ByHand } from './support/interval.ts';
import { PlainFixed, PlainSliding, type PlainWindows } from './support/plain-windows.ts';
import './support/kernel.ts';

function drawMs(random: Random, interval: number, intervalCap: number): number {
  const scaleOf = random.pick([0, 1 / intervalCap, 1 / intervalCap, 0.5, 1, 2]);
  return Math.floor(interval * scaleOf * random.between(0, 8) * 2) / 16;
}

/** The error by which a limit may round a time. The tests make no call this close to the end of an interval. */
const slackOf = (intervalCap: number): number => (3 * (intervalCap + 1)) / 16_000;

const CAPS = [1, 2, 3, 7, 100];
const INTERVALS = [1, 8, 100, 1000, 60_000];

const KINDS = [
  { kind: 'fixed windows', strict: false, Plain: PlainFixed },
  { kind: 'a sliding window', strict: true, Plain: PlainSliding },
] as const;

test.each(KINDS.flatMap((each) => (['wasm', 'js'] as const).map((engine) => ({ ...each, engine }))))(
  'a limit starts exactly what plain $kind would start ($engine)',
  async ({ kind, strict, Plain, engine }) => {
    const session = new Session(`one agent beside plain ${kind}, ${engine}`);
    const { random } = session;
    const arena = Arena.create({ maxPages: 16, engine: engineNamed(engine) });
    let started = 0;
    const rounds = scale(40);
    for (let round = 0; round < rounds; round++) {
      const [interval, intervalCap] = [random.pick(INTERVALS), random.pick(CAPS)];
      const { limit, clock } = byHand({ interval, intervalCap, strict, arena });
      const plain: PlainWindows = new Plain(interval, intervalCap);
      for (let call = 0; call < 100; call++) {
        clock.pass(drawMs(random, interval, intervalCap));
        while (plain.isNearEnd(clock.now - START, slackOf(intervalCap))) clock.pass(slackOf(intervalCap));
        const hasStarted = await tries(limit);
        expect(hasStarted, `seed ${session.seed}, round ${round}, call ${call}: ${intervalCap} in ${interval} ms`).toBe(
          plain.start(clock.now - START),
        );
        if (hasStarted) started += 1;
        const { interval: report } = limit.inspect();
        expect(report?.startCount).toBeLessThanOrEqual(intervalCap);
        if (!hasStarted) expect(report?.opensIn).toBeGreaterThan(0);
      }
      limit.free();
    }
    session.done(rounds * 100, `${started} started`);
  },
);

test.each(KINDS)(
  'agents whose clocks differ and jump start what $kind of a common clock would start',
  async ({ kind, strict, Plain }) => {
    const session = new Session(`clocks that jump, ${kind}`);
    const { random } = session;
    const arena = Arena.create({ maxPages: 16 });
    let [started, jumps] = [0, 0];
    const rounds = scale(40);
    for (let round = 0; round < rounds; round++) {
      const [interval, intervalCap] = [random.pick(INTERVALS), random.pick([1, 2, 5])];
      const slack = slackOf(intervalCap);
      const first = byHand({ interval, intervalCap, strict, arena });
      const agents: ByHand[] = [
        first,
        ...[1, 2, 3].map(() => withOwnClock(first.limit, first.clock.now + random.pick([0, 0, -5000, 5000, 1e9]))),
      ];
      const plain: PlainWindows = new Plain(interval, intervalCap);
      /** The correction of each agent's clock, which it makes when it has to wait. */
      const moved = agents.map(() => 0);
      for (let call = 0; call < 200; call++) {
        const ms = drawMs(random, interval, intervalCap);
        for (const { clock } of agents) clock.pass(ms);
        const at = random.below(agents.length);
        const { limit, clock } = agents[at] ?? first;
        if (random.chance(10)) {
          clock.pass(random.pick([-1e9, -1000, -1, 1, 1000, 1e9]));
          jumps += 1;
        }
        const own = (): number => clock.now - START + (moved[at] ?? 0);
        if (plain.isNearEnd(Math.max(own(), plain.latest), slack)) continue;
        const hasStarted = await tries(limit);
        const shouldStart = plain.start(Math.max(own(), plain.latest));
        expect(hasStarted, `seed ${session.seed}, round ${round}, call ${call}: ${intervalCap} in ${interval} ms`).toBe(
          shouldStart,
        );
        if (hasStarted) started += 1;
        else moved[at] = (moved[at] ?? 0) + Math.max(0, plain.latest - own());
      }
      first.limit.free();
    }
    session.done(rounds * 200, `${started} started, ${jumps} jumps`);
  },
);

test.each([false, true])(
  'an agent whose clock is far behind, or far ahead, starts calls at the rate (strict: %s)',
  async (strict) => {
    for (const off of [-1e10, -1000, 1000, 1e10]) {
      const ours = byHand({ interval: 10, intervalCap: 2, strict });
      const other = withOwnClock(ours.limit, ours.clock.now + off);
      // The agent that is ahead uses all starts, at its time.
      const [ahead, late] = off > 0 ? [other, ours] : [ours, other];
      while (await tries(ahead.limit));
      expect(await tries(late.limit)).toBe(false);
      for (let interval = 0; interval < 5; interval++) {
        late.clock.pass(9);
        expect(await tries(late.limit)).toBe(false);
        // A limit may round the time of a start up, by less than a microsecond here.
        late.clock.pass(1 + 1 / 128);
        expect([await tries(late.limit), await tries(late.limit), await tries(late.limit)]).toEqual([
          true,
          true,
          false,
        ]);
      }
      ours.limit.free();
    }
  },
);

test('while no call waits, the first start begins an interval, and intervals without a call add no starts', async () => {
  const { limit, clock } = byHand({ interval: 10, intervalCap: 2 });
  clock.pass(7);
  expect([await tries(limit), await tries(limit), await tries(limit)]).toEqual([true, true, false]);
  clock.pass(9.5);
  expect(await tries(limit)).toBe(false);
  // The time of the first start may have been rounded up, by less than a microsecond here.
  clock.pass(0.5 + 1 / 1024);
  expect([await tries(limit), limit.inspect().interval]).toEqual([
    true,
    expect.objectContaining({ startCount: 1, opensIn: 0 }),
  ]);
  clock.pass(1000);
  expect(limit.inspect().interval).toMatchObject({ startCount: 0, opensIn: 0 });
  expect([await tries(limit), await tries(limit), await tries(limit)]).toEqual([true, true, false]);
  clock.pass(4);
  const { opensIn, ...rest } = limit.inspect().interval ?? {};
  expect(rest).toEqual({ interval: 10, intervalCap: 2, strict: false, carryoverIntervalCount: false, startCount: 2 });
  expect(opensIn).toBeCloseTo(6, 3);
  limit.free();
});

test('strict: calls start when the starts before them are an interval old', async () => {
  const { limit, clock } = byHand({ interval: 10, intervalCap: 2, strict: true });
  expect(await tries(limit)).toBe(true);
  clock.pass(9);
  expect([await tries(limit), await tries(limit)]).toEqual([true, false]);
  clock.pass(2);
  expect([await tries(limit), await tries(limit)]).toEqual([true, false]);
  expect(limit.inspect().interval).toMatchObject({ strict: true, startCount: 2 });
  expect(limit.inspect().interval?.opensIn).toBeCloseTo(8, 3);
  clock.pass(9);
  expect([await tries(limit), await tries(limit)]).toEqual([true, false]);
  limit.free();
});

test.each([
  // Times have units of 65 ms then, and the count has the rest of the word.
  { interval: 86_400_000, intervalCap: 2 ** 20 },
  { interval: 1, intervalCap: 15_999 },
])('after 17 years the starts of a large cap are counted to the last one: %j', async (options) => {
  const { limit, clock } = byHand(options);
  clock.pass(17 * 365 * 86_400_000);
  for (let call = 0; call < 1000; call++) expect(await tries(limit)).toBe(true);
  expect(limit.inspect().interval).toMatchObject({ startCount: 1000, opensIn: 0 });
  limit.free();
});

test.each([
  { interval: 10, intervalCap: 2, strict: false },
  { interval: 0.1, intervalCap: 1000, strict: false },
  { interval: 0.001, intervalCap: 8, strict: false },
  { interval: 0.01, intervalCap: 100, strict: true },
])('a clock that shows one time for many calls lets no more of them start: %j', async (terms) => {
  const { limit, clock } = byHand(terms);
  const { interval, intervalCap } = terms;
  let started = 0;
  // No whole parts of an interval.
  const ticks = 20;
  for (let tick = 1; tick <= ticks; tick++) {
    clock.pass(interval * 0.5511);
    while (await tries(limit)) started += 1;
    for (let call = 0; call < 10_000 / ticks; call++) expect(await tries(limit)).toBe(false);
    // The first interval began at the first tick.
    expect(started, `tick ${tick}`).toBeLessThanOrEqual(intervalCap * (1 + Math.floor((tick - 1) * 0.5511)));
  }
  expect(started).toBeGreaterThan(intervalCap * 3);
  limit.free();
});

test.each([false, true])(
  'an agent whose calls are refused in each interval gains at most what one time is rounded up by (strict: %s)',
  async (strict) => {
    const [interval, intervalCap] = [10, 2];
    const { limit, clock } = byHand({ interval, intervalCap, strict });
    for (let round = 0; round < 1000; round++) {
      clock.pass(interval * 1.00071);
      while (await tries(limit));
      for (let call = 0; call < 9; call++) expect(await tries(limit)).toBe(false);
    }
    clock.pass(interval / 2);
    // An agent with the same clock, which it has not corrected.
    const { limit: other } = withOwnClock(limit, clock.now);
    const [ours = NaN, theirs = NaN] = [limit, other].map((each) => each.inspect().interval?.opensIn);
    expect(theirs).toBeCloseTo(interval / 2, 2);
    expect(Math.abs(ours - theirs)).toBeLessThanOrEqual((intervalCap + 1) / 16_000);
    limit.free();
  },
);

test.each([false, true])('strict: %s: starts at one moment do not make the first of them old', async (strict) => {
  const { limit } = byHand({ interval: 0.01, intervalCap: 159, strict });
  for (let call = 0; call < 159; call++) expect(await tries(limit)).toBe(true);
  for (let call = 0; call < 1000; call++) expect(await tries(limit)).toBe(false);
  limit.free();
});
