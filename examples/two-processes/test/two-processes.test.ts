import { findServer } from '@sluice/redis-server';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runProgram, type Finished } from '../../../tools/harness/src/program.ts';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));

const paused = fileURLToPath(new URL('../src/paused-holder.mjs', import.meta.url));
const readme = fileURLToPath(new URL('../../../packages/redis/README.md', import.meta.url));

const run = (variables: Record<string, string> = {}): Promise<Finished> => runProgram(main, [], { variables });

test.skipIf(findServer().kind === 'none')(
  'three processes share two slots, and the slot of the killed one is used again',
  async () => {
    const { code, stdout, stderr } = await run();

    expect(stderr).toBe('');
    expect(stdout).toMatch(/B {2}is killed; the server waits for its lease of 3000 ms$/m);
    expect(stdout).toMatch(/the slot of B, dead for \d+ ms, is in use again$/m);
    expect(stdout).toMatch(/^never more than 2 inside, and (\d+) grants with \1 tokens: ok$/m);
    expect(code).toBe(0);
  },
);

test('without a server the program says what to do', async () => {
  const { code, stderr } = await run({ SLUICE_REDIS_URL: 'none' });

  expect(stderr).toBe(
    'There is no Redis server (SLUICE_REDIS_URL is none). Install redis-server or valkey-server, or set SLUICE_REDIS_URL.\n',
  );
  expect(code).toBe(2);
});

test.skipIf(findServer().kind === 'none')(
  'a database refuses the late write of a paused holder, with the statement of the README',
  async () => {
    const statement = /^const WRITE = '(.*)';$/m.exec(readFileSync(paused, 'utf8'))?.[1] ?? 'none';
    expect(readFileSync(readme, 'utf8')).toContain(statement);
    const { code, stdout, stderr } = await runProgram(paused, []);

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^fast {2}wrote 'fast': 1 row$/m);
    expect(stdout).toMatch(/^slow {2}wrote 'slow': 0 rows, refused: a later holder has written$/m);
    expect(stdout).toMatch(/^the database has 'fast': ok$/m);
    expect(code).toBe(0);
  },
);
