// The faults of every engine, over Redis.

import { connect } from '@sluice/redis';
import { proxyTo } from '@sluice/redis-server';
import { afterEach } from 'vitest';
import { createClient } from 'redis';
import { fileURLToPath } from 'node:url';
import {
  faultSuite,
  networkFaults,
  type FaultGround,
  type FaultyEngine,
  type NetworkGround,
} from '../../remote/test/faults/fault-suite.ts';
import { MESSAGES, sendBytes } from '../../remote/test/faults/garbage.ts';
import { Member } from '../../remote/test/faults/member.ts';
import { onServer, until } from './support/server.ts';

const PROGRAM = fileURLToPath(new URL('children/member.mjs', import.meta.url));

onServer(
  'a space over Redis',
  (it) => {
    const ends: (() => unknown)[] = [];
    afterEach(async () => {
      for (const end of ends.splice(0)) await end();
    });

    const engine: FaultyEngine<FaultGround & NetworkGround> = {
      name: 'redis',
      noticesDeaths: false,
      takesOver: false,
      fullCode: 'SLUICE_REDIS',
      releasesWhenFull: true,
      it: (name, body) =>
        it(name, ({ url, server, namespace, open, command }) =>
          body({
            open: (lease) => open({ lease }),
            start: async (lease) => {
              const member = await Member.start(PROGRAM, [url, namespace, String(lease)]);
              ends.push(() => member.end());
              return member;
            },
            killServer: async () => {
              await until('the server has written all', async () =>
                String(await command('INFO', 'persistence')).includes('aof_buffer_length:0\r'),
              );
              await server.kill();
              await server.start();
            },
            stopServer: () => {
              server.signal('SIGSTOP');
              ends.unshift(() => server.signal('SIGCONT'));
            },
            goOn: () => server.signal('SIGCONT'),
            fill: async () => {
              await command('CONFIG', 'SET', 'maxmemory', '1');
              return async () => {
                await command('CONFIG', 'SET', 'maxmemory', '0');
              };
            },
            sendGarbage: async (sessions) => {
              await sendBytes({ host: '127.0.0.1', port: server.port });
              for (const session of sessions) {
                const channel = `sl:{${namespace}}:c:${session}`;
                for (const message of MESSAGES) {
                  await command('PUBLISH', channel, message);
                  await command('SPUBLISH', channel, message);
                }
              }
            },
            cut: async () => {
              await command('CLIENT', 'KILL', 'TYPE', 'pubsub');
              await command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
            },
            openBehind: async (lease) => {
              const proxy = await proxyTo(server.port);
              const client = createClient({ url: `redis://127.0.0.1:${proxy.port}` });
              client.on('error', () => undefined);
              const space = await connect(client, { namespace, lease, onWarning: () => undefined });
              ends.push(async () => {
                const closing = space.close();
                await proxy.close();
                await closing;
                client.destroy();
              });
              return { space, swallow: () => proxy.swallow(true) };
            },
          }),
        ),
    };
    faultSuite(engine);
    networkFaults(engine);
  },
  { own: true, args: ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'] },
);
