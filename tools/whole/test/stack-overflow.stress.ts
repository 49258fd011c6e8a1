// Tests a stack overflow that a program catches, at every depth at which a call may overflow.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const JOB = fileURLToPath(new URL('jobs/stack-overflow.mjs', import.meta.url));

// Interpreted frames are larger than compiled ones.
test.each([
  ['compiled', []],
  ['interpreted', ['--no-opt', '--no-sparkplug']],
])('a caught stack overflow leaves nothing taken, locked or lost (%s code)', async (_, flags) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--stack-size=200', ...flags, JOB]);
  expect(stdout).toBe('end\n');
});
