// Whether an event loop has work that a blocking call holds up.

/** The resources that a main thread's event loop serves. Ports of workers and the standard streams do not count. */
const WORK = /^(?:Timeout|Immediate|TCP|UDP|TLS|HTTP|PipeServer|Process|FSReq|GetAddrInfo|GetNameInfo|Query)/;

interface Platform {
  readonly process?: { getActiveResourcesInfo?(): readonly string[] };
}

/** Whether the runtime tells what keeps an event loop alive. */
export function tellsWork(): boolean {
  return typeof (globalThis as Platform).process?.getActiveResourcesInfo === 'function';
}

/** Whether the event loop of this thread has timers, sockets or async waits to serve. */
export function hasWork(): boolean {
  return (globalThis as Platform).process?.getActiveResourcesInfo?.().some((name) => WORK.test(name)) === true;
}
