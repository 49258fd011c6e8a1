// Checks of arguments. Each throws before anything is changed, and its message names the value received.

/** The largest number of permits in one call, and the largest `max`. */
export const MAX_PERMITS = 2 ** 31 - 1;

/** Formats a value for a message. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return `an object of type ${Object.prototype.toString.call(value).slice(8, -1)}`;
}

/**
 * Returns `text`. Throws `RangeError` if `text` has a lone surrogate: two such texts could have the same UTF-8
 * encoding.
 */
export function checkWellFormed(what: string, text: string): string {
  if (/\p{Surrogate}/u.test(text))
    throw new RangeError(`${what} must be well-formed Unicode: received ${show(text)}, with half of a surrogate pair`);
  return text;
}

/** Calls for `checkInteger` that take a number of permits, followed by options or a timeout. */
export const PERMIT_CALLS: readonly string[] = [
  'acquireAsync(1, OPTIONS)',
  'runAsync(body, 1, OPTIONS)',
  'tryAcquire(1, timeoutMs)',
];

/**
 * Returns `value` if it is a whole number from `least` to `most`. Throws `TypeError` or `RangeError` otherwise. If the
 * caller passed options in place of the number, the message shows `calls`, which take options after the number.
 */
export function checkInteger(
  name: string,
  value: unknown,
  least: number,
  most: number,
  calls?: readonly string[],
): number {
  if (typeof value !== 'number')
    throw new TypeError(
      `${name} must be a number: received ${show(value)}${calls === undefined ? '' : instead(value, calls)}`,
    );
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${name} must be a whole number from ${least} to ${most}: received ${value}`);
  }
  return value;
}

/**
 * Returns the end of a message if `value` is an object of options: each of `calls`, with the names of these options.
 */
function instead(value: unknown, calls: readonly string[]): string {
  if (typeof value !== 'object' || value === null) return '';
  const names = 'aborted' in value ? ['signal'] : Object.keys(value).slice(0, 4);
  const list = [calls.slice(0, -1).join(', '), ...calls.slice(-1)].filter((part) => part !== '').join(' or ');
  return `. Options come after the number: ${list.replaceAll('OPTIONS', `{ ${names.join(', ')} }`)}.`;
}

/**
 * Returns `value` if it is a timeout in ms: 0 does not wait, `Infinity` waits without a limit. Throws `TypeError` or
 * `RangeError`.
 */
export function checkTimeout(value: unknown, name = 'The timeout'): number {
  if (typeof value !== 'number')
    throw new TypeError(`${name} must be a number: received ${show(value)}${isWait(value) ? MS_ALONE : ''}`);
  if (!(value >= 0)) throw new RangeError(`${name} must be 0 ms or more: received ${value}`);
  return value;
}

const MS_ALONE = '. A call that does not return a promise takes the milliseconds alone, such as 50.';

/** Whether the value looks like the options of an async wait. */
function isWait(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ['timeout', 'signal', 'ref'].some((name) => name in value);
}

/** Throws `TypeError` if `value` is not a function. */
export function checkFunction(value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`The callback must be a function: received ${show(value)}`);
}

/** Throws `TypeError` if `value` is neither a boolean nor `undefined`. */
export function checkFlag(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean')
    throw new TypeError(`${name} must be a boolean: received ${show(value)}`);
}

/**
 * Checks that `value` is an object with options of those names. Without `names`, every option is allowed.
 *
 * @throws {TypeError} If `value` is not an object or has an option that is not in `names`.
 */
export function checkOptions(value: unknown, names?: readonly string[]): void {
  if (typeof value === 'number' && names?.includes('timeout') === true)
    throw new TypeError(`The options must be an object such as { timeout: ${value} }: received ${value}`);
  checkObject(value);
  if (names === undefined) return;
  // An AbortSignal has no own properties, so the loop below would accept it as empty options.
  if (names.includes('signal') && 'aborted' in value && 'addEventListener' in value) {
    throw new TypeError('The options must be an object such as { signal }: received an AbortSignal');
  }
  for (const name of Object.keys(value)) {
    if (!names.includes(name))
      throw new TypeError(`Unknown option ${show(name)}: expected one of ${names.join(', ')}.`);
  }
}

/** Throws `TypeError` if `value` is not an object. Use it for options whose names the caller defines. */
export function checkObject(value: unknown): asserts value is object {
  if (typeof value === 'object' && value !== null) return;
  throw new TypeError(`The options must be an object: received ${show(value)}`);
}

/** The options that every primitive's `create` accepts. */
export const PLACED_OPTIONS: readonly string[] = ['arena', 'name', 'policy'];

/** The options that `from` accepts in addition to a handle, if it accepts any. */
export const FROM_OPTIONS: readonly string[] = ['policy'];
