// Takes a value, or puts one in, only if the caller still wants that at that moment.
//
// A grant wins over an abort, so an aborted wait may still get its value. If the caller could no longer use the value,
// the value would be lost. So the caller is asked right before the value moves, while this agent owns the lock of its
// side. If the caller declines, the buffer stays as it is, and the next waiter becomes the head of the line.

import { hasCode, type WaitOptions } from '@sluice/core';
import { wrongInstance } from '@sluice/core/calls';
import { enterAsync } from '../sides/async-entry.ts';
import { partsOf, type BoundedBuffer } from './bounded-buffer.ts';
import type { BufferParts } from './parts.ts';

/** The callbacks for a value that may be taken. */
export interface Receiver<T> {
  /**
   * Whether to take the value. Called while this agent owns a lock, so it must not throw and must not use the buffer.
   */
  readonly wants: () => boolean;
  /** Called with the taken value, in the same task as `wants`. */
  readonly receive: (value: T) => void;
  /** Called if the value was taken and the codec's `decode` threw `failure`. */
  readonly fail: (failure: unknown) => void;
}

/**
 * Returns the parts of a buffer. Throws `TypeError` for any other value, and `MisuseError` for a buffer of another copy
 * of the package.
 */
export function openParts<T>(buffer: BoundedBuffer<T>): BufferParts {
  const parts = partsOf(buffer);
  if (parts === undefined) throw wrongInstance('The buffer', 'BoundedBuffer', 'sluice.bounded-buffer', buffer);
  return parts;
}

/**
 * Takes the next value as `popAsync` does, if `receiver` then wants it. Rejects with the errors of `popAsync`, except a
 * failure of `decode`.
 *
 * It spends nothing from the budget of the event loop: a value must not wait for a turn between a buffer and a stream.
 */
export async function takeIfWanted<T>(parts: BufferParts, options: WaitOptions, receiver: Receiver<T>): Promise<void> {
  const [, consumers] = parts.sides;
  await enterAsync(
    consumers,
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
export function takeNow<T>(parts: BufferParts, receiver: Omit<Receiver<T>, 'wants'>): boolean {
  const at = parts.sides[1].enter(1, 0);
  if (at >= 0) take(parts, at, receiver);
  return at >= 0;
}

function take<T>({ taking, store }: BufferParts, at: number, { receive, fail }: Omit<Receiver<T>, 'wants'>): void {
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

/** Puts a packed value in as `pushAsync` does, if `wants` then returns true. Rejects with the errors of `pushAsync`. */
export async function putIfWanted(
  parts: BufferParts,
  packed: unknown,
  options: WaitOptions,
  wants: () => boolean,
): Promise<void> {
  const [producers] = parts.sides;
  await enterAsync(
    producers,
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
export function putNow(parts: BufferParts, packed: unknown): boolean {
  const at = parts.sides[0].enter(parts.store.unitsOf(packed), 0);
  if (at >= 0) put(parts, at, packed);
  return at >= 0;
}

function put({ store, sides: [producers] }: BufferParts, at: number, packed: unknown): void {
  let [used, count] = [0, 0];
  try {
    store.write(at, packed);
    used = store.unitsOf(packed);
    count = 1;
  } finally {
    producers.commit(used, count);
  }
}

/** Whether one of the calls above failed because no further value will come. Errors of a codec never cause that. */
export function isEnd(failure: unknown): boolean {
  return hasCode(failure, 'SLUICE_CLOSED');
}
