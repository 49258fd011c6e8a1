// Finds the library to which a client belongs.

import { errorsOf, isError, messageOf, show } from '@sluice/core/calls';
import { RedisError } from '../errors.ts';
import { openIoRedis, sendIoRedis, type IoRedis } from './ioredis.ts';
import { openNodeRedis, sendNodeRedis, type NodeRedis } from './node-redis.ts';
import type { Port } from './port.ts';

/**
 * A client of `redis` (`createClient`, `createCluster`) or of `ioredis` (`Redis`, `Cluster`). It need not be connected.
 * The package does not change or close it.
 */
export interface RedisClient {
  duplicate(...overrides: never[]): unknown;
}

/**
 * Opens a connection for commands, separate from the given client.
 *
 * @throws {TypeError} If the client belongs to neither library, or adds a prefix to keys.
 * @throws {RedisError} If no server answers within `limitMs` ms.
 */
export async function openPort(client: RedisClient, limitMs: number): Promise<Port> {
  const opener = openerFor(client);
  refusePrefix(client);
  try {
    return await opener(limitMs);
  } catch (cause) {
    throw new RedisError(
      `No connection to the Redis server: ${whyOf(cause)}. Start the server, or check the client's address.`,
      { cause },
    );
  }
}

type Send = (key: string, command: readonly string[]) => Promise<unknown>;

/**
 * Returns a function that sends one command on the program's own connection. Throws `TypeError` if the client belongs
 * to neither library.
 */
export function senderOf(client: RedisClient): Send {
  return isNodeRedis(client) ? sendNodeRedis(client) : isIoRedis(client) ? sendIoRedis(client) : refuse(client);
}

function openerFor(client: unknown): (limitMs: number) => Promise<Port> {
  if (isNodeRedis(client)) return (limitMs) => openNodeRedis(client, limitMs);
  return isIoRedis(client) ? (limitMs) => openIoRedis(client, limitMs) : refuse(client);
}

function isNodeRedis(client: unknown): client is NodeRedis {
  return hasMethods(client, 'duplicate', 'sSubscribe', 'sendCommand');
}

function isIoRedis(client: unknown): client is IoRedis {
  return hasMethods(client, 'duplicate', 'ssubscribe', 'call');
}

function hasMethods(client: unknown, ...names: string[]): boolean {
  const given = client as Partial<Record<string, unknown>> | null | undefined;
  return typeof given === 'object' && given !== null && names.every((name) => typeof given[name] === 'function');
}

/**
 * The scripts name their keys themselves, so a prefix that the client adds would lead some calls to other keys than the
 * rest.
 */
function refusePrefix(client: RedisClient): void {
  const { keyPrefix } = (client as { readonly options?: { readonly keyPrefix?: unknown } | null }).options ?? {};
  if (keyPrefix === undefined || keyPrefix === null || keyPrefix === '') return;
  throw new TypeError(
    `The client has the keyPrefix ${show(keyPrefix)}, which cannot be used here. Pass client.duplicate({ keyPrefix: '' }), and choose the namespace instead.`,
  );
}

function refuse(client: unknown): never {
  throw new TypeError(
    `Expected a client of 'redis' or 'ioredis', such as createClient({ url }): received ${show(client)}`,
  );
}

/** If several addresses refuse a connection, Node.js reports an AggregateError without a message. */
function whyOf(cause: unknown): string {
  const message = messageOf(cause);
  return message !== '' || !isError(cause) ? message : (errorsOf(cause) ?? []).map(messageOf).join('; ');
}
