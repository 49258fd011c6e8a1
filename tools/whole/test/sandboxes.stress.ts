// Tests the built packages in the pools of Vitest whose modules have their own realm. `npm run test:jest` does the same
// in Jest.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process, { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MAX_MS = 280_000;
const folder = fileURLToPath(new URL('../realms', import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

test('Vitest runs all scenarios in vmThreads and vmForks', { timeout: MAX_MS }, () => {
  const { VITEST: _, ...env } = process.env;
  const { stdout, stderr, status } = spawnSync(
    execPath,
    [vitest, 'run', '--config', `${folder}/vitest.config.mjs`, '--reporter', 'json'],
    { cwd: folder, env, encoding: 'utf8', timeout: MAX_MS },
  );
  expect(status, `${stdout}${stderr}`).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 16, numFailedTests: 0 });
});
