// Steps at a capacitor (Dice, Listing 2): a semaphore with B permits. All permits come back at once, when the last
// agent of a platoon has departed. Agents arrive by the semaphore's own steps, and wait and cancel there.
//
//   word    value                                                           written by
//   LIMIT   B: how many agents the next platoon admits                      create
//   TALLY   departures still to come before the capacitor opens · 0: the    departCapacitor, departDead
//           last agent has departed and opens it
//   GRANT   permits ever given: rises by B when TALLY gets to 0             departCapacitor, departDead
//   entry   how often this agent arrived and has not departed               acquire, tryAcquire, poll; departCapacitor
//
// INVARIANTS
//
//   1. TALLY = permits of the admitted platoons that were not taken + agents inside. So TALLY becomes 0 only when the
//      last agent inside departs and no permit is left. The capacitor is closed then, and no other agent can change it.
//   2. An agent that arrives late is admitted by a later opening. So at most B - 1 agents that arrive after a waiter
//      pass it: the other agents of its own platoon.

import {
  BLOCK_TAG,
  ENTRY_HELD,
  FLAGS,
  FOREIGN,
  GRANT,
  IDLE,
  LIMIT,
  NEEDS_WALK,
  RACED,
  SHUT,
  TICKET,
  type AgentAddress,
  type EntryAddress,
  type LineAddress,
  type Wake,
} from '@sluice/core/format';
import {
  add32,
  add64,
  announce,
  get32,
  get64,
  load32,
  load64,
  minus,
  put32,
  put64,
  restoreAt,
  wide,
  type RecordedOffice,
} from '@sluice/core/kernel';
import { openLanes } from './lane.ts';
import { FLAG_LANED, TALLY } from './layout.ts';

/**
 * Makes one departure. Returns IDLE if more departures are to come, or if the capacitor opened and no agent waits.
 * Returns NEEDS_WALK if the caller must run the walk, and FOREIGN if this agent never arrived.
 *
 * @takes A place inside a capacitor: `TALLY` - 1. The last departure: `TALLY` to B, and `GRANT` + B, or with lanes the
 *   duty to open the capacitor
 * @leaves `ENTRY_HELD` - 1, last; the range as in `release`; with lanes `LANES_LEFT`, `AGENT_DUTY_KIND`, `AGENT_DUTY`
 * @death Walk
 */
export function departCapacitor(
  capacitor: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
): Wake | typeof SHUT | typeof FOREIGN {
  if (load32(capacitor + BLOCK_TAG) !== tag) return SHUT;
  const inside = get64(entry);
  if (inside <= wide(0)) return FOREIGN;
  const left = add32(capacitor + TALLY, -1) - 1;
  if (left === 0) return departLast(capacitor, agent, entry, inside);
  put64(entry, minus(inside, wide(1)));
  return IDLE;
}

function departLast(capacitor: LineAddress, agent: AgentAddress, entry: EntryAddress, inside: i64): Wake {
  const opened = open(capacitor, agent);
  // Write this last: with `jsEngine` an agent may die before this write, and then it departs twice. A platoon with one
  // agent too many is better than a platoon that never ends.
  put64(entry, minus(inside, wide(1)));
  return opened;
}

/** Departs for an agent that died inside, or for the permit of a waiter that cancelled. */
export function departDead(capacitor: LineAddress, agent: AgentAddress): void {
  // A TALLY of 0 means that the dead agent was the last to depart, and died before it opened the capacitor.
  if (add32(capacitor + TALLY, -1) <= 1) open(capacitor, agent);
}

function open(capacitor: LineAddress, agent: AgentAddress): Wake {
  const platoon = load32(capacitor + LIMIT);
  // Reset TALLY before the permits: once permits are out, other agents depart and count it down. Until then no other
  // agent reads it.
  put32(capacitor + TALLY, platoon);
  if (hasLanes(capacitor)) {
    openLanes(capacitor, agent);
    return NEEDS_WALK;
  }
  const grant = add64(capacitor + GRANT, wide(platoon));
  // Lost wake-up, release side: load TICKET after the add, never before it. Pairs with `acquire` and `link` of the
  // waiters (core: kernel/admit.ts has the losing order).
  if (minus(load64(capacitor + TICKET), grant) <= wide(0)) return IDLE;
  announce(capacitor, agent, grant, platoon);
  return NEEDS_WALK;
}

function hasLanes(capacitor: LineAddress): boolean {
  return (get32(capacitor + FLAGS) & FLAG_LANED) !== 0;
}

/**
 * Whether no agent is inside and none waits. Only for a capacitor without lanes.
 *
 * @takes Nothing, it reads
 */
export function isCapacitorEmpty(capacitor: LineAddress): i32 {
  const grant = load64(capacitor + GRANT);
  const tally = load32(capacitor + TALLY);
  const free = minus(grant, load64(capacitor + TICKET));
  // Read in this order, and read GRANT again at the end. Between two openings the number of free permits only
  // decreases. So if it equals TALLY, which was read before, no permit was missing then.
  return free === wide(tally) && load64(capacitor + GRANT) === grant ? 1 : 0;
}

/** Recovers the permits that a dead agent's ledger entry records. */
class Platoon implements RecordedOffice {
  /** Makes one of the departures that the dead agent still has to make. */
  giveBack(capacitor: LineAddress, agent: AgentAddress, entry: EntryAddress, held: i32): i32 {
    departDead(capacitor, agent);
    put64(entry + ENTRY_HELD, wide(held - 1));
    return held > 1 ? RACED : 1;
  }
}

const platoon = /* @__PURE__ */ new Platoon();

/**
 * Makes one departure of a dead agent at each call. Returns 0 if none is left, and RACED if it lost a race: call again.
 * Run the walk afterwards.
 *
 * @step `departCapacitorForDead`, `cancelLaneWait`
 * @takes A dead agent's arrivals, as `departCapacitor`. Its wait in a lane; a grant that came first departs
 * @leaves As `departCapacitor`, in the **dead** agent's record
 * @death Called again
 */
export function departCapacitorForDead(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(platoon, agent, entry);
}
