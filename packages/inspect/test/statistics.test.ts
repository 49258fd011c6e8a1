// Tests the statistics of waits and holds on a clock that the test sets.
//
// @vite-ignore: not bundled, because a bundle has the places of the program and of the library in one file.

import * as pprof from 'pprof-format';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { contextOf } from '../../core/src/internal.ts';
import { Arena, Semaphore } from '../../core/src/index.ts';
import { Mutex } from '../../mutex/src/index.ts';
import { RwLock } from '../../rw-lock/src/index.ts';
import {
  averageOf,
  formatStatistics,
  mergeStatistics,
  percentileOf,
  pprofOf,
  startStatistics,
  type DurationData,
  type PrimitiveStatistics,
  type Statistics,
} from '../src/index.ts';
import { primitiveAt } from '../src/observe/used-primitive.ts';
import { Collector } from '../src/statistics/collector.ts';
import { Durations, merged } from '../src/statistics/durations.ts';

/** An arena in which the time is `clock.ms`. */
function clockedArena(): { arena: Arena; clock: { ms: number } } {
  const arena = Arena.create({ maxPages: 16 });
  const clock = { ms: 1000 };
  contextOf(arena).parking.now = () => clock.ms;
  return { arena, clock };
}

function of(statistics: Statistics, name: string): PrimitiveStatistics {
  const found = statistics.snapshot().primitives.find((primitive) => primitive.name === name);
  if (found === undefined) throw new Error(`There are no statistics of ${name}.`);
  return found;
}

function brief({ count, total, min, max }: DurationData): unknown {
  return { count, total, min, max };
}

describe('durations', () => {
  test('the number, the sum and the ends are exact, and a percentile is at most 9 % too long', () => {
    const durations = new Durations();
    for (let ms = 1; ms <= 1000; ms++) durations.add(ms);
    const { data } = durations;
    expect(brief(data)).toEqual({ count: 1000, total: 500_500, min: 1, max: 1000 });
    expect(averageOf(data)).toBe(500.5);
    for (const share of [0.01, 0.5, 0.9, 0.99, 1]) {
      expect(percentileOf(data, share)).toBeGreaterThanOrEqual(1000 * share);
      expect(percentileOf(data, share)).toBeLessThanOrEqual(1000 * share * 2 ** (1 / 8));
    }
  });

  test('two histograms together are one of all durations', () => {
    const [one, other, all] = [new Durations(), new Durations(), new Durations()];
    for (const [at, ms] of [0, 0.0004, 3, 17, 17, 5000, 1e9].entries()) {
      (at % 2 === 0 ? one : other).add(ms);
      all.add(ms);
    }
    expect(merged(one.data, other.data)).toEqual(all.data);
    expect(merged(new Durations().data, all.data)).toEqual(all.data);
    expect(brief(new Durations().data)).toEqual({ count: 0, total: 0, min: 0, max: 0 });
    expect([averageOf(new Durations().data), percentileOf(new Durations().data, 0.5)]).toEqual([0, 0]);
  });
});

test('holds are timed from the call that acquires to the call that releases', () => {
  using statistics = startStatistics({ sample: 1 });
  const { arena, clock } = clockedArena();
  const lock = Mutex.create({ arena, name: 'accounts' });
  for (const ms of [2, 5, 3]) lock.run(() => void (clock.ms += ms));
  const found = of(statistics, 'accounts');
  expect(found).toMatchObject({ primitive: "lock 'accounts'", acquisitions: 3, contentions: 0 });
  expect(brief(found.holds)).toEqual({ count: 3, total: 10, min: 2, max: 5 });
  expect(found.longest).toMatchObject({ ms: 5 });
  expect(found.longest?.holder).toMatch(/^agent 1\b/);
  expect(found.waits.count).toBe(0);
});

test('waits are timed, and the places of the calls that wait and that hold are those of the program', async () => {
  using statistics = startStatistics({ sample: 1 });
  const { arena, clock } = clockedArena();
  const lock = Mutex.create({ arena, name: 'accounts' });
  function takesIt(): void {
    lock.lock();
  }
  function waitsForIt(): Promise<void> {
    return lock.lockAsync();
  }
  takesIt();
  const waits = waitsForIt();
  clock.ms += 7;
  lock.unlock();
  await waits;
  clock.ms += 1;
  lock.unlock();
  const { contentions, acquisitions, waits: waited, waitPlaces, holdPlaces } = of(statistics, 'accounts');
  expect([acquisitions, contentions, waited.total]).toEqual([2, 1, 7]);
  const shown = ({ stack: [place], total }: (typeof waitPlaces)[number]): unknown => [place?.within, total];
  expect(waitPlaces.map(shown)).toEqual([['waitsForIt', 7]]);
  expect(holdPlaces.map(shown)).toEqual([
    ['takesIt', 7],
    ['waitsForIt', 1],
  ]);
  expect(waitPlaces[0]?.stack[0]?.file).toMatch(/statistics\.test/);
});

test('one of n calls is sampled and stands for n, and the counts stay exact', () => {
  // Stacks take no time on this clock, so no pause follows them.
  const frozen = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => frozen.mockRestore());
  using statistics = startStatistics({ sample: 10 });
  const { arena, clock } = clockedArena();
  const jobs = Semaphore.create(1, { arena, name: 'jobs' });
  for (let job = 0; job < 95; job++) jobs.run(() => void (clock.ms += 1));
  const found = of(statistics, 'jobs');
  expect(found.acquisitions).toBe(95);
  expect(found.holds.count).toBe(10);
  expect(found.holdPlaces).toMatchObject([{ count: 100, total: 100 }]);
  statistics.sample = 1;
  expect(statistics.snapshot().sample).toBe(1);
});

test('a stack is read only after a pause that is much longer than the time it took, and stands for all calls since', () => {
  const { arena, clock } = clockedArena();
  const context = contextOf(arena);
  // The clock of the statistics advances by 1 ms with each look: a stack takes 1 ms, and the pause 200.
  let looks = 0;
  const collector = new Collector(2, () => looks++);
  const primitive = primitiveAt(context, Mutex.create({ arena, name: 'accounts' }).handle.address);
  primitive.isOwned = true;
  for (let call = 0; call < 1000; call++) {
    const asked = collector.holdAsked(primitive);
    primitive.calls += 1;
    collector.holdBegins(primitive, 1, '', asked);
    clock.ms += 1;
    collector.holdEnds(primitive, 1, '');
  }
  const [accounts] = collector.report.primitives;
  expect(accounts).toMatchObject({ acquisitions: 1000, holds: { count: 500 } });
  // The first call, and one for each 200 samples after a look at the end of the stack before.
  expect(accounts?.holdPlaces).toMatchObject([{ count: 2 + 2 * 200 * 2 }]);
});

test('a reset begins with nothing, and a hold that has begun is not counted', () => {
  using statistics = startStatistics({ sample: 1 });
  const { arena } = clockedArena();
  const lock = Mutex.create({ arena, name: 'accounts' });
  lock.lock();
  statistics.reset();
  expect(statistics.snapshot().primitives).toEqual([]);
  lock.unlock();
  expect(statistics.snapshot().primitives).toEqual([]);
  lock.run(() => undefined);
  expect(of(statistics, 'accounts')).toMatchObject({ acquisitions: 1, holds: { count: 1 } });
  statistics.stop();
  statistics.stop();
  lock.run(() => undefined);
  expect(of(statistics, 'accounts').acquisitions).toBe(1);
});

test('each side of a read-write lock has statistics of its own', () => {
  using statistics = startStatistics({ sample: 1 });
  const { arena } = clockedArena();
  const index = RwLock.create({ arena, name: 'index' });
  index.reader.run(() => index.reader.run(() => undefined));
  index.writer.run(() => undefined);
  const sides = statistics.snapshot().primitives.map(({ primitive, acquisitions }) => [primitive, acquisitions]);
  expect(sides).toEqual([
    ["lock 'index' (read)", 2],
    ["lock 'index' (write)", 1],
  ]);
});

test('the statistics of several threads are one, also after they were posted', () => {
  using statistics = startStatistics({ sample: 1 });
  const { arena, clock } = clockedArena();
  const lock = Mutex.create({ arena, name: 'accounts' });
  lock.run(() => void (clock.ms += 4));
  const here = statistics.snapshot();
  const there = structuredClone(here);
  const all = mergeStatistics(here, there);
  expect(all.primitives).toHaveLength(1);
  expect(all.primitives[0]).toMatchObject({ acquisitions: 2, holds: { count: 2, total: 8 }, longest: { ms: 4 } });
  expect(all.primitives[0]?.holdPlaces).toMatchObject([{ count: 2, total: 8 }]);
  expect(mergeStatistics().primitives).toEqual([]);
});

test('the table begins with the longest wait, and names four places of each primitive', async () => {
  using statistics = startStatistics({ sample: 1 });
  const { arena, clock } = clockedArena();
  const [quiet, busy] = [Mutex.create({ arena, name: 'quiet' }), Mutex.create({ arena, name: 'busy' })];
  quiet.run(() => void (clock.ms += 1));
  busy.lock();
  const waits = busy.lockAsync();
  clock.ms += 250;
  busy.unlock();
  await waits;
  busy.unlock();
  const lines = formatStatistics(statistics.snapshot()).split('\n');
  expect(lines[0]).toMatch(/^Statistics of \d+\.\d s\. Times in ms\. Every call was sampled\.$/);
  expect(lines[1]?.trim().split(/ +/)).toEqual(['calls', 'waited', 'min', 'avg', 'p50', 'p99', 'max', 'total']);
  expect(lines[2]?.trim()).toMatch(/^lock 'busy': waits +2 +1 +250 +250 +250 +250 +250 +250$/);
  expect(lines[3]?.trim()).toMatch(/^holds +2 +0\.000 +125 +0\.000 +250 +250 +250$/);
  expect(lines.slice(4, 7)).toEqual([
    expect.stringMatching(/^ {4}waits at .*statistics\.test.*: about 1 time, 100 %$/),
    expect.stringMatching(/^ {4}held from .*statistics\.test.*: about 1 time, 100 %$/),
    expect.stringMatching(/^ {4}held from .*statistics\.test.*: about 1 time, 0 %$/),
  ]);
  expect(lines[7]).toMatch(/^ {4}longest hold 250 ms, from .*statistics\.test.*, by agent 1\b/);
  expect(lines.filter((line) => line.startsWith("lock 'quiet'"))).toHaveLength(1);
  const short = formatStatistics(statistics.snapshot(), { lines: 1 });
  expect(short).toContain('and 1 more primitive');
  expect(short).not.toContain('quiet');
});

test('a profile that pprof-format reads again has the places, the numbers and the times', async () => {
  using statistics = startStatistics({ sample: 1 });
  const { arena, clock } = clockedArena();
  const lock = Mutex.create({ arena, name: 'accounts' });
  lock.lock();
  function waitsForIt(): Promise<void> {
    return lock.lockAsync();
  }
  const waits = waitsForIt();
  clock.ms += 3;
  lock.unlock();
  await waits;
  lock.unlock();
  const bytes = pprofOf(statistics.snapshot(), 'wait', pprof);
  const read = pprof.Profile.decode(bytes);
  const text = (at: number | bigint): string | undefined => read.stringTable.strings[Number(at)];
  expect(read.sampleType.map(({ type, unit }) => [text(type), text(unit)])).toEqual([
    ['contentions', 'count'],
    ['delay', 'nanoseconds'],
  ]);
  const [sample] = read.sample;
  expect(sample?.value.map(Number)).toEqual([1, 3_000_000]);
  expect(sample?.label.map(({ key, str }) => [text(key), text(str)])).toEqual([['primitive', "lock 'accounts'"]]);
  const location = read.location.find(({ id }) => id === sample?.locationId[0]);
  const caller = read.function.find(({ id }) => id === location?.line[0]?.functionId);
  expect(text(caller?.name ?? 0)).toBe('waitsForIt');
  expect(text(caller?.filename ?? 0)).toMatch(/statistics\.test/);
  const holds = pprof.Profile.decode(pprofOf(statistics.snapshot(), 'hold', pprof));
  expect(holds.sample.map(({ value }) => value.map(Number)).sort()).toEqual([
    [1, 0],
    [1, 3_000_000],
  ]);
});

test('bad options and arguments throw, and collect nothing', () => {
  expect(() => startStatistics({ sample: 0 })).toThrow(RangeError);
  expect(() => startStatistics({ samples: 1 } as object)).toThrow(TypeError);
  using statistics = startStatistics();
  expect(() => (statistics.sample = 1.5)).toThrow(RangeError);
  expect(statistics.sample).toBe(100);
  const report = statistics.snapshot();
  expect(() => formatStatistics(report, { lines: 0 })).toThrow(RangeError);
  expect(formatStatistics(report)).toBe('No calls of locks or semaphores.');
  expect(() => pprofOf(report, 'both' as 'wait', pprof)).toThrow(TypeError);
});
