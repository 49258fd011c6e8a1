import { Random } from '@sluice/harness';
import { describe, expect, test } from 'vitest';
import { Census, clearSlot } from '../src/census.mjs';
import { Clock } from '../src/clock.mjs';
import { BOUNDS, slopeOf, verdicts, type Memory } from '../src/memory.mjs';
import { readOptions } from '../src/options.mjs';
import { endLife, Ledger, lostOf } from '../src/subjects/ledger.mjs';
import { drawWay, GIVING_UP, MIXED } from '../src/visit.mjs';
import { createWords } from '../src/words.mjs';

describe('the clock', () => {
  test('counts short gaps unchanged', () => {
    const clock = new Clock(1000);
    for (const now of [1100, 1200, 1700]) clock.tick(now);
    expect([clock.ran, clock.paused]).toEqual([700, 0]);
  });

  test('counts half a second for a pause of three minutes', () => {
    const clock = new Clock(0);
    clock.tick(180_000);
    expect([clock.ran, clock.paused]).toEqual([500, 179_500]);
  });
});

describe('the slope', () => {
  const line = (slope: number): [number, number][] =>
    Array.from({ length: 50 }, (_, x) => [10 * x, 7 + slope * 10 * x]);

  test.each([0, 0.25, -3])('the slope of a line is %d', (slope) => {
    expect(slopeOf(line(slope))).toBeCloseTo(slope);
  });

  test('is not changed by a few outliers', () => {
    const points = line(0.5);
    for (const at of [3, 20, 41]) points[at] = [10 * at, 1e6];
    expect(slopeOf(points)).toBeCloseTo(0.5, 1);
  });

  test('the slope of a single point is 0', () => {
    expect(slopeOf([[1, 1]])).toBe(0);
  });
});

describe('the verdicts', () => {
  const flat: Memory = { rss: 100, heap: 20, external: 2, arena: 1, elements: 64, blocks: 9, handles: 3, files: 20 };
  const run = (
    seconds: number,
    more: (at: number) => Partial<Memory> = () => ({}),
  ): { seconds: number; memory: Memory }[] =>
    Array.from({ length: 31 }, (_, n) => ({ seconds: (n * seconds) / 30, memory: { ...flat, ...more(n / 30) } }));

  test('are met by a constant run', () => {
    expect(verdicts(run(3600)).map(({ verdict }) => verdict)).toEqual(Object.keys(BOUNDS).map(() => 'met'));
  });

  test.each(Object.keys(BOUNDS) as (keyof Memory)[])('miss %s if it grows from the second third on', (measure) => {
    const growing = verdicts(run(3600, (at) => ({ [measure]: flat[measure] + 3 * BOUNDS[measure].most * at })));
    expect(growing.filter(({ verdict }) => verdict === 'missed').map((one) => one.measure)).toEqual([measure]);
  });

  test('allow growth in the first third', () => {
    const risen = verdicts(run(3600, (at) => ({ rss: at < 0.3 ? 100 + 1000 * at : 400 })));
    expect(risen.find(({ measure }) => measure === 'rss')).toMatchObject({ first: 100, last: 400, verdict: 'met' });
  });

  test('do not exist for a run of less than ten minutes', () => {
    expect(verdicts(run(599, (at) => ({ rss: 1000 * at })))[0]).toMatchObject({ measure: 'rss', verdict: 'too short' });
  });
});

describe('the options', () => {
  const read = (...args: string[]): ReturnType<typeof readOptions> => readOptions(args, 'results');

  test('a plain run is an hour of everything', () => {
    expect(read()).toMatchObject({
      profile: 'all',
      minutes: 60,
      primitives: [],
      workers: 4,
      kills: 0,
      giveUps: 0,
      results: 'results',
    });
  });

  test('a run of places-and-turns has goals', () => {
    expect(read('--profile', 'places-and-turns')).toMatchObject({ kills: 5000, giveUps: 10_000_000 });
  });

  test('select primitives, and repeat a seed', () => {
    expect(read('--primitives', 'Mutex,limit', '--seed', '7', '--minutes', '1.5')).toMatchObject({
      primitives: ['Mutex', 'limit'],
      seed: 7,
      minutes: 1.5,
    });
  });

  test.each([
    [['--minutes', '0'], '--minutes must be a number from 0.01 to 10000: received 0'],
    [['--minutes', ''], '--minutes must be a number'],
    [['--seed', '1.5'], '--seed must be a whole number: received 1.5'],
    [['--workers', '16'], '--workers must be a number from 1 to 15'],
    [['--profile', 'some'], '--profile must be all or places-and-turns: received some'],
    [['--kills', '3'], '--kills and --give-ups need --profile places-and-turns'],
    [['--minute', '3'], "Unknown option '--minute'"],
  ])('%j throws', (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });
});

describe('the census', () => {
  const words = createWords(2);
  const of = (slot: number): Census => new Census(words, { name: 'lock', subject: 1, slot });

  test('throws for one holder too many, and lists all holders', () => {
    const [one, two] = [of(1), of(3)];
    one.add(1);
    one.expect(one.total, 1);
    two.add(2);
    expect([two.total, two.threads]).toEqual([3, 2]);
    expect(() => two.expect(two.total, 2)).toThrow('lock: 3 are held, but at most 2 may be (by slot: 0 1 0 2');
    two.remove(2);
    expect(two.total).toBe(1);
    clearSlot(words, 2, 1);
    expect(two.total).toBe(0);
  });
});

describe('the ledger of a buffer', () => {
  const REPEATS = 64;
  const ledgers = (): { own: Int32Array; producer: Ledger; consumer: Ledger } => {
    const own = new Int32Array(96);
    return { own, producer: new Ledger(own, 5, 'buffer'), consumer: new Ledger(own, 2, 'buffer') };
  };
  const put = (ledger: Ledger, n: number): number[] => {
    const values = ledger.next(n);
    ledger.went(n);
    return values;
  };

  test('accepts values in order', () => {
    const { producer, consumer } = ledgers();
    for (const value of [...put(producer, 3), ...put(producer, 2)]) consumer.take(value);
    expect(() => consumer.check()).not.toThrow();
  });

  test('reuses the numbers of values that were not pushed', () => {
    const { producer } = ledgers();
    const [first, second] = producer.next(2);
    producer.went(1);
    expect(producer.next(1)).toEqual([second]);
    expect(second).toBe((first ?? 0) + 1);
  });

  test.each([
    ['lost', [0, 2]],
    ['doubled', [0, 0]],
    ['out of order', [1, 0]],
  ])('throws for a value that is %s', (_what, order) => {
    const { producer, consumer } = ledgers();
    const values = put(producer, 3);
    for (const at of order) consumer.take(values[at] ?? 0);
    expect(() => consumer.check()).toThrow('buffer: value');
  });

  test('throws for a torn value', () => {
    const { own, consumer } = ledgers();
    own[REPEATS] = 4;
    consumer.take(NaN);
    expect(() => consumer.check()).toThrow('buffer: a value is torn');
  });

  test('accepts each value again that a killed consumer may have begun, and no others', () => {
    const { own, producer, consumer } = ledgers();
    const [value = 0] = put(producer, 1);
    own[REPEATS] = 1;
    consumer.take(value);
    consumer.take(value);
    expect(() => consumer.check()).not.toThrow();
    consumer.take(value);
    expect(() => consumer.check()).toThrow('buffer: value 1 of slot 5 came after value 1');
  });

  test('accepts a gap only before the first value of a life', () => {
    const { own, producer, consumer } = ledgers();
    const first = put(producer, 2);
    endLife(own, 5);
    for (const value of [...first, ...put(producer, 2)]) consumer.take(value);
    expect(() => consumer.check()).not.toThrow();
    expect(lostOf(own)).toEqual([]);
  });

  test('reports values that were pushed and not taken', () => {
    const { own, producer, consumer } = ledgers();
    const [first = 0] = put(producer, 2);
    consumer.take(first);
    expect(lostOf(own)).toEqual(['slot 5: took 1 of 2']);
    endLife(own, 5);
    expect(lostOf(own)).toEqual(['slot 5: took 1 of 2']);
  });

  test('misses no value of a worker that was killed before it pushed any', () => {
    const { own, producer, consumer } = ledgers();
    for (const value of put(producer, 2)) consumer.take(value);
    endLife(own, 5);
    endLife(own, 5);
    expect(lostOf(own)).toEqual([]);
  });
});

test.each([MIXED, GIVING_UP])('each way is taken, and a thread that must not block takes none that blocks', (ways) => {
  const random = new Random(1);
  const draw = (mayBlock: boolean): string[] =>
    [...new Set(Array.from({ length: 2000 }, () => drawWay(ways, random, mayBlock)))].sort();
  expect(draw(true)).toEqual(Object.keys(ways).sort());
  expect(draw(false)).toEqual(['async', 'async for', 'burst', 'storm', 'try']);
});
