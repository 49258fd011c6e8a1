// Steps that take many permits of a multilane semaphore (multilane.ts) at once: a few steps per lane, independent of
// the number of permits.
//
//   beginDrain   records which numbers it is about to take: `count` numbers from the first that no arrival has. All of
//                them are posted.
//   drawShare    takes one lane's share of these permits, if the lane has that many free. Called once for each lane.
//   endDrain     takes the numbers, by one compare-and-swap of the home's TICKET. Only then do the permits belong to
//                the agent.
//
// The drain gives back permits that it has taken from lanes and has no numbers for. It records them as a post does
// (AGENT_DUTY): the lanes below AGENT_DUTY_LEFT still lack their share of `count` permits, whose numbers begin with
// AGENT_DUTY_FROM. So at every moment before `endDrain` the walk gives everything back, for a live agent and for a dead
// one. Until then the ledger records nothing.
//
// INVARIANTS
//
//   1. The record says that a lane lacks its share. This is true for a lane from which a drain has taken its share, and
//      for a lane that a post has not reached yet. So invariant 1 of multilane.ts holds at every moment.
//   2. From a lane with tickets `drawShare` takes free permits only: it compares TICKET with the value it checked, as
//      `tryAcquire` does. A ticket behind that of a waiter would be wrong. The permit that the drain gives back would
//      go to the first waiter in line, before it is posted, and the drain's ticket would use up a later permit.
//   3. Agents that arrive meanwhile draw the first d of the numbers that the drain is about to take. `endDrain` leaves
//      out these numbers, and the record then covers only their d permits: their lanes get these permits back. If all
//      numbers are gone, or a number outside the record was taken back, the drain keeps nothing.
//   4. The home's GRANT never decreases, so the numbers that `endDrain` takes are posted. So a drain never waits in
//      line.

import {
  AGENT_DUTY,
  AGENT_DUTY_COUNT,
  AGENT_DUTY_FROM,
  AGENT_DUTY_LEFT,
  AGENT_DUTY_TAG,
  asLine,
  BLOCK_TAG,
  GRANT,
  RACED,
  SHUT,
  TAKEN,
  TICKET,
  WAITING,
  type AgentAddress,
  type EntryAddress,
  type LineAddress,
  type Try,
} from '@sluice/core/format';
import {
  add64,
  cas64,
  clamp,
  credit,
  get32,
  get64,
  load32,
  load64,
  low32,
  minus,
  plus,
  put32,
  store32,
  wide,
} from '@sluice/core/kernel';
import { hasTokens } from './posts.ts';
import { DEALT_BITS } from './layout.ts';
import { laneAt, noteDeal, shareOf } from './multilane.ts';

/**
 * Records that the agent is about to take at most `most` free permits. Returns their number, or WAITING if none is
 * free. Then call `drawShare`.
 *
 * @takes Nothing yet: which numbers of a multilane semaphore it is about to take
 * @leaves The words of a post's record, with `AGENT_DUTY_LEFT` 0
 * @death Walk, which has no permits to give
 */
export function beginDrain(home: LineAddress, tag: i32, agent: AgentAddress, most: i32): i32 {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const first = load64(home + TICKET);
  const count = clamp(minus(load64(home + GRANT), first), most);
  if (count === 0) return WAITING;
  noteDeal(agent, home, tag, first, count, 0);
  // Written again before any later check of the tag: either an agent that frees the block sees the record, or
  // `drawShare` sees another tag.
  store32(agent + AGENT_DUTY, home);
  return count;
}

/**
 * Takes the next lane's share. Returns RACED if the caller must call again, for this lane or the next, and TAKEN after
 * the last lane. Returns WAITING if this lane has too few permits: then the drain cannot continue. After WAITING and
 * SHUT run the walk, which gives the taken permits back.
 *
 * @takes The next lane's share of the permits: `TICKET` + share by CAS, if so many permits are free there. With tokens,
 *   `GRANT` - share
 * @leaves `AGENT_DUTY_LEFT` + 1, after it: that lane lacks its share
 * @death Walk: each lane below `AGENT_DUTY_LEFT` gets its share back
 */
export function drawShare(agent: AgentAddress): Try {
  const home = asLine(get32(agent + AGENT_DUTY));
  const index = get32(agent + AGENT_DUTY_LEFT);
  // The record was written before this check. So if the block is still the same one, it is not reused before the record
  // ends.
  if (load32(home + BLOCK_TAG) !== get32(agent + AGENT_DUTY_TAG)) return SHUT;
  const lane = laneAt(home, index);
  const share = shareOf(home, low32(get64(agent + AGENT_DUTY_FROM)), get32(agent + AGENT_DUTY_COUNT), index);
  const drawn = share === 0 ? TAKEN : hasTokens(lane) ? drawTokens(lane, wide(share)) : drawTickets(lane, wide(share));
  if (drawn !== TAKEN) return drawn;
  // After the draw: with `jsEngine` an agent may die in between, and a lost permit is better than a duplicated one.
  put32(agent + AGENT_DUTY_LEFT, index + 1);
  return index + 1 < 1 << get32(home + DEALT_BITS) ? RACED : TAKEN;
}

function drawTickets(lane: LineAddress, share: i64): typeof WAITING | typeof TAKEN | typeof RACED {
  const ticket = load64(lane + TICKET);
  if (minus(load64(lane + GRANT), ticket) < share) return WAITING;
  return cas64(lane + TICKET, ticket, plus(ticket, share)) === ticket ? TAKEN : RACED;
}

/**
 * Takes tokens. They have no order, so the drain may also take tokens that are still on their way to the lane. Later
 * tokens replace them.
 */
function drawTokens(lane: LineAddress, share: i64): typeof TAKEN {
  add64(lane + GRANT, minus(wide(0), share));
  return TAKEN;
}

/**
 * Takes the numbers after all lanes have given their shares. Returns the number of permits that the agent now has.
 * Returns RACED if the caller must call again, and WAITING if arrivals took all of the numbers. Run the walk
 * afterwards: it gives back the permits that the agent did not keep.
 *
 * @takes The numbers: `TICKET` of the first line by CAS, without the numbers of agents that arrived during the drain
 * @leaves Before the CAS `AGENT_DUTY_COUNT`: the number of agents that arrived; its old value if the CAS lost.
 *   `AGENT_DUTY` 0 if no agent arrived. `ENTRY_HELD` + the rest
 * @death The kept permits are given back; walk: the lanes of the agents that arrived get their permits back
 */
export function endDrain(agent: AgentAddress, entry: EntryAddress): i32 {
  const home = asLine(get32(agent + AGENT_DUTY));
  const first = get64(agent + AGENT_DUTY_FROM);
  const count = get32(agent + AGENT_DUTY_COUNT);
  const next = load64(home + TICKET);
  const gone = minus(next, first);
  if (gone < wide(0) || gone >= wide(count)) return WAITING;
  const others = low32(gone);
  // Before the compare-and-swap, as in `drawShare`.
  put32(agent + AGENT_DUTY_COUNT, others);
  if (cas64(home + TICKET, next, plus(first, wide(count))) !== next) {
    put32(agent + AGENT_DUTY_COUNT, count);
    return RACED;
  }
  if (others === 0) store32(agent + AGENT_DUTY, 0);
  credit(entry, wide(count - others));
  return count - others;
}
