/** A signal whose listeners run within a call of the test, which rethrows their errors. */
export function signalByHand(): { readonly signal: AbortSignal; readonly leave: () => void } {
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    reason: new Error('aborted by hand'),
    throwIfAborted: (): void => undefined,
    addEventListener: (_: string, listener: () => void) => listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
  };
  return { signal: signal as unknown as AbortSignal, leave: () => listeners.forEach((listener) => listener()) };
}
