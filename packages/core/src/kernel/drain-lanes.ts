// Steps that take many permits of a multilane semaphore (multilane.ts) at once: a few per lane, however many permits there are.
//
//   beginDrain   notes which numbers it is about to take: `count` of them from the first that no arrival has. All of them are posted.
//   drawShare    takes one lane's share of these permits, if the lane has as many free. Once for each lane.
//   endDrain     takes the numbers, by one compare-and-swap of the home's TICKET. Only now the permits are the agent's.
//
// What the drain has taken from lanes and has no numbers for, it gives back. The note for that is the one of a post (AGENT_DEAL): the
// lanes below AGENT_DEAL_LANES have still to get their share of `count` permits from AGENT_DEAL_FROM on. So the walk gives everything
// back at every moment before `endDrain`, for the agent itself and for one that died, and the ledger says nothing of it.
//
// INVARIANTS
//
//   1. A note says of a lane that it lacks its share. That is as true of a lane from which a drain has taken it as of one that a post has
//      not come to yet, so invariant 1 of multilane.ts holds at every moment.
//   2. Of a lane with tickets `drawShare` takes free permits only: it compares TICKET with what it has looked at, as `tryAcquire` does. A
//      ticket behind that of a waiter would be wrong: what the drain gives back goes to the first in line, which would get a permit that
//      is not posted yet, and the drain's ticket would use up a later one.
//   3. Agents that arrive meanwhile draw the first of the numbers that the drain is about to take, d of them. `endDrain` leaves these
//      numbers out, and the note becomes one of their d permits: their lanes get them back. If all numbers are gone, or one that is not
//      noted was taken back, the drain keeps nothing.
//   4. Numbers that `endDrain` takes are posted: the home's GRANT never decreases. So a drain never stands in line.

import { credit } from './admit.ts';
import { hasTokens } from './family.ts';
import { AGENT_DEAL, AGENT_DEAL_COUNT, AGENT_DEAL_FROM, AGENT_DEAL_LANES, AGENT_DEAL_TAG, BLOCK_TAG, DEALT_BITS, GRANT, TICKET } from './layout.ts';
import { laneAt, noteDeal, shareOf } from './multilane.ts';
import { RACED, SHUT, TAKEN, WAITING } from './states.ts';
import { add64, cas64, clamp, get32, get64, load32, load64, low32, minus, plus, put32, store32, wide } from './words.ts';

/** Notes that the agent is about to take up to `most` of the free permits: how many. WAITING: none is free. Then call `drawShare`. */
export function beginDrain(home: i32, tag: i32, agent: i32, most: i32): i32 {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const first = load64(home + TICKET);
  const count = clamp(minus(load64(home + GRANT), first), most);
  if (count === 0) return WAITING;
  noteDeal(agent, home, tag, first, count, 0);
  // Again, and before any later look at the tag: an agent that frees the block sees the note, or `drawShare` sees another tag.
  store32(agent + AGENT_DEAL, home);
  return count;
}

/**
 * Takes the next lane's share. RACED: call again, for this lane or the next. TAKEN: it was the last lane. WAITING: this lane has not
 * enough, and the drain cannot go on. After WAITING and SHUT run the walk, which gives back what was taken.
 */
export function drawShare(agent: i32): i32 {
  const home = get32(agent + AGENT_DEAL);
  const index = get32(agent + AGENT_DEAL_LANES);
  // The note was there before this look, so a block that is still the same one is not used again before the note ends.
  if (load32(home + BLOCK_TAG) !== get32(agent + AGENT_DEAL_TAG)) return SHUT;
  const lane = laneAt(home, index);
  const share = shareOf(home, low32(get64(agent + AGENT_DEAL_FROM)), get32(agent + AGENT_DEAL_COUNT), index);
  const drawn = share === 0 ? TAKEN : hasTokens(lane) ? drawTokens(lane, wide(share)) : drawTickets(lane, wide(share));
  if (drawn !== TAKEN) return drawn;
  // After it: with engine 'js' an agent may die in between, and permits are rather lost than there twice.
  put32(agent + AGENT_DEAL_LANES, index + 1);
  return index + 1 < 1 << get32(home + DEALT_BITS) ? RACED : TAKEN;
}

function drawTickets(lane: i32, share: i64): i32 {
  const ticket = load64(lane + TICKET);
  if (minus(load64(lane + GRANT), ticket) < share) return WAITING;
  return cas64(lane + TICKET, ticket, plus(ticket, share)) === ticket ? TAKEN : RACED;
}

/** Tokens stand in no order, so the drain may also take those that are still on their way to the lane: the next that come make up for it. */
function drawTokens(lane: i32, share: i64): i32 {
  add64(lane + GRANT, minus(wide(0), share));
  return TAKEN;
}

/**
 * Takes the numbers, when all lanes have given their shares: how many permits the agent has now. RACED: call again. WAITING: others have
 * come for all of them. Run the walk afterwards: it gives back what the agent did not keep.
 */
export function endDrain(agent: i32, entry: i32): i32 {
  const home = get32(agent + AGENT_DEAL);
  const first = get64(agent + AGENT_DEAL_FROM);
  const count = get32(agent + AGENT_DEAL_COUNT);
  const next = load64(home + TICKET);
  const gone = minus(next, first);
  if (gone < wide(0) || gone >= wide(count)) return WAITING;
  const others = low32(gone);
  // Before it, for the same reason as in `drawShare`.
  put32(agent + AGENT_DEAL_COUNT, others);
  if (cas64(home + TICKET, next, plus(first, wide(count))) !== next) {
    put32(agent + AGENT_DEAL_COUNT, count);
    return RACED;
  }
  if (others === 0) store32(agent + AGENT_DEAL, 0);
  credit(entry, wide(count - others));
  return count - others;
}
