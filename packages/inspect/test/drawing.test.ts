// Tests the drawing of stored reports.

import { describe, expect, test } from 'vitest';
import { Arena, Semaphore } from '../../core/src/index.ts';
import { arenaSvg, drawArena, duration, LiveView } from '../src/drawing.ts';
import { rowsOf, type ViewReport } from '../src/drawing/rows.ts';
import { findDeadlocks } from '../src/index.ts';

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
    expect(ledger?.holders).toEqual([{ agent: 2, permits: 1, ms: 20, isAsync: false, isDead: false, cycle: '' }]);
    expect(ledger?.waiters.map(({ agent, ms, isAsync }) => [agent, ms, isAsync])).toEqual([
      [3, 1500, false],
      [1, 300, false],
      [4, 5, true],
    ]);
    expect(files?.holders).toEqual([{ agent: 1, permits: 2, ms: undefined, isAsync: false, isDead: false, cycle: '' }]);
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

describe('what looks wrong', () => {
  const [holder = never(), waiter = never()] = [REPORT.agents[1], REPORT.agents[2]];
  const cycle = (certain: boolean) => ({
    ...REPORT,
    agents: [holder, waiter],
    deadlocks: [{ certain, waits: [{ agent: 3, waitsFor: { address: 256 }, heldBy: 2 }] }],
  });

  test('a deadlock is red and in words, at its agents and its primitive alone', () => {
    const svg = arenaSvg(cycle(true), 400, { now: NOW });
    expect(texts(svg)).toEqual([
      'ledger lock  deadlock ',
      '#2',
      '20 ms',
      '#3',
      '1.5 s',
      'files semaphore, closed ',
      'free',
    ]);
    expect([...svg.matchAll(/<rect[^>]*stroke="var\(--sluice-bad/g)]).toHaveLength(2);
    expect(svg).toContain('ledger: in a deadlock, held by #2; waiting: #3. files: closed, free.');
    expect(arenaSvg(REPORT, 400)).not.toContain('sluice-bad');
  });

  test('a possible deadlock is dashed', () => {
    const svg = arenaSvg(cycle(false), 400, { now: NOW });
    expect([...svg.matchAll(/<rect[^>]*stroke="var\(--sluice-bad[^>]*stroke-dasharray/g)]).toHaveLength(2);
    expect(svg).toContain('ledger: in a possible deadlock, held by #2');
  });

  test('an agent that is in a certain deadlock stays certain, whatever else it is in', () => {
    const waits = [{ agent: 3, waitsFor: { address: 256 }, heldBy: 2 }];
    const deadlocks = [
      { certain: true, waits },
      { certain: false, waits },
    ];
    expect(rowsOf({ ...REPORT, deadlocks }, NOW)[0]?.cycle).toBe('certain');
  });

  test('the dead are grey and marked', () => {
    const svg = arenaSvg({ ...REPORT, agents: [{ ...holder, life: 'dead' }, waiter] }, 400, { now: NOW });
    expect(texts(svg)).toContain('#2 ✕');
    expect(svg).toContain('held by #2 (dead)');
    const [dead = '', living = ''] = [...svg.matchAll(/<rect[^>]*rx="7" fill="([^"]*)"/g)].map(([, fill = '']) => fill);
    expect([dead, living]).toEqual(['var(--sluice-muted, #6b7280)', '#1e8a66']);
  });

  test('findDeadlocks() and arena.inspect() of an arena make a red picture', () => {
    const arena = Arena.create();
    const only = Semaphore.create(1, { arena, name: 'only' });
    only.acquire();
    const abort = new AbortController();
    void only.acquireAsync(1, { signal: abort.signal }).catch(() => undefined);
    const svg = arenaSvg({ ...arena.inspect(), deadlocks: findDeadlocks(arena) }, 400);
    expect(svg).toContain('only: in a possible deadlock, held by #1; waiting: #1.');
    abort.abort();
    only.release();
  });
});

describe('gates', () => {
  const waits = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      agent: n + 3,
      holds: [],
      waits: [{ ...use(256, 'ledger'), how: 'blocking', since: NOW - n }],
    }));
  /** The height of the board in px. */
  const board = (svg: string): number => Number(/h4v([\d.]+)h-4z/.exec(svg)?.[1]);

  test('a gate is shut while an agent waits, and open while none does', () => {
    const shut = board(arenaSvg(REPORT, 400, { names: ['ledger'] }));
    const open = board(arenaSvg(REPORT, 400, { names: ['files'] }));
    expect(shut).toBeGreaterThan(2 * open);
  });

  test('a platoon of waiters has a bracket, also across lines', () => {
    const blocks = [{ kind: 'capacitor', name: 'ledger', address: 256, platoon: { limit: 3, left: 2 } }];
    const svg = arenaSvg({ agents: waits(7), blocks }, 400, { now: NOW });
    expect(svg).toContain('platoons of 3, 2 to leave');
    // Six waiters a line: three, three, one.
    const [bracket = ''] = /M[^"]*(?=" fill="none" stroke="[^"]*" stroke-width="1.5" stroke-linejoin)/.exec(svg) ?? [];
    expect(bracket.match(/M/g)).toHaveLength(3);
    expect(bracket.match(/v-3/g)).toHaveLength(3);
    expect(bracket.match(/v3/g)).toHaveLength(3);
    const narrow = arenaSvg({ agents: waits(4), blocks }, 190, { now: NOW });
    const [parts = ''] = /M[^"]*(?=" fill="none" stroke="[^"]*" stroke-width="1.5" stroke-linejoin)/.exec(narrow) ?? [];
    // Two waiters a line: the first platoon begins in the first line and ends in the second one.
    expect(parts.match(/M/g)).toHaveLength(3);
    expect(parts.match(/v-3/g)).toHaveLength(2);
  });

  test('a lock in turns says whose turn it is', () => {
    const blocks = [{ kind: 'lock', name: 'ledger', address: 256, turn: { of: 3 } }];
    expect(texts(arenaSvg({ agents: waits(2), blocks }, 400, { now: NOW }))[0]).toBe('ledger lock, turn of #3 ');
  });

  test('a name that is too long is cut, and the deadlock beside it stays', () => {
    const name = 'x'.repeat(60);
    const deadlocks = [{ certain: true, waits: [{ agent: 3, waitsFor: { address: 256 }, heldBy: 2 }] }];
    const svg = arenaSvg({ agents: waits(1), blocks: [{ kind: 'lock', name, address: 256 }], deadlocks }, 250);
    expect(texts(svg)[0]).toMatch(/^x{15,30}… deadlock $/);
    expect(svg).toContain(`aria-label="${name}: in a deadlock`);
  });

  test('a pointer over a chip sees its title', () => {
    expect(arenaSvg(REPORT, 400, { title: (agent) => `<agent ${agent}>` })).toContain('<title>&lt;agent 3&gt;</title>');
  });
});

test.each([
  ['no report', undefined, 400, 'The report must be what arena.inspect() returns'],
  ['a report without blocks', { agents: [] }, 400, 'The report must be what arena.inspect() returns'],
  ['a text', 'x', 400, 'The report must be what arena.inspect() returns'],
  ['no width', REPORT, 0, 'The width must be a positive number of CSS pixels: received 0'],
  ['a width that is a text', REPORT, '400', 'The width must be a positive number of CSS pixels: received 400'],
])('arenaSvg() throws a TypeError for %s', (_, report, width, message) => {
  const call = (): unknown => arenaSvg(report as never, width as never);
  expect(call).toThrow(TypeError);
  expect(call).toThrow(message);
});

function never(): never {
  throw new Error('The report lacks an agent.');
}

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
