// Dumps: their reports, what they leave out, and damaged ones.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BoundedBuffer } from '../../bounded-buffer/src/index.ts';
import { Arena, hasCode, Region, Semaphore } from '../../core/src/index.ts';
import { Mutex } from '../../mutex/src/index.ts';
import { decodeDump, encodeDump, type Dump } from '../src/dump/dump-file.ts';
import { dumpArena, formatDump, formatReport } from '../src/index.ts';
import { SECRET, SECRET_BYTES, testSecrets } from './support/secrets.ts';

/** A program that is stuck in its own arena: a lock, a permit and room that do not come. */
const arena = Arena.create({ maxPages: 4 });
const lock = Mutex.create({ arena, name: 'accounts' });
const permits = Semaphore.create(1, { arena, name: 'permits' });
const jobs = BoundedBuffer.create({ arena, codec: 'int32', capacity: 1, name: 'jobs' });
let waits: Promise<unknown>[] = [];
let dump: Uint8Array<ArrayBuffer>;

beforeAll(() => {
  lock.lock();
  permits.acquire();
  jobs.push(1);
  waits = [lock.lockAsync(), permits.acquireAsync(), jobs.pushAsync(2)];
  dump = dumpArena(arena);
});

afterAll(async () => {
  lock.unlock();
  permits.release();
  jobs.pop();
  await Promise.all(waits);
});

/** A report without its times. */
function timeless(report: string): string {
  return report.replaceAll(/\d+(?:\.\d)? m?s/g, 'some time');
}

test('the report of a dump is that of its arena at that moment', () => {
  const [head, , ...report] = formatDump(dump).split('\n');
  expect(head).toMatch(/^Dump of \d{4}-\d\d-\d\dT/);
  expect(timeless(report.join('\n'))).toBe(timeless(formatReport(arena)));
  expect(report[0]).toBe(
    'Possible deadlock: an agent waits for itself. Only another agent, or other async code of these threads, can end it.',
  );
  expect(formatDump(dump, { lines: 1 }).length).toBeLessThan(formatDump(dump).length);
});

test('a dump of the whole memory has the same report', () => {
  const whole = dumpArena(arena, { payload: true });
  expect(whole.length).toBeGreaterThan(dump.length);
  expect(timeless(formatDump(whole))).toContain(timeless(formatReport(arena)));
});

test('an arena in which nothing waits has a dump, too', () => {
  expect(formatDump(dumpArena(Arena.create({ maxPages: 1 })))).toContain('Nothing looks wrong');
});

testSecrets([
  [
    'region',
    (own) => {
      const { int32 } = Region.create(256, { arena: own });
      new Uint8Array(int32.buffer, int32.byteOffset, 256).set(SECRET_BYTES, 64);
    },
  ],
  ['buffer of JSON', (own) => BoundedBuffer.create({ arena: own, codec: 'json', capacity: 4 }).push(SECRET)],
  ['buffer of bytes', (own) => BoundedBuffer.create({ arena: own, codec: 'bytes', capacity: 256 }).push(SECRET_BYTES)],
]);

test('10,000 waiters of one line have a dump, a report, and few lines', async () => {
  const own = Arena.create({ maxPages: 1024 });
  const many = Semaphore.create(0, { arena: own, name: 'many' });
  const all = Array.from({ length: 10_000 }, () => many.acquireAsync());
  const report = formatDump(dumpArena(own));
  expect(report).toContain("semaphore 'many': 10000 async waits, the longest for ");
  expect(report.split('\n').length).toBeLessThan(40);
  many.release(10_000);
  await Promise.all(all);
});

/** Returns the code of the error. Fails for any other outcome. */
function codeOf(bytes: Uint8Array): string {
  try {
    formatDump(bytes);
  } catch (failure) {
    if (hasCode(failure, 'SLUICE_CORRUPT_ARENA') || hasCode(failure, 'SLUICE_UNSUPPORTED')) return failure.code;
    throw failure;
  }
  return 'text';
}

describe('a changed dump', () => {
  test('a dump that is cut short is refused, at every length', () => {
    const codes = new Set<string>();
    for (let length = 0; length < dump.length; length++) codes.add(codeOf(dump.subarray(0, length)));
    expect([...codes]).toEqual(['SLUICE_CORRUPT_ARENA']);
  });

  test('a dump with one changed bit is refused, for 1,000 of its bits', () => {
    const codes = new Set<string>();
    for (let change = 0; change < 1000; change++) {
      const bytes = dump.slice();
      const bit = Math.floor((change * 8 * dump.length) / 1000);
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
      codes.add(codeOf(bytes));
    }
    expect([...codes]).toEqual(['SLUICE_CORRUPT_ARENA']);
  });

  test('bytes behind the end of a dump are refused', () => {
    expect(codeOf(Buffer.concat([dump, new Uint8Array(8)]))).toBe('SLUICE_CORRUPT_ARENA');
  });

  test.each([7, 'dump', null, new ArrayBuffer(8), new Int32Array(8)])('%s is no dump', (value) => {
    expect(() => formatDump(value as never)).toThrow(TypeError);
  });
});

describe('a dump with a right checksum that was made to harm', () => {
  const decoded = (): Dump => decodeDump(dump.slice());

  test.each<[string, Record<string, unknown>, string]>([
    ['another layout', { layout: 3 }, 'SLUICE_UNSUPPORTED'],
    ['no layout', { layout: undefined }, 'SLUICE_CORRUPT_ARENA'],
    ['another arena', { arena: '0000000000000000' }, 'SLUICE_CORRUPT_ARENA'],
    ['an arena that is no id', { arena: 'x\u001b[31m' }, 'SLUICE_CORRUPT_ARENA'],
    ['no memory', { pages: 0 }, 'SLUICE_CORRUPT_ARENA'],
    ['pages that are no number', { pages: Infinity }, 'SLUICE_CORRUPT_ARENA'],
    ['lives of no agents', { lives: [null] }, 'SLUICE_CORRUPT_ARENA'],
    ['a date that is none', { date: '1' }, 'SLUICE_CORRUPT_ARENA'],
    ['a date beyond all dates', { date: 1e300 }, 'text'],
    ['huge memory', { pages: 2 ** 32 - 1 }, 'text'],
  ])('has %s', (_, facts, code) => {
    const { facts: own, segments } = decoded();
    expect(codeOf(encodeDump({ facts: { ...own, ...facts }, segments }))).toBe(code);
  });

  test.each<[string, (dump: Dump) => Dump['segments']]>([
    ['no segments', () => []],
    ['segments in another order', ({ segments }) => [...segments].reverse()],
    ['a segment twice', ({ segments }) => [...segments.slice(0, 1), ...segments]],
    [
      'an address that is no multiple of 8',
      ({ segments }) => segments.map((each) => ({ ...each, address: each.address + 4 })),
    ],
    ['segments elsewhere', ({ segments }) => segments.map((each) => ({ ...each, address: each.address + 64 }))],
  ])('has %s', (_, change) => {
    const own = decoded();
    expect(codeOf(encodeDump({ facts: own.facts, segments: change(own) }))).toBe('SLUICE_CORRUPT_ARENA');
  });

  // Lists that lead back to themselves, counts without a bound, addresses outside.
  test.each([0, -1, 1, 2 ** 31 - 1, -(2 ** 31), 128, 4096, 16_384])('has %i in each word in turn', (value) => {
    const { facts, segments } = decoded();
    const outcomes = new Map<string, number>();
    for (const { bytes } of segments) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let at = 0; at < bytes.length; at += 4) {
        const before = view.getInt32(at, true);
        // Words that are 0 are most of the memory, and every 16th is enough.
        if (before === value || (before === 0 && at % 64 !== 0)) continue;
        view.setInt32(at, value, true);
        const outcome = codeOf(encodeDump({ facts, segments }));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        view.setInt32(at, before, true);
      }
    }
    expect(outcomes.get('text')).toBeGreaterThan(100);
    expect(outcomes.get('SLUICE_CORRUPT_ARENA')).toBeGreaterThan(0);
  });

  test('has pools whose blocks are as many as fit, each with as many records as fit', () => {
    const { facts } = decoded();
    const bytes = new Uint8Array(1 << 20);
    const [first] = decoded().segments;
    bytes.set(first?.bytes.subarray(0, 256) ?? []);
    const view = new DataView(bytes.buffer);
    const heap = 256 * 128;
    view.setInt32(20, heap, true);
    view.setInt32(24, bytes.length, true);
    for (const head of [40, 44, 48]) view.setInt32(head, heap, true);
    for (let block = heap; block < bytes.length; block += 128) {
      view.setInt32(block + 16, block + 128 < bytes.length ? block + 128 : 0, true);
      view.setInt32(block + 20, Math.floor((bytes.length - block - 128) / 64), true);
      view.setInt32(block + 24, 64, true);
    }
    const segments = [{ address: 0, bytes }];
    expect(codeOf(encodeDump({ facts: { ...facts, pages: 16 }, segments }))).toBe('SLUICE_CORRUPT_ARENA');
  });
});
