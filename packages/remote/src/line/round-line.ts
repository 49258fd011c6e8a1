// A countdown latch or a barrier on the server: the name of its keys, the arguments that create it, and its title.

import { MisuseError, TimeoutError } from '@sluice/core';

export class RoundLine {
  /** The kind and the name. */
  readonly key: string;
  /** The title for messages, such as "Barrier 'phase'". */
  readonly title: string;
  readonly name: string;
  /** The count, or the number of parties, with which it is created. */
  readonly size: number;
  readonly isBarrier: boolean;

  constructor(kind: 'latch' | 'barrier', name: string, size: number) {
    this.isBarrier = kind === 'barrier';
    this.key = `${this.isBarrier ? 'b' : 'd'}:${name}`;
    this.title = `${this.isBarrier ? 'Barrier' : 'CountdownLatch'} '${name}'`;
    this.name = name;
    this.size = size;
  }

  /** The arguments with which the first call creates the primitive: its size, and the field for it. */
  get made(): readonly [size: number, field: string] {
    return [this.size, this.isBarrier ? 'parties' : 'count'];
  }

  timedOut(ms: number): TimeoutError {
    const left = this.isBarrier ? 'A party that has arrived and leaves breaks the barrier.' : 'It was not changed.';
    return new TimeoutError(`${this.title}: timed out after ${ms} ms. ${left}`);
  }

  /** Creates the error of `waitAsync` with a timeout of 0 that would have to wait. */
  notReady(): TimeoutError {
    return new TimeoutError(
      `${this.title}: not all others have arrived, and the call may not wait. It was not changed.`,
    );
  }

  noParties(): MisuseError {
    return new MisuseError(`${this.title} has no parties: register() adds them. It was not changed.`);
  }

  otherSize(there: string): MisuseError {
    const made = this.isBarrier ? `${there} parties` : `the count ${there}`;
    return new MisuseError(
      `${this.title} was made with ${made}, and this process makes it with ${this.size}. All processes must agree. It was not changed.`,
    );
  }
}
