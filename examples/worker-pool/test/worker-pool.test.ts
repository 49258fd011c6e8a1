import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { argumentSuite, runProgram, type Finished, type ProgramOptions } from '../../../tools/harness/src/program.ts';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
const THREADS_MS = 180_000;
const SMALL = ['--size', '150x100', '--view', 'whole', '--iterations', '2000'];

let directory = '';
let out = '';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-picture-'));
  out = join(directory, 'new', 'picture.png');
});

afterAll(() => rmSync(directory, { recursive: true }));

const start = (args: readonly string[], onOutput?: ProgramOptions['onOutput']): Promise<Finished> =>
  runProgram(main, args, onOutput && { onOutput });

/** Returns the numbers of the only row that matches. */
function numbersIn(stdout: string, row: RegExp): number[] {
  return (row.exec(stdout) ?? []).slice(1).map(Number);
}

function checksumIn(stdout: string): string | undefined {
  return /^checksum +([\da-f]{64})$/m.exec(stdout)?.[1];
}

describe('the picture', () => {
  test('the picture in the file equals the picture that a single thread computes', {
    timeout: THREADS_MS,
  }, async () => {
    const { code, stdout, stderr } = await start([...SMALL, '--workers', '3', '--tile', '16', '--out', out]);

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^done +70 of 70 tiles, 0 failed$/m);
    expect(stdout).toMatch(/^killed +0 workers, 0 replaced; 0 tiles begun again$/m);
    expect(stdout).toMatch(/^check +the same picture as by one thread: ok$/m);
    expect(code).toBe(0);
    const { width, height, data } = PNG.sync.read(readFileSync(out));
    expect([width, height]).toEqual([150, 100]);
    expect(createHash('sha256').update(data).digest('hex')).toBe(checksumIn(stdout));
    const pixel = (x: number, y: number): number[] => [...data.subarray(4 * (width * y + x), 4 * (width * y + x) + 4)];
    expect(pixel(100, 50)).toEqual([0, 0, 0, 255]);
    expect(pixel(0, 0)).not.toEqual([0, 0, 0, 255]);
    // The set is the same above and below.
    expect(pixel(30, 20)).toEqual(pixel(30, 79));
  });

  test('is complete and unchanged after workers were killed', { timeout: THREADS_MS }, async () => {
    const heavy = ['--size', '96x64', '--view', 'whole', '--iterations', '100000', '--tile', '16'];
    const args = [...heavy, '--workers', '2', '--no-verify', '--out', out];
    const whole = await start(args);
    const { code, stdout, stderr } = await start([...args, '--kill', '3']);

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^done +24 of 24 tiles, 0 failed$/m);
    const [killed, replaced, again] = numbersIn(
      stdout,
      /^killed +(\d+) workers, (\d+) replaced; (\d+) tiles begun again$/m,
    );
    expect([killed, replaced]).toEqual([3, 3]);
    expect(again).toBeGreaterThan(0);
    expect(checksumIn(stdout)).toBe(checksumIn(whole.stdout));
    expect(code).toBe(0);
  });

  // Windows has no signals to send.
  test.skipIf(platform === 'win32')(
    'Ctrl-C ends the program, which writes the picture so far',
    { timeout: THREADS_MS },
    async () => {
      let interrupted = false;
      const args = ['--size', '600x400', '--view', 'whole', '--iterations', '100000', '--out', out];
      const { code, stdout, stderr } = await start(args, (printed, kill) => {
        const begun = printed.includes('tiles');
        if (!interrupted && begun) kill('SIGINT');
        interrupted ||= begun;
      });

      expect(stderr).toBe('');
      const [done = 0, all = 0] = numbersIn(stdout, /^done +(\d+) of (\d+) tiles/m);
      expect(done).toBeLessThan(all);
      expect(stdout).toMatch(/^interrupted +this is the picture so far$/m);
      const { data } = PNG.sync.read(readFileSync(out));
      expect(createHash('sha256').update(data).digest('hex')).toBe(checksumIn(stdout));
      expect(code).toBe(130);
    },
  );
});

describe('arguments', () => {
  argumentSuite(main, 'Usage: node src/main.mjs [options]', [
    [['--size', '100'], '--size must be two numbers from 16 to 8192, as in 1200x800: received "100"'],
    [['--size', '15x100'], '--size must be two numbers from 16 to 8192, as in 1200x800: received "15x100"'],
    [['--tile', '7'], '--tile must be a whole number from 8 to 512: received "7"'],
    [['--workers', '0'], '--workers must be a whole number from 1 to 64: received "0"'],
    [['--iterations', '1e3'], '--iterations must be a whole number from 10 to 100000: received "1e3"'],
    [['--kill', 'all'], '--kill must be a whole number from 0 to 64: received "all"'],
    [['--view', 'toString'], '--view must be one of whole, seahorses, spiral: received "toString"'],
    [['--out', tmpdir()], 'cannot be written: EISDIR'],
    [['--nonsense'], "Unknown option '--nonsense'"],
  ]);
});
