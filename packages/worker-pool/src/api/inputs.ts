// The inputs of `map` and `stream`: an iterable or async iterable, read one input at a time.

import { show } from '@sluice/core/calls';

export type Inputs<Input> = Iterable<Input> | AsyncIterable<Input>;

type Methods<Input> = Partial<Iterable<Input> & AsyncIterable<Input>> | null | undefined;

/** Throws `TypeError` for inputs that cannot be iterated. Calls none of their methods. */
export function checkInputs(inputs: Inputs<unknown>): void {
  const given = inputs as Methods<unknown>;
  if (typeof (given?.[Symbol.asyncIterator] ?? given?.[Symbol.iterator]) !== 'function') throw notIterable(inputs);
}

function iterate<Input>(inputs: Inputs<Input>): Iterator<Input> | AsyncIterator<Input> {
  const given = inputs as Methods<Input>;
  const iterator = given?.[Symbol.asyncIterator]?.() ?? given?.[Symbol.iterator]?.();
  if (iterator === undefined) throw notIterable(inputs);
  return iterator;
}

function notIterable(inputs: unknown): TypeError {
  return new TypeError(`The inputs must be an iterable or an async iterable: received ${show(inputs)}`);
}

export class InputSource<Input> {
  readonly #iterator: Iterator<Input> | AsyncIterator<Input>;
  #hasEnded = false;

  constructor(inputs: Inputs<Input>) {
    this.#iterator = iterate(inputs);
  }

  async next(): Promise<IteratorResult<Input>> {
    let step: IteratorResult<Input> | undefined;
    try {
      step = await this.#iterator.next();
      return step;
    } finally {
      // An iterator that throws has ended, and so has one whose step is no object: reading it throws.
      if (!step || step.done === true) this.#hasEnded = true;
    }
  }

  /**
   * Closes the iterator, unless it has ended. Resolves when its `return` has resolved, and rejects with a failure of
   * it.
   */
  async leave(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    await this.#iterator.return?.();
  }
}
