// Steps of a watch cell. The word GRANT of its line decides which value is the newest. Waiters compare GRANT with their
// tickets, as the core's waiters do.
//
// GRANT, one 64-bit word
//
//   bits 0-2    slot      where the newest value is
//   bit 3       closed    no further value can be set
//   bits 4-63   version   the number of values set; it never decreases
//
//   version ▶ version + 1, slot ▶ the writer's    [publishWatchSlot]    the ticket of all waiters, which is the word
//                                                                       before, is due
//   closed 0 ▶ 1                                  [closeWatch]          that ticket is due
//
// The step detaches the chain of that ticket. The walk that follows admits all waiters.
//
// FREE_SLOTS, one bit for each slot
//
//   1 ▶ 0   [claimWatchSlot]                      a writer takes the slot, notes it in its ledger entry, and counts the
//                                                 claim in the slot
//   0 ▶ 1   [publishWatchSlot]                    of the slot that was the newest value's until then; of its own if the
//                                                 cell is closed
//           [restoreWatchSlot]                    of the slot that a dead writer had
//
// INVARIANTS
//
//   1. A slot is free, belongs to one writer, or holds the newest value. A writer writes only to its own slot. So the
//      newest value is always whole, and a writer that dies leaves the previous value.
//   2. A reader loads CLAIMS, checks that the slot still holds the newest value, copies the slot, and loads CLAIMS
//      again. The copy is a whole value if CLAIMS is unchanged. The second load writes the word back unchanged. So even
//      in a memory model with late plain reads, a writer's later count comes after the copy.
//   3. A ticket is due if and only if a value was set or the cell was closed after the ticket was drawn. The waiters of
//      one version have one ticket and one chain.
//   4. Lost wake-up: the waiter enters the chain and then loads the word (core: `link`). `publishWatchSlot` and
//      `closeWatch` write the word and then detach the chain. So either the waiter sees the new word, or the step finds
//      the waiter in the chain. If the step detached first (the mutant "set() detaches the chain before it writes the
//      version"), it could detach an empty chain; the waiter would push its element and load the old word; then the
//      step would write the word. Later steps detach the chains of later versions, so the waiter would sleep on.
//   5. A waiter that cancels leaves its element SPENT and detaches its chain. The walk frees the element and puts the
//      other elements back.
//   6. One word decides which value is the newest and whether the cell is closed. So after a reader has seen that the
//      cell is closed, no value is set.

import {
  AGENT_CHAIN,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  ENTRY_HELD,
  ENTRY_LINE,
  ENTRY_TAG,
  GRANT,
  IDLE,
  NEEDS_WALK,
  OCCUPIED,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type AgentAddress,
  type Cancel,
  type Draw,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Poll,
  type Wake,
} from '@sluice/core/format';
import {
  add32,
  bucketOf,
  cancelAdmitted,
  cas32,
  cas64,
  clamp,
  detach,
  get32,
  get64,
  setHazard,
  load32,
  load64,
  low32,
  pair,
  plus,
  pollAdmitted,
  put64,
  queue,
  times32,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import {
  CELL_CLOSED,
  CLAIMS,
  CLAIMS_MASK,
  FREE_SLOTS,
  READ_WORD,
  SLOT_MASK,
  SLOT_STRIDE,
  SLOTS,
  VERSION_STEP,
} from './layout.ts';

function isClosed(word: i64): boolean {
  return (low32(word) & CELL_CLOSED) !== 0;
}

function slotAt(cell: LineAddress, slot: i32): i32 {
  return cell + BLOCK_LINE + times32(slot, get32(cell + SLOT_STRIDE));
}

/**
 * Takes a free slot for a writer. Returns TAKEN, or OCCUPIED if the slot is not free, or RACED if the caller must call
 * again.
 *
 * @takes A free slot of a watch cell, by CAS on `FREE_SLOTS`
 * @leaves `ENTRY_HELD`: 1 + the slot; `CLAIMS` of the slot + 1
 * @death `restoreWatchSlot`: the slot is free again
 */
export function claimWatchSlot(
  cell: LineAddress,
  tag: i32,
  entry: EntryAddress,
  slot: i32,
): typeof TAKEN | typeof OCCUPIED | typeof SHUT | typeof RACED {
  if (load32(cell + BLOCK_TAG) !== tag) return SHUT;
  const free = load32(cell + FREE_SLOTS);
  const bit = 1 << slot;
  if ((free & bit) === 0) return OCCUPIED;
  if (cas32(cell + FREE_SLOTS, free, free & ~bit) !== free) return RACED;
  put64(entry + ENTRY_HELD, wide(slot + 1));
  add32(slotAt(cell, slot) + CLAIMS, 1);
  return TAKEN;
}

/**
 * Publishes the value in this agent's slot as the newest. Returns IDLE if no waiter must be woken, or NEEDS_WALK if the
 * caller must run the walk. Returns SHUT if the cell is closed (then the slot is free again) or freed. Returns RACED if
 * the caller must call again.
 *
 * @takes The agent's slot becomes that of the newest value, by CAS on `GRANT`. The slot of the previous value becomes
 *   free. The chain of the previous ticket is detached. If the cell is closed, only the agent's slot becomes free
 * @leaves `ENTRY_HELD` 0 first, its old value if the CAS lost; `FREE_SLOTS`; `AGENT_CHAIN`
 * @death Walk
 */
export function publishWatchSlot(
  cell: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  slot: i32,
): Wake | typeof SHUT | typeof RACED {
  // An admitted waiter may free the cell before this step has freed the slot of the previous value.
  setHazard(agent, cell);
  const published = publishUnderHazard(cell, tag, agent, entry, slot);
  clearHazard(agent);
  return published;
}

function publishUnderHazard(
  cell: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  slot: i32,
): Wake | typeof SHUT | typeof RACED {
  if (load32(cell + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(cell + GRANT);
  if (isClosed(word)) return refuseWatchSlot(cell, entry, slot);
  const before = low32(word) & SLOT_MASK;
  const next = plus(word, wide(VERSION_STEP + slot - before));
  // Before the write of GRANT: with `jsEngine` an agent may die in between. Its recovery must not free the slot of the
  // newest value.
  put64(entry + ENTRY_HELD, wide(0));
  if (cas64(cell + GRANT, word, next) !== word) {
    put64(entry + ENTRY_HELD, wide(slot + 1));
    return RACED;
  }
  put64(entry + READ_WORD, next);
  // The bit is 0, so the addition sets this bit and changes no other.
  add32(cell + FREE_SLOTS, 1 << before);
  // Lost wake-up, ending side: write GRANT, then detach. Pairs with `link`.
  detach(agent, bucketOf(cell, word));
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

function refuseWatchSlot(cell: LineAddress, entry: EntryAddress, slot: i32): typeof SHUT {
  // In the order of `publishUnderHazard`: a slot may be lost, but it is never free twice.
  put64(entry + ENTRY_HELD, wide(0));
  add32(cell + FREE_SLOTS, 1 << slot);
  return SHUT;
}

/**
 * Closes the cell: no further value can be set. Returns IDLE if no waiter must be woken or the cell was closed before,
 * NEEDS_WALK if the caller must run the walk, and RACED if it must call again.
 *
 * @takes The end of the cell, by CAS on `GRANT`; the chain of the previous ticket
 * @leaves `GRANT`; `AGENT_CHAIN`
 * @death Walk
 */
export function closeWatch(cell: LineAddress, tag: i32, agent: AgentAddress): Wake | typeof SHUT | typeof RACED {
  if (load32(cell + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(cell + GRANT);
  if (isClosed(word)) return IDLE;
  if (cas64(cell + GRANT, word, plus(word, wide(CELL_CLOSED))) !== word) return RACED;
  // Lost wake-up, ending side: write GRANT, then detach. Pairs with `link`.
  // The cell may be freed from here on: only its address is used.
  detach(agent, bucketOf(cell, word));
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * Frees the slot of a dead writer. Returns 0, because no other agent waits for the slot.
 *
 * @takes A dead writer's slot
 * @leaves `ENTRY_HELD` 0, then `FREE_SLOTS`
 * @death Nothing
 */
export function restoreWatchSlot(agent: AgentAddress, entry: EntryAddress): i32 {
  const cell = asLine(get32(entry + ENTRY_LINE));
  setHazard(agent, cell);
  const held = clamp(get64(entry + ENTRY_HELD), SLOTS);
  put64(entry + ENTRY_HELD, wide(0));
  if (held !== 0 && load32(cell + BLOCK_TAG) === get32(entry + ENTRY_TAG)) add32(cell + FREE_SLOTS, 1 << (held - 1));
  clearHazard(agent);
  return 0;
}

/**
 * Begins to read the newest value, whose slot is in the low bits of READ_WORD. Returns the claims of the slot: the
 * caller compares them with `confirmWatchRead` after the copy. Returns RACED if the caller must call again.
 *
 * @step `beginWatchRead`, `confirmWatchRead`
 * @takes Nothing
 * @leaves `READ_WORD`, for the agent alone
 * @death Nothing
 */
export function beginWatchRead(cell: LineAddress, tag: i32, entry: EntryAddress): i32 {
  if (load32(cell + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(cell + GRANT);
  put64(entry + READ_WORD, word);
  const claims = load32(slotAt(cell, low32(word) & SLOT_MASK) + CLAIMS) & CLAIMS_MASK;
  return load64(cell + GRANT) === word ? claims : RACED;
}

/** Returns the claims of the slot after the copy. */
export function confirmWatchRead(cell: LineAddress, slot: i32): i32 {
  return add32(slotAt(cell, slot) + CLAIMS, 0) & CLAIMS_MASK;
}

/**
 * Enters the line for a newer value. Returns TAKEN, without waiting, if a value was set after the caller last got or
 * set one, or if the cell is closed. Otherwise returns WAITING if `mayWait` is 0, or the agent's spare element, which
 * is then QUEUED. The agent must have a spare.
 *
 * @takes A place in line: the ticket is the cell's word
 * @leaves The element: `DRAWN`, `COUNT`, `LINE`, `TAG`, `GATE` QUEUED
 * @death Cancelled
 */
export function enqueueAtWatch(
  cell: LineAddress,
  tag: i32,
  agent: AgentAddress,
  mayWait: i32,
  seenLow: i32,
  seenHigh: i32,
): Draw | typeof WAITING {
  if (load32(cell + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(cell + GRANT);
  if (word !== pair(seenLow, seenHigh) || isClosed(word)) return TAKEN;
  if (mayWait === 0) return WAITING;
  return queue(agent, cell, tag, 1, word);
}

/**
 * Checks a wait once. Returns TAKEN if a value was set or the cell was closed, and SHUT if the cell was freed. Then the
 * element is free. Otherwise returns WAITING.
 *
 * @step `pollWatch`, `cancelWatchWait`
 * @takes Nothing: a waiter takes no value from the cell. `cancelWatchWait`: the place, and that chain if the element is
 *   alone in it
 * @leaves `GATE` FREE, or SPENT in a chain; `AGENT_CHAIN`
 * @death The walk frees the element
 */
export function pollWatch(element: ElementAddress, _entry: EntryAddress): Poll {
  return pollAdmitted(element);
}

/**
 * Cancels a wait of this agent, or of a dead agent. The cell takes nothing back from the waiter. Returns CANCELLED if
 * the wait ended, or CANCELLED_LEFT_BEHIND if the element stays behind. Returns TAKEN or ADMITTED_DETACHED if a value
 * was set or the cell was closed first. Returns SHUT if the cell was freed, and RACED if the caller must call again.
 * Run the walk afterwards.
 */
export function cancelWatchWait(agent: AgentAddress, element: ElementAddress, _entry: EntryAddress): Cancel {
  return cancelAdmitted(agent, element);
}
