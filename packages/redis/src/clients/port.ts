// What the package needs of a client library.

import { asError } from '@sluice/core/internal';

/** A subscription on a connection of its own. */
export interface Listener {
  close(): void;
}

export interface Port {
  /**
   * Sends one command about `key`. Rejects if the connection breaks before the reply; it does not send the command
   * again by itself.
   */
  send(key: string, command: readonly string[]): Promise<unknown>;
  /** What INFO says, of any node. */
  info(): Promise<string>;
  /**
   * Subscribes to a sharded channel on a new connection. `onReady` is called each time that the subscription has been
   * made again after the connection broke.
   */
  listen(channel: string, onMessage: (message: string) => void, onReady: () => void): Promise<Listener>;
  /** Closes the connection for commands. */
  close(): void;
}

/** Waits for a connection at most `limitMs` ms. Libraries try again and again, and report why by events. */
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
