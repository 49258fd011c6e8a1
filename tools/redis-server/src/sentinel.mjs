// @ts-check
// A master, a replica of it, and a sentinel that lets the replica take over when the master is gone.
import { ask } from './ask.mjs';
import { startServer } from './server.mjs';

const NAME = 'sluice';
const DOWN_MS = 500;
const READY_MS = 120_000;
const LOOK_MS = 20;

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {() => Promise<boolean>} isSo @param {string} what */
async function until(isSo, what) {
  const end = performance.now() + READY_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${READY_MS} ms`);
    await sleep(LOOK_MS);
  }
}

/** @param {number} port @param {string} field */
async function offsetOf(port, field) {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(String(await ask(port, 'INFO', 'replication')))?.[1] ?? -1);
}

/**
 * @typedef {object} Watched
 * @property {string} name by which clients ask the sentinel for the master
 * @property {number} port the sentinel's
 * @property {import('./server.mjs').Server} master
 * @property {import('./server.mjs').Server} replica
 * @property {() => Promise<void>} copied resolves when the replica has everything that the master has
 * @property {() => Promise<void>} promoted resolves when the replica has taken over
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<Watched>} */
export async function startWatched() {
  const master = await startServer({ args: ['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'] });
  const replica = await startServer({
    args: ['--save', '', '--appendonly', 'no', '--replicaof', `127.0.0.1 ${master.port}`],
  });
  await until(
    async () => String(await ask(replica.port, 'INFO', 'replication')).includes('master_link_status:up'),
    'the replica follows',
  );
  const config = [
    `sentinel monitor ${NAME} 127.0.0.1 ${master.port} 1`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_MS}`,
    `sentinel failover-timeout ${NAME} 5000`,
  ];
  const sentinel = await startServer({ args: ['--sentinel'], config });
  await until(
    async () => String(await ask(sentinel.port, 'SENTINEL', 'MASTERS')).includes('num-slaves,1'),
    'the sentinel knows the replica',
  );
  return {
    name: NAME,
    port: sentinel.port,
    master,
    replica,
    copied: async () => {
      // WAIT counts the writes of its own connection alone.
      const written = await offsetOf(master.port, 'master_repl_offset');
      await until(async () => (await offsetOf(replica.port, 'slave_repl_offset')) >= written, 'the replica has copied');
    },
    promoted: () =>
      until(async () => String(await ask(replica.port, 'ROLE')).startsWith('master'), 'the replica takes over'),
    stop: async () => {
      await Promise.all([sentinel, replica, master].map((server) => server.stop()));
    },
  };
}
