// Calls of the script: EVALSHA, with EVAL where the server does not have the script yet.

import { keepAlive, letGo } from '@sluice/core/internal';
import type { Port } from './clients/port.ts';
import { RedisError } from './errors.ts';
import { SCRIPT, scriptHash } from './scripts/script.ts';

/** Replies that will change soon: the server starts, fails over, or moves the slot. */
const PASSING = /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|MOVED|ASK|NOREPLICAS)\b/;
/** The server's replies begin with a word in capitals. Everything else means that the connection broke. */
const REPLY = /^-?[A-Z]{3,} /;

/** The connection broke before the reply, or the server will answer later: whether the call was made is unknown. */
export class Interrupted extends Error {}

export class ScriptCaller {
  readonly #port: Port;
  readonly #base: string;
  #hash = '';

  constructor(port: Port, base: string) {
    this.#port = port;
    this.#base = base;
  }

  /** Calls the script once. `ref`: whether it keeps the process alive. Rejects with `Interrupted`, or `RedisError` if the server refuses. */
  async call(args: readonly (string | number)[], ref: boolean): Promise<string[]> {
    const rest = ['1', this.#base, ...args.map(String)];
    if (ref) keepAlive();
    try {
      return texts(await this.#evaluate(rest));
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      if (!REPLY.test(message) || PASSING.test(message)) throw new Interrupted(message, { cause });
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
      if (!(failure instanceof Error) || !failure.message.startsWith('NOSCRIPT')) throw failure;
      return this.#port.send(this.#base, ['EVAL', SCRIPT, ...rest]);
    }
  }
}

function texts(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : [String(reply)];
}
