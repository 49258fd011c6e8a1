// An agent's async calls at one side of a buffer, which keep their order.

import { ofStanding, type Place } from '@sluice/core/internal';

/** Those that are not done, and the last of them. */
export class Calls {
  pending = 0;
  last: Promise<unknown> = Promise.resolve();
}

export const callsAt: (place: Place) => Calls = ofStanding(() => new Calls());
