import { findServer } from '@sluice/redis-server';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runProgram, type Finished } from '../../../tools/harness/src/program.ts';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));

const run = (variables: Record<string, string> = {}): Promise<Finished> => runProgram(main, [], { variables });

test.skipIf(findServer().kind === 'none')('three processes share two slots, and the slot of the killed one goes on', { timeout: 60_000 }, async () => {
  const { code, stdout, stderr } = await run();

  expect(stderr).toBe('');
  expect(stdout).toMatch(/B {2}is killed; the server waits for its lease of 1000 ms$/m);
  expect(stdout).toMatch(/the slot of B, dead for \d+ ms, is in use again$/m);
  expect(stdout).toMatch(/^never more than 2 inside, and 13 grants with 13 tokens: ok$/m);
  expect(code).toBe(0);
});

test('without a server it says what to do', { timeout: 60_000 }, async () => {
  const { code, stderr } = await run({ SLUICE_REDIS_URL: 'none' });

  expect(stderr).toBe('There is no Redis server (SLUICE_REDIS_URL is none). Install redis-server or valkey-server, or set SLUICE_REDIS_URL.\n');
  expect(code).toBe(2);
});
