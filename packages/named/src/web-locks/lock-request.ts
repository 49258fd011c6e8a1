// The arguments of `LockManager.request`, as Web IDL converts them, and the errors of the specification.
// W3C, Web Locks API (https://w3c.github.io/web-locks/), section "request() methods".

import { checkSignal } from '@sluice/core/calls';
import type { HeldLock, LockMode } from './held-lock.ts';
import { checkKey } from '../table/key.ts';

export interface LockRequestOptions {
  /** How the lock is held. Default: `'exclusive'`. */
  readonly mode?: LockMode | undefined;
  /** Calls the callback with `null` instead of waiting. Default: `false`. */
  readonly ifAvailable?: boolean | undefined;
  /**
   * Takes the lock from its holders, whose requests reject with `AbortError`. The request goes before all waiting
   * requests. Default: `false`.
   */
  readonly steal?: boolean | undefined;
  /** Ends the wait. An abort rejects the request with `signal.reason`, unless the callback was called first. */
  readonly signal?: AbortSignal | undefined;
}

export type LockCallback<T> = (lock: HeldLock) => T | PromiseLike<T>;
export type LockOrNullCallback<T> = (lock: HeldLock | null) => T | PromiseLike<T>;

/** A request with valid arguments. */
export interface LockRequest {
  readonly name: string;
  readonly mode: LockMode;
  readonly ifAvailable: boolean;
  readonly steal: boolean;
  readonly signal: AbortSignal | undefined;
  readonly callback: LockOrNullCallback<unknown>;
}

/**
 * Converts the arguments. Throws `TypeError`, `RangeError` for a name that is too long, the `DOMException`s of the
 * specification, and the signal's reason if it is aborted.
 */
export function readRequest(given: readonly unknown[]): LockRequest {
  if (given.length < 2)
    throw new TypeError(
      `request needs a name and a callback: received ${given.length === 1 ? '1 argument' : 'no argument'}.`,
    );
  const [first, second, third] = given;
  const callback = given.length === 2 ? second : third;
  if (typeof first === 'symbol') throw new TypeError('The name must be a string: received a symbol.');
  const name = checkKey('The name', String(first));
  if (typeof callback !== 'function') throw new TypeError('The callback of request must be a function.');
  const options = given.length === 2 ? {} : second;
  if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function')
    throw new TypeError('The options of request must be an object.');
  const { mode = 'exclusive', ifAvailable, steal, signal } = (options ?? {}) as Readonly<Record<string, unknown>>;
  if (mode !== 'exclusive' && mode !== 'shared')
    throw new TypeError(`The mode must be 'exclusive' or 'shared': received ${String(mode)}.`);
  const request: LockRequest = {
    name,
    mode,
    ifAvailable: Boolean(ifAvailable),
    steal: Boolean(steal),
    signal: signal as AbortSignal | undefined,
    callback: callback as LockOrNullCallback<unknown>,
  };
  const isAborted = signal !== undefined && isAbortedSignal(signal as AbortSignal);
  refuse(request);
  if (isAborted) checkSignal(signal as AbortSignal);
  return request;
}

function refuse({ name, mode, ifAvailable, steal, signal }: LockRequest): void {
  if (name.startsWith('-'))
    throw notSupported(`Names that begin with '-' are reserved: received ${JSON.stringify(name.slice(0, 60))}.`);
  if (steal && ifAvailable) throw notSupported("The options 'steal' and 'ifAvailable' exclude each other.");
  if (steal && mode !== 'exclusive') throw notSupported("The option 'steal' is for mode 'exclusive' only.");
  if (signal !== undefined && (steal || ifAvailable))
    throw notSupported("The option 'signal' is not for requests with 'steal' or 'ifAvailable'.");
}

/** Whether the signal is aborted. Throws `TypeError` if it is not a signal. */
function isAbortedSignal(signal: AbortSignal): boolean {
  const isAborted = (signal as Partial<AbortSignal> | null)?.aborted === true;
  if (!isAborted) checkSignal(signal);
  return isAborted;
}

function notSupported(message: string): DOMException {
  return new DOMException(message, 'NotSupportedError');
}

/** Creates the reason with which a request rejects after its lock was stolen. */
export function stolen(name: string): DOMException {
  return new DOMException(`The lock ${JSON.stringify(name.slice(0, 60))} was stolen by another request.`, 'AbortError');
}
