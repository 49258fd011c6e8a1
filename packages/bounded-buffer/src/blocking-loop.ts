// The blocking iterator of a buffer, for workers.

/** `take` blocks until there is a value. `isEnd`: whether it failed because there will be no further value. What `unpack` throws passes through. */
export function* blockingLoop<T>(take: () => unknown, unpack: (packed: unknown) => T, isEnd: (failure: unknown) => boolean): Generator<T, void, undefined> {
  for (;;) {
    let packed: unknown;
    try {
      packed = take();
    } catch (failure) {
      if (isEnd(failure)) return;
      throw failure;
    }
    yield unpack(packed);
  }
}
