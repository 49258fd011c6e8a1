// The package's exports hide its types. This is the part that programs of this repository use.

declare module 'redlock' {
  interface RedlockLock {
    release(): Promise<unknown>;
  }

  interface RedlockSettings {
    readonly retryCount?: number;
    readonly retryDelay?: number;
    readonly retryJitter?: number;
  }

  export default class Redlock {
    constructor(clients: Iterable<object>, settings?: RedlockSettings);
    acquire(keys: string[], duration: number, settings?: RedlockSettings): Promise<RedlockLock>;
    using<T>(
      keys: string[],
      duration: number,
      routine: (signal: AbortSignal & { readonly error: Error }) => Promise<T>,
    ): Promise<T>;
  }
}
