// The lints of a program of its own, on the built packages.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('./children/lints.mjs', import.meta.url));

function start(lints: string): Promise<{ readonly stderr: string }> {
  return run(process.execPath, [PROGRAM], { env: { ...process.env, NODE_OPTIONS: '', SLUICE_LINTS: lints } });
}

test('a worker that ends with a lock causes two warnings: it holds the lock, and no thread watches it', async () => {
  const { stderr } = await start('');
  expect(stderr).toMatch(
    /\[SLUICE_NEVER_RELEASED\] SluiceWarning: This thread ended while it held lock 'accounts' \(acquired at lints\.mjs:\d+\)/,
  );
  expect(stderr).toMatch(
    /\[SLUICE_UNWATCHED\] SluiceWarning: agent 2 \(thread 1, lints\.mjs\) has ended and still holds lock 'accounts'/,
  );
});

test('SLUICE_LINTS allows and denies', async () => {
  const { stderr } = await start('never-released=allow');
  expect(stderr).not.toContain('SLUICE_NEVER_RELEASED');
  await expect(start('unwatched-death=deny')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /MisuseError: Lint unwatched-death: agent 2 \(thread 1, lints\.mjs\) has ended/,
    ) as string,
  });
});
