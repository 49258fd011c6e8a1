// The line of a once on the server (scripts/once.ts).

import { ClosedError, TimeoutError } from '@sluice/core';
import { Line } from './line.ts';

/** How the wait of a call ends when the once is done. No caller sees it. */
export class Done extends Error {}

export class OnceLine extends Line {
  override readonly operation = 'attempt';

  constructor(name: string) {
    super('o', 'Once', name, { permits: 1 });
  }

  override refused([answer]: readonly string[]): Error {
    return answer === 'done' ? new Done(`${this.title} is done`) : super.refused(['', '1']);
  }

  override timedOut(_permits: number, ms: number): TimeoutError {
    return new TimeoutError(`${this.title}: timed out after ${ms} ms. It was not done.`);
  }

  override closed(): ClosedError {
    return new ClosedError(`${this.title} is closed. It was not done.`);
  }
}
