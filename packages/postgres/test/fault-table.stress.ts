// The faults of every engine, over Postgres.

import { connect } from '@sluice/postgres';
import { proxyTo } from '@sluice/redis-server';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach } from 'vitest';
import { giveTo } from '../../../tools/postgres-server/src/user.mjs';
import {
  faultSuite,
  networkFaults,
  type FaultGround,
  type FaultyEngine,
  type NetworkGround,
} from '../../remote/test/faults/fault-suite.ts';
import { MESSAGES, sendBytes } from '../../remote/test/faults/garbage.ts';
import { Member } from '../../remote/test/faults/member.ts';
import { SmallDisk } from '../../remote/test/faults/small-disk.ts';
import { channelOf } from '../src/store/changes.ts';
import { onServer, poolOf, type Ground } from './support/server.ts';

const PROGRAM = fileURLToPath(new URL('children/member.mjs', import.meta.url));

/** Sends a signal to the server and all its processes. */
function signalAll(server: Ground['server'], signal: NodeJS.Signals): void {
  server.signal(signal);
  spawnSync('pkill', ['--signal', signal, '--parent', String(server.pid)]);
}

onServer(
  'a space over Postgres',
  (it) => {
    const disk = SmallDisk.mount(4);
    const ends: (() => unknown)[] = [];
    afterEach(async () => {
      for (const end of ends.splice(0)) await end();
    });
    afterAll(() => disk?.unmount());

    /** Moves the tables to the small disk, and fills it. */
    const fillDisk = async (query: Ground['query'], small: SmallDisk): Promise<() => void> => {
      const location = join(small.folder, 'data');
      mkdirSync(location);
      giveTo(location);
      await query(`CREATE TABLESPACE small LOCATION '${location}'`);
      const tables = await query("SELECT tablename FROM pg_tables WHERE schemaname = 'sluice'");
      for (const { tablename } of tables) await query(`ALTER TABLE sluice."${String(tablename)}" SET TABLESPACE small`);
      return small.fill();
    };

    const engine: FaultyEngine<FaultGround & NetworkGround> = {
      name: 'postgres',
      noticesDeaths: false,
      takesOver: false,
      fullCode: 'SLUICE_POSTGRES',
      releasesWhenFull: false,
      it: (name, body) =>
        it(name, ({ url, server, namespace, open, query }) =>
          body({
            open: (lease) => open({ lease }),
            start: async (lease) => {
              const member = await Member.start(PROGRAM, [url, namespace, String(lease)]);
              ends.push(() => member.end());
              return member;
            },
            killServer: async () => {
              await server.kill();
              await server.start();
            },
            stopServer: () => {
              signalAll(server, 'SIGSTOP');
              ends.unshift(() => signalAll(server, 'SIGCONT'));
            },
            goOn: () => signalAll(server, 'SIGCONT'),
            fill: disk === undefined ? undefined : () => fillDisk(query, disk),
            sendGarbage: async (sessions) => {
              await sendBytes({ host: '127.0.0.1', port: server.port });
              for (const session of sessions)
                for (const message of MESSAGES) await query('SELECT pg_notify($1, $2)', [channelOf(session), message]);
            },
            cut: async () => {
              await query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice'");
            },
            openBehind: async (lease) => {
              const proxy = await proxyTo(server.port);
              const pool = poolOf(url.replace(String(server.port), String(proxy.port)));
              const space = await connect(pool, { namespace, lease });
              ends.push(async () => {
                const closing = space.close();
                await proxy.close();
                await Promise.all([closing, pool.end()]);
              });
              return { space, swallow: () => proxy.swallow(true) };
            },
          }),
        ),
    };
    faultSuite(engine);
    networkFaults(engine);
  },
  { own: true },
);
