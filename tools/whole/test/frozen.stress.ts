// Tests programs that freeze built-in objects, like Node's `--frozen-intrinsics` and hardened JavaScript.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const JOB = fileURLToPath(new URL('jobs/frozen.mjs', import.meta.url));

const rows = ['Error.prototype', 'Object.prototype', 'every prototype', '--frozen-intrinsics'].flatMap((frozen) =>
  ['esm', 'cjs'].map((form) => [form, frozen] as const),
);

test.each(rows)('every entry imports as %s and works with %s frozen', async (form, frozen) => {
  const flags = frozen.startsWith('--') ? [frozen] : [];
  const { stdout } = await run(process.execPath, [...flags, JOB, frozen, form]);
  expect(stdout).toBe('');
});
