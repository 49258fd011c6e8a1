// The check of a fencing token, in the transaction of the write that it protects.

import { checkOptions, checkWellFormed, show } from '@sluice/core/calls';
import { checkSchema, SCHEMA } from './sql/schema.ts';
import { tablesIn } from './sql/tables.ts';

/** A client of `pg` in a transaction. */
export interface FencedClient {
  query(text: string, values: string[]): Promise<{ readonly rowCount: number | null }>;
}

export interface FenceOptions {
  /** The schema that `connect` was given. Default: `sluice`. */
  readonly schema?: string | undefined;
}

const MAX_KEY = 500;
const OPTIONS: readonly (keyof FenceOptions)[] = ['schema'];

/**
 * Resolves with whether `token` is at least as great as every earlier token for `key`, and stores it.
 *
 * Call it in the transaction that writes, on the same client, before the write. If it resolves with `false`, a later
 * holder has written: roll back. The transaction keeps the row of the key locked until it ends. So the holder with the
 * greater token always writes last: an earlier holder has written before it, or is refused. No pause changes that.
 *
 * @param client - A client of `pg` that has begun a transaction.
 * @param key - Names what the token protects. At most 500 UTF-16 code units.
 * @param token - The `fencingToken` of a guard.
 * @throws {TypeError} If an argument has the wrong type, or `client` is a pool.
 * @throws {RangeError} If the key is too long or contains a NUL character.
 */
export async function fence(
  client: FencedClient,
  key: string,
  token: bigint,
  options: FenceOptions = {},
): Promise<boolean> {
  checkOptions(options, OPTIONS);
  const { schema = SCHEMA } = options;
  checkSchema(schema);
  if (typeof (client as Partial<FencedClient> | undefined)?.query !== 'function')
    throw new TypeError(`client must be a client of pg: received ${show(client)}`);
  // A pool would run this statement in a transaction of its own.
  if ('totalCount' in client)
    throw new TypeError('client must be the client that has begun the transaction: received a pool');
  if (typeof key !== 'string') throw new TypeError(`key must be a string: received ${show(key)}`);
  checkWellFormed('key', key);
  if (key.length > MAX_KEY || key.includes('\0'))
    throw new RangeError(
      `key must have at most ${MAX_KEY} UTF-16 code units, and no NUL character: received ${key.length} code units`,
    );
  if (typeof token !== 'bigint')
    throw new TypeError(`token must be a bigint, such as guard.fencingToken: received ${show(token)}`);
  const { fences } = tablesIn(schema);
  const { rowCount } = await client.query(
    `INSERT INTO ${fences} AS f (key, token) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET token = EXCLUDED.token WHERE f.token <= EXCLUDED.token`,
    [key, String(token)],
  );
  return rowCount === 1;
}
