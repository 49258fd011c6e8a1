// The client library `redis`: createClient, createCluster, createSentinel.

import type { Listener } from '@sluice/remote/internal';
import { established, type Port } from './port.ts';

type Listen = (message: string) => void;

/** The part of a client or cluster that is used. */
export interface NodeRedis {
  readonly isOpen?: boolean;
  duplicate(overrides?: object): NodeRedis;
  connect(): Promise<unknown>;
  destroy(): unknown;
  on(event: string, listener: (reason: unknown) => void): unknown;
  unref?(): void;
  sendCommand(...args: unknown[]): Promise<unknown>;
  sSubscribe(channel: string, listener: Listen): Promise<unknown>;
}

/**
 * Returns a function that sends a command. The `sendCommand` of a cluster takes the key and whether a replica may
 * answer before the command. That of a sentinel's client takes only the latter.
 */
export function sendNodeRedis(
  client: NodeRedis,
): (key: string | undefined, command: readonly string[]) => Promise<unknown> {
  if ('slots' in client) return (key, command) => client.sendCommand(key, false, command);
  if ('getMasterNode' in client) return (_key, command) => client.sendCommand(false, command);
  return (_key, command) => client.sendCommand(command);
}

/** Opens connections of its own, with the options of the program's client. */
export async function openNodeRedis(client: NodeRedis, limitMs: number): Promise<Port> {
  const commands = await open(client, limitMs);
  const send = sendNodeRedis(commands);
  return {
    send,
    info: async () => String(await send(undefined, ['INFO'])),
    listen: (channel, onMessage, onReady) => listen(client, limitMs, channel, onMessage, onReady),
    close: () => void end(commands),
  };
}

async function open(client: NodeRedis, limitMs: number): Promise<NodeRedis> {
  // Names of keys and channels are complete. A prefix would change the names of keys, but not those of channels.
  const own = client.duplicate({ keyPrefix: undefined });
  let lastError: unknown;
  own.on('error', (reason) => (lastError = reason));
  try {
    await established(own.connect(), limitMs, () => lastError);
  } catch (failure) {
    void end(own);
    throw failure;
  }
  own.unref?.();
  return own;
}

async function listen(
  client: NodeRedis,
  limitMs: number,
  channel: string,
  onMessage: Listen,
  onReady: () => void,
): Promise<Listener> {
  const own = await open(client, limitMs);
  try {
    await established(
      own.sSubscribe(channel, onMessage),
      limitMs,
      () => new Error(`no subscription within ${limitMs} ms`),
    );
  } catch (failure) {
    void end(own);
    throw failure;
  }
  // The library subscribes again before it emits `ready`. A sentinel's client emits it when it has found another
  // master.
  own.on('ready', onReady);
  own.on('topology-change', onReady);
  return { close: () => void end(own) };
}

async function end(client: NodeRedis): Promise<void> {
  try {
    await client.destroy();
  } catch {
    // The connection was already closed.
  }
}
