// What one agent knows of one primitive, whatever number of instances it has there; gone when the primitive is.

import type { Place } from './arena/primitive.ts';

export function ofStanding<Known>(create: () => Known): (place: Place) => Known {
  const all = new WeakMap<object, Known>();
  return ({ seat, address, tag }) => {
    // It was opened before, with what the primitive needs of it.
    const standing = seat.standing(address, tag, false);
    const known = all.get(standing) ?? create();
    all.set(standing, known);
    return known;
  };
}
