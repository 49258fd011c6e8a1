// Looking at promises and at time without sleeping in an assertion.

/** How a promise ended. */
export type Ending = { readonly value: unknown } | { readonly reason: unknown };

/** How it ended, as a value: never rejects. */
export function ending(promise: Promise<unknown>): Promise<Ending> {
  return promise.then(
    (value) => ({ value }),
    (reason: unknown) => ({ reason }),
  );
}

/** What a rejection was for; fails when the promise is fulfilled. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const end = await ending(promise);
  if ('reason' in end) return end.reason;
  throw new Error('The promise was fulfilled where a rejection was expected.');
}

/**
 * Uses an answer without a pause, if it is there: between a call and what is read after it no other code of the thread
 * runs.
 */
export function whenAnswered<T>(answer: T | Promise<T>, use: (value: T) => void): void | Promise<void> {
  return answer instanceof Promise ? answer.then(use) : use(answer);
}

/** What a call was refused with: it threw, or its promise was rejected. */
export async function refusal(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (failure) {
    return failure;
  }
  throw new Error('The call succeeded where a refusal was expected.');
}

/** Names in the order in which the promises given to `track` were fulfilled. */
export class Order {
  readonly names: string[] = [];

  track(name: string, promise: Promise<unknown>): Promise<void> {
    return promise.then(() => void this.names.push(name));
  }
}

/** Keeps this thread busy, so that no timer, no signal and no promise of it can come in between. */
export function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Lets everything run that is due on the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const LONGEST_MS = 10_000;

/** Lets the event loop turn until that is so. Fails where it never is. */
export async function until(isSo: () => boolean | Promise<boolean>, log = 'What was waited for'): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${log}: never came about.`);
    await turn();
  }
}
