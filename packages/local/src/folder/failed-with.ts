// The codes of errors of the operating system.

/** Whether the operating system failed with this code. */
export function failedWith(failure: unknown, ...codes: string[]): boolean {
  return codes.includes(String((failure as { readonly code?: unknown } | null)?.code));
}
