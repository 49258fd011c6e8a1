// `map`: reads inputs one at a time, each when the queue has room, until the inputs end or `map` fails.

import { offAbort, onAbort, reasonOf, show } from '@sluice/core/internal';
import { setImmediate } from './timers.ts';

/** The part of a pool that `map` uses. */
export interface MapHost<Input, Output> {
  run(input: Input): Promise<Output>;
  /** Resolves when a new task would not have to wait in line, or the pool has ended. */
  room(): Promise<void>;
  /**
   * Calls `listener` with the reason when the pool accepts no more tasks. Returns a function that removes `listener`.
   */
  onEnd(listener: (reason: unknown) => void): () => void;
}

type Iteration<Input> = Iterator<Input> | AsyncIterator<Input>;

export async function mapInputs<Input, Output>(
  inputs: Iterable<Input> | AsyncIterable<Input>,
  host: MapHost<Input, Output>,
  signal: AbortSignal | undefined,
): Promise<Output[]> {
  const stop = new Stop();
  const source = new Source(iterate(inputs));
  const abort = (): void => stop.because(reasonOf(signal));
  onAbort(signal, abort);
  // One turn later: inputs that end in this turn still count as complete.
  const forgetEnd = host.onEnd((reason) => setImmediate(() => stop.because(reason)));
  try {
    return await runAll(source, host, stop);
  } catch (failure) {
    source.leave();
    throw failure;
  } finally {
    offAbort(signal, abort);
    forgetEnd();
  }
}

function iterate<Input>(inputs: Iterable<Input> | AsyncIterable<Input>): Iteration<Input> {
  const given = inputs as Partial<Iterable<Input> & AsyncIterable<Input>> | null | undefined;
  const iterator = given?.[Symbol.asyncIterator]?.() ?? given?.[Symbol.iterator]?.();
  if (iterator === undefined)
    throw new TypeError(`The inputs must be an iterable or an async iterable: received ${show(inputs)}`);
  return iterator;
}

async function runAll<Input, Output>(
  source: Source<Input>,
  host: MapHost<Input, Output>,
  stop: Stop,
): Promise<Output[]> {
  const results: Promise<Output>[] = [];
  for (;;) {
    const step = await stop.orElse(source.next());
    if (step.done === true) return Promise.all(results);
    const result = host.run(step.value);
    result.catch((failure: unknown) => stop.because(failure));
    results.push(result);
    await stop.orElse(host.room());
  }
}

class Source<Input> {
  readonly #iterator: Iteration<Input>;
  #hasEnded = false;

  constructor(iterator: Iteration<Input>) {
    this.#iterator = iterator;
  }

  async next(): Promise<IteratorResult<Input>> {
    let step: IteratorResult<Input> | undefined;
    try {
      step = await this.#iterator.next();
      return step;
    } finally {
      // An iterator that throws has ended.
      this.#hasEnded = step === undefined || step.done === true;
    }
  }

  /**
   * Closes the iterator. Does not wait for its `return`, and ignores a failure of it: `map` rejects with an earlier
   * failure.
   */
  leave(): void {
    if (this.#hasEnded) return;
    try {
      void Promise.resolve(this.#iterator.return?.()).catch(() => undefined);
    } catch {
      // Ignored: `map` rejects with an earlier failure.
    }
  }
}

/**
 * The first reason to stop. Not `Promise.race`: a promise that stays pending would keep every race alive in which it
 * took part.
 */
class Stop {
  #reason: { readonly why: unknown } | undefined;
  #reject: (reason: unknown) => void = () => undefined;

  because(why: unknown): void {
    if (this.#reason !== undefined) return;
    this.#reason = { why };
    this.#reject(why);
  }

  orElse<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      promise.then(resolve, reject);
      if (this.#reason !== undefined) this.#reject(this.#reason.why);
    });
  }
}
