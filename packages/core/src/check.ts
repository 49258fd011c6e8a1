// Checks of arguments. Each throws before anything is touched and says what came.

/** The largest number of permits in one call, and the largest `max`. */
export const MAX_PERMITS = 2 ** 31 - 1;

/** A value as it should appear in a message. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return `an object of type ${Object.prototype.toString.call(value).slice(8, -1)}`;
}

/** A whole number between two bounds. */
export function checkInteger(name: string, value: unknown, least: number, most: number): number {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number: received ${show(value)}`);
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${name} must be a whole number from ${least} to ${most}: received ${value}`);
  }
  return value;
}

/** A timeout in ms: 0 does not wait, Infinity waits for ever. */
export function checkTimeout(value: unknown, name = 'The timeout'): number {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number: received ${show(value)}`);
  if (!(value >= 0)) throw new RangeError(`${name} must be 0 ms or more: received ${value}`);
  return value;
}

export function checkFunction(value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`The callback must be a function: received ${show(value)}`);
}

/** `true`, `false` or nothing. */
export function checkFlag(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean') throw new TypeError(`${name} must be a boolean: received ${show(value)}`);
}

/** An options object. `names`: all known options. Throws `TypeError` if it is not an object, and for an unknown option. */
export function checkOptions(value: unknown, names?: readonly string[]): void {
  checkObject(value);
  if (names === undefined) return;
  // A signal has no properties of its own, so it would pass for options that say nothing.
  if (names.includes('signal') && 'aborted' in value && 'addEventListener' in value) {
    throw new TypeError('The options must be an object such as { signal }: received an AbortSignal');
  }
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) throw new TypeError(`Unknown option ${show(name)}: expected one of ${names.join(', ')}.`);
  }
}

/** An options object whose names are the caller's own. */
export function checkObject(value: unknown): asserts value is object {
  if (typeof value === 'object' && value !== null) return;
  throw new TypeError(`The options must be an object: received ${show(value)}`);
}

/** What everything that is made in an arena can be asked for. */
export const PLACED_OPTIONS: readonly string[] = ['arena', 'name', 'policy'];

/** What `from` takes beside a handle, where it takes anything. */
export const FROM_OPTIONS: readonly string[] = ['policy'];
