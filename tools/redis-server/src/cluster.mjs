// @ts-check
// A cluster of masters on this machine, and the move of a slot from one to another.
import { ask } from './ask.mjs';
import { freePort, startServer } from './server.mjs';

const SLOTS = 16384;
const READY_MS = 120_000;
const LOOK_MS = 50;

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Cluster {
  /** @param {readonly import('./server.mjs').Server[]} nodes */
  constructor(nodes) {
    this.nodes = nodes;
  }

  /** The ports of the nodes. */
  get ports() {
    return this.nodes.map(({ port }) => port);
  }

  /**
   * Moves the slot of `key` to another node, with its keys, while clients use it. Resolves with the ports.
   * @param {string} key
   * @returns {Promise<{ slot: number, from: number, to: number }>}
   */
  async move(key) {
    const slot = Number(await ask(this.ports[0] ?? 0, 'CLUSTER', 'KEYSLOT', key));
    /** @type {Map<number, string>} */
    const ids = new Map();
    for (const port of this.ports) ids.set(port, String(await ask(port, 'CLUSTER', 'MYID')));
    const from = await this.#ownerOf(slot, ids);
    const to = this.ports.find((port) => port !== from) ?? 0;
    await ask(to, 'CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', ids.get(from) ?? '');
    await ask(from, 'CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', ids.get(to) ?? '');
    for (;;) {
      const keys = /** @type {string[]} */ (await ask(from, 'CLUSTER', 'GETKEYSINSLOT', String(slot), '100'));
      if (keys.length === 0) break;
      await ask(from, 'MIGRATE', '127.0.0.1', String(to), '', '0', '1000', 'KEYS', ...keys);
    }
    // The new owner first: it must know before the old one sends clients there.
    for (const port of [to, from, ...this.ports])
      await ask(port, 'CLUSTER', 'SETSLOT', String(slot), 'NODE', ids.get(to) ?? '');
    return { slot, from, to };
  }

  async stop() {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  /** @param {number} slot @param {ReadonlyMap<number, string>} ids */
  async #ownerOf(slot, ids) {
    const ranges = /** @type {[number, number, ...unknown[][]][]} */ (
      await ask(this.ports[0] ?? 0, 'CLUSTER', 'SLOTS')
    );
    const range = ranges.find(([first, last]) => first <= slot && slot <= last);
    const id = range?.[2]?.[2];
    return this.ports.find((port) => ids.get(port) === id) ?? 0;
  }
}

/** Whether a node knows all others, and the owner of each slot. @param {string} info @param {number} size */
const isWhole = (info, size) =>
  info.includes('cluster_state:ok') &&
  info.includes(`cluster_known_nodes:${size}\r`) &&
  info.includes(`cluster_size:${size}\r`);

/**
 * Starts a cluster of so many masters.
 * @param {number} [size]
 * @returns {Promise<Cluster>}
 */
export async function startCluster(size = 3) {
  const nodes = [];
  const buses = [];
  for (let i = 0; i < size; i++) {
    const bus = await freePort();
    buses.push(bus);
    nodes.push(
      await startServer({
        args: [
          '--save',
          '',
          '--appendonly',
          'no',
          '--cluster-enabled',
          'yes',
          '--cluster-port',
          String(bus),
          '--cluster-node-timeout',
          '5000',
        ],
      }),
    );
  }
  const cluster = new Cluster(nodes);
  const [first = 0] = cluster.ports;
  for (const [i, port] of cluster.ports.entries()) {
    // Nodes of one epoch settle a few seconds later which of them steps up. If that is the node that a slot has just
    // left, it takes the slot back, and the new owner deletes the keys.
    await ask(port, 'CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1));
    const slots = [Math.floor((SLOTS * i) / size), Math.floor((SLOTS * (i + 1)) / size) - 1];
    await ask(port, 'CLUSTER', 'ADDSLOTSRANGE', ...slots.map(String));
    if (i > 0) await ask(first, 'CLUSTER', 'MEET', '127.0.0.1', String(port), String(buses[i]));
  }
  const end = performance.now() + READY_MS;
  for (const port of cluster.ports) {
    while (!isWhole(String(await ask(port, 'CLUSTER', 'INFO')), size)) {
      if (performance.now() > end) throw new Error('The cluster did not come together');
      await sleep(LOOK_MS);
    }
  }
  return cluster;
}
