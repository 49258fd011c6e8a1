import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runProgram } from '../../../tools/harness/src/program.ts';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
const THREADS_MS = 60_000;

test('the histograms and the gauge have each wait and each hold of the lock', { timeout: THREADS_MS }, async () => {
  const { code, stdout, stderr } = await runProgram(main, []);
  expect(stderr).toBe('');
  const lines = stdout.split('\n').map((line) => line.replace(/\d+ ms/, 'MS').replace(/ +/g, ' '));
  expect(lines).toEqual([
    'while the worker holds the lock, and 3 tasks wait',
    ' sluice.line accounts 3 in line',
    'after the tasks',
    ' sluice.wait.duration accounts taken 3 recorded, MS in all',
    ' sluice.hold.duration accounts 3 recorded, MS in all',
    ' sluice.line accounts 0 in line',
    '',
  ]);
  expect(code).toBe(0);
});
