// Takes a value, or puts one in, only if the caller still wants that at that moment.
//
// A grant wins over an abort, so a wait that was aborted may still get its value. A caller that could no longer use the
// value would lose it. So the caller is asked while this agent owns the lock of its side, right before the value moves.
// If the caller declines, the buffer stays as it is, and the turn goes to the next waiter.

import { hasCode, type WaitOptions } from '@sluice/core';
import { wrongInstance } from '@sluice/core/internal';
import { partsOf, type BoundedBuffer } from './bounded-buffer.ts';
import type { Parts } from './parts.ts';

/** What becomes of a value that may be taken. */
export interface Receiver<T> {
  /** Whether to take it. Called while this agent owns a lock: must not throw, nor use the buffer. */
  readonly wants: () => boolean;
  /** It was taken. Called in the same task as `wants`. */
  readonly receive: (value: T) => void;
  /** It was taken, and the codec's `decode` threw `failure`. */
  readonly fail: (failure: unknown) => void;
}

/** Throws `TypeError` for what is no buffer, `MisuseError` for a buffer of another copy of the package. */
export function openParts<T>(buffer: BoundedBuffer<T>): Parts {
  const parts = partsOf(buffer);
  if (parts === undefined) throw wrongInstance('The buffer', 'BoundedBuffer', 'sluice.bounded-buffer', buffer);
  return parts;
}

/**
 * Takes the next value as `popAsync` does, if `receiver` wants it then. Rejects as `popAsync`, but for a failure of
 * `decode`. Spends nothing from the budget of the event loop: a value must not wait for a turn between a buffer and a
 * stream.
 */
export async function takeIfWanted<T>(parts: Parts, options: WaitOptions, receiver: Receiver<T>): Promise<void> {
  const [, consumers] = parts.sides;
  await consumers.enterAsync(
    1,
    options,
    (at) => {
      if (receiver.wants()) take(parts, at, receiver);
      else consumers.commit(0, 0);
    },
    false,
  );
}

/** Takes the next value as `tryPop` does. Returns whether there was one. */
export function takeNow<T>(parts: Parts, receiver: Omit<Receiver<T>, 'wants'>): boolean {
  const at = parts.sides[1].enter(1, 0);
  if (at >= 0) take(parts, at, receiver);
  return at >= 0;
}

function take<T>({ taking, store }: Parts, at: number, { receive, fail }: Omit<Receiver<T>, 'wants'>): void {
  const packed = taking.one(at);
  let value: T;
  try {
    value = store.unpack(packed) as T;
  } catch (failure) {
    fail(failure);
    return;
  }
  receive(value);
}

/** Puts a packed value in as `pushAsync` does, if `wants` returns true then. Rejects as `pushAsync`. */
export async function putIfWanted(
  parts: Parts,
  packed: unknown,
  options: WaitOptions,
  wants: () => boolean,
): Promise<void> {
  const [producers] = parts.sides;
  await producers.enterAsync(
    parts.store.unitsOf(packed),
    options,
    (at) => {
      if (wants()) put(parts, at, packed);
      else producers.commit(0, 0);
    },
    false,
  );
}

/** Puts a packed value in as `tryPush` does. Returns whether there was room. */
export function putNow(parts: Parts, packed: unknown): boolean {
  const at = parts.sides[0].enter(parts.store.unitsOf(packed), 0);
  if (at >= 0) put(parts, at, packed);
  return at >= 0;
}

function put({ store, sides: [producers] }: Parts, at: number, packed: unknown): void {
  let [used, count] = [0, 0];
  try {
    store.write(at, packed);
    used = store.unitsOf(packed);
    count = 1;
  } finally {
    producers.commit(used, count);
  }
}

/** Whether a call above failed because no further value will come. A codec's errors do not come this way. */
export function isEnd(failure: unknown): boolean {
  return hasCode(failure, 'SLUICE_CLOSED');
}
