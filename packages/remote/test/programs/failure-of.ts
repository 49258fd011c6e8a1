/** Returns the error with which a promise rejects. */
export async function failureOf(
  promise: Promise<unknown>,
): Promise<{ readonly name: string; readonly message: string; readonly code?: string }> {
  try {
    await promise;
  } catch (failure) {
    return failure as Error & { code?: string };
  }
  throw new Error('The promise did not reject');
}
