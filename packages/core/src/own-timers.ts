// The platform's timers as they were at import, for the work that keeps waits going. Fake timers that a test installs later must not stop it.
//
// The timeouts of calls are another matter: a test that fakes timers wants to move them. They use the timers of the moment (alarm.ts).

const { setTimeout: after, clearTimeout: cancel, setInterval: every, setImmediate: immediate, queueMicrotask: enqueue } = globalThis;

/** An object, so that a test can stand in for single functions. */
export const ownTimers = {
  after: (run: () => void, delayMs: number): unknown => after(run, delayMs),
  cancel: (timer: unknown): void => cancel(timer as number),
  every: (run: () => void, periodMs: number): unknown => every(run, periodMs),
  /** Runs something in a later turn of the event loop. */
  inNextTurn: (run: () => void): unknown => (typeof immediate === 'function' ? immediate(run) : after(run, 0)),
  inMicrotask: (run: () => void): void => enqueue(run),
};
