// The interface `Lock` of the specification: what the callback of a request gets.

import { INSPECT, oneLine, refusePosting } from '@sluice/core/internal';

/** How a lock is held: by one request, or by any number of requests that all ask for `'shared'`. */
export type LockMode = 'exclusive' | 'shared';

/** The text says what to do instead of posting it. */
const NOT_POSTED = /* @__PURE__ */ Symbol('a lock cannot be posted to another thread: post its name');

/** Only this file has it. */
const OURS = /* @__PURE__ */ Symbol('a held lock');

let construct: (name: string, mode: LockMode) => HeldLock;

/** A lock that is held, as the callback of `LockManager.request` gets it: the interface `Lock` of the Web Locks API. */
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
    return oneLine('Lock', () => ({ name: this.#name, mode: this.#mode }));
  }
}

export function lockOf(name: string, mode: LockMode): HeldLock {
  return construct(name, mode);
}

/**
 * Gives a class the properties by which Web IDL knows an interface: its name, members that `for in` lists, and a class
 * string.
 */
export function asInterface(Class: { readonly prototype: object }, name: string, members: readonly string[]): void {
  Object.defineProperty(Class, 'name', { value: name, configurable: true });
  for (const member of members) Object.defineProperty(Class.prototype, member, { enumerable: true });
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
}
