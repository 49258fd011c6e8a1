// What one agent knows of one primitive, whatever number of instances it has there; gone when the primitive is.

import type { Place } from './arena/primitive.ts';

export function ofLocalState<Known>(create: () => Known): (place: Place) => Known {
  const all = new WeakMap<object, Known>();
  return ({ context, address, tag }) => {
    // It was opened before, with what the primitive needs of it.
    const localState = context.localState(address, tag, false);
    const known = all.get(localState) ?? create();
    all.set(localState, known);
    return known;
  };
}
