// @ts-check
// The event: one signal goes round, and a thread that takes it is alone until it signals again. A killed worker may
// take the signal with it.
import { AutoResetEvent } from '@sluice/auto-reset-event';
import { checksOf, unless, visitorOf } from './subject.mjs';

/** @import { Subject } from './subject.mjs' */

const NAME = 'AutoResetEvent';
/** The signal may be lost with a worker until the next rest: no wait is longer. */
const LONGEST_MS = 250;
/** Of its own words: workers that were killed during a visit since the last rest. */
const DEATHS = 0;

/** @type {Subject} */
export const EVENT = {
  name: NAME,
  group: 'auto-reset-event',
  covers: ['AutoResetEvent'],
  blocks: 1,
  create: (arena, own) => {
    const made = AutoResetEvent.create({ arena, name: NAME });
    made.signal();
    return {
      handles: made.handle,
      onDeath: () => void Atomics.add(own, DEATHS, 1),
      problems: () => {
        if (Atomics.exchange(own, DEATHS, 0) > 0) made.signal();
        const { signalled, waiters } = made.inspect();
        return unless(NAME, { signalled, waiters }, { signalled: true, waiters: [] });
      },
      free: () => made.free(),
    };
  },
  open: (handles, place) => {
    const event = AutoResetEvent.from(/** @type {never} */ (handles));
    return visitorOf(
      {
        enter: () => event.tryWait(LONGEST_MS),
        tryEnter: (_, timeoutMs) => event.tryWait(timeoutMs),
        enterAsync: (_, options) => event.waitAsync({ timeout: LONGEST_MS, ...options }),
        leave: () => event.signal(),
        most: 1,
        ...checksOf(place, 1),
      },
      place,
    );
  },
};
