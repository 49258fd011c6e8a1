// A resource that compares fencing tokens, made of one key.

import { checkWellFormed, show } from '@sluice/core/calls';
import { senderOf, type RedisClient } from './server/clients/open.ts';

const FENCE = `
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
if last > tonumber(ARGV[1]) then return 0 end
-- Where the server has no memory left, it refuses a script whose first write stores something.
redis.call('PERSIST', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1])
return 1
`;

/**
 * Resolves with whether `token` is at least as great as every earlier token for `key`, and stores it.
 *
 * If a holder was paused beyond its lease, and the next holder has called `fence`, the paused holder gets `false`. A
 * check and a write are two calls. If the data is in Redis, too, compare in the script that writes. The README has the
 * form for SQL.
 *
 * @param client - A connected client.
 * @param key - The key that stores the greatest token.
 * @param token - The `fencingToken` of a guard.
 */
export async function fence(client: RedisClient, key: string, token: bigint): Promise<boolean> {
  if (typeof key !== 'string') throw new TypeError(`key must be a string: received ${show(key)}`);
  checkWellFormed('key', key);
  if (typeof token !== 'bigint')
    throw new TypeError(`token must be a bigint, such as guard.fencingToken: received ${show(token)}`);
  return Number(await senderOf(client)(key, ['EVAL', FENCE, '1', key, String(token)])) === 1;
}
