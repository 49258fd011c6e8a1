// Steps of a cyclic barrier: arriving, joining, leaving, breaking. The waits are in barrier-wait.ts. As at a latch, the word GRANT of the line
// decides, and the base's waiters compare it with their tickets.
//
// GRANT, one 64-bit word
//
//   bits 0-14   arrived      how many parties wait in this generation · while BROKEN: why
//   bits 15-29  parties
//   bit 30      ACTING       all have arrived, and the last of them runs the action; `arrived` is 0
//   bit 31      BROKEN       the generation before was broken, and none has begun since
//   bits 32-63  generation   how many have ended; it wraps
//
//   A waiter's ticket is the last value that its generation could have, all ones in the low half. So it is due when the generation has ended.
//
//   open, a + 1 < parties    ▶ a + 1 arrived                      [arriveAtBarrier]
//   open, a + 1 = parties    ▶ next generation, open              [arriveAtBarrier, leaveBarrier]   tripped
//                            ▶ ACTING                             [the same, of an agent with an action]
//   ACTING                   ▶ next generation, open              [tripBarrier]                     tripped
//   open or ACTING           ▶ next generation, BROKEN            [breakBarrier, tripBarrier, cancelBarrierWait, restoreParties]
//   BROKEN                   ▶ same generation, open              [mendBarrier]
//   any                      ▶ same, parties + n or parties - n   [registerAtBarrier, leaveBarrier, restoreParties]
//
// RESETS, one 64-bit word: how many times the barrier was made whole, and for which generation the last time. `mendBarrier` writes it before
// the word.
//
// INVARIANTS
//
//   1. A ticket of a generation is due if and only if the generation has ended. No later step makes it undue.
//   2. Lost wake-up: the waiter enters the chain and then loads the word (base: `link`). A step that ends a generation writes the word and then
//      detaches the chain of its tickets. So one of the two sees the other.
//   3. All waiters of a generation read the same outcome, whenever they look (`outcomeOf`). While BROKEN the word has it. Afterwards RESETS
//      has it: RESETS changes only while the barrier is BROKEN, so a waiter that finds it as at its arrival was not in a broken generation.
//      If it counts one reset more, it names the generation. A wait that more than one reset has passed ends as broken: its party has
//      missed a generation at least.
//   4. `arrived` is less than `parties` while the barrier is open, unless both are 0.
//   5. Each arrival that was counted has an element from before it was counted until its generation has ended. So the recovery of a dead
//      waiter finds it, and breaks the generation.
//   6. The first to arrive is the leader. It waits, or is alone, so each tripped generation has one, also if a party that leaves trips it.
import {
  AGENT_CHAIN,
  AGENT_SPARE,
  asLine,
  AT,
  BLOCK_TAG,
  bucketOf,
  cas64,
  clamp,
  detach,
  ENTRY_HELD,
  ENTRY_SEM,
  ENTRY_TAG,
  FREE,
  FULL,
  GATE,
  get32,
  get64,
  GRANT,
  guard,
  high32,
  IDLE,
  LEAVING,
  load32,
  load64,
  low32,
  minus,
  NEEDS_WALK,
  pair,
  plus,
  put32,
  put64,
  queue,
  RACED,
  SHUT,
  TAKEN,
  unguard,
  WAITING,
  wide,
  type AgentAddress,
  type ElementAddress,
  type Enqueue,
  type EntryAddress,
  type LineAddress,
  type Wake,
} from '@sluice/core/kernel';
import { ACTING, ACTING_IN, ARRIVED, BROKEN, MOST_PARTIES, OUTCOME, PARTIES, PARTIES_AT, RESETS, RESETS_SEEN, ROLE } from './layout.ts';
import { ACTS, ACTS_NOW, BROKE, BROKEN_MEANWHILE, BYSTANDER, DIED, FIRST, NO_PARTY, RESET, THREW, TRIPPED } from './outcomes.ts';

function partiesOf(low: i32): i32 {
  return (low & PARTIES) >>> PARTIES_AT;
}

/** The parties that wait in an open generation; otherwise 0. */
function arrivedOf(low: i32): i32 {
  return (low & (ACTING | BROKEN)) === 0 ? low & ARRIVED : 0;
}

/** The value of ACTING_IN for that generation. Its lowest bit is 1, so it is never 0. */
function actingIn(generation: i32): i32 {
  return (generation << 1) | 1;
}

/** Notes how the call ended. */
function decide(entry: EntryAddress, outcome: i32): typeof TAKEN {
  put32(entry + OUTCOME, outcome);
  return TAKEN;
}

/**
 * Ends the generation of `word`: the next one begins with `low`. False: lost a race, nothing changed. The walk follows. The barrier may be
 * freed from then on: only its address is used.
 */
export function endGeneration(barrier: LineAddress, agent: AgentAddress, word: i64, low: i32): boolean {
  if (cas64(barrier + GRANT, word, pair(low, high32(plus(word, pair(0, 1))))) !== word) return false;
  detach(agent, bucketOf(barrier, pair(-1, high32(word))));
  return true;
}

/** Breaks that generation. False: it has ended, or lost a race. */
export function breakGeneration(barrier: LineAddress, agent: AgentAddress, generation: i32, why: i32): boolean {
  const word = load64(barrier + GRANT);
  return high32(word) === generation && endGeneration(barrier, agent, word, (low32(word) & PARTIES) | BROKEN | why);
}

function toWalk(agent: AgentAddress): Wake {
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * Arrives. TAKEN: decided at once, OUTCOME says how; the walk follows. WAITING: not the last one, with `mayWait` 0; nothing changed. Else the
 * agent's spare element, QUEUED. The agent must have a spare. `acts`: 1 if the agent has an action.
 */
export function arriveAtBarrier(barrier: LineAddress, tag: i32, agent: AgentAddress, entry: EntryAddress, mayWait: i32, acts: i32): Enqueue {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(barrier + GRANT);
  const low = low32(word);
  if ((low & BROKEN) !== 0) return decide(entry, BROKE);
  if ((low & PARTIES) === 0) return decide(entry, NO_PARTY);
  const isOpen = (low & ACTING) === 0;
  const first = isOpen && (low & ARRIVED) === 0 ? FIRST : 0;
  if (isOpen && (low & ARRIVED) + 1 === partiesOf(low)) {
    if (acts !== 0) return beginAction(barrier, entry, word, low & PARTIES) ? decide(entry, ACTS | first) : RACED;
    return endGeneration(barrier, agent, word, low & PARTIES) ? decide(entry, TRIPPED | first) : RACED;
  }
  if (mayWait === 0) return WAITING;
  const seen = low32(load64(barrier + RESETS));
  const element = queue(agent, barrier, tag, 1, pair(-1, high32(word)));
  put32(element + LEAVING, 0);
  put32(element + RESETS_SEEN, seen);
  put32(element + ROLE, isOpen ? first : BYSTANDER);
  // After the element: recovery takes an agent that dies in between for a party, and breaks the generation. In the other order the arrival
  // would be counted, and no recovery would find it.
  if (!isOpen || cas64(barrier + GRANT, word, plus(word, wide(1))) === word) return element;
  put32(element + GATE, FREE);
  put32(agent + AGENT_SPARE, element);
  return RACED;
}

/** The agent is to run the action of that generation. False: lost a race. */
function beginAction(barrier: LineAddress, entry: EntryAddress, word: i64, low: i32): boolean {
  // First: while ENTRY_HELD counts the action, ACTING_IN says so. Otherwise `removeParties` would take the action for a party.
  put32(entry + ACTING_IN, actingIn(high32(word)));
  put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), wide(1)));
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
 * The action has returned, or has thrown if `threw` is 1. IDLE, NEEDS_WALK: tripped, or broken if it has thrown. BROKEN_MEANWHILE: the
 * generation was broken before. RACED: call again.
 */
export function tripBarrier(barrier: LineAddress, tag: i32, agent: AgentAddress, entry: EntryAddress, threw: i32): Wake | typeof SHUT | typeof RACED | typeof BROKEN_MEANWHILE {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(barrier + GRANT);
  const low = low32(word);
  if ((low & ACTING) === 0 || get32(entry + ACTING_IN) !== actingIn(high32(word))) {
    endAction(entry);
    return BROKEN_MEANWHILE;
  }
  if (!endGeneration(barrier, agent, word, threw === 0 ? low & PARTIES : (low & PARTIES) | BROKEN | THREW)) return RACED;
  endAction(entry);
  return toWalk(agent);
}

/**
 * Breaks the generation; for RESET only if parties wait in it. IDLE: broken, or nothing changed. RACED: call again. NEEDS_WALK: broken, run the
 * walk.
 */
export function breakBarrier(barrier: LineAddress, tag: i32, agent: AgentAddress, why: i32): Wake | typeof SHUT | typeof RACED {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(barrier + GRANT);
  const low = low32(word);
  if ((low & BROKEN) !== 0 || (why === RESET && (low & (ACTING | ARRIVED)) === 0)) return IDLE;
  return endGeneration(barrier, agent, word, (low & PARTIES) | BROKEN | why) ? toWalk(agent) : RACED;
}

/** Makes a broken barrier whole. IDLE: it is. RACED: call again. */
export function mendBarrier(barrier: LineAddress, tag: i32): typeof IDLE | typeof SHUT | typeof RACED {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  // Before the word: if the barrier is BROKEN after it, and RESETS is still the same, no agent has made it whole in between.
  const resets = load64(barrier + RESETS);
  const word = load64(barrier + GRANT);
  const low = low32(word);
  if ((low & BROKEN) === 0) return IDLE;
  // Another agent may have written RESETS for this generation already. The reset is counted once.
  if (high32(resets) !== high32(word) && cas64(barrier + RESETS, resets, pair(low32(plus(resets, wide(1))), high32(word))) !== resets) return RACED;
  return cas64(barrier + GRANT, word, pair(low & PARTIES, high32(word))) === word ? IDLE : RACED;
}

/** Adds `n` parties, which this agent is. FULL: too many. RACED: call again. */
export function registerAtBarrier(barrier: LineAddress, tag: i32, entry: EntryAddress, n: i32): typeof IDLE | typeof SHUT | typeof FULL | typeof RACED {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(barrier + GRANT);
  if (n > MOST_PARTIES - partiesOf(low32(word))) return FULL;
  if (cas64(barrier + GRANT, word, plus(word, wide(n << PARTIES_AT))) !== word) return RACED;
  // After the word: with `jsEngine` an agent may die in between. Then no recovery removes its party. In the other order a recovery would remove
  // a party that was never added.
  put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), wide(n)));
  return IDLE;
}

/** This agent is `n` of the parties. FULL: it would be more than there are. */
export function claimParties(barrier: LineAddress, tag: i32, entry: EntryAddress, n: i32): typeof IDLE | typeof SHUT | typeof FULL {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  const held = plus(get64(entry + ENTRY_HELD), wide(n));
  if (held > wide(partiesOf(low32(load64(barrier + GRANT))))) return FULL;
  put64(entry + ENTRY_HELD, held);
  return IDLE;
}

/**
 * Removes `n` parties that have not arrived, this agent's own first. FULL: there are fewer. RACED: call again. NEEDS_WALK: the others
 * had arrived, run the walk. ACTS_NOW: the same, and the agent runs the action.
 */
export function leaveBarrier(
  barrier: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  n: i32,
  acts: i32,
): Wake | typeof SHUT | typeof FULL | typeof RACED | typeof ACTS_NOW {
  if (load32(barrier + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(barrier + GRANT);
  const low = low32(word);
  const arrived = arrivedOf(low);
  const rest = partiesOf(low) - n;
  if (rest < arrived) return FULL;
  const held = get64(entry + ENTRY_HELD);
  // Before the word: with `jsEngine` an agent may die in between, and its recovery must not remove a party a second time.
  if (held > wide(n)) put64(entry + ENTRY_HELD, minus(held, wide(n)));
  else put64(entry + ENTRY_HELD, wide(0));
  if (arrived === 0 || arrived < rest) {
    if (cas64(barrier + GRANT, word, minus(word, wide(n << PARTIES_AT))) === word) return IDLE;
  } else if (acts !== 0) {
    if (beginAction(barrier, entry, word, rest << PARTIES_AT)) return ACTS_NOW;
  } else if (endGeneration(barrier, agent, word, rest << PARTIES_AT)) return toWalk(agent);
  put64(entry + ENTRY_HELD, held);
  return RACED;
}

/**
 * Removes the parties that a dead agent was, and breaks the generation, also if the agent ran its action. Returns what the entry held, or RACED:
 * call again. Run the walk afterwards.
 */
export function restoreParties(agent: AgentAddress, entry: EntryAddress): i32 {
  const barrier = asLine(get32(entry + ENTRY_SEM));
  guard(agent, barrier);
  const restored = removeParties(barrier, agent, entry);
  unguard(agent);
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
  const acting = get32(entry + ACTING_IN);
  const gone = clamp(minus(held, wide(acting === 0 ? 0 : 1)), partiesOf(low));
  const acts = (low & ACTING) !== 0 && acting === actingIn(high32(word));
  const left = low - (gone << PARTIES_AT);
  put64(entry + ENTRY_HELD, wide(0));
  if (gone > 0 || acts) {
    const isDone =
      (low & BROKEN) !== 0
        ? cas64(barrier + GRANT, word, minus(word, wide(gone << PARTIES_AT))) === word
        : endGeneration(barrier, agent, word, (left & PARTIES) | BROKEN | DIED);
    if (!isDone) {
      put64(entry + ENTRY_HELD, held);
      return RACED;
    }
  }
  return clamp(held, MOST_PARTIES + 1);
}

/** The generation of an element's waiter. */
export function generationOf(element: ElementAddress): i32 {
  return high32(get64(element + AT));
}
