// The step that releases permits. The protocol, the table of gate states and the proof are in admit.ts.

import { announce, debit, giveMore, NOTED, takeBack } from './admit.ts';
import { AGENT_CHAIN, AGENT_NOTIFY, BLOCK_TAG, COUNT, GATE, GRANT, LIMIT, NEXT, TICKET, UP } from './layout.ts';
import { GRANTED, IDLE, NEEDS_WALK, OVER_BOUND, PARKED, RACED, SHUT, type Release, type Wake } from './states.ts';
import { isShut, progress } from './wait.ts';
import { add64, cas32, cas64, get32, get64, load32, load64, minus, plus, put32, wide } from './words.ts';
import type { AgentAddress, ElementAddress, EntryAddress, LineAddress } from './addresses.ts';
import { asElement } from './addresses.ts';

/**
 * Announces a release as `announce` does. If a single-permit waiter is alone in its chain, it also admits this waiter
 * and returns its element, which must be notified.
 */
export function announceOrAdmit(line: LineAddress, agent: AgentAddress, from: i64, count: i32): Wake | ElementAddress {
  const announced = announce(line, agent, from, count);
  return count === 1 && announced === NEEDS_WALK ? admitAlone(agent) : announced;
}

/**
 * Does the work of a walk for the detached element, if the element is alone, asleep and due. Otherwise returns
 * NEEDS_WALK: run the walk.
 */
function admitAlone(agent: AgentAddress): typeof NEEDS_WALK | ElementAddress {
  const element = asElement(get32(agent + AGENT_CHAIN));
  if (get32(element + NEXT) !== 0 || get32(element + UP) !== 0) return NEEDS_WALK;
  if (load32(element + GATE) !== PARKED || isShut(element) || progress(element) < wide(get32(element + COUNT)))
    return NEEDS_WALK;
  // Keep this order for the same reason as in walk.ts.
  put32(agent + AGENT_CHAIN, 0);
  if (cas32(element + GATE, PARKED, GRANTED) !== PARKED) {
    put32(agent + AGENT_CHAIN, element);
    return NEEDS_WALK;
  }
  put32(agent + AGENT_NOTIFY, element);
  return element;
}

/**
 * Releases `count` permits. Returns IDLE if no agent needs them. Returns an element if its agent was admitted and must
 * be notified. Returns NEEDS_WALK if agents wait: call `walk` until it is idle. Returns OVER_BOUND or RACED only with a
 * bound.
 *
 * One step serves both kinds of semaphore, so that the JavaScript engine sees one target at each call.
 *
 * @takes n permits: `GRANT` + n, by CAS if there is a bound. If the CAS lost, the step takes back its notes. If an
 *   agent has drawn a ticket beyond the old `GRANT`, also the chain of one bucket (n = 1), or a range of keys
 * @leaves `ENTRY_HELD` - n, at least 0; permits beyond those that were held go to `RELEASED_FOR_OTHERS` or `CAPACITY`.
 *   The chain goes to `AGENT_CHAIN`, and the earlier chain to its `UP`. The range goes to `AGENT_POST_FROM`,
 *   `AGENT_POST_KEYS`, `AGENT_POST_LINE`. If the chain is one element, asleep and due: its `GATE` GRANTED by CAS,
 *   `AGENT_CHAIN` 0, `AGENT_NOTIFY`
 * @death The element is notified; walk
 */
export function release(
  line: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): Release | ElementAddress {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  if (get32(line + LIMIT) !== 0) return releaseBounded(line, agent, entry, count);
  const more = wide(count);
  if (!debit(entry, more)) giveMore(line, entry, more, get64(entry), load64(line + GRANT));
  const grant = add64(line + GRANT, more);
  // Lost wake-up, release side: load TICKET after the add, never before it. Pairs with `acquire` and `link`: a waiter
  // draws its ticket, pushes its element, and then loads `grant`, so one of the two sees the other.
  return minus(load64(line + TICKET), grant) <= wide(0) ? IDLE : announceOrAdmit(line, agent, grant, count);
}

/** Releases `count` permits. Returns OVER_BOUND if more than LIMIT permits would be free afterwards. */
function releaseBounded(
  line: LineAddress,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): Release | ElementAddress {
  const more = wide(count);
  const grant = load64(line + GRANT);
  if (plus(minus(grant, load64(line + TICKET)), more) > wide(get32(line + LIMIT))) return OVER_BOUND;
  // This value is meaningful only if there is an entry.
  const own = get64(entry === 0 ? line : entry);
  const theirs = debit(entry, more) ? NOTED : giveMore(line, entry, more, own, grant);
  if (cas64(line + GRANT, grant, plus(grant, more)) !== grant) {
    if (entry !== 0) takeBack(line, entry, more, own, theirs);
    return RACED;
  }
  // Load TICKET after the CAS, for the same reason as in `release`.
  return minus(load64(line + TICKET), grant) <= wide(0) ? IDLE : announceOrAdmit(line, agent, grant, count);
}
