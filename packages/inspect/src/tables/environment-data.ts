// Environment data of threads: a thread that is started later finds what the thread that starts it has set. Only
// Node.js, Bun and Deno have it.
//
// `getBuiltinModule` finds the module of threads, because an import of a Node module would not load in a page.

interface ThreadsModule {
  getEnvironmentData?(key: string): unknown;
  setEnvironmentData?(key: string, value: unknown): void;
}

interface Platform {
  readonly process?: { getBuiltinModule?(id: string): unknown };
}

function threads(): ThreadsModule | undefined {
  const { process } = globalThis as Platform;
  return process?.getBuiltinModule?.('node:worker_threads') as ThreadsModule | undefined;
}

/** Returns the data with that key, or `undefined`. */
export function environmentData(key: string): unknown {
  return threads()?.getEnvironmentData?.(key);
}

/** Sets the data of the threads that this one starts from now on. Does nothing where there is none. */
export function setEnvironmentData(key: string, value: unknown): void {
  threads()?.setEnvironmentData?.(key, value);
}
