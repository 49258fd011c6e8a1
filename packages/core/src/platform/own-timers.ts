// The platform's timers as they were at import, for the work that keeps waits going. Fake timers that a test installs
// later must not stop this work.
//
// Timeouts of calls use the current timers instead (alarm.ts), because a test that fakes timers wants to advance them.

const {
  setTimeout: after,
  clearTimeout: cancel,
  setInterval: every,
  setImmediate: immediate,
  queueMicrotask: enqueue,
} = globalThis;
// Node.js has `setImmediate`. It loads the module of `MessageChannel` when a program first reads the name, which takes
// 3.5 ms.
const Channel = typeof immediate === 'function' ? undefined : globalThis.MessageChannel;

/** An object, so that a test can replace single functions. */
export const ownTimers = {
  after: (run: () => void, delayMs: number): unknown => after(run, delayMs),
  cancel: (timer: unknown): void => cancel(timer as number),
  every: (run: () => void, periodMs: number): unknown => every(run, periodMs),
  /** Runs a function in a later turn of the event loop. */
  inNextTurn: (run: () => void): unknown =>
    typeof immediate === 'function'
      ? immediate(run)
      : typeof Channel === 'function'
        ? post(Channel, run)
        : after(run, 0),
  inMicrotask: (run: () => void): void => enqueue(run),
};

/** Browsers delay a nested timer by 4 ms, but not a message. */
function post(Channel: typeof MessageChannel, run: () => void): void {
  const { port1, port2 } = new Channel();
  port1.onmessage = () => {
    // An open port would keep the process alive.
    port1.close();
    run();
  };
  port2.postMessage(undefined);
}
