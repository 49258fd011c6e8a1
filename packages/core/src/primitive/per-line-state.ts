// Per-agent state of one primitive, shared by all instances that the agent has of it. It is dropped with the primitive.

import type { BlockRef } from '../arena/block-ref.ts';

export function perLineState<Known>(create: (ref: BlockRef) => Known): (ref: BlockRef) => Known {
  const all = new WeakMap<object, Known>();
  return (ref) => {
    const { context, address, tag } = ref;
    // The state is already open, with the settings that the primitive needs.
    const lineState = context.lineState(address, tag, { recorded: false });
    const known = all.get(lineState) ?? create(ref);
    all.set(lineState, known);
    return known;
  };
}
