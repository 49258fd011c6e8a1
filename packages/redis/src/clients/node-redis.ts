// The client library `redis`: createClient, createCluster and createSentinel's clients.

import { established, type Listener, type Port } from './port.ts';

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

/** A cluster's `sendCommand` takes the key, and whether a replica will do, before the command. */
export function sendNodeRedis(client: NodeRedis): (key: string | undefined, command: readonly string[]) => Promise<unknown> {
  const isCluster = 'slots' in client;
  return (key, command) => (isCluster ? client.sendCommand(key, false, command) : client.sendCommand(command));
}

/** Opens connections of its own, with the options of the program's client. */
export async function openNodeRedis(client: NodeRedis, limitMs: number): Promise<Port> {
  const commands = await open(client, limitMs);
  const send = sendNodeRedis(commands);
  return {
    send,
    info: async () => String(await send(undefined, ['INFO'])),
    listen: (channel, onMessage, onReady) => listen(client, limitMs, channel, onMessage, onReady),
    close: () => end(commands),
  };
}

async function open(client: NodeRedis, limitMs: number): Promise<NodeRedis> {
  // Names of keys and channels are complete: a prefix would take keys and channels apart.
  const own = client.duplicate({ keyPrefix: undefined });
  let lastError: unknown;
  own.on('error', (reason) => (lastError = reason));
  try {
    await established(own.connect(), limitMs, () => lastError);
  } catch (failure) {
    end(own);
    throw failure;
  }
  own.unref?.();
  return own;
}

async function listen(client: NodeRedis, limitMs: number, channel: string, onMessage: Listen, onReady: () => void): Promise<Listener> {
  const own = await open(client, limitMs);
  try {
    await own.sSubscribe(channel, onMessage);
  } catch (failure) {
    end(own);
    throw failure;
  }
  // The library subscribes again before it says `ready`.
  own.on('ready', onReady);
  return { close: () => end(own) };
}

function end(client: NodeRedis): void {
  try {
    client.destroy();
  } catch {
    // It was closed already.
  }
}
