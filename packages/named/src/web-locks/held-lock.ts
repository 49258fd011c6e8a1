// The interface `Lock` of the specification: the argument of a request's callback.

import { INSPECT, consoleText, refusePosting } from '@sluice/core/calls';

/** How a lock is held: by one request, or by any number of requests that all ask for `'shared'`. */
export type LockMode = 'exclusive' | 'shared';

/** A structured clone fails with this text, which tells the caller what to do instead. */
const NOT_POSTED = /* @__PURE__ */ Symbol('a lock cannot be posted to another thread: post its name');

/** Only this file has this symbol. */
const OURS = /* @__PURE__ */ Symbol('a held lock');

let construct: (name: string, mode: LockMode) => HeldLock;

/** A held lock, as the callback of `LockManager.request` gets it: the interface `Lock` of the Web Locks API. */
export class HeldLock {
  readonly #name: string;
  readonly #mode: LockMode;

  static {
    construct = (name, mode) => new this(OURS, name, mode);
    asInterface(this, 'Lock', ['name', 'mode']);
  }

  private constructor(
    ...[token, name = '', mode = 'exclusive']: readonly [token?: symbol, name?: string, mode?: LockMode]
  ) {
    refusePosting(this, NOT_POSTED);
    if (token !== OURS)
      throw new TypeError(
        'A lock is what LockManager.request calls its callback with: the constructor is not for callers.',
      );
    this.#name = name;
    this.#mode = mode;
  }

  get name(): string {
    return this.#name;
  }

  get mode(): LockMode {
    return this.#mode;
  }

  [INSPECT](): string {
    return consoleText('Lock', () => ({ name: this.#name, mode: this.#mode }));
  }
}

export function lockOf(name: string, mode: LockMode): HeldLock {
  return construct(name, mode);
}

/** Gives a class the properties of a Web IDL interface: its name, members that `for in` lists, and a class string. */
export function asInterface(Class: { readonly prototype: object }, name: string, members: readonly string[]): void {
  Object.defineProperty(Class, 'name', { value: name, configurable: true });
  for (const member of members) Object.defineProperty(Class.prototype, member, { enumerable: true });
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
}
