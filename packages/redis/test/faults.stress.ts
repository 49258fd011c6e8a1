// The fault table of the README, on real servers and processes.

import { isFullDepth, soakSize } from '@sluice/harness';
import { proxyTo, startServer } from '@sluice/redis-server';
import { connect, fence, type Space } from '@sluice/redis';
import { createClient } from 'redis';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { failureOf, onServer, until } from './support/server.ts';

const LEASE = 1000;
/** What a busy machine may add to any time. */
const SLACK_MS = 1500;

const child = (name: string): string => fileURLToPath(new URL(`children/${name}.mjs`, import.meta.url));

interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
}

function start(name: string, ...args: string[]): Child {
  const process = spawn(execPath, [child(name), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  process.stdout.on('data', (chunk) => {
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  return { process, lines };
}

async function end({ process }: Child): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  process.kill('SIGKILL');
  await once(process, 'exit');
}

async function aborted(signal: AbortSignal, limitMs = 10_000): Promise<number> {
  await until('the holder is told', () => signal.aborted, limitMs);
  return performance.now();
}

onServer('a fault', (it) => {
  it('kill -9 of the holder: the next one goes on after the lease', async ({ url, namespace, open }) => {
    const holder = start('holder', url, namespace, String(LEASE));
    await until('it holds', () => holder.lines.length === 1);
    const space = await open({ lease: LEASE });
    const waiting = space.mutex('m').holdAsync();
    await until('it waits', async () => (await space.mutex('m').inspect()).waiters.length === 1);
    const killed = performance.now();
    await end(holder);
    const guard = await waiting;
    const ms = performance.now() - killed;
    console.log(`kill -9 of the holder, lease ${LEASE} ms: went on after ${ms.toFixed(0)} ms`);
    expect(ms).toBeLessThan(LEASE + SLACK_MS);
    expect(guard.fencingToken).toBeGreaterThan(BigInt(holder.lines[0]?.split(' ')[1] ?? ''));
  });

  it('SIGSTOP of the holder beyond its lease: when it goes on it learns at once, and its late write is refused', async ({ url, namespace, open }) => {
    const holder = start('holder', url, namespace, String(LEASE));
    await until('it holds', () => holder.lines.length === 1);
    const space = await open({ lease: LEASE });
    holder.process.kill('SIGSTOP');
    const guard = await space.mutex('m').holdAsync();
    const client = createClient({ url });
    await client.connect();
    expect(await fence(client, `{${namespace}}resource`, guard.fencingToken)).toBe(true);
    holder.process.kill('SIGCONT');
    await until('it says so', () => holder.lines.length === 2);
    expect(holder.lines[1]).toBe('aborted held=false accepted=false');
    client.destroy();
    await end(holder);
  });

  it('a partition that swallows everything: the holder is told before the next one is granted', async ({ server, namespace, open }) => {
    const proxy = await proxyTo(server.port);
    const behind = await connect(createClient({ url: `redis://127.0.0.1:${proxy.port}` }), { namespace, lease: LEASE, onWarning: () => undefined });
    const space = await open({ lease: LEASE });
    const margins: number[] = [];
    const guard = await behind.mutex('m').holdAsync();
    const told = aborted(guard.signal);
    const waiting = space.mutex('m').holdAsync().then((next) => [next, performance.now()] as const);
    proxy.swallow(true);
    const [next, granted] = await waiting;
    margins.push(granted - (await told));
    await next.release();
    console.log(`partition, lease ${LEASE} ms: told ${margins.map((ms) => ms.toFixed(0)).join(', ')} ms before the next grant`);
    expect(Math.min(...margins)).toBeGreaterThanOrEqual(LEASE * 0.05);
    const closing = behind.close();
    await proxy.close();
    await closing;
  });

  it('the connections of subscribers and of commands killed again and again: every waiter is served', async ({ open, command }) => {
    const [a, b] = [(await open()).mutex('m'), (await open()).mutex('m')];
    let served = 0;
    const done = Promise.all(Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? a : b).runAsync(async () => {
      served++;
      await new Promise((resolve) => setTimeout(resolve, 5));
    })));
    const state = { over: false };
    void done.then(() => (state.over = true));
    while (!state.over) {
      await command('CLIENT', 'KILL', 'TYPE', 'pubsub');
      if (served % 3 === 0) await command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    await done;
    expect(served).toBe(60);
  });

  it('CLIENT PAUSE for less than a lease: no holder loses anything', async ({ open, command }) => {
    const [a, b] = [(await open()).mutex('m'), (await open()).mutex('m')];
    const guard = await a.holdAsync();
    await command('CLIENT', 'PAUSE', String(LEASE / 2), 'ALL');
    const next = b.holdAsync();
    await guard.release();
    expect((await next).held).toBe(true);
  });

  it('SCRIPT FLUSH: the next call brings the script again', async ({ open, command }) => {
    const mutex = (await open()).mutex('m');
    const guard = await mutex.holdAsync();
    await command('SCRIPT', 'FLUSH');
    await guard.release();
    expect(await mutex.tryLock()).toBe(true);
  });

  it('no memory left: a call is refused and changes nothing, and a release still works', async ({ open, command }) => {
    const space = await open({ lease: 10_000 });
    const guard = await space.mutex('m').holdAsync();
    await command('CONFIG', 'SET', 'maxmemory', '1');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const failure = await failureOf(space.mutex('other').lockAsync());
    await command('CONFIG', 'SET', 'maxmemory', '0');
    expect(failure).toMatchObject({ code: 'SLUICE_REDIS' });
    expect(failure.message).toMatch(/^The Redis server refused a call: OOM /);
    await guard.release();
    expect((await space.mutex('other').inspect()).holders).toEqual([]);
  });

  it('SIGSTOP of the server beyond the lease: the holder is told, and is not granted over', async ({ server, open }) => {
    const [a, b] = [await open({ lease: LEASE }), await open({ lease: LEASE })];
    const guard = await a.mutex('m').holdAsync();
    const waiting = failureOf(b.mutex('m').holdAsync());
    await until('it waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
    server.signal('SIGSTOP');
    await aborted(guard.signal);
    expect((await waiting).code).toBe('SLUICE_LEASE_LOST');
    server.signal('SIGCONT');
    const next = await b.mutex('m').holdAsync();
    expect(next.fencingToken).toBeGreaterThan(guard.fencingToken);
  });
}, { own: true });

const AOF = ['--save', '', '--appendonly', 'yes', '--appendfsync'];
for (const [name, args, keeps] of [
  ['AOF always', [...AOF, 'always'], true],
  ['AOF everysec', [...AOF, 'everysec'], true],
  ['no persistence', undefined, false],
] as const) {
  onServer(`kill -9 of the server, ${name}`, (it) => {
    it(keeps ? 'no holder loses anything' : 'every holder is told within a lease, and tokens grow', async ({ server, open }) => {
      const [a, b] = [await open({ lease: 3000 }), await open({ lease: 3000 })];
      const guard = await a.mutex('m').holdAsync();
      const next = b.mutex('m').holdAsync();
      next.catch(() => undefined);
      await until('it waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
      await server.kill();
      await server.start();
      if (keeps) {
        await guard.release();
        expect((await next).fencingToken).toBeGreaterThan(guard.fencingToken);
        return;
      }
      await aborted(guard.signal, 3000 + SLACK_MS);
      expect((await failureOf(next)).code).toBe('SLUICE_LEASE_LOST');
      expect((await b.mutex('m').holdAsync()).fencingToken).toBeGreaterThan(guard.fencingToken);
    });

    if (!keeps) return;
    it('down for longer than a lease: the holder is told, and a lease does not run while the server is down', async ({ server, open }) => {
      const a = await open({ lease: 600 });
      const guard = await a.mutex('m').holdAsync();
      await server.kill();
      await aborted(guard.signal);
      await server.start();
      const b = await open({ lease: 600 });
      // The server counts the outage as half a lease at most: the session may still be there, but its holder knows.
      const next = await b.mutex('m').holdAsync();
      expect(next.fencingToken).toBeGreaterThan(guard.fencingToken);
    });
  }, { own: true, ...(args === undefined ? {} : { args: [...args] }) });
}

onServer('a failover', (it) => {
  it('to a replica that missed a grant: two holders are possible, the token grows, and the first is told when it reconnects', async ({ server, namespace, command }) => {
    // By default the server waits 5 s for more replicas.
    await command('CONFIG', 'SET', 'repl-diskless-sync-delay', '0');
    const replica = await startServer();
    const proxy = await proxyTo(server.port);
    const direct = createClient({ url: replica.url });
    await direct.connect();
    // The replica copies what exists, then hears nothing more.
    const first = await connect(createClient({ url: `redis://127.0.0.1:${proxy.port}`, socket: { reconnectStrategy: 50 } }), { namespace, lease: 3000, onWarning: () => undefined });
    await direct.sendCommand(['REPLICAOF', '127.0.0.1', String(server.port)]);
    await until('it has copied', async () => (await direct.sendCommand<string>(['INFO', 'replication'])).includes('master_link_status:up'));
    await until('it has the session', async () => Number(await direct.sendCommand(['EXISTS', `sl:{${namespace}}:S`])) === 1);
    await direct.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    const guard = await first.mutex('m').holdAsync();
    const second = await connect(createClient({ url: replica.url }), { namespace, lease: 3000, onWarning: () => undefined });
    const other = await second.mutex('m').holdAsync();
    expect([guard.held, other.held]).toEqual([true, true]);
    expect(other.fencingToken).toBeGreaterThan(guard.fencingToken);
    const client = createClient({ url: replica.url });
    await client.connect();
    expect(await fence(client, `{${namespace}}r`, other.fencingToken)).toBe(true);
    expect(await fence(client, `{${namespace}}r`, guard.fencingToken)).toBe(false);
    client.destroy();
    direct.destroy();
    await Promise.all([first.close(), second.close()]);
    await proxy.close();
    await replica.stop();
  });
}, { own: true });

onServer('a storm of kill -9', (it) => {
  it('processes that are killed at random moments take no permit with them, and no live holder is ever refused', async ({ url, namespace, open, command }) => {
    const permits = 5;
    const lease = 500;
    const space: Space = await open({ lease });
    const semaphore = space.semaphore('s', permits);
    const runStorm = (): Child => start('storm', url, namespace, String(lease), String(permits));
    const running = Array.from({ length: 4 }, runStorm);
    const wrong: string[] = [];
    let [kills, passes] = [0, 0];
    const enough = isFullDepth ? soakSize(12, 120) : 6;
    // The time limit of the test ends a storm whose processes no longer start.
    while (kills < enough) {
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 400));
      const report = await semaphore.inspect();
      const held = report.holders.reduce((sum, holder) => sum + holder.permits, 0);
      if (held + report.available !== permits) wrong.push(`${held} held and ${report.available} free of ${permits}`);
      const at = Math.floor(Math.random() * running.length);
      const victim = running[at];
      if (victim === undefined || victim.lines.length === 0) continue;
      await end(victim);
      kills++;
      passes += Number(victim.lines.at(-1)?.split(' ')[1]);
      wrong.push(...victim.lines.filter((line) => line.startsWith('WRONG')));
      running[at] = runStorm();
    }
    await Promise.all(running.map(end));
    wrong.push(...running.flatMap(({ lines }) => lines.filter((line) => line.startsWith('WRONG'))));
    console.log(`storm: ${kills} kills, ${passes} passes`);
    expect(wrong).toEqual([]);
    const all = await semaphore.holdAsync(permits, { timeout: 10_000 });
    const lock = await space.mutex('m').holdAsync({ timeout: 10_000 });
    await Promise.all([all.release(), lock.release()]);
    await until('the dead are gone', async () => Number(await command('ZCARD', `sl:{${namespace}}:S`)) === 1);
    await space.close();
    expect(await command('KEYS', `sl:{${namespace}}*`)).toEqual([`sl:{${namespace}}:T`]);
  }, 60_000 * (process.env['SLUICE_SOAK'] === undefined ? 1 : 4));

  it('a thousand waits with random timeouts and weights lose nothing', async ({ open }) => {
    const spaces = [await open(), await open(), await open()];
    const semaphores = spaces.map((space) => space.semaphore('s', 4));
    let served = 0;
    await Promise.all(Array.from({ length: 1000 }, async (_, i) => {
      const semaphore = semaphores[i % 3] as (typeof semaphores)[0];
      const guard = await semaphore.tryHold(1 + (i % 3), 100 + Math.random() * 3000);
      if (guard === null) return;
      served++;
      await guard.release();
    }));
    console.log(`1000 waits, ${served} served`);
    await until('all is free', async () => (await semaphores[0]?.available) === 4);
    expect((await semaphores[0]?.inspect())?.waiters).toEqual([]);
  });
}, { own: true });
