// Describes a side of a buffer in errors.

import { ClosedError } from '@sluice/core';
import { plural } from '@sluice/core/calls';
import { SHUT } from '@sluice/core/format';
import { checkNotFreed, PrimitiveErrors, tagAt, type BlockRef, type LineRef } from '@sluice/core/internal';
import { ahead, HEAD_LINE, lineAt, MORE, PRODUCERS, VALUES } from './lines.ts';

/** Producers wait for room, consumers wait for values. */
export class SideErrors extends PrimitiveErrors {
  readonly #ref: BlockRef;
  readonly #closed: string;

  /** `which` is PRODUCERS or CONSUMERS. */
  constructor(ref: BlockRef, which: number) {
    const isProducers = which === PRODUCERS;
    const lineOf = (kind: number): LineRef => {
      const address = lineAt(ref, kind, which);
      return { address, tag: tagAt(ref.context.words, address) };
    };
    const lines = [lineOf(MORE), lineOf(HEAD_LINE)];
    super(
      {
        className: 'BoundedBuffer',
        late: isProducers ? 'had no room' : 'had no value',
        untouched: isProducers ? 'No value was put in.' : 'No value was taken.',
        noun: isProducers ? 'producer' : 'consumer',
        blame: () => [],
        // The head of the line is in the first line.
        lines: () => lines,
        state: (buffer) => `${plural(ahead(buffer, VALUES), 'value')} in it`,
      },
      ref,
    );
    this.#ref = ref;
    this.#closed = isProducers ? 'closed' : 'closed and empty';
  }

  /**
   * Throws if the buffer is closed or freed. With SHUT it throws `ClosedError`, also if the buffer was freed after it
   * was closed.
   */
  refuse(outcome: number): void {
    // Tested first, because the buffer may have been freed after it was closed.
    if (outcome === SHUT) throw new ClosedError(`${this.toString()} is ${this.#closed}.`);
    this.checkThere();
  }

  /** Throws if the buffer was freed. */
  checkThere(): void {
    checkNotFreed(this.#ref, 'The buffer');
  }
}
