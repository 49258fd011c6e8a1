/** Rejects with any value, because the reason of an abort need not be an Error. */
export async function rejected(reason: unknown): Promise<never> {
  await Promise.resolve();
  throw reason;
}
