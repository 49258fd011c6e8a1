// What a context keeps for each primitive, as the real one does: in models each run of a body has a context of its own.

import { AsyncWaits } from '@sluice/core/internal';
import type { AgentContext, LocalState, LocalTraits } from '../../../core/src/agent/agent-context.ts';
import type { EntryAddress, LineAddress } from '../../../core/src/kernel/addresses.ts';

/** Keeps localStates. `entry`: where permits are noted, if that is not what the world has for the address. */
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
