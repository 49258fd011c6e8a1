import { findServer } from '@sluice/postgres-server';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runProgram } from '../../../tools/harness/src/program.ts';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));

test.skipIf(findServer().kind === 'none')('a transaction refuses the late write of a paused holder', async () => {
  const { code, stdout, stderr } = await runProgram(main, []);

  expect(stderr).toBe('');
  expect(stdout).toMatch(/^fast {2}has written$/m);
  expect(stdout).toMatch(/^slow {2}is refused: a later holder has written$/m);
  expect(stdout).toMatch(/^the database has 'fast': ok$/m);
  expect(code).toBe(0);
});

test('without a server the program says what to do', async () => {
  const { code, stderr } = await runProgram(main, [], { variables: { SLUICE_POSTGRES_URL: 'none' } });

  expect(stderr).toBe(
    'There is no Postgres server (SLUICE_POSTGRES_URL is none). Install postgresql, or set SLUICE_POSTGRES_URL.\n',
  );
  expect(code).toBe(2);
});
