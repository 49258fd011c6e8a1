// The entry: from a pool of connections to a space.

import { checkInteger, checkOptions, keepAlive, letGo, show } from '@sluice/core/calls';
import { checkConnect, PLATFORM, Space } from '@sluice/remote/internal';
import { clientsOf, type PostgresPool } from './server/client.ts';
import { PostgresEngine } from './server/engine.ts';
import { checkSchema, SCHEMA } from './sql/schema.ts';

export interface ConnectOptions {
  /** Processes with the same namespace, in the same database and schema, share primitives. */
  readonly namespace: string;
  /**
   * The time that the others wait for a silent process before its permits and locks go to them, in ms: 100 to one day.
   * Default: 10,000.
   */
  readonly lease?: number | undefined;
  /** The name of this process in reports. Default: its process id. */
  readonly name?: string | undefined;
  /** The longest time to wait for the connection, in ms. Default: 5000. */
  readonly connectTimeout?: number | undefined;
  /** The schema of the tables, which are created if they are missing. Default: `sluice`. */
  readonly schema?: string | undefined;
  /**
   * Whether to be notified by the server (`LISTEN`). Default: unless a pooler stands in between. `false` is for a
   * pooler that cannot be noticed, `true` for one that keeps a connection for each client.
   */
  readonly listen?: boolean | undefined;
  /**
   * Without `LISTEN`: how often a process looks whether it was granted something, while it holds or waits for
   * something, in ms. Default: 100. At most a third of the lease.
   */
  readonly poll?: number | undefined;
}

const OPTIONS: readonly (keyof ConnectOptions)[] = [
  'namespace',
  'lease',
  'name',
  'connectTimeout',
  'schema',
  'listen',
  'poll',
];

const MOST_POLL_MS = 86_400_000;

/**
 * Opens a space: a session at the server, with one lease for everything that this process will hold in the namespace.
 *
 * Opens one connection with the options of `pool`. The pool itself is not used. The connection keeps the process alive
 * only while a call waits. Creates the tables of the schema if they are missing.
 *
 * @param pool - A pool of `pg`.
 * @throws {TypeError} If an argument has the wrong type.
 * @throws {RangeError} If an option is out of range.
 * @throws {UnsupportedError} If the server is older than Postgres 13.
 * @throws {PostgresError} If no server answers, the tables are missing and may not be created, or the namespace is in
 *   use by another version of this package.
 */
export async function connect(pool: PostgresPool, options: ConnectOptions): Promise<Space> {
  checkOptions(options, OPTIONS);
  const { namespace, lease, label, connectTimeout } = checkConnect(options);
  const { schema = SCHEMA, listen, poll = 100 } = options;
  checkSchema(schema);
  if (listen !== undefined && typeof listen !== 'boolean')
    throw new TypeError(`listen must be a boolean: received ${show(listen)}`);
  checkInteger('poll', poll, 1, MOST_POLL_MS);
  const open = clientsOf(pool, connectTimeout);
  // The connection does not keep the process alive, but this call must.
  keepAlive();
  try {
    const pollMs = Math.min(poll, lease / 3);
    const engine = await PostgresEngine.open({ open, namespace, schema, lease, listen, pollMs });
    const space = new Space({ namespace, lease, label, engine, timing: PLATFORM });
    try {
      await space.session();
      return space;
    } catch (failure) {
      engine.close();
      throw failure;
    }
  } finally {
    letGo();
  }
}
