import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runProgram } from '../../../tools/harness/src/program.ts';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));

test('three processes share slots, a leader and a rate, and go on when the serving one is killed', {
  timeout: 90_000,
}, async () => {
  const { code, stdout, stderr } = await runProgram(main, []);

  expect(stderr).toBe('');
  expect(stdout).toMatch(/A {2}serves, leads and has a slot, and is killed$/m);
  expect(stdout).toMatch(/[BC] {2}leads, token \d+, [\d.]+ ms after the kill$/m);
  expect(stdout).toMatch(/the slot of A is in use again$/m);
  expect(stdout).toMatch(/^never more than 2 inside, \\d+ slots and \\d leaders with \\d+ tokens: ok$/m);
  expect(code).toBe(0);
});
