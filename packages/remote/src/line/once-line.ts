// The line of a once, a lazy or a job on the server.

import { ClosedError, TimeoutError } from '@sluice/core';
import { RemotePrimitive } from './remote-primitive.ts';

/** Ends the wait of a call when the once is done. No caller sees it. */
export class Done extends Error {
  /** The text that the server stores: '' for a once, the value for a lazy, the latest time for a job. */
  readonly kept: string;

  constructor(title: string, kept: string) {
    super(`${title} is done`);
    this.kept = kept;
  }
}

const KINDS = { once: 'o', lazy: 'z', job: 'j' } as const;

export class RemoteOnceLine extends RemotePrimitive {
  override readonly operation = 'attempt';
  /** Of a job: the time for which it is to run, in ms of the wall clock. */
  readonly at: number | undefined;
  readonly #untouched: string;

  constructor(kind: 'once' | 'lazy' | 'job', name: string, at?: number) {
    super(KINDS[kind], kind === 'lazy' ? 'Lazy' : 'Once', name, {
      permits: 1,
      ...(at === undefined ? {} : { title: `Once '${name}' at ${new Date(at).toISOString()}` }),
    });
    this.at = at;
    this.#untouched = kind === 'lazy' ? 'It got no value.' : 'It was not done.';
  }

  override get asked(): readonly (string | number)[] {
    return this.at === undefined ? this.made : [...this.made, this.at];
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
