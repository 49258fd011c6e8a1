// The interface of a client library for this package.

import { asError } from '@sluice/core/calls';
import type { Listener } from '@sluice/remote/internal';

export interface Port {
  /**
   * Sends one command about `key`. Rejects if the connection breaks before the reply. It never sends the command again.
   */
  send(key: string, command: readonly string[]): Promise<unknown>;
  /** Returns the INFO of any node. */
  info(): Promise<string>;
  /**
   * Subscribes to a sharded channel on a new connection. `onReady` is called each time that the subscription was
   * restored after the connection broke.
   */
  listen(channel: string, onMessage: (message: string) => void, onReady: () => void): Promise<Listener>;
  /** Closes the connection for commands. */
  close(): void;
}

/** Waits for a connection, at most `limitMs` ms. Libraries retry without end, and report the reasons by events. */
export async function established(
  connecting: Promise<unknown>,
  limitMs: number,
  lastError: () => unknown,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(asError(lastError() ?? new Error(`no connection within ${limitMs} ms`))), limitMs);
  });
  try {
    await Promise.race([connecting, late]);
  } finally {
    clearTimeout(timer);
  }
}
