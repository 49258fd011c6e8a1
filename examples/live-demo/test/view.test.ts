// Tests the drawing of stored reports.

import { describe, expect, test } from 'vitest';
import { Arena, Semaphore } from 'sluice';
import { arenaSvg, drawArena, LiveView } from '../src/view/live-view.ts';
import { rowsOf, type ViewReport } from '../src/view/rows.ts';
import { duration } from '../src/view/svg.ts';

const NOW = 1_700_000_000_000;
const use = (address: number, name: string, permits = 1) => ({ kind: 'lock', name, address, permits });

/** Agent 2 holds `ledger`, agents 3, 1 and 4 wait for it, 4 with await. Agent 1 holds two permits of `files`. */
const REPORT: ViewReport = {
  agents: [
    {
      agent: 1,
      holds: [{ ...use(512, 'files', 2), kind: 'semaphore' }],
      waits: [{ ...use(256, 'ledger'), how: 'blocking', since: NOW - 300 }],
    },
    { agent: 2, holds: [{ ...use(256, 'ledger'), since: NOW - 20 }], waits: [] },
    { agent: 3, holds: [], waits: [{ ...use(256, 'ledger'), how: 'blocking', since: NOW - 1500 }] },
    { agent: 4, holds: [], waits: [{ ...use(256, 'ledger'), how: 'async', since: NOW - 5 }] },
  ],
  blocks: [
    { kind: 'region', name: 'bytes', address: 128, closed: false },
    { kind: 'lock', name: 'ledger', address: 256, closed: false },
    { kind: 'semaphore', name: 'files', address: 512, closed: true },
  ],
};

const element = (clientWidth: number) => ({ clientWidth, innerHTML: '' });
const texts = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, text = '']) => text.replaceAll(/<[^>]*>/g, ' '));

describe('rowsOf', () => {
  test('reports holders and waiters of each primitive, the longest wait first, without memory', () => {
    const [ledger, files, ...others] = rowsOf(REPORT, NOW);
    expect(others).toEqual([]);
    expect(ledger?.holders).toEqual([{ agent: 2, permits: 1, ms: 20, isAsync: false }]);
    expect(ledger?.waiters.map(({ agent, ms, isAsync }) => [agent, ms, isAsync])).toEqual([
      [3, 1500, false],
      [1, 300, false],
      [4, 5, true],
    ]);
    expect(files?.holders).toEqual([{ agent: 1, permits: 2, ms: undefined, isAsync: false }]);
    expect(files?.closed).toBe(true);
  });

  test('`names` selects primitives and their order', () => {
    expect(rowsOf(REPORT, NOW, ['files', 'ledger', 'absent']).map(({ name }) => name)).toEqual(['files', 'ledger']);
  });

  test('a report from a clock that is ahead shows no negative time', () => {
    expect(rowsOf(REPORT, NOW - 10_000)[0]?.waiters.map(({ ms }) => ms)).toEqual([0, 0, 0]);
  });

  test('rowsOf() reads a report that travelled as JSON like the report itself', () => {
    expect(rowsOf(JSON.parse(JSON.stringify(REPORT)) as ViewReport, NOW)).toEqual(rowsOf(REPORT, NOW));
  });
});

describe('arenaSvg', () => {
  test('shows names, threads and times', () => {
    const svg = arenaSvg(REPORT, 400, { now: NOW, label: (agent) => `T${agent}` });
    expect(texts(svg)).toEqual([
      'ledger lock ',
      'T2',
      '20 ms',
      'T3',
      '1.5 s',
      'T1',
      '300 ms',
      'T4',
      '5 ms',
      'files semaphore, closed ',
      'T1 ×2',
    ]);
    expect(svg).toContain('aria-label="ledger: held by T2; waiting: T3, T1, T4. files: closed, held by T1."');
  });

  test('a primitive that no thread holds is free', () => {
    const svg = arenaSvg({ ...REPORT, agents: [] }, 400, { names: ['ledger'] });
    expect(texts(svg)).toEqual(['ledger lock ', 'free']);
  });

  test('a primitive without a holder that threads wait for is not called free', () => {
    const svg = arenaSvg({ ...REPORT, agents: REPORT.agents.slice(2, 3) }, 400, { names: ['ledger'], now: NOW });
    expect(texts(svg)).toEqual(['ledger lock ', '–', '#3', '1.5 s']);
    expect(svg).toContain('aria-label="ledger: waiting: #3."');
  });

  test('every chip stays within the width, and a narrow view is taller', () => {
    const waits = Array.from({ length: 20 }, (_, n) => ({
      agent: n + 3,
      holds: [],
      waits: [{ ...use(256, 'ledger'), how: 'blocking', since: NOW - n }],
    }));
    const heights = [900, 300].map((width) => {
      const svg = arenaSvg({ ...REPORT, agents: waits }, width, { names: ['ledger'], now: NOW });
      const ends = [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map(
        ([, x, w]) => Number(x) + Number(w),
      );
      expect(ends).toHaveLength(21);
      expect(Math.max(...ends)).toBeLessThanOrEqual(width);
      return Number(/ height="(\d+)"/.exec(svg)?.[1]);
    });
    expect(heights[1]).toBeGreaterThan(heights[0] ?? Infinity);
  });

  test('`columns` puts primitives side by side where there is room', () => {
    const height = (width: number): number =>
      Number(/ height="(\d+)"/.exec(arenaSvg(REPORT, width, { columns: 2, now: NOW }))?.[1]);
    expect(height(800)).toBeLessThan(height(300));
  });

  test('names cannot end the markup', () => {
    const svg = arenaSvg({ agents: [], blocks: [{ kind: 'lock', name: '<script>"&', address: 1 }] }, 400);
    expect(svg).toContain('&lt;script&gt;&quot;&amp;');
    expect(svg).not.toContain('<script>');
  });

  test('an empty report is an empty picture', () => {
    expect(texts(arenaSvg({ agents: [], blocks: [] }, 400))).toEqual([]);
  });
});

test('a LiveView draws one report after the other, as wide as its element', () => {
  const place = element(500);
  const view = new LiveView(place, { now: NOW, names: ['ledger'] });
  view.show(REPORT);
  expect(place.innerHTML).toContain('width="500"');
  expect(texts(place.innerHTML)).toContain('#3');
  view.show({ ...REPORT, agents: [] });
  expect(texts(place.innerHTML)).toEqual(['ledger lock ', 'free']);
});

test('an arena draws itself from its own report', async () => {
  const arena = Arena.create();
  const permits = Semaphore.create(1, { arena, name: 'door' });
  const place = element(0);
  permits.acquire();
  const waits = permits.acquireAsync();
  drawArena(arena.inspect(), place, { label: () => 'me' });
  expect(place.innerHTML).toContain('aria-label="door: held by me; waiting: me."');
  permits.release();
  await waits;
  drawArena(arena.inspect(), place, { label: () => 'me' });
  expect(place.innerHTML).toContain('aria-label="door: held by me."');
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1500, '1.5 s'],
  [59_940, '59.9 s'],
  [60_000, '1 min'],
])('%i ms is shown as %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
