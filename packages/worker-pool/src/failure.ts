// Errors on their way between threads. A clone keeps the message and the stack of an error, and drops its name and other properties.

import { errorsOf, isError } from '@sluice/core/internal';
import { TaskFileError } from './errors.ts';

/** An error, or another thrown value, with what a clone would lose. */
export interface Failure {
  readonly thrown: unknown;
  readonly name?: string;
  readonly own?: Record<string, unknown>;
  readonly cause?: Failure;
  /** Those of an AggregateError. */
  readonly errors?: readonly Failure[];
}

/** How deep causes and nested errors are followed, because the stack is finite. */
const MOST_DEPTH = 64;

/** `clone`: throws if a value cannot be sent. `packFailure` never throws: a value that cannot be sent is described in words. */
export function packFailure(thrown: unknown, clone: (value: unknown) => unknown, outer: readonly unknown[] = []): Failure {
  if (!isError(thrown)) return { thrown: sendable(thrown, clone) };
  // An error may be its own cause.
  if (outer.includes(thrown)) return { thrown: `(circular) ${describe(thrown)}` };
  if (outer.length === MOST_DEPTH) return { thrown: `(and so on) ${describe(thrown)}` };
  const inner = (value: unknown): Failure => packFailure(value, clone, [...outer, thrown]);
  const bare = new Error(textOf(thrown, 'message'));
  bare.stack = textOf(thrown, 'stack');
  const own: Record<string, unknown> = {};
  for (const key of Object.keys(thrown)) if (key !== 'cause') own[key] = sendable(read(thrown, key), clone);
  const cause = read(thrown, 'cause');
  const parts = errorsOf(thrown);
  const errors = parts === undefined ? {} : { errors: parts.map(inner) };
  return { thrown: bare, name: textOf(thrown, 'name'), own, ...errors, ...(cause === undefined ? {} : { cause: inner(cause) }) };
}

/** Rebuilds the error, with the class that its name denotes if that is one of the language's or the pool's. */
export function unpackFailure({ thrown, name, own, cause, errors }: Failure): unknown {
  if (!isError(thrown) || name === undefined) return thrown;
  const error = errors === undefined ? new (classOf(name, own))(thrown.message) : new AggregateError(errors.map(unpackFailure), thrown.message);
  define(error, 'stack', thrown.stack);
  if (error.name !== name) define(error, 'name', name);
  if (cause !== undefined) define(error, 'cause', unpackFailure(cause));
  return Object.assign(error, own);
}

const BUILT_IN = new Map<string, new (message: string) => Error>(
  [TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError].map((one) => [one.name, one]),
);

function classOf(name: string, own: Failure['own']): new (message: string) => Error {
  return own?.['code'] === 'SLUICE_TASK_FILE' ? TaskFileError : (BUILT_IN.get(name) ?? Error);
}

function define(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, configurable: true, writable: true });
}

/** Tolerates getters that throw. */
function read(error: Error, key: string): unknown {
  try {
    return (error as unknown as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function textOf(error: Error, key: string): string {
  const text = read(error, key);
  return typeof text === 'string' ? text : '';
}

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
