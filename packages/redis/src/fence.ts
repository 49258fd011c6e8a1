// A resource that compares tokens, made of one key.

import { checkWellFormed, show } from '@sluice/core/internal';
import { senderOf, type RedisClient } from './clients/open.ts';

const FENCE = `
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
if last > tonumber(ARGV[1]) then return 0 end
-- Where the server has no memory left, it refuses a script whose first write stores something.
redis.call('PERSIST', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1])
return 1
`;

/**
 * Reports whether `token` is at least as great as every token that was given for `key`, and remembers it.
 *
 * A holder that was paused beyond its lease gets `false` here once the next holder has been here. A check and a write
 * are two calls: where the data is in Redis too, compare in the script that writes. The README has the form for SQL.
 *
 * @param client - A connected client.
 * @param key - The key that remembers the greatest token.
 * @param token - The `fencingToken` of a guard.
 */
export async function fence(client: RedisClient, key: string, token: bigint): Promise<boolean> {
  if (typeof key !== 'string') throw new TypeError(`key must be a string: received ${show(key)}`);
  checkWellFormed('key', key);
  if (typeof token !== 'bigint')
    throw new TypeError(`token must be a bigint, such as guard.fencingToken: received ${show(token)}`);
  return Number(await senderOf(client)(key, ['EVAL', FENCE, '1', key, String(token)])) === 1;
}
