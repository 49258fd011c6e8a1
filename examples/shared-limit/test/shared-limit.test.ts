import { platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { argumentSuite, runProgram, type Finished, type ProgramOptions } from '../../../tools/harness/src/program.ts';
import { check } from '../src/report.mjs';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
const THREADS_MS = 180_000;

const start = (args: readonly string[], onOutput?: ProgramOptions['onOutput']): Promise<Finished> =>
  runProgram(main, args, onOutput && { onOutput });

/** For each way: the maximum number of simultaneous requests, and the number of answers. */
function outcomes(stdout: string): number[][] {
  return [...stdout.matchAll(/ at most (\d+) at once; (\d+) answered in /g)].map((row) => row.slice(1).map(Number));
}

describe('requests of several workers', () => {
  test('exceed the limit with a limit in each worker, and never with one shared limit', {
    timeout: THREADS_MS,
  }, async () => {
    const { code, stdout, stderr } = await start([
      '--workers',
      '3',
      '--limit',
      '2',
      '--requests',
      '20',
      '--delay',
      '30',
    ]);

    expect(stderr).toBe('');
    const [[own, answered] = [], [shared, answeredTogether] = []] = outcomes(stdout);
    expect(own).toBe(6);
    expect(shared).toBe(2);
    expect([answered, answeredTogether]).toEqual([60, 60]);
    expect(stdout).toMatch(/^never more than 2 at once through one limit: ok$/m);
    expect(code).toBe(0);
  });

  test('run one by one under a limit of one', { timeout: THREADS_MS }, async () => {
    const { code, stdout } = await start(['--workers', '2', '--limit', '1', '--requests', '30', '--delay', '0']);

    expect(outcomes(stdout)[1]).toEqual([1, 60]);
    expect(code).toBe(0);
  });

  // Windows has no signals to send.
  test.skipIf(platform === 'win32')('end with Ctrl-C', { timeout: THREADS_MS }, async () => {
    let interrupted = false;
    const { code, stdout, stderr } = await start(['--delay', '10000'], (printed, kill) => {
      const begun = printed.includes('workers');
      if (!interrupted && begun) kill('SIGINT');
      interrupted ||= begun;
    });

    expect(stderr).toBe('');
    expect(outcomes(stdout)).toEqual([]);
    expect(stdout).toMatch(/^interrupted$/m);
    expect(code).toBe(130);
  });
});

describe('the check', () => {
  test.each([
    [{ most: 6 }, { most: 2 }, []],
    [{ most: 6 }, { most: 3 }, ['WRONG: 3 at once with one limit of 2']],
    [{ most: 7 }, { most: 2 }, ['WRONG: 7 at once with 3 limits of 2']],
    [{ most: 6 }, { most: 2, answered: 29 }, ['WRONG: 29 of 30 requests answered']],
  ])('the check of %j and %j reports %j', (own, shared, wrong) => {
    const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
    const options = { help: false, workers: 3, limit: 2, requests: 10, delay: 0 };

    const right = check(options, { answered: 30, seconds: 1, ...own }, { answered: 30, seconds: 1, ...shared });

    const printed = log.mock.calls.map(([line]) => String(line));
    log.mockRestore();
    expect(right).toBe(wrong.length === 0);
    expect(printed.filter((line) => line.startsWith('WRONG'))).toEqual(wrong);
  });
});

describe('arguments', () => {
  argumentSuite(main, 'Usage: node src/main.mjs [options]', [
    [['--workers', '0'], '--workers must be a whole number from 1 to 32: received "0"'],
    [['--limit', '1.5'], '--limit must be a whole number from 1 to 100: received "1.5"'],
    [['--requests', ''], '--requests must be a whole number from 1 to 10000: received ""'],
    [['--delay', '20ms'], '--delay must be a whole number from 0 to 10000: received "20ms"'],
    [['--nonsense'], "Unknown option '--nonsense'"],
  ]);
});
