// Programs without Sluice, in processes of their own, and what `why` writes about them to stderr. The first three lines
// of a page explain each of those that hang.

import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { Child } from './support/child.ts';

/** A limit that the waits of these programs pass at once. */
const SOON = '0.2';
/** A limit that no wait passes. */
const NEVER = '3600';
const WHY = ['--import', '@sluice/inspect/why'];
const VITEST = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));
/** The end of each page. */
const END = /^Not seen\n.+\n/;

const children: Child[] = [];

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
});

function start(file: string, { seconds = SOON, preload = WHY, args = [] as readonly string[] } = {}): Child {
  const child = new Child(file, seconds, preload, args, 'SLUICE_WHY');
  children.push(child);
  return child;
}

/**
 * Returns the lines of the first whole page that begins with the pattern. Asks for another page after each that does not:
 * on a busy machine, the first pages may be about programs that start.
 */
async function pageOf(child: Child, head: RegExp): Promise<string[]> {
  const end = new RegExp(END, 'm');
  let seen = 0;
  let found: string | undefined;
  const look = (): boolean => {
    const pages = child.foreignPages.filter((text) => end.test(text));
    found = pages.find((text) => head.test(text));
    if (pages.length > seen && found === undefined) child.process.kill('SIGUSR2');
    seen = pages.length;
    return found !== undefined;
  };
  await child.until(look, String(head));
  return found?.split('\n') ?? [];
}

describe('the first three lines of the page', () => {
  test('two workers that take two locks in different orders are a likely deadlock', async () => {
    const lines = await pageOf(start('../foreign/raw-locks.mjs'), /^Likely deadlock.+\n.+ at .+\n.+ at /);
    expect(lines[0]).toBe('Likely deadlock: 2 threads wait for each other.');
    const waits = lines.slice(1, 3).map((line) => {
      const [, thread, took, wanted] =
        /^ {2}(thread \d+) \(raw-locks\.mjs\) took (word \d) and waits for (word \d) at .*lock\.mjs:7, called at .*raw-locks\.mjs:21, for \d/.exec(
          line,
        ) ?? [];
      return { thread, took, wanted };
    });
    expect(waits[0]?.thread).not.toBe(waits[1]?.thread);
    expect(waits[0]?.took).toBe(waits[1]?.wanted);
    expect(waits[1]?.took).toBe(waits[0]?.wanted);
    expect(waits[0]?.took).toMatch(/^word/);
  });

  test('a task of Piscina that waits is explained, although another worker is idle', async () => {
    const lines = await pageOf(start('../foreign/piscina.mjs'), /^Never notified: .+\n.+ at .*stuck-task\.mjs/);
    expect(lines[0]).toMatch(
      /^Never notified: thread \d+ \(worker\.js\) waits for word 1, and no thread has called Atomics\.notify on it\.$/,
    );
    expect(lines[1]).toMatch(
      /^ {2}thread \d+ .* waits for word 1 at .*stuck-task\.mjs:17, called at .*stuck-task\.mjs:10, for /,
    );
  });

  test('a task of Tinypool that runs for ever is a busy event loop', async () => {
    const lines = await pageOf(start('../foreign/tinypool.mjs'), /^Busy.+\n.+stuck-task/);
    expect(lines[0]).toMatch(/^Busy: the event loop of thread \d+ \(worker\.js\) has not turned for /);
    expect(lines[1]).toMatch(/^ {2}It runs in task \(.*stuck-task\.mjs:11\)$/);
  });

  test('a run of Vitest that does not end is explained by the wait in its test', async () => {
    const folder = fileURLToPath(new URL('foreign/vitest', import.meta.url));
    const child = start(VITEST, { args: ['run', '--root', folder] });
    const lines = await pageOf(child, /^Never notified: .+\n.+ at .*hangs\.spec/);
    expect(lines[0]).toMatch(
      /^Never notified: thread \d+ \(.+\) waits for word 1, and no thread has called Atomics\.notify on it\.$/,
    );
    expect(lines[1]).toMatch(/ waits for word 1 at .*hangs\.spec\.mjs:8, called at node_modules\/@vitest\/runner\//);
    expect(lines.some((line) => /^ {4}kept alive by \d+ MessagePort$/.test(line))).toBe(true);
  });

  test('a main thread and a worker that both wait are a deadlock: no thread is left to notify them', async () => {
    const lines = await pageOf(start('../foreign/all-wait.mjs'), /^Deadlock.+\n.+ at .+\n.+ at /);
    expect(lines[0]).toBe('Deadlock: all 2 threads of the process wait, and none is left to notify one.');
    expect(lines.slice(1, 3).sort()).toEqual([
      expect.stringMatching(/^ {2}main thread \(all-wait\.mjs\) waits for word \d at .*all-wait\.mjs:8 for /),
      expect.stringMatching(/^ {2}thread \d+ \(answerer\) waits for word \d at .*all-wait\.mjs:10 for /),
    ]);
  });

  test('a worker that ended with a lock is a likely dead holder', async () => {
    const lines = await pageOf(start('../foreign/dead-holder.mjs'), /^Likely dead holder.+\n.+ at /);
    expect(lines[0]).toMatch(
      /^Likely dead holder: thread \d+ \(holder\) has ended\. It took word 1, and did not notify it\.$/,
    );
    expect(lines[1]).toMatch(/^ {2}thread \d+ \(waiter\) waits for word 1 at .*lock\.mjs:7, called at /);
  });

  test('a flag that was set without a notify is a missing notify', async () => {
    const child = start('../foreign/missing-notify.mjs');
    await pageOf(child, / waits for word 1 at .*missing-notify/);
    child.tell('set');
    await child.prints('set');
    child.process.kill('SIGUSR2');
    const lines = await pageOf(child, /^Missing notify.+\n.+ at /);
    expect(lines[0]).toBe(
      `Missing notify: ${/thread \d+ \(waiter\)/.exec(lines[0] ?? '')?.[0]} waits for word 1 while it is 0. It is 1 now.`,
    );
    expect(lines[1]).toMatch(/^ {2}thread \d+ \(waiter\) waits for word 1 at .*missing-notify\.mjs:\d+ for /);
  });

  test('a process that does nothing and does not exit is explained by what keeps it alive', async () => {
    const lines = await pageOf(start('../foreign/idle.mjs'), /^The process does nothing/);
    expect(lines).toContainEqual(
      expect.stringMatching(/^ {4}kept alive by interval of 3600000 ms, callback at .*idle\.mjs:7$/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^ {4}kept alive by server that listens on 127\.0\.0\.1:\d+$/));
  });
});

test('workers of all forms are seen, and keep the options that the program gave', async () => {
  const child = start('../foreign/workers.mjs');
  const names = ['a text', 'a data URL', 'no options', 'no environment', 'copied environment', 'shared environment'];
  for (const name of [...names, 'little memory', 'nested'])
    await child.says(new RegExp(String.raw`^ {2}thread \d+ \(${name}\) waits for word \d+ at .+ for `, 'm'));
  expect(child.stderr).not.toContain('execArgv');
});

test.each([
  ['--require', ['--require', '@sluice/inspect/why']],
  ['an import of the program', []],
])('it is loaded by %s, and sees the workers', async (_, preload) => {
  const child = start(preload.length === 0 ? '../foreign/imports-why.mjs' : '../foreign/raw-locks.mjs', { preload });
  await pageOf(child, /^Likely deadlock: 2 threads wait for each other\./);
});

test('a wait goes on as before after the thread was paused: it ends by a notify or by its timeout', async () => {
  const child = start('../foreign/goes-on.mjs');
  // The page has the place of the wait, so the thread was paused.
  await pageOf(child, / waits for word 1 at .*goes-on\.mjs/);
  child.tell('notify');
  await child.prints('ok\ntimed-out\n');
  expect(await child.ended()).toBe(0);
});

test('Atomics.waitAsync is listed with the place of the call', async () => {
  const child = start('../foreign/awaits.mjs', { seconds: NEVER });
  await child.prints('awaits');
  child.process.kill('SIGUSR2');
  const lines = await pageOf(child, /./);
  expect(lines).toContainEqual(
    expect.stringMatching(/^ {4}awaits word \d+ \(Atomics\.waitAsync\) for \d.* at .*awaits\.mjs:\d+/),
  );
});

test('a program with waits of Sluice gets the report of its arena, too', async () => {
  const child = start('blocks.mjs');
  await child.says(/^Agents\n.*agent 1 \(main thread\)/m);
  expect(child.stderr).toMatch(/^ {2}agent 1 \(main thread\) waits for semaphore 'jobs' for /m);
});

test('a program that ends by itself ends, with its own exit code, and nothing is written', async () => {
  const child = start('../foreign/ends.mjs', { seconds: NEVER });
  expect(await child.ended()).toBe(7);
  expect([child.stdout, child.stderr]).toEqual(['ok 1 2 3\n', '']);
});

test('SLUICE_WHY=0 changes nothing', async () => {
  const child = start('../foreign/is-changed.mjs', { seconds: '0' });
  expect(await child.ended()).toBe(0);
  expect(child.stdout).toBe('Atomics as they were\n');
});

test.each(['soon', '-1'])('SLUICE_WHY=%s ends the process with an error', async (seconds) => {
  const child = start('../foreign/ends.mjs', { seconds });
  expect(await child.ended()).toBe(1);
  expect(child.stderr).toContain(`RangeError: SLUICE_WHY must be a time in seconds, such as 5: received "${seconds}"`);
});
