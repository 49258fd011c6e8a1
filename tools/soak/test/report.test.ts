import { expect, test } from 'vitest';
import { pageOf } from '../src/page.mjs';
import { clockOf, merged, progressOf, summaryOf, tableOf, type Result } from '../src/report.mjs';

const none = {
  operations: 0,
  sleeps: 0,
  timeouts: 0,
  aborts: 0,
  refused: 0,
  inherited: 0,
  closed: 0,
  kills: 0,
  permits: 0,
  locks: 0,
  buffers: 0,
};
const memory = [
  { measure: 'rss', first: 100, last: 120, largest: 130.25, growth: 40, most: 32, unit: 'MiB', verdict: 'missed' },
  { measure: 'elements', first: 64, last: 64, largest: 4096, growth: 0, most: 256, unit: '', verdict: 'met' },
] as const;

const result: Result = {
  conditions: {
    profile: 'all',
    seed: 7,
    workers: 4,
    killEvery: 500,
    date: '2026-11-26',
    machine: '2 cores (A), Linux 6',
    node: 'v20.20.2',
    commit: 'abc1234',
  },
  seconds: 3601,
  paused: 61,
  cpuSeconds: 1800,
  rests: 850,
  renewals: 3000,
  closes: 40,
  ownKills: 12,
  giveUps: 1_234_567,
  goals: { kills: 0, giveUps: 0 },
  recoveries: { agents: 7000, waits: 900, chains: 3, pending: 0 },
  rows: [
    { ...none, name: 'Mutex(turns)', operations: 12_345, sleeps: 1, timeouts: 22, kills: 3, locks: 1 },
    { ...none, name: 'int32 in place', operations: 1, permits: 2, buffers: 2 },
  ],
  total: { ...none, operations: 12_346, kills: 7000, permits: 2, locks: 1, buffers: 2 },
  memory,
};

test('the table has a row for each primitive, and the sum', () => {
  expect(tableOf(result).split('\n')).toEqual([
    '| Primitive | Operations | Sleeps | Timed out | Aborted | Kills | Recovered |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    '| Mutex(turns) | 12,345 | 1 | 22 | 0 | 3 | 1 lock |',
    '| int32 in place | 1 | 0 | 0 | 0 | 0 | 2 permits, 2 copies |',
    '| **all** | 12,346 | 0 | 0 | 0 | 7,000 | 2 permits, 1 lock, 2 copies |',
  ]);
});

test('a missed bound is marked', () => {
  const lines = summaryOf(result).split('\n');
  expect(lines).toContain('| rss | 100.0 MiB | 120.0 MiB | 130.3 MiB | 40.0 MiB | 32.0 MiB | **missed** |');
  expect(lines).toContain('| elements | 64 | 64 | 4,096 | 0 | 256 | met |');
  expect(lines).toContain('60:01, 850 rests without a fault, 7,000 kills, 1,234,567 waits that gave up');
});

test('the page has the conditions, and a section for each profile with results', () => {
  const storm: Result = { ...result, paused: 0, ownKills: 0, goals: { kills: 5000, giveUps: 10_000_000 } };
  const both = pageOf((profile) => (profile === 'all' ? [result] : [storm]));
  expect(both).toContain('2026-11-26, 2 cores (A), Linux 6, Node.js 20.20.2, commit abc1234, seed 7.');
  expect(both).toContain('the process did not run for 1:01');
  expect(both).toContain('12 workers of the pool were killed besides.');
  expect(both).toContain('The goals were 5,000 kills and 10,000,000 waits that give up: **missed**.');
  expect(pageOf((profile) => (profile === 'all' ? [result] : []))).not.toContain('## Places and turns');
});

test('several runs of a profile are added up', () => {
  const [row] = result.rows;
  if (row === undefined) throw new Error('There is no row.');
  const other: Result = {
    ...result,
    seconds: 10,
    giveUps: 3,
    rows: [{ ...row, operations: 5, locks: 2 }],
    goals: { kills: 5000, giveUps: 0 },
  };
  const both = merged([other, result]);
  expect(both).toMatchObject({
    seconds: 3611,
    giveUps: 1_234_570,
    goals: { kills: 5000, giveUps: 0 },
    recoveries: { agents: 14_000 },
    memory,
  });
  expect(both.rows[0]).toEqual({ ...row, operations: 12_350, sleeps: 2, timeouts: 44, kills: 6, locks: 3 });
  expect(merged([result])).toEqual(result);
});

test('a progress line shows the counts', () => {
  const values = { rss: 100.5, heap: 1, external: 1, arena: 0.6, elements: 8192, blocks: 1, handles: 1, files: 1 };
  const totals = { operations: 12_345, timeouts: 5, aborts: 1000, kills: 3 };
  const line = progressOf({ seconds: 65.2, paused: 0, cpuSeconds: 1, rests: 9, totals, memory: values });
  expect(line).toBe(
    '1:05  12,345 operations, 1,005 given up, 3 kills, 9 rests, rss 100.5 MiB, arena 0.6 MiB, 8,192 elements',
  );
});

test.each([
  [0, '0:00'],
  [59.6, '1:00'],
  [3601, '60:01'],
])('%d s are shown as %s', (seconds, shown) => {
  expect(clockOf(seconds)).toBe(shown);
});
