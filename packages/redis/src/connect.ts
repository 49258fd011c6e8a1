// The entry: from a client library's client to a space.

import { checkOptions, keepAlive, letGo, show } from '@sluice/core/calls';
import { checkConnect, PLATFORM, Space } from '@sluice/remote/internal';
import { checkServer } from './server/checks.ts';
import { openPort, type RedisClient } from './server/clients/open.ts';
import { RedisEngine } from './server/engine.ts';

export interface ConnectOptions {
  /** Processes with the same namespace share primitives. In a cluster, a namespace lives in one slot. */
  readonly namespace: string;
  /**
   * The time that the server waits for a silent process before it gives the process's permits and locks to others, in
   * ms: 100 to one day. Default: 10,000.
   */
  readonly lease?: number | undefined;
  /** The name of this process in reports. Default: its process id. */
  readonly name?: string | undefined;
  /** The longest time to wait for the connection, in ms. Default: 5000. */
  readonly connectTimeout?: number | undefined;
  /**
   * Gets each warning about the server's settings. Default: `console.warn`, once for each warning in a process.
   * `() => {}` silences them.
   */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

const OPTIONS: readonly (keyof ConnectOptions)[] = ['namespace', 'lease', 'name', 'connectTimeout', 'onWarning'];

/**
 * Opens a space: a session at the server, with one lease for everything that this process will hold in the namespace.
 *
 * Opens two connections with the options of `client`. The client itself is not changed, and need not be connected. The
 * connections keep the process alive only while a call waits.
 *
 * @param client - A client of `redis` or of `ioredis`, also of a cluster.
 * @throws {TypeError} If an argument has the wrong type, or the client adds a `keyPrefix` to its keys.
 * @throws {RangeError} If an option is out of range.
 * @throws {UnsupportedError} If the server is older than Redis 7.
 * @throws {RedisError} If no server answers, or the namespace is in use by another version of this package.
 */
export async function connect(client: RedisClient, options: ConnectOptions): Promise<Space> {
  checkOptions(options, OPTIONS);
  const { onWarning = warn } = options;
  const { namespace, lease, label, connectTimeout } = checkConnect(options);
  if (typeof onWarning !== 'function') throw new TypeError(`onWarning must be a function: received ${show(onWarning)}`);
  const port = await openPort(client, connectTimeout);
  // The connections do not keep the process alive, but this call must.
  keepAlive();
  try {
    for (const warning of checkServer(await port.info())) onWarning(warning);
    const space = new Space({
      namespace,
      lease,
      label,
      engine: new RedisEngine(port, namespace),
      timing: PLATFORM,
    });
    await space.session();
    return space;
  } catch (failure) {
    port.close();
    throw failure;
  } finally {
    letGo();
  }
}

const warned = new Set<string>();

function warn(warning: string): void {
  if (warned.has(warning)) return;
  warned.add(warning);
  console.warn(`@sluice/redis: ${warning} Pass onWarning to connect to handle or silence this warning.`);
}
