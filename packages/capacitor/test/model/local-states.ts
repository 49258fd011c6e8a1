// The local state that a context keeps for each primitive, as the real context does. In a model, each run of a body has
// a context of its own.

import { AsyncWaits } from '@sluice/core/internal';
import type { AgentContext, LocalState, LocalTraits } from '../../../core/src/agent/agent-context.ts';
import type { EntryAddress, LineAddress } from '../../../core/src/kernel/addresses.ts';

/** Keeps local states. `entry`: the ledger entry, if it differs from the world's entry for the address. */
export function keepLocalStates(context: AgentContext, entry?: EntryAddress): AgentContext {
  const localStates = new Map<number, LocalState>();
  const make = context.localState.bind(context);
  const create = (block: LineAddress, tag: number, traits: LocalTraits): LocalState => {
    const { ordered = true, line = context.semaphoreLine } = traits;
    return entry === undefined
      ? make(block, tag, traits)
      : { block, tag, entry, asyncWaits: new AsyncWaits(), ordered, line };
  };
  context.localState = (block, tag, traits) => {
    const localState = localStates.get(block) ?? create(block, tag, traits);
    localStates.set(block, localState);
    return localState;
  };
  return context;
}
