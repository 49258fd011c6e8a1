import { existsSync, readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { argumentSuite, runProgram } from '../../harness/src/program.ts';
import { byDepth } from '../../harness/src/session.ts';
import type { Result } from '../src/report.mjs';
import { Soak } from '../src/soak.mjs';
import { LOCKS } from '../src/subjects/locks.mjs';
import type { Subject } from '../src/subjects/subject.mjs';
import { MIXED } from '../src/visit.mjs';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
const results = mkdtempSync(join(tmpdir(), 'sluice-soak-'));
afterAll(() => rmSync(results, { recursive: true, force: true }));

function resultOf(profile: string): Result {
  return JSON.parse(readFileSync(join(results, `${profile}.json`), 'utf8')) as Result;
}

describe('the command', () => {
  argumentSuite(main, 'Usage: npm run soak', [
    [['--minutes', 'long'], '--minutes must be a number'],
    [['--primitives', 'Futex'], 'There is no primitive Futex.'],
  ]);

  test('finds no fault in some seconds of all primitives', async () => {
    const { code, stdout, stderr } = await runProgram(main, [
      '--minutes',
      byDepth({ quick: '0.05', ci: '0.1', full: '0.17' }),
      '--results',
      results,
    ]);
    expect(stderr.replace(/^Without .*\n/, '')).toBe('');
    expect(code).toBe(0);
    expect(stdout).toContain('rests without a fault');
    const { total, rows, recoveries } = resultOf('all');
    expect(rows.length).toBeGreaterThan(35);
    expect(total.operations).toBeGreaterThan(0);
    expect(recoveries.pending).toBe(0);
    expect(readFileSync(join(results, 'all.jsonl'), 'utf8').trim().split('\n').length).toBeGreaterThan(0);
  });

  test('ends when places-and-turns has reached its kills and cancelled waits', async () => {
    const args = [
      '--profile',
      'places-and-turns',
      '--kills',
      '5',
      '--give-ups',
      '2000',
      '--minutes',
      '4',
      '--results',
      results,
    ];
    const { code, stderr } = await runProgram(main, args);
    expect([code, stderr]).toEqual([0, '']);
    const { total, giveUps } = resultOf('places-and-turns');
    expect(total.kills).toBeGreaterThanOrEqual(5);
    expect(giveUps).toBeGreaterThanOrEqual(2000);
  });

  test('prints its table when it is interrupted', async () => {
    let interrupted = false;
    const { code, stdout } = await runProgram(main, ['--minutes', '5', '--primitives', 'Mutex', '--results', results], {
      onOutput: (printed, kill) => {
        if (interrupted || !printed.includes('rests, rss')) return;
        interrupted = true;
        kill('SIGINT');
      },
    });
    expect(code).toBe(0);
    expect(stdout).toContain('| Mutex(fifo) |');
    expect(existsSync(join(results, 'all.json'))).toBe(true);
  });
});

describe('a fault', () => {
  const quiet = {
    workers: 1,
    seed: 1,
    restEveryMs: 1000,
    killEvery: () => 1000,
    ways: MIXED,
    isEager: () => false,
    sparesSome: () => false,
    sampleMs: 1000,
    onSample: () => undefined,
    isDone: () => false,
  };
  const [mutex] = LOCKS;
  if (mutex === undefined) throw new Error('There is no lock.');

  async function failureOf(broken: Partial<Subject>, stuckMs?: number): Promise<string> {
    const subject: Subject = { ...mutex, ...broken } as Subject;
    const soak = new Soak({ ...quiet, subjects: [subject], ...(stuckMs === undefined ? {} : { stuckMs }) });
    const failure = await soak.run();
    expect(soak.failureState).toMatchObject({ arenas: [{ engine: 'wasm' }] });
    return String(failure);
  }

  test('at rest ends the run', async () => {
    const create: Subject['create'] = async (arena, own, count) => ({
      ...(await mutex.create(arena, own, count)),
      problems: () => ['a permit is missing'],
    });
    expect(await failureOf({ create })).toBe('at rest 1:\na permit is missing');
  });

  test('a fault of a visit ends the run', async () => {
    const open: Subject['open'] = () => ({ visit: () => Promise.reject(new Error('two are inside')) });
    expect(await failureOf({ open })).toContain('two are inside');
  });

  test('is reported for a visit that does not end', async () => {
    const open: Subject['open'] = () => ({ visit: () => new Promise(() => undefined) });
    expect(await failureOf({ open }, 5000)).toBe(
      'after 5 s still waiting for a visit of the main thread at Mutex(turns)',
    );
  });

  test('is reported for a block that was not freed', async () => {
    const create: Subject['create'] = async (arena, own, count) => {
      await mutex.create(arena, own, count);
      return mutex.create(arena, own, count);
    };
    expect(await failureOf({ create })).toContain('Mutex(turns) has 2 blocks, and should have 1');
  });
});
