// Uses one listener per signal for all waits with that signal: platforms warn of a leak when a signal has more than
// ten.
//
// A call may wait several times. If its signal is aborted between two waits, the second wait gets no event. So a job
// ends each wait that begins with an aborted signal.
//
// A signal may come from another realm or a library, so it is recognized by its members, and these may throw. All of
// them are tried before a wait begins. If one fails, the call throws a `TypeError`.

import { show } from './check.ts';

type Act = () => void;

/**
 * An entry lives only while a wait uses the signal, and the wait references the signal anyway. A weak map would cost
 * more than the rest of a listener.
 */
const watched = new Map<AbortSignal, readonly [acts: Set<Act>, fire: Act]>();

/**
 * Checks that a wait with this signal may begin. Throws `TypeError` if `signal` is not a signal. Throws the signal's
 * reason if it is aborted.
 */
export function checkSignal(signal: AbortSignal): void {
  let aborted: unknown;
  let isSignal: boolean;
  try {
    const given = signal as Partial<AbortSignal> | null;
    aborted = given?.aborted;
    isSignal =
      typeof aborted === 'boolean' &&
      typeof given?.addEventListener === 'function' &&
      typeof given.removeEventListener === 'function';
  } catch (cause) {
    throw broken(signal, cause);
  }
  if (!isSignal) throw new TypeError(`The signal must be an AbortSignal: received ${show(signal)}`);
  if (aborted === true) throw reasonOf(signal);
}

/** Throws the signal's reason if it is aborted. Throws `TypeError` if it is not a signal. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal !== undefined) checkSignal(signal);
}

/**
 * Returns the reason of an aborted signal. Older platforms have no `reason`; there, it returns the platform's default
 * reason.
 */
export function reasonOf(signal: AbortSignal | undefined): unknown {
  try {
    const reason: unknown = signal?.reason;
    return reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
  } catch (cause) {
    return broken(signal, cause);
  }
}

/**
 * Calls `act` when the signal is aborted, until `offAbort`. If the signal is aborted already, a job calls `act`, so the
 * caller can begin its wait first. Each wait needs an `act` of its own. A second call of `act` must have no effect.
 * Throws `TypeError` if the signal fails.
 */
export function onAbort(signal: AbortSignal | undefined, act: Act): void {
  if (signal === undefined) return;
  const [acts] = watched.get(signal) ?? watch(signal);
  acts.add(act);
  if (!isAborted(signal, act)) return;
  void Promise.resolve().then(() => {
    if (acts.has(act)) act();
  });
}

export function offAbort(signal: AbortSignal | undefined, act: Act): void {
  const [acts, fire] = (signal && watched.get(signal)) ?? [];
  if (signal === undefined || fire === undefined || !acts?.delete(act) || acts.size > 0) return;
  watched.delete(signal);
  try {
    signal.removeEventListener('abort', fire);
  } catch {
    // The wait has ended. The listener remains, but it has no act to call.
  }
}

/**
 * Whether the signal is aborted. Call this after adding the listener: `addEventListener` of a library's signal may
 * abort the signal.
 */
function isAborted(signal: AbortSignal, act: Act): boolean {
  try {
    return signal.aborted;
  } catch (cause) {
    offAbort(signal, act);
    throw broken(signal, cause);
  }
}

function watch(signal: AbortSignal): readonly [Set<Act>, Act] {
  const acts = new Set<Act>();
  const both = [acts, () => acts.forEach((act) => act())] as const;
  try {
    // Fail here, before the wait begins, if the signal cannot remove a listener.
    signal.removeEventListener('abort', both[1]);
    signal.addEventListener('abort', both[1]);
  } catch (cause) {
    throw broken(signal, cause);
  }
  watched.set(signal, both);
  return both;
}

function broken(signal: unknown, cause: unknown): TypeError {
  return new TypeError(
    `The signal, ${show(signal)}, failed when it was used. The wait was not begun, or has ended without effect.`,
    { cause },
  );
}
