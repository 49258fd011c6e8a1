// Errors on their way between threads. A clone keeps the message and the stack of an error, and drops its name and
// other properties.
//
// Errors refer to errors: as causes, as parts of an AggregateError, and as properties. The whole graph is sent as a
// list. For each error the list has a stand-in, which is a bare error, and the properties that a clone would lose. In
// all values the stand-ins replace the errors. The clone of the list keeps the identity of objects. So an error with
// several references to it arrives as one error, and a cycle as a cycle. Other errors, deeper in the values of
// properties, arrive as a clone copies them.

import { errorsOf, isError } from '@sluice/core/calls';
import { Mirror } from '../clone/mirror.ts';
import { TaskFileError } from '../api/errors.ts';

/** A thrown value, with the errors in it. */
export interface Failure {
  readonly thrown: unknown;
  readonly errors: readonly SentError[];
}

type Property = readonly [key: string, value: unknown];

interface SentError {
  /** Has the message and the stack. */
  readonly standIn: Error;
  readonly name: string;
  /** The name of the error's class, if that is built in. */
  readonly kind: string;
  readonly own: readonly Property[];
  /** Properties that are not enumerable. */
  readonly hidden: readonly Property[];
}

/** A limit, because a getter may create further errors without end. */
const MAX_ERRORS = 10_000;

/** Properties of built-in errors that are not enumerable, beside the texts and the parts of an AggregateError. */
const HIDDEN: readonly string[] = ['cause', 'error', 'suppressed'];
const TEXTS: readonly string[] = ['name', 'message', 'stack'];

/**
 * Packs a thrown value. Never throws: text replaces parts that cannot be read.
 *
 * `check` throws for a value that cannot be sent, and text replaces such values, too. Without `check` the result may be
 * impossible to send.
 */
export function packFailure(thrown: unknown, check: (value: unknown) => void = () => undefined): Failure {
  return new Packer(check).pack(thrown);
}

/** The parts of an error, each read once. */
interface Read {
  readonly error: Error;
  readonly standIn: Error;
  readonly own: readonly Property[];
  /** The errors of an AggregateError. */
  readonly parts: readonly unknown[] | undefined;
  readonly hidden: readonly Property[];
}

class Packer {
  readonly #check: (value: unknown) => void;
  readonly #found: { readonly error: Error; readonly standIn: Error }[] = [];
  /** The stand-in of each error; a text for errors beyond `MAX_ERRORS`. */
  readonly #standIns = new Map<object, unknown>();
  readonly #mirror = new Mirror(new Map(), (original) => this.#standIns.get(original));

  constructor(check: (value: unknown) => void) {
    this.#check = check;
  }

  pack(thrown: unknown): Failure {
    this.#find(thrown);
    // `#read` appends to the list. Values are copied when all errors are known.
    const all: Read[] = [];
    for (const { error, standIn } of this.#found) all.push(this.#read(error, standIn));
    return { thrown: this.#sendable(thrown), errors: all.map((one) => this.#sent(one)) };
  }

  #find(value: unknown): void {
    if (!isError(value) || this.#standIns.has(value)) return;
    if (this.#found.length === MAX_ERRORS) {
      this.#standIns.set(value, `(and so on) ${describe(value)}`);
      return;
    }
    const standIn = bareError(textOf(value, 'message'), textOf(value, 'stack'));
    this.#standIns.set(value, standIn);
    this.#found.push({ error: value, standIn });
  }

  #read(error: Error, standIn: Error): Read {
    const keys = keysOf(error);
    const own = keys.map((key): Property => [key, TEXTS.includes(key) ? textOf(error, key) : read(error, key)]);
    const parts = partsOf(error);
    const hidden: Property[] = [];
    for (const key of HIDDEN) {
      const value = keys.includes(key) || (key !== 'cause' && !hasOwn(error, key)) ? undefined : read(error, key);
      if (value !== undefined) hidden.push([key, value]);
    }
    for (const [, value] of [...own, ...hidden]) this.#find(value);
    for (const value of parts ?? []) this.#find(value);
    return { error, standIn, own, parts, hidden };
  }

  #sent({ error, standIn, own, parts, hidden }: Read): SentError {
    const name = nameOf(error);
    const send = ([key, value]: Property): Property => [key, this.#sendable(value)];
    // Each part is sent separately, so one that cannot be sent does not affect the others.
    const errors: Property[] = parts === undefined ? [] : [['errors', parts.map((part) => this.#sendable(part))]];
    return {
      standIn,
      name,
      kind: parts === undefined ? name : 'AggregateError',
      own: own.map(send),
      hidden: [...errors, ...hidden.map(send)],
    };
  }

  #sendable(value: unknown): unknown {
    if (typeof value === 'function' || typeof value === 'symbol') return notCloneable(value);
    if (typeof value !== 'object' || value === null) return value;
    const standIn = this.#standIns.get(value);
    if (standIn !== undefined) return standIn;
    try {
      const copy = this.#mirror.of(value);
      this.#check(copy);
      return copy;
    } catch {
      return notCloneable(value);
    }
  }
}

/** The parts of an AggregateError, at most `MAX_ERRORS`. */
function partsOf(error: Error): unknown[] | undefined {
  const parts = errorsOf(error);
  if (parts === undefined) return undefined;
  // `Number`: a proxy may answer anything.
  const count = orElse(() => Number((parts as { readonly length: unknown }).length), 0);
  const read: unknown[] = [];
  for (let n = 0; n < count && n < MAX_ERRORS; n++) read.push(orElse(() => parts[n], undefined));
  if (count > MAX_ERRORS) read.push(`(and so on) ${count - MAX_ERRORS} more`);
  return read;
}

/**
 * Rebuilds the errors. Each error gets the class that its name denotes, if that class is built in or one of the pool's.
 */
export function unpackFailure({ thrown, errors }: Failure): unknown {
  const rebuilt = new Map<object, Error>();
  for (const sent of errors) rebuilt.set(sent.standIn, rebuild(sent));
  const mirror = new Mirror(rebuilt);
  for (const { standIn, name, own, hidden } of errors) {
    const error = rebuilt.get(standIn) as Error;
    for (const [key, value] of hidden) define(error, key, mirror.of(value), false);
    for (const [key, value] of own) define(error, key, key === 'name' ? name : mirror.of(value), true);
  }
  return mirror.of(thrown);
}

function rebuild({ standIn, name, kind, own }: SentError): Error {
  const { message, stack } = standIn;
  const error = kind === 'AggregateError' ? new AggregateError([], message) : new (classOf(kind, own))(message);
  define(error, 'stack', stack, false);
  if (error.name !== name) define(error, 'name', name, false);
  return error;
}

const BUILT_IN = new Map<string, new (message: string) => Error>(
  [TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError].map((one) => [one.name, one]),
);

function classOf(name: string, own: readonly Property[]): new (message: string) => Error {
  const isOfFile = own.some(([key, value]) => key === 'code' && value === 'SLUICE_TASK_FILE');
  return isOfFile ? TaskFileError : (BUILT_IN.get(name) ?? Error);
}

function define(error: Error, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(error, key, { value, configurable: true, enumerable, writable: true });
}

function bareError(message: string, stack: string): Error {
  const error = new Error(message);
  error.stack = stack;
  return error;
}

// A getter, or a trap of a proxy, may throw.

function keysOf(error: Error): readonly string[] {
  return orElse(() => Object.keys(error), []);
}

function hasOwn(error: Error, key: string): boolean {
  return orElse(() => Object.hasOwn(error, key), false);
}

function read(error: Error, key: string): unknown {
  return orElse(() => (error as unknown as Record<string, unknown>)[key], undefined);
}

function textOf(error: Error, key: string): string {
  const text = read(error, key);
  return typeof text === 'string' ? text : '';
}

/** The name of the error, or the name of its class if that cannot be read. */
function nameOf(error: Error): string {
  const name = read(error, 'name');
  if (typeof name === 'string') return name;
  const own = orElse(
    () => (Object.getPrototypeOf(error) as { readonly constructor?: { readonly name?: unknown } }).constructor?.name,
    undefined,
  );
  return typeof own === 'string' && own !== '' ? own : 'Error';
}

function describe(value: unknown): string {
  return orElse(() => String(value), typeof value);
}

function notCloneable(value: unknown): string {
  return `(not cloneable) ${describe(value)}`;
}

function orElse<T>(attempt: () => T, otherwise: T): T {
  try {
    return attempt();
  } catch {
    return otherwise;
  }
}
