/** Lets the event loop run everything that is due. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
