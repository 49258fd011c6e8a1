import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SemabenchResult } from '../src/jobs/semabench.mjs';
import { chooseSeries } from '../src/lib/choose.mjs';
import { checked, summarize } from '../src/lib/semabench.mjs';
import {
  countOf,
  createBuffer,
  readWorkers,
  tallyWords,
  viewsOf,
  worstWaitMillis,
} from '../src/lib/semabench-control.mjs';
import { tallied } from '../src/lib/tally.mjs';
import { apart, curves } from '../src/plots/curves.mjs';
import { curvePictures, familyPictures } from '../src/plots/semabench-pictures.mjs';
import { figuresOf, fillPage, verdict } from '../src/plots/semabench-page.mjs';
import { readSemabench } from '../src/plots/semabench-points.mjs';
import { chooseSubjects, fitting, keys } from '../src/scenarios/semabench-subjects.mjs';

const result = (more: Partial<SemabenchResult>): SemabenchResult => ({
  seconds: 1,
  counts: [5, 5],
  handOvers: 10,
  handOversPerSecond: 10,
  fairness: 1,
  allThrough: true,
  wakeUps: 0,
  futile: 0,
  notifies: 0,
  vain: 0,
  worstWaitMillis: 0,
  cpuSeconds: 1,
  maxRssKiB: 1024,
  excluded: true,
  ...more,
});

interface Layers {
  readonly layer: readonly { readonly data: { readonly values: readonly Record<string, unknown>[] } }[];
}

const PICTURES = [...familyPictures, ...curvePictures];

/** A line of a results file. */
const line = (key: string, series: string, workers: number, more: object = {}): string =>
  JSON.stringify({
    key,
    series,
    workers,
    ...summarize([result({})]),
    date: '2026-01-02T00:00:00Z',
    machine: { cpu: 'x', cores: 2 },
    runtime: 'Node 20',
    seconds: 1,
    repetitions: 1,
    ...more,
  });

function pointsOf(...lines: string[]) {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-semabench-')), '2026-01-02-semabench.jsonl');
  writeFileSync(file, lines.join('\n'));
  return readSemabench(file);
}

test('a point is the median of its repetitions, its counts are per hand-over, and its worst wait is the worst of all', () => {
  const found = summarize([
    result({ handOversPerSecond: 30, fairness: 0.5, wakeUps: 20, futile: 10, worstWaitMillis: 7 }),
    result({ handOversPerSecond: 10, fairness: 0.9, wakeUps: 10, futile: 0, worstWaitMillis: 1, allThrough: false }),
    result({ handOversPerSecond: 20, fairness: 0.8, wakeUps: 5, futile: 0, counts: [0, 10] }),
  ]);
  expect(found).toMatchObject({ handOversPerSecond: 20, slowest: 10, fastest: 30, fairness: 0.8, fairnessWorst: 0.5 });
  expect(found).toMatchObject({
    wakeUpsEach: 1,
    futileEach: 0,
    worstWaitMillis: 7,
    allThrough: false,
    relativeDeviation: 0,
  });
  expect(summarize([result({ counts: [0, 10] })]).relativeDeviation).toBe(1);
});

test('a figure that a semaphore does not report, or for which no worker got through, is missing', () => {
  const silent = result({ wakeUps: null, futile: null, notifies: null, vain: null });
  expect(summarize([silent])).toMatchObject({ wakeUpsEach: null, notifiesEach: null, cpuMicrosEach: 100_000 });
  expect(summarize([result({ handOvers: 0, counts: [0, 0], fairness: 0 })])).toMatchObject({
    wakeUpsEach: null,
    cpuMicrosEach: null,
  });
});

test('a run in which two workers were inside at once is refused', () => {
  expect(() => checked(result({ excluded: false }))).toThrow('inside the critical section together');
});

test('each worker counts in words of its own', () => {
  const { counts } = viewsOf(createBuffer(2), 2);
  counts[countOf(1)] = 3;
  tallyWords(counts, 0)[tallied.worstMicros] = 4500;
  tallyWords(counts, 1)[tallied.vain] = 7;
  expect(readWorkers(counts, 2)).toMatchObject([
    { passes: 0, vain: 0 },
    { passes: 3, wakeUps: 0, futile: 0, notifies: 0, vain: 7 },
  ]);
  expect(worstWaitMillis(counts, 2)).toBe(4.5);
});

test('subjects and series are chosen by name, and one that does not exist is refused', () => {
  expect(chooseSubjects(['cpp-*', 'core']).map(({ key }) => key)).toEqual(
    keys.filter((key) => key === 'core' || key.startsWith('cpp-')),
  );
  expect(() => chooseSubjects(['mutex'])).toThrow('semabench has no subject mutex');
  expect(chooseSeries('semabench', ['blocking', 'mixed'], undefined)).toEqual(['blocking', 'mixed']);
  expect(() => chooseSeries('semabench', ['blocking', 'mixed'], ['async'])).toThrow('semabench has no series async');
});

test('C++ subjects have no async points, and spinning ones none with more than eight workers per core', () => {
  const chosen = chooseSubjects(['core', 'cpp-ticket', 'cpp-ticket/futex']);
  const at = (workers: number, mixed: boolean): string[] =>
    fitting(chosen, { workers, mixed }, 2).map(({ key }) => key);
  expect(at(16, false)).toEqual(['core', 'cpp-ticket', 'cpp-ticket/futex']);
  expect(at(17, false)).toEqual(['core', 'cpp-ticket/futex']);
  expect(at(4, true)).toEqual(['core']);
});

test('points are the last results of each series, and lines of older formats are skipped', () => {
  const { contended, uncontended } = pointsOf(
    line('core', 'blocking', 4, { handOversPerSecond: 1 }),
    line('core', 'blocking', 1),
    line('core', 'blocking', 4, { handOversPerSecond: 2 }),
    line('core', 'mixed', 4),
    line('core', 'uncontended', 1, { pairNanos: 5 }),
    JSON.stringify({ subject: 'Sluice', workers: 1, pairsPerSecond: 5 }),
    JSON.stringify({ subject: 'Semaphore', failure: 'killed' }),
  );
  expect(contended.map(({ series, workers, handOversPerSecond }) => [series, workers, handOversPerSecond])).toEqual([
    ['blocking', 1, 10],
    ['blocking', 4, 2],
    ['mixed', 4, 10],
  ]);
  expect(uncontended).toMatchObject([{ pairNanos: 5 }]);
});

function drawn(name: string, ...lines: string[]) {
  const picture = PICTURES.find((one) => one.name === name);
  if (picture === undefined) throw new Error(`there is no picture ${name}`);
  const specification = curves(pointsOf(...lines).contended, picture, () => '') as Layers | null;
  return specification?.layer.map(({ data }) => data.values);
}

test('each picture has at most five curves, each of a subject, and explains a star', () => {
  for (const { curves: all, note, question } of PICTURES) {
    expect(all.length).toBeLessThanOrEqual(5);
    for (const [key] of all) expect(keys).toContain(key);
    expect(note?.includes('*') ?? false, question).toBe(all.some(([, title]) => title.includes('*')));
  }
});

test('a picture has the measured curves, each named at its end, and is missing if there are none', () => {
  const lines = [line('core', 'blocking', 1), line('core', 'blocking', 4), line('chain', 'blocking', 1)];
  const [, curve, names] = drawn('curves-javascript', ...lines) ?? [];
  expect(curve).toMatchObject([
    { curve: 'Semaphore', workers: 1, y: 10 },
    { curve: 'Semaphore', workers: 4, y: 10 },
    { curve: 'ChainSemaphore (3)', workers: 1, y: 10 },
  ]);
  expect(names).toMatchObject([{ curve: 'Semaphore' }, { curve: 'ChainSemaphore (3)' }]);
  expect(drawn('curves-cpp', ...lines)).toBeUndefined();
  expect(drawn('curves-wake-ups', line('core', 'blocking', 1, { wakeUpsEach: null }))).toBeUndefined();
});

test('a picture names the runtimes of what is drawn in it, and no others', () => {
  const lines = [
    line('core', 'blocking', 1, { runtime: 'Node 20' }),
    line('cpp-ticket/futex', 'blocking', 1, { runtime: 'C++' }),
  ];
  const named = (name: string): unknown => {
    const picture = PICTURES.find((one) => one.name === name);
    const specification =
      picture && curves(pointsOf(...lines).contended, picture, (points) => points.map((p) => p.runtime).join());
    return (specification?.title as { readonly subtitle: unknown } | undefined)?.subtitle;
  };
  expect(named('curves-javascript')).toEqual('Node 20');
  expect(named('curves-cpp')).toEqual([expect.any(String), 'C++']);
});

test('a point of several runs is drawn with how far they spread, and zero as zero', () => {
  const spread = {
    handOversPerSecond: 20,
    slowest: 10,
    fastest: 30,
    fairness: 0.9,
    fairnessWorst: 0.5,
    wakeUpsEach: 0,
  };
  const first = (name: string): unknown => drawn(name, line('core', 'blocking', 1, spread))?.[0]?.[0];
  expect(first('curves-javascript')).toMatchObject({ y: 20, least: 10, most: 30 });
  expect(first('curves-fairness')).toMatchObject({ y: 0.9, least: 0.5, most: 0.9 });
  expect(first('curves-wake-ups')).toMatchObject({ y: 0, least: 0, most: 0 });
});

test('names at the ends of curves keep their order and their distance, within the picture', () => {
  expect(apart([0, 100, 200], 300)).toEqual([0, 100, 200]);
  expect(apart([10, 10, 12], 300)).toEqual([10, 28, 46]);
  expect(apart([300, 299, 298], 300)).toEqual([300, 282, 264]);
});

test('members that beat core are listed with their factor, uncontended and contended, and the others are not', () => {
  const points = pointsOf(
    line('core', 'blocking', 2, { handOversPerSecond: 100, fastest: 110 }),
    line('chain', 'blocking', 2, { handOversPerSecond: 105 }),
    line('monitor', 'blocking', 2, { handOversPerSecond: 150, slowest: 120, fairness: 0.5 }),
    line('location', 'blocking', 2, { handOversPerSecond: 150, slowest: 90 }),
    line('cpp-chain', 'blocking', 2, { handOversPerSecond: 900 }),
    line('core', 'mixed', 2, { handOversPerSecond: 10, fastest: 10 }),
    line('chain', 'mixed', 2, { handOversPerSecond: 20, slowest: 11 }),
    line('address', 'uncontended', 1, { overCore: 0.8 }),
    line('chain', 'uncontended', 1, { overCore: 0.99 }),
  );
  expect(verdict(points)).toBe(
    "- Alone: AddressSemaphore * (0.8 of its time).\n- 2 workers; core's fairness is 1.00: MonitorSemaphore (1.5 times, fairness 0.50)." +
      "\n- 2 workers, half of which await; core's fairness is 1.00: ChainSemaphore (2 times, fairness 1.00).",
  );
  expect(verdict(pointsOf(line('core', 'blocking', 2)))).toMatch(/Alone: none .*\n.*: none\./);
});

test('the page keeps its text, and its figures are replaced between the marks', () => {
  const points = pointsOf(
    line('core', 'blocking', 2, { handOversPerSecond: 1234, wakeUpsEach: 0.001 }),
    line('core', 'mixed', 2),
  );
  const first = figuresOf(points, 'somewhere', [{ title: 'a picture', file: 'x.svg' }]);
  expect(first).toContain('| Semaphore (core) | 1,230, 1.00 |');
  expect(first).toContain('| Semaphore (core) | < 0.01, 0.00, 0.00 |');
  expect(first).toContain('![a picture](x.svg)');
  const page =
    '# A\n\n<!-- figures: written by `npm run bench:plot`, not by hand -->\nold\n<!-- end of figures -->\n\nB\n';
  const filled = fillPage(page, first);
  expect(filled.startsWith('# A\n\n<!-- figures') && filled.endsWith('<!-- end of figures -->\n\nB\n')).toBe(true);
  expect(filled).not.toContain('old');
  expect(fillPage(filled, first)).toBe(filled);
  expect(() => fillPage('# A\n', first)).toThrow('the page needs one');
});
