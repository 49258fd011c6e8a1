// The line state that a context keeps for each primitive, as the real context does. In a model, each run of a body has
// a context of its own.

import { AsyncWaits } from '@sluice/core/internal';
import type { AgentContext, LineState, LineTraits } from '../../../core/src/agent/agent-context.ts';
import type { EntryAddress, LineAddress } from '../../../core/src/kernel/addresses.ts';

/** Keeps line states. `entry`: the ledger entry, if it differs from the world's entry for the address. */
export function keepLineStates(context: AgentContext, entry?: EntryAddress): AgentContext {
  const lineStates = new Map<number, LineState>();
  const make = context.lineState.bind(context);
  const create = (block: LineAddress, tag: number, traits: LineTraits): LineState => {
    const { ordered = true, line = context.semaphoreLine } = traits;
    return entry === undefined
      ? make(block, tag, traits)
      : { block, tag, entry, asyncWaits: new AsyncWaits(), ordered, line };
  };
  context.lineState = (block, tag, traits) => {
    const lineState = lineStates.get(block) ?? create(block, tag, traits);
    lineStates.set(block, lineState);
    return lineState;
  };
  return context;
}
