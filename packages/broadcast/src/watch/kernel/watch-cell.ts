// Steps of a watch cell. The word GRANT of its line decides which value is the newest, and the base's waiters compare
// it with their tickets.
//
// GRANT, one 64-bit word
//
//   bits 0-2    slot      where the newest value is
//   bit 3       closed    no further value is set
//   bits 4-63   version   how many values were set; it never decreases
//
//   version ▶ version + 1, slot ▶ the writer's    [publishWatchSlot]    the ticket of all waiters, which is the word
//                                                                       before, is due. The step
//   closed 0 ▶ 1                                  [closeWatch]          detaches the chain of that ticket; the walk
//                                                                       that follows admits all
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
//   1. A slot is free, one writer's, or the newest value's. A writer writes to its own slot only. So the newest value
//      is always whole, and a writer that dies leaves the value before its own.
//   2. A reader's copy is a whole value if its slot was the newest value's after it had read CLAIMS, and CLAIMS is the
//      same after the copy. The second read writes the word unchanged. So the writer's count, if it comes later, comes
//      after the copy also in a memory model in which plain reads may be late.
//   3. A ticket is due if and only if a value was set or the cell was closed since it was drawn. The waiters of one
//      version have one ticket and one chain.
//   4. Lost wake-up: the waiter enters the chain and then loads the word (base: `link`). `publishWatchSlot` and
//      `closeWatch` write the word and then detach the chain. So one of the two sees the other.
//   5. A waiter that cancels leaves its element SPENT and detaches its chain: the walk frees the element and puts the
//      others back.
//   6. The word that decides which value is the newest also says that the cell is closed. So no value is set after a
//      reader has seen that there will be none.

import {
  add32,
  AGENT_CHAIN,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  bucketOf,
  cancelAdmitted,
  cas32,
  cas64,
  clamp,
  detach,
  ENTRY_HELD,
  ENTRY_SEM,
  ENTRY_TAG,
  get32,
  get64,
  GRANT,
  guard,
  IDLE,
  load32,
  load64,
  low32,
  NEEDS_WALK,
  OCCUPIED,
  pair,
  plus,
  pollAdmitted,
  put64,
  queue,
  RACED,
  SHUT,
  TAKEN,
  times32,
  unguard,
  WAITING,
  wide,
  type AgentAddress,
  type Cancel,
  type Draw,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Poll,
  type Wake,
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
 * Takes a slot to write a value in. TAKEN. OCCUPIED: it is not free. RACED: call again.
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
 * The value that this agent wrote in its slot is the newest. IDLE: no waiter is to be woken. NEEDS_WALK: run the walk.
 * SHUT: closed, and the slot is free again; or freed. RACED: call again.
 *
 * @takes The slot becomes the newest value's, by CAS on `GRANT`; that of the value before is free; the chain of the
 *   ticket before. Of a closed cell: its own slot is free
 * @leaves `ENTRY_HELD` 0 first, as before when the CAS lost; `FREE_SLOTS`; `AGENT_CHAIN`
 * @death Walk
 */
export function publishWatchSlot(
  cell: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  slot: i32,
): Wake | typeof SHUT | typeof RACED {
  // A waiter that is admitted may free the cell, before the slot of the value before is free.
  guard(agent, cell);
  const published = publishGuarded(cell, tag, agent, entry, slot);
  unguard(agent);
  return published;
}

function publishGuarded(
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
  // Before the word: with `jsEngine` an agent may die in between, and its recovery must not free the slot of the newest
  // value.
  put64(entry + ENTRY_HELD, wide(0));
  if (cas64(cell + GRANT, word, next) !== word) {
    put64(entry + ENTRY_HELD, wide(slot + 1));
    return RACED;
  }
  put64(entry + READ_WORD, next);
  // The bit is 0, so this sets it and no other.
  add32(cell + FREE_SLOTS, 1 << before);
  detach(agent, bucketOf(cell, word));
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

function refuseWatchSlot(cell: LineAddress, entry: EntryAddress, slot: i32): typeof SHUT {
  // As in `publishGuarded`: a slot may be lost, and is never free twice.
  put64(entry + ENTRY_HELD, wide(0));
  add32(cell + FREE_SLOTS, 1 << slot);
  return SHUT;
}

/**
 * No further value is set. IDLE: no waiter is to be woken, or it was closed before. NEEDS_WALK: run the walk. RACED:
 * call again.
 *
 * @takes The end, by CAS on `GRANT`; the chain of the ticket before
 * @leaves `GRANT`; `AGENT_CHAIN`
 * @death Walk
 */
export function closeWatch(cell: LineAddress, tag: i32, agent: AgentAddress): Wake | typeof SHUT | typeof RACED {
  if (load32(cell + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(cell + GRANT);
  if (isClosed(word)) return IDLE;
  if (cas64(cell + GRANT, word, plus(word, wide(CELL_CLOSED))) !== word) return RACED;
  // The cell may be freed from here on: only its address is used.
  detach(agent, bucketOf(cell, word));
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * A dead writer's slot is free again. Returns 0: it held nothing that others wait for.
 *
 * @takes A dead writer's slot
 * @leaves `ENTRY_HELD` 0, then `FREE_SLOTS`
 * @death Nothing
 */
export function restoreWatchSlot(agent: AgentAddress, entry: EntryAddress): i32 {
  const cell = asLine(get32(entry + ENTRY_SEM));
  guard(agent, cell);
  const held = clamp(get64(entry + ENTRY_HELD), SLOTS);
  put64(entry + ENTRY_HELD, wide(0));
  if (held !== 0 && load32(cell + BLOCK_TAG) === get32(entry + ENTRY_TAG)) add32(cell + FREE_SLOTS, 1 << (held - 1));
  unguard(agent);
  return 0;
}

/**
 * Begins to read the newest value: its slot is in the low bits of READ_WORD. Returns the claims of the slot, with which
 * `confirmWatchRead` compares after the copy. RACED: call again.
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

/** The claims of the slot after the copy. */
export function confirmWatchRead(cell: LineAddress, slot: i32): i32 {
  return add32(slotAt(cell, slot) + CLAIMS, 0) & CLAIMS_MASK;
}

/**
 * TAKEN: the cell's word is not the one that this caller saw last, or the cell is closed. WAITING: it is, with
 * `mayWait` 0. Else the agent's spare element, QUEUED. The agent must have a spare.
 *
 * @takes A place: a ticket that is the word
 * @leaves The element: `AT`, `COUNT`, `SEM`, `TAG`, `GATE` QUEUED
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
 * Checks once. TAKEN: a value was set or the cell was closed, the element is free. SHUT: freed, the element is free.
 * WAITING: neither.
 *
 * @step `pollWatch`, `cancelWatchWait`
 * @takes As `pollManualEvent` and `cancelManualWait`
 * @leaves `GATE`; `AGENT_CHAIN`
 * @death As before: the walk frees the element
 */
export function pollWatch(element: ElementAddress, _entry: EntryAddress): Poll {
  return pollAdmitted(element);
}

/**
 * Cancels a wait, also a dead agent's: the cell needs nothing from the waiter. TAKEN, ADMITTED_DETACHED: a value was
 * set or the cell was closed first. CANCELLED: left.
 * CANCELLED_LEFT_BEHIND: left, the element stays behind. SHUT: freed. RACED: call again. Run the walk afterwards.
 */
export function cancelWatchWait(agent: AgentAddress, element: ElementAddress, _entry: EntryAddress): Cancel {
  return cancelAdmitted(agent, element);
}
