// The interface `Lock` of the specification: what the callback of a request gets.

/** How a lock is held: by one request, or by any number of requests that all ask for `'shared'`. */
export type LockMode = 'exclusive' | 'shared';

let construct: (name: string, mode: LockMode) => Lock;

/** A lock that is held, as the callback of `LockManager.request` gets it: the interface `Lock` of the Web Locks API. */
export class Lock {
  readonly #name: string;
  readonly #mode: LockMode;

  static {
    construct = (name, mode) => new this(name, mode);
    asInterface(this, 'Lock', ['name', 'mode']);
  }

  private constructor(...given: readonly [name: string, mode: LockMode]) {
    if (given.length === 0) throw new TypeError('A lock is what LockManager.request calls its callback with: the constructor is not for callers.');
    [this.#name, this.#mode] = given;
  }

  get name(): string {
    return this.#name;
  }

  get mode(): LockMode {
    return this.#mode;
  }
}

export function lockOf(name: string, mode: LockMode): Lock {
  return construct(name, mode);
}

/** Gives a class the properties by which Web IDL knows an interface: members that `for in` lists, and a class string. */
export function asInterface(Class: { readonly prototype: object }, name: string, members: readonly string[]): void {
  for (const member of members) Object.defineProperty(Class.prototype, member, { enumerable: true });
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
}
