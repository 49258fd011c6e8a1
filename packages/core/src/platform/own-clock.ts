// The platform's clock as it was at import, for the budget of the event loop. Fake timers that a test installs later
// must not stop it.

/** The part of Node.js's global object that this file reads. */
interface Platform {
  readonly process?: { readonly hrtime?: () => [seconds: number, nanoseconds: number] };
}

/** Returns the time in ms, from an arbitrary origin. */
export const ownNow = /* @__PURE__ */ takeClock();

function takeClock(): () => number {
  // Node.js loads the module of `performance` when a program first reads the name. That takes 1.5 ms of a start.
  const hrtime = (globalThis as Platform).process?.hrtime;
  if (typeof hrtime === 'function') {
    return () => {
      const [seconds, nanoseconds] = hrtime();
      return seconds * 1e3 + nanoseconds / 1e6;
    };
  }
  const { performance } = globalThis;
  // The method as it is now: fakes replace the method of the same object, too.
  return performance.now.bind(performance);
}
