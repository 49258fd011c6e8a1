// Steps of the parties of a barrier: joining, leaving, and the recovery of an agent that was a party. The word, its
// changes and the invariants are in barrier.ts.

import {
  asLine,
  BLOCK_TAG,
  ENTRY_HELD,
  ENTRY_LINE,
  ENTRY_TAG,
  GRANT,
  IDLE,
  OVERFLOW,
  RACED,
  SHUT,
  TOO_FEW,
  type AgentAddress,
  type EntryAddress,
  type LineAddress,
  type Wake,
} from '@sluice/core/format';
import {
  cas64,
  clamp,
  get32,
  get64,
  setHazard,
  high32,
  load32,
  load64,
  low32,
  minus,
  plus,
  put64,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import {
  arrivedIn,
  withoutArrivals,
  actingIn,
  beginAction,
  endGeneration,
  isActing,
  isBroken,
  partiesOf,
  toWalk,
} from './barrier.ts';
import { ACTING_IN, BROKEN, MAX_PARTIES, PARTIES_AT } from './layout.ts';
import { ACTS_NOW, DIED } from './outcomes.ts';

/** Returns the number of parties that wait in an open generation, or 0 if none is open. */
function arrivedOf(low: i32): i32 {
  return !isActing(low) && !isBroken(low) ? arrivedIn(low) : 0;
}

/** Returns the number of the agent's parties. While the agent runs the action, ENTRY_HELD is 1 more than that. */
function partiesIn(entry: EntryAddress): i64 {
  return minus(get64(entry + ENTRY_HELD), wide(get32(entry + ACTING_IN) === 0 ? 0 : 1));
}

/**
 * Adds `n` parties to this agent. Returns OVERFLOW if there would be too many, and RACED if it lost a race: call again.
 *
 * @takes n parties: the word by CAS
 * @leaves `ENTRY_HELD` + n afterwards
 * @death `restoreParties`
 */
export function registerAtBarrier(
  barrier: LineAddress,
  tag: i32,
  entry: EntryAddress,
  n: i32,
): typeof IDLE | typeof SHUT | typeof OVERFLOW | typeof RACED {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(barrier + GRANT);
  if (n > MAX_PARTIES - partiesOf(low32(word))) return OVERFLOW;
  if (cas64(barrier + GRANT, word, plus(word, wide(n << PARTIES_AT))) !== word) return RACED;
  // Write this after the word: with `jsEngine` an agent may die in between. A party that no recovery removes is better
  // than a party that recovery removes although it does not exist.
  put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), wide(n)));
  return IDLE;
}

/**
 * Assigns `n` of the existing parties to this agent. Returns TOO_FEW if there are not that many.
 *
 * @takes The duty of n parties that are there
 * @leaves `ENTRY_HELD` + n
 * @death `restoreParties`
 */
export function claimParties(
  barrier: LineAddress,
  tag: i32,
  entry: EntryAddress,
  n: i32,
): typeof IDLE | typeof SHUT | typeof TOO_FEW {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  if (plus(partiesIn(entry), wide(n)) > wide(partiesOf(low32(load64(barrier + GRANT))))) return TOO_FEW;
  put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), wide(n)));
  return IDLE;
}

/**
 * Removes `n` parties that have not arrived, this agent's own parties first. Returns TOO_FEW if there are fewer, and
 * RACED if it lost a race: call again. If all others have arrived, returns NEEDS_WALK: run the walk. If in that
 * case the agent has to run the action, returns ACTS_NOW instead.
 *
 * @takes n parties out of the word, by CAS. If the others have arrived, it ends the generation as `arriveAtBarrier`
 *   does
 * @leaves `ENTRY_HELD` - n first, unchanged if the CAS lost; then as `arriveAtBarrier`
 * @death Walk. If acting: `restoreParties`
 */
export function leaveBarrier(
  barrier: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  n: i32,
  acts: i32,
): Wake | typeof SHUT | typeof TOO_FEW | typeof RACED | typeof ACTS_NOW {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(barrier + GRANT);
  const low = low32(word);
  const arrived = arrivedOf(low);
  const rest = partiesOf(low) - n;
  if (rest < arrived) return TOO_FEW;
  // Write this before the word: with `jsEngine` an agent may die in between, and its recovery must not remove a party
  // twice.
  const own = wide(clamp(partiesIn(entry), n));
  put64(entry + ENTRY_HELD, minus(get64(entry + ENTRY_HELD), own));
  if (arrived === 0 || arrived < rest) {
    if (cas64(barrier + GRANT, word, minus(word, wide(n << PARTIES_AT))) === word) return IDLE;
  } else if (acts !== 0) {
    if (beginAction(barrier, entry, word, rest << PARTIES_AT)) return ACTS_NOW;
  } else if (endGeneration(barrier, agent, word, rest << PARTIES_AT)) return toWalk(agent);
  put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), own));
  return RACED;
}

/**
 * Removes a dead agent's parties and breaks the generation, even if the agent ran its action. Returns the number in the
 * entry, or RACED if it lost a race: call again. Run the walk afterwards.
 *
 * @takes The parties of a dead agent, by CAS; also the generation, if there were any or the agent ran its action
 * @leaves `ENTRY_HELD` 0 first, unchanged if the CAS lost; `AGENT_DUTY`, `AGENT_DUTY_KIND`, `AGENT_CHAIN`
 * @death Called again; walk
 */
export function restoreParties(agent: AgentAddress, entry: EntryAddress): i32 {
  const barrier = asLine(get32(entry + ENTRY_LINE));
  setHazard(agent, barrier);
  const restored = removeParties(barrier, agent, entry);
  clearHazard(agent);
  return restored;
}

function removeParties(barrier: LineAddress, agent: AgentAddress, entry: EntryAddress): i32 {
  const held = get64(entry + ENTRY_HELD);
  if (held === wide(0)) return 0;
  if (load32(barrier + BLOCK_TAG) !== get32(entry + ENTRY_TAG)) {
    put64(entry + ENTRY_HELD, wide(0));
    return 0;
  }
  const word = load64(barrier + GRANT);
  const low = low32(word);
  const departed = clamp(partiesIn(entry), partiesOf(low));
  const acts = isActing(low) && get32(entry + ACTING_IN) === actingIn(high32(word));
  const left = low - (departed << PARTIES_AT);
  put64(entry + ENTRY_HELD, wide(0));
  if (departed > 0 || acts) {
    const isDone = isBroken(low)
      ? cas64(barrier + GRANT, word, minus(word, wide(departed << PARTIES_AT))) === word
      : endGeneration(barrier, agent, word, withoutArrivals(left) | BROKEN | DIED);
    if (!isDone) {
      put64(entry + ENTRY_HELD, held);
      return RACED;
    }
  }
  return clamp(held, MAX_PARTIES + 1);
}
