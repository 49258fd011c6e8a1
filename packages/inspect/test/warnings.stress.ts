// Warnings of programs that run with SLUICE_WATCHDOG, in processes of their own.

import { afterEach, expect, test } from 'vitest';
import { Child } from './support/child.ts';

/** A limit that no wait passes. */
const NEVER = '3600';

const children: Child[] = [];

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
});

function start(file: string, argument: string): Child {
  const child = new Child(file, NEVER, undefined, [argument]);
  children.push(child);
  return child;
}

/** The warnings of a code in stderr. */
function warnings({ stderr }: Child, code: string): string[] {
  return stderr.split('\n').filter((line) => line.includes(`[${code}]`));
}

test.each([
  ['no worker is watched', 'unwatched', 2, 'lock 0'],
  ['the first two are watched', 'watched', 4, 'lock 2'],
])('one warning names the first unwatched of three workers that end with a lock: %s', async (_, how, agent, lock) => {
  const child = start('unwatched.mjs', how);
  expect(await child.ended()).toBe(0);
  const all = warnings(child, 'SLUICE_UNWATCHED');
  expect(all).toHaveLength(1);
  expect(all[0]).toMatch(
    new RegExp(
      `SluiceWarning: agent ${agent} \\(thread \\d+, unwatched\\.mjs\\) has ended and still holds lock '${lock}'\\. No thread has recovered it: start workers with spawn, `,
    ),
  );
});

test.each(['timer', 'server'])(
  'a main thread with a %s that parks in a blocking call is warned, once',
  async (work) => {
    const child = start('blocks-main.mjs', work);
    expect(await child.ended()).toBe(0);
    const all = warnings(child, 'SLUICE_BLOCKS_MAIN');
    expect(all).toHaveLength(1);
    expect(all[0]).toMatch(
      /SluiceWarning: A blocking call parked the main thread for at least \d+ ms, while its event loop had /,
    );
  },
);

test('a main thread that parks with nothing else to do is not warned', async () => {
  const child = start('blocks-main.mjs', 'nothing');
  expect(await child.ended()).toBe(0);
  expect(child.stdout).toContain('parked true');
  expect(child.stderr).toBe('');
});
