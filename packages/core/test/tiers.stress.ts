import { scale, Session } from '@sluice/harness';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const CHILD = fileURLToPath(new URL('children/kills.mjs', import.meta.url));
const run = promisify(execFile);

// A kernel step is indivisible because V8 terminates a thread only at calls and at the edges of loops, and a step has
// neither. This must hold for both compilers of V8, and for the change from one to the other.
test.each([
  ['the baseline compiler', ['--liftoff-only']],
  ['the optimizing compiler', ['--no-liftoff']],
  ['both compilers, changing as early as possible', ['--wasm-tiering-budget=1']],
])('no permit is lost when workers are killed in a kernel compiled by %s', async (what, flags) => {
  const session = new Session(`kills under ${flags.join(' ')}`);
  const kills = scale(8);
  const { stdout } = await run(process.execPath, [...flags, CHILD, String(kills), String(session.seed >>> 0)], {
    timeout: 280_000 * scale(1),
  });
  expect(JSON.parse(stdout), what).toEqual({ free: 2, holders: 0, agents: 1, waiting: 0 });
  session.done(kills);
});
