// The same limit for another agent of this thread.

import type { Arena } from '@sluice/core';
import { openAs } from '../../../core/test/support/second-agent.ts';
import { createLimit, type AttachOptions, type Limit, type LimitHandle } from '../../src/index.ts';

export function attachAs(agent: Arena, handle: LimitHandle, options?: AttachOptions): Limit {
  return openAs(agent, handle.slots, (slots) => createLimit.from(asOf(agent.id, { ...handle, slots }), options));
}

/** Returns the handle with that arena id in all its parts. */
export function asOf(arena: string, { kind, slots, size, interval, control }: LimitHandle): LimitHandle {
  return {
    kind,
    slots: { ...slots, arena },
    ...(size === undefined ? {} : { size: { ...size, arena } }),
    ...(interval === undefined
      ? {}
      : {
          interval: {
            line: { ...interval.line, arena },
            alarm: { ...interval.alarm, arena },
            count: { ...interval.count, arena },
          },
        }),
    ...(control === undefined
      ? {}
      : {
          control: {
            words: { ...control.words, arena },
            ...(control.lock === undefined ? {} : { lock: { ...control.lock, arena } }),
            ...(control.places === undefined ? {} : { places: { ...control.places, arena } }),
          },
        }),
  };
}
