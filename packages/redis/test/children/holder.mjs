// @ts-check
// Holds a mutex until it is killed. Prints each event of the mutex as a line.
import { connect, fence } from '@sluice/redis';
import process, { argv, stdout } from 'node:process';
import { createClient } from 'redis';

const [, , url = '', namespace = '', lease = '1000'] = argv;
const client = createClient({ url, socket: { reconnectStrategy: 50 } });
client.on('error', () => undefined);
await client.connect();
const space = await connect(client, { namespace, lease: Number(lease), name: 'holder', onWarning: () => undefined });
const guard = await space.mutex('m').holdAsync();
guard.signal.addEventListener('abort', () => {
  void fence(client, `{${namespace}}resource`, guard.fencingToken).then((accepted) => {
    stdout.write(`aborted held=${String(guard.held)} accepted=${String(accepted)}\n`);
    process.exit(0);
  });
});
await fence(client, `{${namespace}}resource`, guard.fencingToken);
stdout.write(`held ${String(guard.fencingToken)}\n`);
setInterval(() => undefined, 1000);
