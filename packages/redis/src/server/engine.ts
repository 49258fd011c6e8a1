// The engine of a space over Redis. Its steps are calls of the script: EVALSHA, or EVAL if the server does not have the
// script yet.

import { keepAlive, letGo, messageOf } from '@sluice/core/calls';
import { Interrupted, RETRY_MS, type RemoteEngine, type Listener } from '@sluice/remote/internal';
import type { Port } from './clients/port.ts';
import { RedisError } from './errors.ts';
import { FORMAT, SCRIPT, scriptHash } from '../scripts/script.ts';

/** Replies that are temporary: the server starts, fails over, or moves the slot. */
const PASSING = /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|MOVED|ASK|NOREPLICAS)\b/;
/** The server has reached `maxmemory`. */
const FULL = /^-?(ERR )?(Error running script.*)?OOM\b/;
/** The server refuses all writes: it could not save, and `stop-writes-on-bgsave-error` is on. */
const UNSAVED = /^-?(ERR )?(Error running script.*)?MISCONF\b/;
/** A reply of the server begins with a word in capitals. Any other failure means that the connection broke. */
const REPLY = /^-?[A-Z]{3,} /;

/**
 * The number and names of the keys that a call declares: the namespace's base, which never exists, and its clock. While
 * a cluster moves the slot, key by key, neither node has both keys, so both nodes refuse the call (TRYAGAIN). With a
 * single key, one node would run the call on a part of the namespace, and could grant held permits again.
 */
export function keysOf(base: string): string[] {
  return ['2', base, `${base}:T`];
}

export class RedisEngine implements RemoteEngine {
  readonly format = FORMAT;
  readonly retryMs = RETRY_MS;
  readonly #port: Port;
  readonly #base: string;
  #hash = '';

  constructor(port: Port, namespace: string) {
    this.#port = port;
    this.#base = `sl:{${namespace}}`;
  }

  listen(session: string, onMessage: (message: string) => void, onReady: () => void): Promise<Listener> {
    return this.#port.listen(`${this.#base}:c:${session}`, onMessage, onReady);
  }

  otherFormat(there: string): RedisError {
    return new RedisError(
      `The namespace is in use by another version of @sluice/redis (format ${there}; this is ${FORMAT}). Use another namespace, or the same version everywhere.`,
    );
  }

  unreachable(cause: unknown): RedisError {
    return new RedisError(
      `No session at the Redis server: ${messageOf(cause)}. Check that it runs and can be reached, and that its user may subscribe.`,
      { cause },
    );
  }

  close(): void {
    this.#port.close();
  }

  /**
   * Calls the script once. `ref`: whether the call keeps the process alive. Rejects with `Interrupted`, or with
   * `RedisError` if the server refuses the call.
   */
  async run(args: readonly (string | number)[], ref: boolean): Promise<string[]> {
    const rest = [...keysOf(this.#base), ...args.map(String)];
    if (ref) keepAlive();
    try {
      return answerOf(await this.#evaluate(rest));
    } catch (cause) {
      const message = messageOf(cause);
      if (!REPLY.test(message) || PASSING.test(message)) throw new Interrupted(message, { cause });
      // The server refuses the whole script before its first write.
      if (FULL.test(message))
        throw new RedisError(
          `The Redis server has no memory left (maxmemory), and refused a call that needs some. Nothing was changed. The server says: ${message}`,
          { cause },
        );
      if (UNSAVED.test(message))
        throw new RedisError(
          `The Redis server cannot save, and refused a call that writes. Nothing was changed. The server says: ${message}`,
          { cause },
        );
      throw new RedisError(`The Redis server refused a call: ${message}`, { cause });
    } finally {
      if (ref) letGo();
    }
  }

  async #evaluate(rest: readonly string[]): Promise<unknown> {
    if (this.#hash === '') this.#hash = await scriptHash();
    try {
      return await this.#port.send(this.#base, ['EVALSHA', this.#hash, ...rest]);
    } catch (failure) {
      if (!messageOf(failure).startsWith('NOSCRIPT')) throw failure;
      return this.#port.send(this.#base, ['EVAL', SCRIPT, ...rest]);
    }
  }
}

/**
 * Returns the words of a reply. The fast path of an acquire answers with the token alone, and then no other session
 * waits.
 */
export function answerOf(reply: unknown): string[] {
  const words = Array.isArray(reply) ? reply.map(String) : [String(reply)];
  const [token = ''] = words;
  return words.length === 1 && /^\d+$/.test(token) ? ['granted', token, '0'] : words;
}
