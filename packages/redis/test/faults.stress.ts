// Tests the fault table of the README, on real servers and processes.

import { proxyTo, startServer } from '@sluice/redis-server';
import { connect, fence } from '@sluice/redis';
import { createClient } from 'redis';
import { expect } from 'vitest';
import { end, start } from './support/children.ts';
import { seen } from '../../remote/test/faults/seen.ts';
import { killUntil } from './support/kills.ts';
import { failureOf, onServer, until, type Ground } from './support/server.ts';

/** The lease of sessions that die or must lose it, in ms. */
const LEASE = 1000;
/** The lease of a living session, in ms. A busy machine may keep this process from renewing a short lease. */
const LONG = 3000;

function aborted(signal: AbortSignal): Promise<void> {
  return until('the holder is told', () => signal.aborted);
}

onServer(
  'a fault',
  (it) => {
    it('kill -9 of the holder: the next holder is granted after the lease', async ({ url, namespace, open }) => {
      const holder = start('holder', url, namespace, String(LONG));
      await until('it holds', () => holder.lines.length === 1);
      const space = await open({ lease: LONG });
      const waiting = space.mutex('m').holdAsync();
      await until('it waits', async () => (await space.mutex('m').inspect()).waiters.length === 1);
      const killed = performance.now();
      await end(holder);
      const guard = await waiting;
      const ms = performance.now() - killed;
      seen('kill -9 of a holder', `went on after ${ms.toFixed(0)} ms, lease ${LONG} ms`, {
        text: 'at most 50 ms after the lease',
        isMet: ms <= LONG + 50,
      });
      expect(guard.fencingToken).toBeGreaterThan(BigInt(holder.lines[0]?.split(' ')[1] ?? ''));
    });

    it('SIGSTOP of the holder beyond its lease: it is told as soon as it continues, and its late write is refused', async ({
      url,
      namespace,
      open,
    }) => {
      const holder = start('holder', url, namespace, String(LEASE));
      await until('it holds', () => holder.lines.length === 1);
      const space = await open({ lease: LONG });
      holder.process.kill('SIGSTOP');
      const guard = await space.mutex('m').holdAsync();
      const client = createClient({ url });
      await client.connect();
      expect(await fence(client, `{${namespace}}resource`, guard.fencingToken)).toBe(true);
      holder.process.kill('SIGCONT');
      await until('the process prints it', () => holder.lines.length === 2);
      expect(holder.lines[1]).toBe('aborted held=false accepted=false');
      seen('SIGSTOP of a holder beyond its lease', 'the next was granted; then signal aborted, write refused');
      client.destroy();
      await end(holder);
    });

    it('a partition that drops everything: the holder is told before the next one is granted', async ({
      server,
      namespace,
      open,
    }) => {
      const proxy = await proxyTo(server.port);
      const behind = await connect(createClient({ url: `redis://127.0.0.1:${proxy.port}` }), {
        namespace,
        lease: LEASE,
        onWarning: () => undefined,
      });
      const space = await open({ lease: LONG });
      const guard = await behind.mutex('m').holdAsync();
      const told = new Promise<number>((resolve) =>
        guard.signal.addEventListener('abort', () => resolve(performance.now())),
      );
      const waiting = space
        .mutex('m')
        .holdAsync()
        // The clock tells that the lease is over. The event of the signal may come later if this process had no core.
        .then((next) => [next, performance.now(), guard.held] as const);
      proxy.swallow(true);
      const [next, granted, stillHeld] = await waiting;
      expect(stillHeld).toBe(false);
      const margin = granted - (await told);
      await next.release();
      seen(
        'A partition that swallows everything',
        `told ${margin.toFixed(0)} ms before the next grant, lease ${LEASE} ms`,
        { text: 'a twentieth of the lease before', isMet: margin >= LEASE * 0.05 },
      );
      const closing = behind.close();
      await proxy.close();
      await closing;
    });

    it('connections of subscribers and of commands are killed repeatedly: every waiter is served', async ({
      open,
      command,
    }) => {
      const [a, b] = [(await open({ lease: LONG })).mutex('m'), (await open({ lease: LONG })).mutex('m')];
      let served = 0;
      const done = Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          (i % 2 === 0 ? a : b).runAsync(async () => {
            served++;
            await new Promise((resolve) => setTimeout(resolve, 5));
          }),
        ),
      );
      const kills = await killUntil(done, command, () => served);
      await done;
      expect(served).toBe(60);
      seen('Connections of subscribers or of commands killed', `60 of 60 waits served, with ${kills} kills`);
    });

    it('CLIENT PAUSE for less than a lease: no holder loses its grant', async ({ open, command }) => {
      const [a, b] = [(await open({ lease: LONG })).mutex('m'), (await open({ lease: LONG })).mutex('m')];
      const guard = await a.holdAsync();
      await command('CLIENT', 'PAUSE', String(LEASE / 2), 'ALL');
      const next = b.holdAsync();
      await guard.release();
      expect((await next).held).toBe(true);
      seen('`CLIENT PAUSE`, `SCRIPT FLUSH`', `paused for ${LEASE / 2} ms, lease ${LONG} ms: handed over`);
    });

    it('SCRIPT FLUSH: the next call loads the script again', async ({ open, command }) => {
      const mutex = (await open()).mutex('m');
      const guard = await mutex.holdAsync();
      await command('SCRIPT', 'FLUSH');
      await guard.release();
      expect(await mutex.tryLock()).toBe(true);
      seen('`CLIENT PAUSE`, `SCRIPT FLUSH`', 'flushed: released and locked again');
    });

    it('no memory left: acquiring calls fail and change nothing, and releases work, with and without a waiter', async ({
      open,
      command,
    }) => {
      const [space, other] = [await open({ lease: 10_000 }), await open({ lease: 10_000 })];
      const [alone, wanted] = [await space.mutex('alone').holdAsync(), await space.mutex('wanted').holdAsync()];
      const waiting = other.mutex('wanted').holdAsync();
      await until('it waits', async () => (await space.mutex('wanted').inspect()).waiters.length === 1);
      await command('CONFIG', 'SET', 'maxmemory', '1');
      const failure = await failureOf(space.mutex('other').lockAsync());
      await Promise.all([alone.release(), wanted.release()]);
      const next = await waiting;
      await command('CONFIG', 'SET', 'maxmemory', '0');
      expect(failure).toMatchObject({ code: 'SLUICE_REDIS' });
      expect(failure.message).toMatch(
        /^The Redis server has no memory left \(maxmemory\), and refused a call that needs some\. Nothing was changed\. The server says: OOM /,
      );
      for (const [name, holders] of [
        ['alone', 0],
        ['wanted', 1],
        ['other', 0],
      ] as const) {
        expect((await space.mutex(name).inspect()).holders.length).toBe(holders);
      }
      await next.release();
      seen('No memory left on the server', 'refused, nothing changed; releases worked, with and without a waiter');
    });

    it('SIGSTOP of the server beyond the lease: the holder is told, and no other session is granted before', async ({
      server,
      open,
    }) => {
      const [a, b] = [await open({ lease: LONG }), await open({ lease: LONG })];
      const guard = await a.mutex('m').holdAsync();
      const waiting = failureOf(b.mutex('m').holdAsync());
      await until('it waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
      server.signal('SIGSTOP');
      await aborted(guard.signal);
      expect((await waiting).code).toBe('SLUICE_LEASE_LOST');
      server.signal('SIGCONT');
      const next = await b.mutex('m').holdAsync();
      expect(next.fencingToken).toBeGreaterThan(guard.fencingToken);
      seen('SIGSTOP of the server beyond the lease', 'holder and waiter told; then the next was granted');
    });
  },
  { own: true },
);

/** Whether the append-only file has all commands. */
async function isWritten(command: Ground['command']): Promise<boolean> {
  return String(await command('INFO', 'persistence')).includes('aof_buffer_length:0\r');
}

const AOF = ['--save', '', '--appendonly', 'yes', '--appendfsync'];
for (const [name, args, keeps] of [
  ['AOF always', [...AOF, 'always'], true],
  ['AOF everysec', [...AOF, 'everysec'], true],
  ['no persistence', undefined, false],
] as const) {
  onServer(
    `kill -9 of the server, ${name}`,
    (it) => {
      it(
        keeps ? 'no holder loses its grant' : 'every holder is told within a lease, and tokens grow',
        async ({ server, open, command }) => {
          // The server must be there again within a lease.
          const lease = keeps ? 20_000 : LONG;
          const [a, b] = [await open({ lease }), await open({ lease })];
          const guard = await a.mutex('m').holdAsync();
          const next = b.mutex('m').holdAsync();
          next.catch(() => undefined);
          await until('it waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
          // With `everysec` a write waits for up to 2 s while the disk is busy with an earlier one.
          if (keeps) await until('the server has written all', () => isWritten(command));
          await server.kill();
          await server.start();
          if (keeps) {
            await guard.release();
            expect((await next).fencingToken).toBeGreaterThan(guard.fencingToken);
            seen('kill -9 of the server, append-only file `always` or `everysec`', `${name}: released and handed over`);
            return;
          }
          await aborted(guard.signal);
          expect((await failureOf(next)).code).toBe('SLUICE_LEASE_LOST');
          expect((await b.mutex('m').holdAsync()).fencingToken).toBeGreaterThan(guard.fencingToken);
          seen('kill -9 of the server without persistence, `FLUSHALL`', 'holder and waiter told, the token grew');
        },
      );

      if (!keeps) return;
      it('down for longer than a lease: the holder is told, and the lease does not run while the server is down', async ({
        server,
        open,
      }) => {
        const a = await open({ lease: 1500 });
        const guard = await a.mutex('m').holdAsync();
        await server.kill();
        await aborted(guard.signal);
        await server.start();
        const b = await open({ lease: LONG });
        // The server counts the outage as at most half a lease. The session may still exist, but its holder was told.
        const next = await b.mutex('m').holdAsync();
        expect(next.fencingToken).toBeGreaterThan(guard.fencingToken);
        seen('The server is down for longer than a lease', `${name}: holder told, then the next was granted`);
      });
    },
    { own: true, ...(args === undefined ? {} : { args: [...args] }) },
  );
}

onServer(
  'a failover',
  (it) => {
    it('to a replica that missed a grant: two holders are possible, the token grows, and the first is told when it reconnects', async ({
      server,
      namespace,
      command,
    }) => {
      // By default the server waits 5 s for more replicas.
      await command('CONFIG', 'SET', 'repl-diskless-sync-delay', '0');
      const replica = await startServer();
      const proxy = await proxyTo(server.port);
      const direct = createClient({ url: replica.url });
      await direct.connect();
      // The replica copies the present state and then gets no more updates.
      const first = await connect(
        createClient({ url: `redis://127.0.0.1:${proxy.port}`, socket: { reconnectStrategy: 50 } }),
        { namespace, lease: 3000, onWarning: () => undefined },
      );
      await direct.sendCommand(['REPLICAOF', '127.0.0.1', String(server.port)]);
      await until('the replica has copied', async () =>
        (await direct.sendCommand<string>(['INFO', 'replication'])).includes('master_link_status:up'),
      );
      await until(
        'the replica has the session',
        async () => Number(await direct.sendCommand(['EXISTS', `sl:{${namespace}}:S`])) === 1,
      );
      await direct.sendCommand(['REPLICAOF', 'NO', 'ONE']);
      const guard = await first.mutex('m').holdAsync();
      const second = await connect(createClient({ url: replica.url }), {
        namespace,
        lease: 3000,
        onWarning: () => undefined,
      });
      const other = await second.mutex('m').holdAsync();
      expect([guard.held, other.held]).toEqual([true, true]);
      expect(other.fencingToken).toBeGreaterThan(guard.fencingToken);
      const client = createClient({ url: replica.url });
      await client.connect();
      expect(await fence(client, `{${namespace}}r`, other.fencingToken)).toBe(true);
      expect(await fence(client, `{${namespace}}r`, guard.fencingToken)).toBe(false);
      proxy.aim(replica.port);
      await aborted(guard.signal);
      expect(other.held).toBe(true);
      seen(
        'Failover to a replica that missed a grant',
        'two holders, the token grew, the fence refused the first; it was told when it reconnected',
      );
      client.destroy();
      direct.destroy();
      await Promise.all([first.close(), second.close()]);
      await proxy.close();
      await replica.stop();
    });
  },
  { own: true },
);
