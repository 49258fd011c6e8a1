import { platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { atFullDepth } from '../../../tools/harness/src/session.ts';
import {
  argumentSuite,
  runProgram,
  viewOf,
  type Finished,
  type ProgramOptions,
} from '../../../tools/harness/src/program.ts';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
const THREADS_MS = 180_000;

const start = (args: readonly string[], onOutput?: ProgramOptions['onOutput']): Promise<Finished> =>
  runProgram(main, args, onOutput && { onOutput });

/** The rows of the last table: name, throughput, min/max. */
function rows(stdout: string): string[][] {
  return [...stdout.matchAll(/^(\S+(?: = \d+)?) +([\d.]+) M\/s +([\d.]+)$/gm)].map(([, ...row]) => row);
}

describe('the same job at a bare lock and behind capacitors', () => {
  test.each(['tts', 'mcs', ...atFullDepth('ticket', 'lifo', 'reciprocating')])(
    'no way at a %s lock loses a count',
    { timeout: THREADS_MS },
    async (lock) => {
      const args = ['--lock', lock, '--workers', '3', '--seconds', '0.2', '--bypass-limit', '2,adaptive'];
      const { code, stdout, stderr } = await start(args);

      expect(stderr).toBe('');
      expect(stdout).not.toContain('LOST');
      expect(rows(stdout).map(([name]) => name)).toEqual(['bare', 'B = 2', 'adaptive']);
      expect(stdout.match(/^ {2}worker +\d+ #* *\d+$/gm)).toHaveLength(9);
      expect(code).toBe(0);
    },
  );

  test('with many workers some are listed, and all are counted', { timeout: THREADS_MS }, async () => {
    const { code, stdout } = await start(['--workers', '20', '--seconds', '0.1', '--bypass-limit', 'adaptive']);

    expect(stdout).toMatch(/^ {2}and 4 more$/m);
    expect(rows(stdout)).toHaveLength(2);
    expect(code).toBe(0);
  });

  test.skipIf(platform === 'win32')(
    'Ctrl-C ends the run and prints the counts so far',
    { timeout: THREADS_MS },
    async () => {
      let interrupted = false;
      const { code, stdout } = await start(
        ['--workers', '2', '--seconds', '30', '--bypass-limit', '1000'],
        (printed, kill) => {
          // Send it once: a second signal would arrive at a process that no longer handles signals.
          if (!interrupted && printed.includes('inner lock')) kill('SIGINT');
          interrupted ||= printed.includes('inner lock');
        },
      );

      expect(rows(stdout).map(([name]) => name)).toEqual(['bare']);
      expect(code).toBe(130);
    },
  );
});

describe('arguments', () => {
  argumentSuite(main, 'Usage: node src/main.mjs [options]', [
    [['--workers', '0'], '--workers must be a number from 1 to 64: received "0"'],
    [['--workers', '2.5'], '--workers must be a number from 1 to 64: received "2.5"'],
    [['--seconds', 'soon'], '--seconds must be a number from 0.1 to 60: received "soon"'],
    [['--lock', 'toString'], '--lock must be one of tts, ticket, mcs, lifo, reciprocating: received "toString"'],
    [['--bypass-limit', '10,0'], '--bypass-limit must be a number from 1 to 2147483647: received "0"'],
    [['--bypass-limit', ''], '--bypass-limit must be a number from 1 to 2147483647: received ""'],
    [['--nonsense'], 'Unknown option'],
  ]);
});

test('restriction.mjs measures a spinning lock, bare and behind each capacitor', { timeout: THREADS_MS }, async () => {
  const program = fileURLToPath(new URL('../src/restriction.mjs', import.meta.url));
  const { code, stdout, stderr } = await runProgram(program, ['2', '0.1']);
  expect([code, stderr]).toEqual([0, '']);
  const rows = [...stdout.matchAll(/^(.+?) +([\d,]+) per second, slowest \/ fastest [\d.]+$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(['bare', 'bypassLimit: 10', 'bypassLimit: 2', 'bypassLimit: adaptive']);
  expect(rows.every(([, , count]) => count !== '0')).toBe(true);
});

test('--view shows the primitives of the program while it runs', { timeout: THREADS_MS }, async () => {
  const { arena } = await viewOf(main, ['--view', '--workers', '2', '--seconds', '60', '--bypass-limit', '1000']);
  expect(arena?.primitives.length).toBeGreaterThan(0);
});
