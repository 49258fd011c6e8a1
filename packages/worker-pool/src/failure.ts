// Errors on their way between threads: a clone keeps the message and the stack of an error, and drops its name and what else it carries.

/** An error, or what was thrown instead, with what a clone would lose. */
export interface Failure {
  readonly thrown: unknown;
  readonly name?: string;
  readonly own?: Record<string, unknown>;
  readonly cause?: Failure;
}

/** `clone`: throws when a value cannot be sent. Never throws itself: what cannot be sent is told in words. */
export function packFailure(thrown: unknown, clone: (value: unknown) => unknown): Failure {
  if (!(thrown instanceof Error)) return { thrown: sendable(thrown, clone) };
  const bare = new Error(thrown.message);
  bare.stack = thrown.stack ?? '';
  const own: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(thrown)) own[key] = sendable(value, clone);
  const failure = { thrown: bare, name: thrown.name, own };
  return thrown.cause === undefined ? failure : { ...failure, cause: packFailure(thrown.cause, clone) };
}

/** The error as it was, of the class that its name says if that is one of the language's own. */
export function unpackFailure({ thrown, name, own, cause }: Failure): unknown {
  if (!(thrown instanceof Error) || name === undefined) return thrown;
  const error = new (BUILT_IN.get(name) ?? Error)(thrown.message);
  Object.defineProperty(error, 'stack', { value: thrown.stack, configurable: true, writable: true });
  if (error.name !== name) Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: unpackFailure(cause), configurable: true, writable: true });
  return Object.assign(error, own);
}

const BUILT_IN = new Map<string, new (message: string) => Error>(
  [TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError].map((one) => [one.name, one]),
);

function sendable(value: unknown, clone: (value: unknown) => unknown): unknown {
  try {
    clone(value);
    return value;
  } catch {
    return `(not cloneable) ${describe(value)}`;
  }
}

function describe(value: unknown): string {
  try {
    return String(value);
  } catch {
    return typeof value;
  }
}
