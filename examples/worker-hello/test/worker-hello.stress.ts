import { spawnSync } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('worker-hello loses no addition', () => {
  const main = fileURLToPath(new URL('../main.mjs', import.meta.url));

  const { status, stdout, stderr } = spawnSync(execPath, [main], {
    encoding: 'utf8',
    timeout: 180_000,
    killSignal: 'SIGKILL',
  });

  expect(stderr).toBe('');
  expect(stdout).toMatch(/^the main thread sees \d+\nin the end 4000\n$/);
  expect(status).toBe(0);
});
