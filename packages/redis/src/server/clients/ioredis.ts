// The client library `ioredis`: Redis and Cluster.

import type { Listener } from '@sluice/remote/internal';
import { established, type Port } from './port.ts';

/** The part of a client or cluster that is used. */
export interface IoRedis {
  readonly isCluster?: boolean;
  readonly stream?: { unref?(): void };
  duplicate(...overrides: unknown[]): IoRedis;
  connect(): Promise<unknown>;
  disconnect(): void;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  call(command: string, ...args: string[]): Promise<unknown>;
  ssubscribe(channel: string): Promise<unknown>;
}

/**
 * If the connection breaks, a command in flight fails at once. The session then knows of it and sends it again. The
 * library's own subscription after a reconnect would come after `ready`.
 */
const OWN_CONNECTION = {
  lazyConnect: true,
  keyPrefix: '',
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
};

/** Returns a function that sends a command. The library finds the key in the command itself. */
export function sendIoRedis(client: IoRedis): (key: string, command: readonly string[]) => Promise<unknown> {
  return (_key, [command = '', ...args]) => client.call(command.toLowerCase(), ...args);
}

/** Opens connections of its own, with the options of the program's client. */
export async function openIoRedis(client: IoRedis, limitMs: number): Promise<Port> {
  const commands = await open(client, limitMs, OWN_CONNECTION);
  return {
    send: sendIoRedis(commands),
    info: async () => String(await commands.call('info')),
    listen: (channel, onMessage, onReady) => listen(client, limitMs, channel, onMessage, onReady),
    close: () => commands.disconnect(),
  };
}

async function open(client: IoRedis, limitMs: number, options: object): Promise<IoRedis> {
  const own =
    client.isCluster === true
      ? client.duplicate([], { ...options, shardedSubscribers: true })
      : client.duplicate(options);
  let lastError: unknown;
  own.on('error', (reason) => (lastError = reason));
  own.on('connect', () => own.stream?.unref?.());
  const ready = new Promise((resolve) => own.on('ready', resolve));
  // The first attempt may fail. The library makes the later ones.
  own.connect().catch((reason: unknown) => (lastError = reason));
  try {
    await established(ready, limitMs, () => lastError);
  } catch (failure) {
    own.disconnect();
    throw failure;
  }
  return own;
}

async function listen(
  client: IoRedis,
  limitMs: number,
  channel: string,
  onMessage: (message: string) => void,
  onReady: () => void,
): Promise<Listener> {
  const own = await open(client, limitMs, OWN_CONNECTION);
  own.on('smessage', (_channel, message) => onMessage(String(message)));
  try {
    await established(own.ssubscribe(channel), limitMs, () => new Error(`no subscription within ${limitMs} ms`));
  } catch (failure) {
    own.disconnect();
    throw failure;
  }
  own.on('ready', () => void own.ssubscribe(channel).then(onReady, () => undefined));
  return { close: () => own.disconnect() };
}
