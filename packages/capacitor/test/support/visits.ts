// Async arrivals at a gate, each with a name, and the names of those that were admitted.

import type { WaitOptions } from '@sluice/core';
import { turn } from '../../../core/test/support/turn.ts';

interface AnyGate {
  arriveAsync(options?: WaitOptions): Promise<void>;
}

export class Visits {
  /** The names in order of admission. */
  readonly inside: string[] = [];
  readonly failures: unknown[] = [];

  come(gate: AnyGate, name: string, options: WaitOptions = {}): void {
    gate.arriveAsync({ ref: false, ...options }).then(
      () => this.inside.push(name),
      (failure: unknown) => this.failures.push(failure),
    );
  }

  /** Returns the admitted arrivals after all that is due has happened. */
  async now(): Promise<readonly string[]> {
    let before: number;
    do {
      before = this.inside.length;
      await turn();
      await turn();
    } while (this.inside.length !== before);
    return [...this.inside];
  }
}

/** Returns n names. */
export function names(count: number, prefix = 'w'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}
