// Steps of a cyclic barrier: arriving, the action, breaking. The waits are in barrier-wait.ts, the parties in
// parties.ts. As at a latch, the word GRANT of the line decides, and the core's waiters compare it with their tickets.
//
// GRANT, one 64-bit word
//
//   bits 0-14   arrived      how many parties wait in this generation · while BROKEN: why
//   bits 15-29  parties
//   bit 30      ACTING       all have arrived, and the last of them runs the action; `arrived` is 0
//   bit 31      BROKEN       the generation before was broken, and none has begun since
//   bits 32-63  generation   how many have ended; it wraps
//
//   A waiter's ticket is the last value that its generation could have, all ones in the low half. So it is due when the
//   generation has ended.
//
//   open, a + 1 < parties    ▶ a + 1 arrived                      [arriveAtBarrier]
//   open, a + 1 = parties    ▶ next generation, open              [arriveAtBarrier, leaveBarrier]   tripped
//                            ▶ ACTING                             [arriveAtBarrier, leaveBarrier]   with an action
//   ACTING                   ▶ next generation, open              [tripBarrier]                     tripped
//   open or ACTING           ▶ next generation, BROKEN            [breakBarrier, tripBarrier, cancelBarrierWait,
//                                                                 restoreParties]
//   BROKEN                   ▶ same generation, open              [mendBarrier]
//   any                      ▶ same, parties + n or parties - n   [registerAtBarrier, leaveBarrier, restoreParties]
//
// RESETS, one 64-bit word: how many times the barrier was made whole, and the generation at the last time.
// `mendBarrier` writes RESETS before the word GRANT.
//
// INVARIANTS
//
//   1. A ticket of a generation is due if and only if the generation has ended. No later step makes it undue.
//   2. Lost wake-up: the waiter enters the chain and then loads the word (core: `link`), or prepares its sleep and
//      then loads it (`prepareSleepAtBarrier` in sleep-word.ts). A step that ends a generation writes the word, then
//      detaches the chain of its tickets and wakes the sleepers (`endGeneration`). So one of the two sees the other. If
//      that step detached first (the mutant "the step that ends a generation detaches the chain before it writes the
//      word"), it could detach an empty chain; the waiter would push its element and load the open generation; then the
//      step would write the word. No later step detaches the chain of that ticket.
//   3. All waiters of a generation read the same outcome, at any time (`outcomeOf`). While the barrier is BROKEN, the
//      word has the outcome. Afterwards RESETS has it. RESETS changes only while the barrier is BROKEN. So a waiter
//      that finds RESETS as at its arrival was not in a broken generation. If RESETS counts one reset more, it names
//      the broken generation. If RESETS counts more than one reset more, the wait ends as broken: its party has missed
//      at least one generation.
//   4. `arrived` is less than `parties` while the barrier is open, unless both are 0.
//   5. Each counted arrival has an element from before it was counted until its generation has ended. So the recovery
//      of a dead waiter finds the element, and breaks the generation.
//   6. The first party to arrive is the leader. It waits, or it is the only party. So each tripped generation has a
//      leader, even if a party that leaves trips it.

import {
  AGENT_CHAIN,
  AGENT_DUTY_KIND,
  AGENT_SPARE,
  BLOCK_TAG,
  ENTRY_HELD,
  FREE,
  GATE,
  GRANT,
  IDLE,
  LEAVING,
  NEEDS_WALK,
  QUEUED,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type AgentAddress,
  type Enqueue,
  type EntryAddress,
  type LineAddress,
  type Wake,
} from '@sluice/core/format';
import {
  bucketOf,
  cas64,
  detach,
  get32,
  get64,
  high32,
  load32,
  load64,
  low32,
  minus,
  pair,
  plus,
  put32,
  put64,
  queue,
  store32,
  wide,
} from '@sluice/core/kernel';
import { beginWake, endWake } from './sleep-word.ts';
import {
  ACTING,
  ACTING_IN,
  ARRIVED,
  BROKEN,
  OUTCOME,
  PARTIES,
  PARTIES_AT,
  RESETS,
  RESETS_SEEN,
  ROLE,
} from './layout.ts';
import { ACTS, BROKE, BROKEN_MEANWHILE, BYSTANDER, FIRST, NO_PARTY, RESET, THREW, TRIPPED } from './outcomes.ts';

export function partiesOf(low: i32): i32 {
  return (low & PARTIES) >>> PARTIES_AT;
}

/** Returns the number of parties that wait in the generation, unless its action runs. */
export function arrivedIn(low: i32): i32 {
  return low & ARRIVED;
}

/** Returns the low half of the word for a generation of the same parties in which none has arrived. */
export function withoutArrivals(low: i32): i32 {
  return low & PARTIES;
}

/** Whether all parties have arrived and the action of their generation runs. */
export function isActing(low: i32): boolean {
  return (low & ACTING) !== 0;
}

/** Whether the generation before was broken, and none has begun since. */
export function isBroken(low: i32): boolean {
  return (low & BROKEN) !== 0;
}

/** Returns the value of ACTING_IN in that generation. Its lowest bit is set, so it is never 0. */
export function actingIn(generation: i32): i32 {
  return (generation << 1) | 1;
}

/** Records the outcome of the call. */
function decide(entry: EntryAddress, outcome: i32): typeof TAKEN {
  put32(entry + OUTCOME, outcome);
  return TAKEN;
}

/**
 * Ends the generation of `word`: the next one begins with `low`. Returns false, with nothing changed, if it lost a
 * race. The walk follows. Another agent may free the barrier from then on, so the step uses only its address.
 */
export function endGeneration(barrier: LineAddress, agent: AgentAddress, word: i64, low: i32): boolean {
  beginWake(agent, barrier);
  const isEnded = cas64(barrier + GRANT, word, pair(low, high32(plus(word, pair(0, 1))))) === word;
  endWake(agent, barrier, isEnded);
  // Lost wake-up, ending side: write GRANT, then detach. Pairs with `link`.
  if (isEnded) detach(agent, bucketOf(barrier, pair(-1, high32(word))));
  return isEnded;
}

/** Breaks that generation. Returns false if it has ended, or if the step lost a race. */
export function breakGeneration(barrier: LineAddress, agent: AgentAddress, generation: i32, why: i32): boolean {
  const word = load64(barrier + GRANT);
  return (
    high32(word) === generation && endGeneration(barrier, agent, word, withoutArrivals(low32(word)) | BROKEN | why)
  );
}

export function toWalk(agent: AgentAddress): Wake {
  return get32(agent + AGENT_CHAIN) === 0 && get32(agent + AGENT_DUTY_KIND) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * Arrives. Returns TAKEN if the arrival was decided at once: OUTCOME tells how, and the walk follows. Returns WAITING,
 * with nothing changed, if it is not the last party and `mayWait` is 0. Otherwise returns the agent's spare element,
 * QUEUED. The agent must have a spare. `acts` is 1 if the agent has an action.
 *
 * @takes If not the last party: a place, a ticket that follows from the word, and one arrival in the word `GRANT` of a
 *   barrier, by CAS. If the last party: the generation by CAS, its sleep word and the chain of its ticket; with an action,
 *   instead the duty to run it
 * @leaves The element first: `DRAWN`, `COUNT`, `LINE`, `TAG`, `GATE` QUEUED, `LEAVING`, `RESETS_SEEN`, `ROLE`; if the CAS
 *   lost, FREE again and back in `AGENT_SPARE`. `OUTCOME`; `AGENT_DUTY` and `AGENT_DUTY_KIND` first, then
 *   `AGENT_CHAIN`. With an action: `ACTING_IN`, then `ENTRY_HELD` + 1, both restored if the CAS lost
 * @death If in line: the generation is broken. If acting: `restoreParties`. Walk
 */
export function arriveAtBarrier(
  barrier: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  mayWait: i32,
  acts: i32,
): Enqueue {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(barrier + GRANT);
  const low = low32(word);
  if (isBroken(low)) return decide(entry, BROKE);
  if (partiesOf(low) === 0) return decide(entry, NO_PARTY);
  const isOpen = !isActing(low);
  const first = isOpen && arrivedIn(low) === 0 ? FIRST : 0;
  if (isOpen && arrivedIn(low) + 1 === partiesOf(low)) {
    if (acts !== 0)
      return beginAction(barrier, entry, word, withoutArrivals(low)) ? decide(entry, ACTS | first) : RACED;
    return endGeneration(barrier, agent, word, withoutArrivals(low)) ? decide(entry, TRIPPED | first) : RACED;
  }
  if (mayWait === 0) return WAITING;
  const seen = low32(load64(barrier + RESETS));
  const element = queue(agent, barrier, tag, 1, pair(-1, high32(word)));
  put32(element + LEAVING, 0);
  put32(element + RESETS_SEEN, seen);
  put32(element + ROLE, isOpen ? first : BYSTANDER);
  // Write this after the element. If the agent dies in between, recovery takes it for a party and breaks the
  // generation. In the other order the arrival would be counted, and no recovery would find it.
  if (!isOpen) {
    // Repeat the write as an atomic store: a bystander swaps nothing, and `prepareSleepAtBarrier` may only load. A recovery
    // that reads the gate must see it, or wake the waiter.
    store32(element + GATE, QUEUED);
    return element;
  }
  if (cas64(barrier + GRANT, word, plus(word, wide(1))) === word) return element;
  put32(element + GATE, FREE);
  put32(agent + AGENT_SPARE, element);
  return RACED;
}

/** Makes the agent run the action of that generation. Returns false if it lost a race. */
export function beginAction(barrier: LineAddress, entry: EntryAddress, word: i64, low: i32): boolean {
  // An action may break its generation and arrive in the next one. Then the entry already counts an action.
  const isCounted = get32(entry + ACTING_IN) !== 0;
  // Write this first, so that the action that ENTRY_HELD counts beside parties is never taken for a party.
  put32(entry + ACTING_IN, actingIn(high32(word)));
  if (!isCounted) put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), wide(1)));
  if (cas64(barrier + GRANT, word, pair(low | ACTING, high32(word))) === word) return true;
  endAction(entry);
  return false;
}

function endAction(entry: EntryAddress): void {
  if (get32(entry + ACTING_IN) === 0) return;
  put64(entry + ENTRY_HELD, minus(get64(entry + ENTRY_HELD), wide(1)));
  put32(entry + ACTING_IN, 0);
}

/**
 * Ends the generation after the action has returned, or has thrown if `threw` is 1. Returns IDLE or NEEDS_WALK if the
 * generation tripped, or was broken by the error. Returns BROKEN_MEANWHILE if it was broken before, and RACED if it
 * lost a race: call again.
 *
 * @takes The generation, by CAS, and the chain of its ticket. Nothing if the generation was broken meanwhile
 * @leaves `AGENT_DUTY`, `AGENT_DUTY_KIND`, `AGENT_CHAIN`; then `ENTRY_HELD` - 1 and `ACTING_IN` 0
 * @death Walk. Before the last two writes: `restoreParties`, which finds another generation
 */
export function tripBarrier(
  barrier: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  threw: i32,
): Wake | typeof SHUT | typeof RACED | typeof BROKEN_MEANWHILE {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(barrier + GRANT);
  const low = low32(word);
  if (!isActing(low) || get32(entry + ACTING_IN) !== actingIn(high32(word))) {
    endAction(entry);
    return BROKEN_MEANWHILE;
  }
  if (!endGeneration(barrier, agent, word, threw === 0 ? withoutArrivals(low) : withoutArrivals(low) | BROKEN | THREW))
    return RACED;
  endAction(entry);
  return toWalk(agent);
}

/**
 * Breaks the generation. For RESET, only if parties wait in it. Returns IDLE if it is broken, or if nothing changed.
 * Returns NEEDS_WALK if it is broken and the caller must run the walk, and RACED if it lost a race: call again.
 *
 * @takes As `tripBarrier`; for a reset only a generation in which parties wait
 * @leaves `AGENT_DUTY`, `AGENT_DUTY_KIND`, `AGENT_CHAIN`
 * @death Walk
 */
export function breakBarrier(
  barrier: LineAddress,
  tag: i32,
  agent: AgentAddress,
  why: i32,
): Wake | typeof SHUT | typeof RACED {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(barrier + GRANT);
  const low = low32(word);
  if (isBroken(low) || (why === RESET && !isActing(low) && arrivedIn(low) === 0)) return IDLE;
  return endGeneration(barrier, agent, word, withoutArrivals(low) | BROKEN | why) ? toWalk(agent) : RACED;
}

/**
 * Makes a broken barrier whole. Returns IDLE if it is whole, and RACED if it lost a race: call again.
 *
 * @takes Nothing: `RESETS` by CAS, then the bit `BROKEN` by CAS
 * @leaves The words
 * @death Another `mendBarrier` finds `RESETS` done
 */
export function mendBarrier(barrier: LineAddress, tag: i32): typeof IDLE | typeof SHUT | typeof RACED {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  // Load RESETS before the word. If the word is BROKEN afterwards and RESETS is still the same, no agent has made the
  // barrier whole in between.
  const resets = load64(barrier + RESETS);
  const word = load64(barrier + GRANT);
  const low = low32(word);
  if (!isBroken(low)) return IDLE;
  // Another agent may have written RESETS for this generation already. The reset is counted once.
  if (
    high32(resets) !== high32(word) &&
    cas64(barrier + RESETS, resets, pair(low32(plus(resets, wide(1))), high32(word))) !== resets
  )
    return RACED;
  return cas64(barrier + GRANT, word, pair(withoutArrivals(low), high32(word))) === word ? IDLE : RACED;
}
