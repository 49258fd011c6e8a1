// Steps that take many permits of a multilane semaphore (multilane.ts) at once: a few steps per lane, independent of
// the number of permits.
//
//   beginDrain   records which numbers it is about to take: `count` numbers from the first that no arrival has. All of
//                them are posted.
//   drawShare    takes one lane's share of these permits, if the lane has that many free. Called once for each lane.
//   endDrain     takes the numbers, by one compare-and-swap of the home's TICKET. Only then do the permits belong to
//                the agent.
//
// The drain gives back what it has taken from lanes and has no numbers for. The note for that is a post's note
// (AGENT_DUTY): the lanes below AGENT_DUTY_LEFT have still to get their share of `count` permits from AGENT_DUTY_FROM
// on. So at every moment before `endDrain` the walk gives everything back, for the agent itself and for one that died,
// and the ledger records nothing of it.
//
// INVARIANTS
//
//   1. A note says that a lane lacks its share. That holds for a lane from which a drain has taken its share and for a
//      lane that a post has not reached yet, so invariant 1 of multilane.ts holds at every moment.
//   2. From a lane with tickets `drawShare` takes free permits only: it compares TICKET with the value it checked, as
//      `tryAcquire` does. A ticket behind a waiter's would be wrong: what the drain gives back goes to the first waiter
//      in line, which would get a permit that is not posted yet, and the drain's ticket would use up a later one.
//   3. Agents that arrive meanwhile draw the first d of the numbers that the drain is about to take. `endDrain` leaves
//      these numbers out, and the note becomes one of their d permits: their lanes get them back. If all numbers are
//      gone, or a number that the note does not cover was taken back, the drain keeps nothing.
//   4. Numbers that `endDrain` takes are posted: the home's GRANT never decreases. So a drain never stands in line.

import {
  add64,
  AGENT_DUTY,
  AGENT_DUTY_COUNT,
  AGENT_DUTY_FROM,
  AGENT_DUTY_LEFT,
  AGENT_DUTY_TAG,
  asLine,
  BLOCK_TAG,
  cas64,
  clamp,
  credit,
  get32,
  get64,
  GRANT,
  load32,
  load64,
  low32,
  minus,
  plus,
  put32,
  RACED,
  SHUT,
  store32,
  TAKEN,
  TICKET,
  WAITING,
  wide,
  type AgentAddress,
  type EntryAddress,
  type LineAddress,
  type Try,
} from '@sluice/core/kernel';
import { hasTokens } from './family.ts';
import { DEALT_BITS } from './layout.ts';
import { laneAt, noteDeal, shareOf } from './multilane.ts';

/**
 * Records that the agent is about to take at most `most` of the free permits and returns their number. WAITING: none is
 * free. Then call `drawShare`.
 *
 * @takes Nothing yet: which numbers of a multilane semaphore it is about to take
 * @leaves The same words, with `AGENT_DUTY_LEFT` 0
 * @death Walk, which has nothing to give
 */
export function beginDrain(home: LineAddress, tag: i32, agent: AgentAddress, most: i32): i32 {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const first = load64(home + TICKET);
  const count = clamp(minus(load64(home + GRANT), first), most);
  if (count === 0) return WAITING;
  noteDeal(agent, home, tag, first, count, 0);
  // Written again, and before any later check of the tag: an agent that frees the block sees the note, or `drawShare`
  // sees another tag.
  store32(agent + AGENT_DUTY, home);
  return count;
}

/**
 * Takes the next lane's share. RACED: call again, for this lane or the next. TAKEN: it was the last lane. WAITING: this
 * lane has too few permits, and the drain cannot go on. After WAITING and SHUT run the walk, which gives back what was
 * taken.
 *
 * @takes The next lane's share of them: `TICKET` + share by CAS, only if as many permits are free there; of tokens
 *   `GRANT` - share
 * @leaves `AGENT_DUTY_LEFT` + 1, after it: that lane lacks its share
 * @death Walk: each lane below `AGENT_DUTY_LEFT` gets its share back
 */
export function drawShare(agent: AgentAddress): Try {
  const home = asLine(get32(agent + AGENT_DUTY));
  const index = get32(agent + AGENT_DUTY_LEFT);
  // The note was written before this check, so a block that is still the same one is not reused before the note ends.
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
 * Tokens have no order, so the drain may also take tokens that are still on their way to the lane. The next tokens that
 * arrive make up for them.
 */
function drawTokens(lane: LineAddress, share: i64): typeof TAKEN {
  add64(lane + GRANT, minus(wide(0), share));
  return TAKEN;
}

/**
 * Takes the numbers after all lanes have given their shares. Returns how many permits the agent now has. RACED: call
 * again. WAITING: arrivals took all of the numbers. Run the walk afterwards: it gives back what the agent did not keep.
 *
 * @takes The numbers: `TICKET` of the first line by CAS, without those of agents that came meanwhile
 * @leaves `AGENT_DUTY_COUNT`: how many came, before the CAS; as before when it lost. `AGENT_DUTY` 0 if none came.
 *   `ENTRY_HELD` + the rest
 * @death Given back; walk: the lanes of those that came get their permits back
 */
export function endDrain(agent: AgentAddress, entry: EntryAddress): i32 {
  const home = asLine(get32(agent + AGENT_DUTY));
  const first = get64(agent + AGENT_DUTY_FROM);
  const count = get32(agent + AGENT_DUTY_COUNT);
  const next = load64(home + TICKET);
  const gone = minus(next, first);
  if (gone < wide(0) || gone >= wide(count)) return WAITING;
  const others = low32(gone);
  // Before the compare-and-swap, for the same reason as in `drawShare`.
  put32(agent + AGENT_DUTY_COUNT, others);
  if (cas64(home + TICKET, next, plus(first, wide(count))) !== next) {
    put32(agent + AGENT_DUTY_COUNT, count);
    return RACED;
  }
  if (others === 0) store32(agent + AGENT_DUTY, 0);
  credit(entry, wide(count - others));
  return count - others;
}
