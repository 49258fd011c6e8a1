// Tests sessions: their data on the server, their end, and whether they keep a process alive.

import { spawn } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { createClient } from 'redis';
import { expect } from 'vitest';
import { fence } from '@sluice/redis';
import { seen } from '../../remote/test/faults/seen.ts';
import { clientOf, failureOf, onServer, until } from './support/server.ts';

const child = fileURLToPath(new URL('children/keep-alive.mjs', import.meta.url));

function runChild(...args: string[]): Promise<{ readonly code: number | null; readonly ms: number }> {
  const start = performance.now();
  return new Promise((resolve) => {
    const process = spawn(execPath, [child, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    process.on('close', (code) => resolve({ code, ms: performance.now() - start }));
  });
}

onServer('a session', (it) => {
  it('leaves only the clock of its namespace, which expires', async ({ open, command, namespace }) => {
    const [a, b] = [await open(), await open()];
    await a.semaphore('db', 2).acquireAsync(2);
    void b
      .semaphore('db', 2)
      .acquireAsync()
      .catch(() => undefined);
    await a.rwLock('t').writer.lockAsync();
    await until('b waits', async () => (await a.semaphore('db', 2).waiting) === 1);
    await Promise.all([a.close(), b.close()]);
    expect(await command('KEYS', `sl:{${namespace}}*`)).toEqual([`sl:{${namespace}}:T`]);
    expect(Number(await command('TTL', `sl:{${namespace}}:T`))).toBeGreaterThan(600_000);
  });

  it('hands its grants to the next waiters when it closes, and rejects its own waits', async ({ open }) => {
    const [a, b] = [await open(), await open()];
    const guard = await a.mutex('m').holdAsync();
    const signal = guard.signal;
    const own = failureOf(a.mutex('m').lockAsync());
    const next = b.mutex('m').holdAsync();
    await until('both wait', async () => (await b.mutex('m').inspect()).waiters.length === 2);
    await a.close();
    expect((await own).code).toBe('SLUICE_CLOSED');
    expect((await next).fencingToken).toBeGreaterThan(guard.fencingToken);
    expect(signal.aborted).toBe(true);
    expect((await failureOf(guard.release())).code).toBe('SLUICE_LEASE_LOST');
    expect((await failureOf(a.mutex('m').lockAsync())).message).toMatch(/^The space '.*' is closed\.$/);
  });

  it('tells its holders and waiters when the server has forgotten it, and the next call begins a new session', async ({
    open,
    command,
  }) => {
    const space = await open();
    const guard = await space.mutex('m').holdAsync();
    const waiting = failureOf(space.mutex('m').lockAsync());
    await until('it waits', async () => (await space.mutex('m').inspect()).waiters.length === 1);
    const aborted = new Promise((resolve) => guard.signal.addEventListener('abort', resolve));
    await command('FLUSHALL');
    await aborted;
    expect(await waiting).toMatchObject({ name: 'LeaseLostError', code: 'SLUICE_LEASE_LOST' });
    expect(() => guard.assertHeld()).toThrow(
      'The session: the server does not know the session any more. Its permits may be held by another session by now.',
    );
    expect(guard.held).toBe(false);
    const next = await space.mutex('m').holdAsync();
    expect(next.fencingToken).toBeGreaterThan(guard.fencingToken);
  });

  it('begins no wait if the wait is aborted while the session opens', async ({ open, command }) => {
    const space = await open();
    for (const wait of [
      (signal: AbortSignal) => space.mutex('m').lockAsync({ signal }),
      (signal: AbortSignal) => space.barrier('b', 2).waitAsync({ signal }),
      (signal: AbortSignal) => space.countdownLatch('d', 1).waitAsync({ signal }),
    ]) {
      const last = await space.session();
      await command('FLUSHALL');
      // The next call has to open a session.
      await failureOf(last.call('look', ['m:m']));
      const controller = new AbortController();
      const waiting = failureOf(wait(controller.signal));
      controller.abort(new Error('stop'));
      expect((await waiting).message).toBe('stop');
    }
  });

  it('is followed by a new one in the first call of a process that held nothing', async ({ open, command }) => {
    const space = await open();
    const latch = space.countdownLatch('d', 2);
    await latch.done();
    for (const call of [
      () => space.mutex('m').runAsync(() => undefined),
      () => space.semaphore('s', 2).tryAcquire(),
      () => space.semaphore('signal', 0, { recovery: false }).release(),
      () => space.mutex('m').inspect(),
      () => space.report(),
      () => space.once('o').runAsync(() => undefined),
      () => space.lazy('z').getAsync(() => 1),
      () => space.rateLimiter('r', { permits: 1, interval: 1 }).acquireAsync(),
      () => space.barrier('b', 1).waitAsync(),
      () => latch.done(),
    ]) {
      await command('FLUSHALL');
      await call();
    }
    expect(await latch.count).toBe(1);
  });

  it('lives for many leases while its process lives', async ({ open }) => {
    const lease = 1500;
    const space = await open({ lease });
    const guard = await space.mutex('m').holdAsync();
    const session = await space.session();
    const granted = session.wallDeadline;
    await until(
      'heartbeats have renewed the lease for two leases more',
      () => session.wallDeadline >= granted + 2 * lease,
    );
    guard.assertHeld();
    await guard.release();
  });

  it('tells the holder with the next heartbeat if the server lost its grant', async ({ open, command, namespace }) => {
    const space = await open({ lease: 3000 });
    const [kept, lost] = [await space.mutex('kept').holdAsync(), await space.mutex('lost').holdAsync()];
    await command('DEL', `sl:{${namespace}}:p:m:lost`);
    await until('the holder is told', () => lost.signal.aborted);
    expect(kept.held).toBe(true);
    expect((await failureOf(lost.release())).message).toMatch(/^Mutex 'lost': the server has lost the grant\./);
  });

  it('finds a grant whose message was lost, and subscribes again', async ({ open, command, namespace }) => {
    const [a, b] = [await open({ lease: 3000 }), await open({ lease: 3000 })];
    const guard = await a.mutex('m').holdAsync();
    const waiting = b.mutex('m').holdAsync();
    await until('b waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
    // Writes a grant as the script does, without its message.
    const [entry = ''] = (await command('ZRANGE', `sl:{${namespace}}:q:m:m`, '0', '0')) as string[];
    const [session = '', seq = ''] = entry.split(':');
    await command('ZREM', `sl:{${namespace}}:q:m:m`, entry);
    await command('HSET', `sl:{${namespace}}:p:m:m`, 'line', '0', `${session}:${seq}`, '1:9007199254740000');
    const found = await waiting;
    expect(found.fencingToken).toBe(9007199254740000n);
    const { counts } = await b.session();
    expect(counts.found).toBe(1);
    await until('the channel is new', () => counts.resubscribed === 1);
    seen('A message lost without a sign', 'granted with the next heartbeat, channel made afresh');
    await found.release();
    await guard.release();
  });

  it('does not keep the process alive, but a wait does, unless its ref is false', async ({ url, namespace }) => {
    const idle = await runChild(url, namespace, 'idle');
    expect(idle.code).toBe(0);
    const waits = await runChild(url, namespace, 'waits');
    expect(waits.code).toBe(7);
    const unref = await runChild(url, namespace, 'unref');
    expect(unref.code).toBe(0);
  });

  for (const library of ['redis', 'ioredis'] as const) {
    it(`fence() refuses a token that is smaller than an earlier one, through ${library}`, async ({
      url,
      namespace,
    }) => {
      const client = clientOf(library, url);
      await client.connect();
      expect(await fence(client, `{${namespace}}fence`, 10n)).toBe(true);
      expect(await fence(client, `{${namespace}}fence`, 10n)).toBe(true);
      expect(await fence(client, `{${namespace}}fence`, 9n)).toBe(false);
      expect(await fence(client, `{${namespace}}fence`, 1_795_417_341_944_801n)).toBe(true);
      expect(await fence(client, `{${namespace}}fence`, 1_795_417_341_944_800n)).toBe(false);
      if (library === 'redis') (client as ReturnType<typeof createClient>).destroy();
      else (client as { disconnect(): void }).disconnect();
    });
  }
});
