// Tests the effect of an import on the platform: it loads no module that Node.js loads lazily, and it keeps the clock.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

async function printed(job: string): Promise<string> {
  const path = fileURLToPath(new URL(`jobs/${job}.mjs`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [path], { timeout: 280_000, killSignal: 'SIGKILL' });
  return stdout;
}

test('the import of all packages for pages loads no module of Node.js', async () => {
  expect(await printed('import-loads')).toBe('');
});

test('performance.now() replaced after the import does not stop the budget of the event loop', async () => {
  expect(await printed('faked-clock')).toBe('the timer fired');
});
