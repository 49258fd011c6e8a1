// Observes promises and time without a sleep in an assertion.

/** The outcome of a promise. */
export type Ending = { readonly value: unknown } | { readonly reason: unknown };

/** Returns how a promise ended. Never rejects. */
export function ending(promise: Promise<unknown>): Promise<Ending> {
  return promise.then(
    (value) => ({ value }),
    (reason: unknown) => ({ reason }),
  );
}

/** Returns the reason of a rejection. Fails if the promise is fulfilled. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const end = await ending(promise);
  if ('reason' in end) return end.reason;
  throw new Error('The promise was fulfilled, but a rejection was expected.');
}

/**
 * Passes an answer to `use`, at once if the answer is not a promise. Then no other code of the thread runs between the
 * call and `use`.
 */
export function whenAnswered<T>(answer: T | Promise<T>, use: (value: T) => void): void | Promise<void> {
  return answer instanceof Promise ? answer.then(use) : use(answer);
}

/** Returns the error of a refused call, which the call threw or its promise was rejected with. */
export async function refusal(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (failure) {
    return failure;
  }
  throw new Error('The call succeeded, but an error was expected.');
}

/** Collects names in the order in which the promises given to `track` are fulfilled. */
export class Order {
  readonly names: string[] = [];

  track(name: string, promise: Promise<unknown>): Promise<void> {
    return promise.then(() => void this.names.push(name));
  }
}

/** Keeps this thread busy, so that no timer, signal or promise of the thread runs meanwhile. */
export function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Lets the event loop run everything that is due. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The time after which a hanging run ends. No outcome depends on it. */
const LONGEST_MS = 240_000;

/** Lets the event loop turn until `isSo` returns true. Fails if that does not happen within `LONGEST_MS`. */
export async function until(isSo: () => boolean | Promise<boolean>, log = 'The condition'): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${log}: the condition did not become true.`);
    await turn();
  }
}
