// The walk of this kind. It visits the tickets of waiters that cancelled, the waiters in the chains of lanes, the keys
// that a post must still announce, and the lanes that still lack their share of a post or must still be closed. Its
// words are the kind's area of the agent record and AGENT_DUTY.

import {
  ABANDONED,
  AGAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_IN_FLIGHT,
  AGENT_POSTS,
  AGENT_POST_FROM,
  AGENT_POST_KEYS,
  AGENT_POST_LINE,
  asArea,
  asChain,
  asElement,
  asLine,
  DRAWN,
  CANCELLED,
  COUNT,
  FLAGS,
  GATE,
  GRANT,
  IDLE,
  KIND_AREA,
  LEAVING,
  NEXT,
  OWN_CHAIN,
  LINE,
  TAG,
  TICKET,
  POST_END,
  type AgentAddress,
  type AreaAddress,
  type ElementAddress,
  type Walk,
} from '@sluice/core/format';
import {
  add64,
  detachOf,
  discard,
  get32,
  get64,
  isShutFor,
  load64,
  low32,
  minus,
  plus,
  progress,
  push,
  put32,
  put64,
  rollBack,
  store32,
  walkChains,
  wide,
  type ChainKind,
} from '@sluice/core/kernel';
import { FRONT } from '@sluice/semaphores/kernel';
import { hasTokens, noteKeys, tell } from './posts.ts';
import { FLAG_DEALT } from './layout.ts';
import { cancelInLanes, dealNext, isServed, postAnew } from './multilane.ts';

/**
 * Does the next part of the walk. Returns IDLE if nothing is left, AGAIN if the caller must call again, and otherwise
 * the element or the word to notify.
 *
 * @takes One thing at a time: a tombstone or a stray of a line's own chain, the next key that a post has to announce,
 *   the next record of a post, the next lane's share, or its close. A stray is put back until its permit comes. Then
 *   the permit is posted again: `GRANT` + 1 of the first line and of the lane of that number. When all later arrivals
 *   have taken their numbers back, it takes back its own, and becomes an ordinary tombstone
 * @leaves As in `walk`, at `KIND_AREA`; `AGENT_DUTY_LEFT` - 1; with the last lane `AGENT_DUTY` 0; then
 *   `AGENT_DUTY_KIND` 0
 * @death Called again
 */
export function walkMembers(agent: AgentAddress): Walk {
  const area = asArea(agent + KIND_AREA);
  const next = walkChains(memberChain, agent, area);
  return next === IDLE ? nextKey(agent, area) : next;
}

function nextKey(agent: AgentAddress, area: AreaAddress): Walk {
  const line = asLine(get32(area + AGENT_POST_LINE));
  if (line === 0) return nextPost(agent, area);
  const keys = get32(area + AGENT_POST_KEYS);
  if (keys === 0) {
    put32(area + AGENT_POST_LINE, 0);
    return nextPost(agent, area);
  }
  const from = get64(area + AGENT_POST_FROM);
  put32(area + AGENT_POST_KEYS, keys - 1);
  put64(area + AGENT_POST_FROM, plus(from, wide(1)));
  return tell(agent, line, from);
}

/** Announces the next of the tombstones that became records of posts. */
function nextPost(agent: AgentAddress, area: AreaAddress): Walk {
  const post = asElement(get32(area + AGENT_POSTS));
  if (post === 0) return nextDuty(agent);
  put32(area + AGENT_POSTS, get32(post + NEXT));
  noteKeys(agent, asLine(get32(post + LINE)), get64(post + DRAWN), get64(post + POST_END), get32(post + COUNT));
  discard(post);
  return AGAIN;
}

function nextDuty(agent: AgentAddress): Walk {
  if (get32(agent + AGENT_DUTY) !== 0) return dealNext(agent);
  put32(agent + AGENT_DUTY_KIND, 0);
  return IDLE;
}

class MemberChain implements ChainKind {
  visitTombstone(agent: AgentAddress, area: AreaAddress, element: ElementAddress): typeof AGAIN {
    return isStray(element) ? visitStray(agent, area, element) : visitUncounted(agent, area, element);
  }

  /** For a waiter that cancelled while its element was put back: the next visit finds what it left. */
  isDue(_element: ElementAddress, _reached: i64): boolean {
    return true;
  }
}

const memberChain = /* @__PURE__ */ new MemberChain();

/**
 * Whether the element is that of a stray: its waiter left its lane and is still counted. The permit that comes to it is
 * posted again.
 */
function isStray(element: ElementAddress): boolean {
  return (get32(get32(element + LINE) + FLAGS) & FLAG_DEALT) !== 0 && get32(element + LEAVING) === 0;
}

function visitStray(agent: AgentAddress, area: AreaAddress, element: ElementAddress): typeof AGAIN {
  if (isServed(element, progress(element))) {
    postAnew(area, element);
    return AGAIN;
  }
  // Before the count, as in `cancelBehind` (lines.ts).
  put32(element + LEAVING, 1);
  if (cancelInLanes(agent, element) === CANCELLED) {
    // From here on an ordinary tombstone. With tokens it has no ticket and no further use, and the next call handles
    // it.
    if (!hasTokens(asLine(get32(element + LINE)))) store32(element + GATE, ABANDONED);
    return AGAIN;
  }
  put32(element + LEAVING, 0);
  const end = plus(get64(element + POST_END), wide(1));
  return putBackTombstone(agent, area, element, asLine(get32(get32(element + LINE) + FRONT)), end, 1);
}

/** Visits the tombstone of a waiter that is no longer counted, or of a semaphore that does not count its waiters. */
function visitUncounted(agent: AgentAddress, area: AreaAddress, element: ElementAddress): typeof AGAIN {
  const line = asLine(get32(element + LINE));
  const count = wide(get32(element + COUNT));
  if (rollBack(element)) {
    put32(area + AGENT_IN_FLIGHT, 0);
    discard(element);
    detachOf(agent, line, asChain(line + OWN_CHAIN));
    return AGAIN;
  }
  if (progress(element) >= wide(0)) {
    // The element becomes the record that these keys are still to be announced. No other agent waits at the keys before
    // its last one.
    const last = minus(plus(get64(element + DRAWN), count), wide(1));
    const from = add64(line + GRANT, count);
    const own = minus(last, from);
    if (own > wide(0)) put32(element + COUNT, low32(minus(count, own)));
    put64(element + DRAWN, own > wide(0) ? last : from);
    put64(element + POST_END, load64(line + TICKET));
    put32(element + NEXT, get32(area + AGENT_POSTS));
    put32(area + AGENT_IN_FLIGHT, 0);
    put32(area + AGENT_POSTS, element);
    return AGAIN;
  }
  return putBackTombstone(agent, area, element, line, plus(get64(element + DRAWN), count), 0);
}

/**
 * Puts back a tombstone that is not due. It becomes due at the progress `needs`, or when TICKET of the line `from` is
 * `end`. Then the ticket, or the stray's number, is the last one.
 */
function putBackTombstone(
  agent: AgentAddress,
  area: AreaAddress,
  element: ElementAddress,
  from: i32,
  end: i64,
  needs: i32,
): typeof AGAIN {
  const line = asLine(get32(element + LINE));
  const tag = get32(element + TAG);
  const ticket = get64(element + DRAWN);
  store32(element + GATE, ABANDONED);
  put32(area + AGENT_IN_FLIGHT, 0);
  if (!push(asChain(line + OWN_CHAIN), element)) {
    put32(area + AGENT_IN_FLIGHT, element);
    return AGAIN;
  }
  // Checks again, with values read before the push: another agent may have the element by now. A post before the push
  // found the chain without the element. So did an agent that took back the number or the ticket behind it.
  const due = minus(load64(line + GRANT), ticket) >= wide(needs) || load64(from + TICKET) === end;
  if (due || isShutFor(line, tag)) detachOf(agent, line, asChain(line + OWN_CHAIN));
  return AGAIN;
}
