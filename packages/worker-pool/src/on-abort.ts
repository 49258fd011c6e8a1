import { setMaxListeners } from 'node:events';

/** Calls `told` with the reason, once. What it returns ends that. */
export function onAbort(signal: AbortSignal, told: (reason: unknown) => void): () => void {
  const listener = (): void => told(signal.reason);
  // Many tasks with one signal are no leak.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
