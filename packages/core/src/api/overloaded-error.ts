// The error of a call that a limit sheds, in memory or over a server. The packages with limits export it.

/** The limit has too many waiting calls (`maxWaiting`), so it shed this one. The function was not called. */
export class OverloadedError extends Error {
  readonly code = 'SLUICE_OVERLOADED';
  // Defined as a field. An assignment fails if a program has frozen `Error.prototype`.
  override readonly name = 'OverloadedError';
}
