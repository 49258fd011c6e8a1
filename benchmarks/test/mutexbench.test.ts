import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { MutexbenchResult } from '../src/jobs/mutexbench.mjs';
import { newestResults, readPoints } from '../src/plots/points.mjs';
import { panel } from '../src/plots/panel.mjs';
import { barsOf } from '../src/scenarios/mutexbench-bars.mjs';
import { chooseSubjects } from '../src/scenarios/mutexbench-subjects.mjs';

const chosen = (...patterns: string[]): string[] => chooseSubjects(patterns).map(({ key }) => key);

function outcomes(all: Record<string, { fairness: number; operationsPerSecond: number }[]>) {
  return new Map(
    Object.entries(all).map(([key, values]) => [key, { values: values as MutexbenchResult[], failure: null }]),
  );
}

/** A line of a results file. */
function line(key: string, workers: number, operationsPerSecond: number, more: object = {}): string {
  const [lock, variant = 'bare'] = key.split('/');
  const taken = {
    date: '2026-01-02T00:00:00Z',
    machine: { cpu: 'x', cores: 2 },
    runtime: 'Node 20',
    seconds: 1,
    repetitions: 1,
  };
  const measured = { workers, operationsPerSecond, fairness: 1, series: 'empty' };
  return JSON.stringify({ key, lock, variant, ...measured, ...taken, ...more });
}

test('subjects are chosen by name and by star, each once, in their usual order', () => {
  expect(chosen('tts/10', 'lifo')).toEqual(['lifo', 'tts/10']);
  expect(chosen('tts*', 'tts')).toEqual(['tts', 'tts/10', 'tts/100', 'tts/1000', 'tts/adaptive', 'tts/fractional']);
  expect(chosen('*/10')).toEqual([
    'reciprocating/10',
    'ticket/10',
    'lifo/10',
    'mcs/10',
    'tts/10',
    'cpp-tts/10',
    'cpp-ticket/10',
  ]);
});

test('a subject that does not exist is refused', () => {
  expect(() => chooseSubjects(['tts', 'mutex'])).toThrow('no subject mutex');
});

test('the adaptive lock must reach its fairness, and its throughput over the bare lock, in each repetition', () => {
  const at = (fairness: number, operationsPerSecond: number) => ({ fairness, operationsPerSecond });
  const bare = [at(0.1, 100), at(0.2, 10), at(0.3, 100)];
  const all = outcomes({ tts: bare, 'tts/adaptive': [at(0.95, 40), at(0.91, 9), at(0.5, 45)] });
  expect(barsOf('tts/adaptive', 4, all)).toMatchObject([
    { value: 0.91, met: true },
    { value: 0.45, met: false },
  ]);
  expect(barsOf('tts/adaptive', 2, all)).toEqual([]);
  expect(barsOf('tts', 4, all)).toEqual([]);
});

test('figures are drawn from the newest file, and from the last result of each point in it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-plots-'));
  const failed = JSON.stringify({ subject: 'TtsLock', failure: 'killed' });
  const elsewhere = line('tts', 4, 3, { series: 'private' });
  const lines = [line('tts', 4, 1), line('tts', 1, 5), line('tts', 4, 2), elsewhere, failed, ''];
  writeFileSync(join(directory, '2026-01-02-mutexbench.jsonl'), lines.join('\n'));
  writeFileSync(join(directory, '2026-01-01-mutexbench.jsonl'), '');
  writeFileSync(join(directory, '2026-01-03-latency.jsonl'), '');
  const points = readPoints(newestResults(directory));
  expect(points.map(({ workers, operationsPerSecond }) => [workers, operationsPerSecond])).toEqual([
    [1, 5],
    [4, 2],
  ]);
  expect(panel(points, 'tts')).not.toBeNull();
  expect(panel(points, 'mcs')).toBeNull();
});
