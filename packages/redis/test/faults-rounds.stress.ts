// Tests faults of latches and barriers, on real servers and processes.

import { byDepth, Session } from '@sluice/harness';
import { proxyTo, startServer } from '@sluice/redis-server';
import { connect } from '@sluice/redis';
import { createClient } from 'redis';
import { expect } from 'vitest';
import { end, start, type Child } from './support/children.ts';
import { faultSize, seen } from '../../remote/test/faults/seen.ts';
import { killUntil } from './support/kills.ts';
import { failureOf, onServer, until } from './support/server.ts';

/** The lease of a process that dies, in ms. */
const LEASE = 1000;
/** The lease of a living session, in ms. A busy machine may keep this process from renewing a short lease. */
const LONG = 5000;
const GENERATIONS = faultSize(byDepth({ quick: 20, ci: 60, full: 200 }), 1000);
const KILLS = faultSize(byDepth({ quick: 2, ci: 5, full: 12 }), 40);

/** The last line of a party: `trips N, breaks N`. */
function counts({ lines }: Child): readonly [trips: number, breaks: number] {
  const [trips = 0, breaks = 0] =
    lines
      .findLast((line) => line.startsWith('trips'))
      ?.match(/\d+/g)
      ?.map(Number) ?? [];
  return [trips, breaks];
}

onServer(
  'a fault of a latch or a barrier',
  (it) => {
    it('kill -9 of a working party: the barrier breaks when its lease ends, and works without it', async ({
      url,
      namespace,
      open,
    }) => {
      const party = start('parties', url, namespace, String(LONG), 'works');
      await until('it is registered', () => party.lines.includes('registered'));
      const barrier = (await open({ lease: LONG })).barrier('b', 0);
      await barrier.register();
      const waiting = failureOf(barrier.waitAsync());
      await until('it waits', async () => (await barrier.waiting) === 1);
      const killed = performance.now();
      await end(party);
      expect((await waiting).code).toBe('SLUICE_BROKEN_BARRIER');
      const ms = performance.now() - killed;
      expect(await barrier.inspect()).toMatchObject({ broken: 'died', parties: 1 });
      await barrier.mend();
      expect(await barrier.waitAsync()).toEqual({ leader: true });
      seen(
        'kill -9 of a party of a barrier',
        `broken after ${ms.toFixed(0)} ms, lease ${LONG} ms; then it tripped without the party`,
        { text: 'at most 50 ms after the lease', isMet: ms <= LONG + 50 },
      );
    });

    it(
      'kill -9 of parties at random moments: the other parties always continue, and no data of the dead is left',
      async ({ url, namespace, open, command }) => {
        const session = new Session('kill -9 of parties of a barrier');
        const join = (): Child => start('parties', url, namespace, String(LEASE), 'meets');
        const running = Array.from({ length: 3 }, join);
        const ended: Child[] = [];
        const trips = (): number => [...running, ...ended].reduce((sum, child) => sum + counts(child)[0], 0);
        const replace = async (at: number): Promise<void> => {
          const victim = running[at] as Child;
          await end(victim);
          ended.push(victim);
          running[at] = join();
        };
        const meet = async (): Promise<void> => {
          const before = trips();
          await until('generations trip', async () => {
            // A busy machine may keep a party from renewing its lease.
            for (const [at, { lines }] of running.entries()) if (lines.includes('lost')) await replace(at);
            return trips() > before + 10;
          });
        };
        for (let kill = 0; kill < KILLS; kill++) {
          await meet();
          await replace(session.random.below(running.length));
        }
        await meet();
        const barrier = (await open({ lease: LONG })).barrier('b', 0);
        await until(
          'the dead parties have left',
          async () => (await barrier.parties) === running.filter(({ lines }) => !lines.includes('lost')).length,
        );
        const wrong = [...running, ...ended].flatMap(({ lines }) => lines.filter((line) => line.startsWith('WRONG')));
        const all = trips();
        await Promise.all(running.map(end));
        expect(wrong).toEqual([]);
        await until('all parties have left', async () => (await barrier.parties) === 0);
        await until('their sessions are gone', async () => Number(await command('ZCARD', `sl:{${namespace}}:S`)) === 1);
        session.done(all);
        seen('kill -9 of a party of a barrier', `${KILLS} kills among ${all} trips: the others went on each time`);
      },
      240_000 * faultSize(1, 4),
    );

    it(
      'connections are killed repeatedly: each arrival and each done() counts once',
      async ({ open, command }) => {
        const spaces = [await open({ lease: LONG }), await open({ lease: LONG })] as const;
        const phases = [0, 0, 0, 0];
        const wrong: string[] = [];
        let calls = 0;
        const parties = Promise.all(
          phases.map(async (_, party) => {
            const space = spaces[party % 2 === 0 ? 0 : 1];
            const barrier = space.barrier('b', phases.length);
            for (let phase = 0; phase < GENERATIONS; phase++) {
              phases[party] = phase;
              await barrier.waitAsync();
              calls++;
              if (Math.min(...phases) < phase) wrong.push(`party ${party} passed phase ${phase} early`);
              const latch = space.countdownLatch(`d${phase % 3}`, 0);
              await latch.add(2);
              await latch.done(2);
              calls++;
            }
          }),
        );
        const kills = await killUntil(parties, command, () => calls);
        await parties;
        expect(wrong).toEqual([]);
        const barrier = spaces[0].barrier('b', phases.length);
        expect(await barrier.generation).toBe(GENERATIONS);
        expect(await Promise.all([0, 1, 2].map((n) => spaces[0].countdownLatch(`d${n}`).count))).toEqual([0, 0, 0]);
        seen(
          'Connections of subscribers or of commands killed',
          `${GENERATIONS} generations of ${phases.length} parties in step, ${kills} kills; latches exact`,
        );
      },
      240_000 * faultSize(1, 4),
    );

    it('SIGSTOP of the server beyond the lease: a waiting party is told, and its arrival does not count when it returns', async ({
      server,
      open,
    }) => {
      const [a, b] = [await open({ lease: LONG }), await open({ lease: LONG })];
      const waiting = failureOf(a.barrier('b', 2).waitAsync());
      await until('it waits', async () => (await b.barrier('b', 2).waiting) === 1);
      server.signal('SIGSTOP');
      expect((await waiting).code).toBe('SLUICE_LEASE_LOST');
      server.signal('SIGCONT');
      // The old arrival must not release the new one.
      expect((await failureOf(a.barrier('b', 2).waitAsync())).code).toBe('SLUICE_BROKEN_BARRIER');
      await a.barrier('b', 2).mend();
      await Promise.all([a, b].map((space) => space.barrier('b', 2).waitAsync()));
      seen('SIGSTOP of the server beyond the lease', 'a party was told, and its old arrival did not count');
    });
  },
  { own: true },
);

onServer(
  'kill -9 of a server with an append-only file',
  (it) => {
    it('keeps arrivals, counts and places in line', async ({ server, open }) => {
      const [a, b] = [await open({ lease: LONG }), await open({ lease: LONG })];
      const first = a.barrier('b', 2).waitAsync();
      const opened = a.countdownLatch('d', 2).waitAsync();
      await b.countdownLatch('d', 2).done();
      await until('it waits', async () => (await b.barrier('b', 2).waiting) === 1);
      await server.kill();
      await server.start();
      await b.countdownLatch('d', 2).done();
      expect(await b.barrier('b', 2).waitAsync()).toEqual({ leader: false });
      expect(await first).toEqual({ leader: true });
      await opened;
      seen(
        'kill -9 of the server, append-only file `always` or `everysec`',
        'a barrier tripped and a latch opened with what had arrived before',
      );
    });
  },
  { own: true, args: ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'] },
);

onServer(
  'a failover of a barrier',
  (it) => {
    it('to a replica that missed the end of a generation: the barrier is broken for its parties and releases none', async ({
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
      const url = `redis://127.0.0.1:${proxy.port}`;
      const open = (): ReturnType<typeof connect> =>
        connect(createClient({ url, socket: { reconnectStrategy: 50 } }), {
          namespace,
          lease: 10_000,
          onWarning: () => undefined,
        });
      const [a, b] = [await open(), await open()];
      const first = a.barrier('b', 2).waitAsync();
      await until('it waits', async () => (await b.barrier('b', 2).waiting) === 1);
      await direct.sendCommand(['REPLICAOF', '127.0.0.1', String(server.port)]);
      await until('the replica has copied', async () =>
        (await direct.sendCommand<string>(['INFO', 'replication'])).includes('master_link_status:up'),
      );
      await until(
        'the replica has the arrival',
        async () => Number(await direct.sendCommand(['EXISTS', `sl:{${namespace}}:q:b:b`])) === 1,
      );
      await direct.sendCommand(['REPLICAOF', 'NO', 'ONE']);
      await b.barrier('b', 2).waitAsync();
      await first;
      proxy.aim(replica.port);
      const next = await Promise.all([a, b].map((space) => failureOf(space.barrier('b', 2).waitAsync())));
      expect(next.map(({ code }) => code)).toEqual(['SLUICE_BROKEN_BARRIER', 'SLUICE_BROKEN_BARRIER']);
      expect(next[0]?.message).toContain('the server has lost calls');
      await a.barrier('b', 2).mend();
      await Promise.all([a, b].map((space) => space.barrier('b', 2).waitAsync()));
      seen(
        'Failover to a replica that missed the end of a generation',
        'the barrier was broken for both parties; after mend it tripped',
      );
      direct.destroy();
      await Promise.all([a.close(), b.close()]);
      await proxy.close();
      await replica.stop();
    });
  },
  { own: true },
);
