// The line of a once or a lazy on the server.

import { ClosedError, TimeoutError } from '@sluice/core';
import { RemotePrimitive } from './remote-primitive.ts';

/** Ends the wait of a call when the once is done. No caller sees it. */
export class Done extends Error {
  /** The text that the server stores: '' for a once, the value for a lazy. */
  readonly kept: string;

  constructor(title: string, kept: string) {
    super(`${title} is done`);
    this.kept = kept;
  }
}

export class RemoteOnceLine extends RemotePrimitive {
  override readonly operation = 'attempt';
  readonly #untouched: string;

  constructor(kind: 'once' | 'lazy', name: string) {
    super(kind === 'once' ? 'o' : 'z', kind === 'once' ? 'Once' : 'Lazy', name, { permits: 1 });
    this.#untouched = kind === 'once' ? 'It was not done.' : 'It got no value.';
  }

  override refused([answer, kept = '']: readonly string[]): Error {
    return answer === 'done' ? new Done(this.title, kept) : super.refused(['', '1']);
  }

  override timedOut(_permits: number, ms: number): TimeoutError {
    return new TimeoutError(`${this.title}: timed out after ${ms} ms. ${this.#untouched}`);
  }

  override closed(): ClosedError {
    return new ClosedError(`${this.title} is closed. ${this.#untouched}`);
  }
}
