// The classes whose primitives can have a name.

import type { Arena } from '@sluice/core';

/** A primitive that has a handle, such as a `Mutex`. */
export interface Nameable {
  readonly handle: object;
}

/** A class that opens primitives of one kind by a static `from`, such as `Mutex`. */
export interface NamedKind<T extends Nameable> {
  from(handle: T['handle']): T;
}

/** The options that the creator of a named primitive should pass on. */
export interface NamedOptions {
  readonly arena: Arena;
  /** The name, cut to the 60 bytes that reports and messages have room for. */
  readonly name: string;
}

/** A kind whose `create` needs only options. */
export interface CreatableKind<T extends Nameable> extends NamedKind<T> {
  create(options: NamedOptions): T;
}
