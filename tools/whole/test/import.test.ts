// What an import takes from the platform: it loads none of the modules that Node.js loads when a program first uses a
// name, and it keeps the clock.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

async function printed(job: string): Promise<string> {
  const path = fileURLToPath(new URL(`jobs/${job}.mjs`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [path], { timeout: 110_000, killSignal: 'SIGKILL' });
  return stdout;
}

test('the import of all packages for pages loads no module of Node.js', async () => {
  expect(await printed('import-loads')).toBe('');
});

test('a method performance.now that is replaced after the import does not stop the budget of the event loop', async () => {
  expect(await printed('faked-clock')).toBe('the timer fired');
});
