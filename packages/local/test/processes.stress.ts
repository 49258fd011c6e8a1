// Real processes: the serving one is killed or stopped while others hold and wait.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, platform } from 'node:process';
import { connect, type RemoteReport, type Space } from '@sluice/local';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { end, servingChild, start, until, type Child } from './support/children.ts';

const NAMESPACE = 'processes';
/** No lease ends: only deaths give anything to others. */
const LONG = 600_000;

let runtime = '';
const children: Child[] = [];
let space: Space | undefined;

beforeEach(() => {
  runtime = mkdtempSync(join(tmpdir(), 'sluice-processes-'));
});

afterEach(async () => {
  await space?.close();
  space = undefined;
  for (const child of children.splice(0)) {
    child.process.kill('SIGCONT');
    await end(child);
  }
  rmSync(runtime, { recursive: true, force: true });
});

async function startHolder(lease: number): Promise<Child> {
  const child = start('holder', runtime, NAMESPACE, String(lease));
  children.push(child);
  await until('a process is ready', () => child.lines.includes('ready'));
  return child;
}

/** Tells a process something, and waits until it has printed a line that begins so. Returns the rest of the line. */
async function ask(child: Child, what: string): Promise<string> {
  const before = child.lines.length;
  child.say(what);
  return answer(child, what, before);
}

async function answer(child: Child, what: string, from = 0): Promise<string> {
  const find = (): string | undefined => child.lines.slice(from).find((line) => line.startsWith(`${what} `));
  await until(`an answer to "${what}"`, () => find() !== undefined, 100_000);
  return find()?.slice(what.length + 1) ?? '';
}

/** A space of this process, which looks at the others. It connects when another process serves. */
async function watcher(lease: number): Promise<Space> {
  env['XDG_RUNTIME_DIR'] = runtime;
  space = await connect({ namespace: NAMESPACE, lease });
  return space;
}

const waiting = async (from: Space): Promise<RemoteReport['waiters']> => (await from.mutex('m').inspect()).waiters;

describe.skipIf(platform !== 'linux')('processes of one namespace', () => {
  test('the places in line survive the death of the serving process, and of the holder', async () => {
    const server = await startHolder(LONG);
    const holder = await startHolder(LONG);
    const look = await watcher(LONG);
    expect(servingChild(runtime, children)).toBe(server);
    const first = BigInt(await ask(holder, 'hold m'));
    const line: Child[] = [];
    for (let i = 0; i < 4; i++) {
      const waiter = await startHolder(LONG);
      waiter.say('hold m');
      line.push(waiter);
      await until('the process waits', async () => (await waiting(look)).length === i + 1);
    }
    const before = (await waiting(look)).map(({ session }) => session);
    await end(server);
    expect((await waiting(look)).map(({ session }) => session)).toEqual(before);
    expect(await ask(holder, 'check m')).toBe('held');
    // The holder dies, and the serving process with it if it serves now.
    let last = first;
    for (const [i, waiter] of line.entries()) {
      await end(i === 0 ? holder : (line[i - 1] as Child));
      const token = BigInt(await answer(waiter, 'hold m'));
      expect(token).toBeGreaterThan(last);
      last = token;
      expect((await waiting(look)).map(({ session }) => session)).toEqual(before.slice(i + 1));
    }
  });

  test('a stopped serving process is given up within a part of a lease, and learns it before it answers', async () => {
    const lease = 15_000;
    const server = await startHolder(lease);
    const token = BigInt(await ask(server, 'hold m'));
    const other = await startHolder(lease);
    const look = await watcher(lease);
    expect(servingChild(runtime, children)).toBe(server);
    other.say('hold m');
    await until('the other process waits', async () => (await waiting(look)).length === 1);
    server.process.kill('SIGSTOP');
    // The lease of the stopped holder ends at the next server.
    expect(BigInt(await answer(other, 'hold m'))).toBeGreaterThan(token);
    expect(servingChild(runtime, children)).not.toBe(server);
    // What it finds in its sockets now are calls that were given up. It answers none, and does not believe to hold.
    server.say('check m');
    server.say('wait m');
    server.process.kill('SIGCONT');
    expect(await answer(server, 'check m')).toBe('SLUICE_LEASE_LOST');
    await until('the process that went on waits again', async () => (await waiting(look)).length === 1);
    expect(await ask(other, 'check m')).toBe('held');
    expect(await ask(other, 'release m')).toBe('done');
    expect(await answer(server, 'wait m')).toMatch(/^\d+$/);
  });

  test('a stopped holder loses its lease, while the serving process goes on', async () => {
    const server = await startHolder(5000);
    const holder = await startHolder(5000);
    const token = BigInt(await ask(holder, 'hold m'));
    holder.process.kill('SIGSTOP');
    expect(BigInt(await ask(server, 'hold m'))).toBeGreaterThan(token);
    holder.say('check m');
    holder.process.kill('SIGCONT');
    expect(await answer(holder, 'check m')).toBe('SLUICE_LEASE_LOST');
    expect(await ask(server, 'check m')).toBe('held');
  });

  test('a job whose process is killed is run by the next one, unless it must not run again', async () => {
    await startHolder(LONG);
    const next = await startHolder(LONG);
    for (const [begins, asks, ends] of [
      ['begin', 'run', 'ran'],
      ['never', 'unless', 'over'],
    ] as const) {
      const runner = await startHolder(LONG);
      expect(await ask(runner, `${begins} ${begins}`)).toBe('begun');
      next.say(`${asks} ${begins}`);
      await end(runner);
      expect(await answer(next, `${asks} ${begins}`)).toBe(ends);
      expect(await ask(next, `${asks} ${begins}`)).toBe('over');
    }
  });

  test('the successor of a killed holder does not wait for a lease', async () => {
    await startHolder(LONG);
    const holder = await startHolder(LONG);
    const waiter = await startHolder(LONG);
    const look = await watcher(LONG);
    await ask(holder, 'hold m');
    waiter.say('hold m');
    await until('the process waits', async () => (await waiting(look)).length === 1);
    const began = performance.now();
    await end(holder);
    await answer(waiter, 'hold m');
    console.log(`the successor of a killed holder: ${(performance.now() - began).toFixed(1)} ms after the kill`);
  });
});
