// The line of the value of one key of a cache on the server. The session that holds its permit computes the value.

import { TimeoutError } from '@sluice/core';
import { RemotePrimitive } from '../line/remote-primitive.ts';

/** A value as the server has it. */
export interface FoundValue {
  readonly isFresh: boolean;
  readonly text: string;
}

/** Ends the wait of a call when the server has a value. No caller sees it. */
export class ValueFound extends Error {
  readonly found: FoundValue;

  constructor(title: string, found: FoundValue) {
    super(`${title} has a value`);
    this.found = found;
  }
}

export class ValueLine extends RemotePrimitive {
  override readonly operation = 'fetch';
  readonly #takesStale: boolean;
  readonly #mark: string;

  /** `takesStale`: whether a wait of this line ends with a value that is not fresh. `mark`: the mark of the cache. */
  constructor(name: string, title: string, mark: string, takesStale: boolean) {
    super('v', 'Cache', name, { permits: 1, title });
    this.#mark = mark;
    this.#takesStale = takesStale;
  }

  override get made(): readonly [permits: number, rest: string] {
    return [this.#takesStale ? 1 : 0, this.#mark];
  }

  /** Reads an answer that begins with `done`. */
  static found([, isFresh, text = '']: readonly string[]): FoundValue {
    return { isFresh: isFresh === '1', text };
  }

  override refused(reply: readonly string[]): Error {
    return new ValueFound(this.title, ValueLine.found(reply));
  }

  override timedOut(_permits: number, ms: number): TimeoutError {
    return new TimeoutError(`${this.title}: timed out after ${ms} ms waiting for another caller to compute it.`);
  }
}
