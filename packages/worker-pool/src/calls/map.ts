// `map`: reads inputs one at a time, each when the queue has room, until the inputs end or `map` fails.

import { offAbort, onAbort, reasonOf } from '@sluice/core/calls';
import { InputSource, type Inputs } from '../api/inputs.ts';
import { setImmediate } from '../platform/timers.ts';

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

export async function mapInputs<Input, Output>(
  inputs: Inputs<Input>,
  host: MapHost<Input, Output>,
  signal: AbortSignal | undefined,
): Promise<Output[]> {
  const stop = new Stop();
  const source = new InputSource(inputs);
  const abort = (): void => stop.because(reasonOf(signal));
  onAbort(signal, abort);
  // One turn later: inputs that end in this turn still count as complete.
  const forgetEnd = host.onEnd((reason) => setImmediate(() => stop.because(reason)));
  try {
    return await runAll(source, host, stop);
  } catch (failure) {
    // Not awaited: the first failure decides, and a pending `next` may delay `return` for ever.
    source.leave().catch(() => undefined);
    throw failure;
  } finally {
    offAbort(signal, abort);
    forgetEnd();
  }
}

async function runAll<Input, Output>(
  source: InputSource<Input>,
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
