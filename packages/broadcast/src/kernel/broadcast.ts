// Steps of a broadcast. The word GRANT of its line decides how many values there are, and the base's waiters compare it
// with their tickets.
//
// GRANT, one 64-bit word
//
//   bit 0       closed      no further value is published
//   bits 1-63   published   how many values were published: the position of the next one; it never decreases
//
//   published ▶ published + 1    [publishBroadcast]    the ticket of all waiters, which is the word before, is due. The
//                                                      step detaches the chain of
//   closed 0 ▶ 1                 [closeBroadcast]      that ticket; the walk that follows admits all
//
// INDEX, one entry for each value that is kept. Position p has the entry p modulo the capacity
//
//   { slot s, position p - capacity } ▶ { the publisher's slot, position p }    [publishBroadcast]
//         the value at position p is decided. Slot s is
//                                                                                                  the publisher's
//
// SPARES, one word for each publisher that can write at the same moment
//
//   1 + slot ▶ 0   [claimBroadcastSlot]      a publisher takes the slot and notes it in its ledger entry
//   0 ▶ 1 + slot   [publishBroadcast]        the slot of the value that the new one replaced; its own if the broadcast
//                                            is closed
//                  [restoreBroadcastSlot]    the slot that a dead publisher had
//
// A position is 64 bits. A subscriber keeps its own, as the word with which it would wait.
//
// INVARIANTS
//
//   1. A slot is in one entry of the index, in one spare, or a publisher's. A publisher writes to its own slot only. So
//      a value in the index is whole, and a publisher that dies leaves no trace.
//   2. The entry of the index decides which value has a position. The compare-and-swap succeeds only from the value one
//      lap before, so each position is given once. The publisher that finds the next position given, and the word not
//      yet increased, increases it itself. So no publisher waits for another one.
//   3. A value can be read if its position is less than `published` and its entry has that position. A subscriber whose
//      entry has another one lags: the value at that position was replaced. An entry is replaced one value before the
//      word says so, so a subscriber that is exactly `capacity` behind may have lost a value already. With registered
//      subscriptions none lags (marks.ts).
//   4. A reader's copy is a whole value if its entry is the same after the copy: until then its slot was in the index.
//      The second look writes the entry unchanged. So what replaces it, if that comes later, comes after the copy also
//      in a memory model in which plain reads may be late.
//   5. A ticket is due if and only if a value was published or the broadcast was closed since it was drawn. A waiter
//      has got every value, so the waiters of one moment have one ticket and one chain.
//   6. Lost wake-up: the waiter enters the chain and then loads the word (base: `link`). `publishBroadcast` and
//      `closeBroadcast` write the word and then detach the chain. So one of the two sees the other.
//   7. One word says how many values there are and that it is closed. So no value is published after a subscriber has
//      seen the end.

import {
  add64,
  AGENT_CHAIN,
  asLine,
  BLOCK_TAG,
  bucketOf,
  cancelAdmitted,
  cas32,
  cas64,
  detach,
  ENTRY_HELD,
  ENTRY_SEM,
  ENTRY_TAG,
  get32,
  GRANT,
  guard,
  high32,
  IDLE,
  load32,
  load64,
  low32,
  minus,
  NEEDS_WALK,
  OCCUPIED,
  pair,
  plus,
  pollAdmitted,
  put32,
  put64,
  queue,
  RACED,
  SHUT,
  store32,
  TAKEN,
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
  ENDED,
  INDEX_AT,
  LAGGED,
  POSITION_STEP,
  READ_WORD,
  RING_MASK,
  SPARE_BITS,
  SPARES,
  SPARES_AT,
  STREAM_CLOSED,
} from './layout.ts';

export function isEnded(word: i64): boolean {
  return (low32(word) & STREAM_CLOSED) !== 0;
}

/** The low half of the position in a word. */
function positionIn(word: i64): i32 {
  return (low32(word) >>> 1) | (high32(word) << 31);
}

/** The entry of the index for a position. */
function indexOf(stream: LineAddress, position: i32): i32 {
  return stream + INDEX_AT + ((position & get32(stream + RING_MASK)) << 3);
}

function spareOf(stream: LineAddress, place: i32): i32 {
  return stream + SPARES_AT + (place << 2);
}

/** What the capacity adds to the word. */
export function lapOf(stream: LineAddress): i64 {
  return wide((get32(stream + RING_MASK) + 1) << 1);
}

/** How far the word is past a subscriber's position, without the bit `closed`. */
export function unread(word: i64, at: i64): i64 {
  return minus(minus(word, wide(low32(word) & STREAM_CLOSED)), at);
}

/** The low half of ENTRY_HELD of a publisher that has a slot. `spare`: 1 + the slot. */
function heldAs(spare: i32, place: i32): i32 {
  return (spare << SPARE_BITS) | place;
}

/**
 * Takes the spare slot at that place to write a value in. Returns the slot. OCCUPIED: there is none. RACED: call again.
 *
 * @takes A spare slot of a broadcast, by CAS on its place among the spares
 * @leaves `ENTRY_HELD`: 1 + the slot, and the place
 * @death `restoreBroadcastSlot`: the slot is spare again
 */
export function claimBroadcastSlot(stream: LineAddress, tag: i32, entry: EntryAddress, place: i32): i32 {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const spare = load32(spareOf(stream, place));
  if (spare === 0) return OCCUPIED;
  if (cas32(spareOf(stream, place), spare, 0) !== spare) return RACED;
  put32(entry + ENTRY_HELD, heldAs(spare, place));
  return spare - 1;
}

/**
 * Publishes the value that this agent wrote in its slot. IDLE: no waiter is to be woken. NEEDS_WALK: run the walk.
 * SHUT: closed, or freed; the value was not published; run the walk. RACED: call again.
 *
 * @takes The slot into the next entry of the index, by CAS; the one that was there is spare; the word `GRANT` + 2, by
 *   CAS; the chain of the ticket before. Before that the same increase for a publisher that stood still. Of a closed
 *   broadcast: its own slot is spare
 * @leaves `ENTRY_HELD` 0 first, as before when the CAS lost; the spare; `AGENT_CHAIN`
 * @death Walk
 */
export function publishBroadcast(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
): Wake | typeof SHUT | typeof RACED {
  // A subscriber that is admitted may free the broadcast.
  guard(agent, stream);
  const published = publishInRing(stream, tag, agent, entry);
  unguard(agent);
  return published;
}

function publishInRing(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
): Wake | typeof SHUT | typeof RACED {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(stream + GRANT);
  if (isEnded(word)) return refusePublisher(stream, entry);
  return publishAt(stream, agent, entry, word);
}

/** Publishes at the position in `word`, which was loaded from GRANT. Results as of `publishBroadcast`. */
export function publishAt(
  stream: LineAddress,
  agent: AgentAddress,
  entry: EntryAddress,
  word: i64,
): Wake | typeof SHUT | typeof RACED {
  const held = get32(entry + ENTRY_HELD);
  const position = positionIn(word);
  const index = indexOf(stream, position);
  const before = load64(index);
  if (high32(before) === position) return helpPublisher(stream, agent, word);
  // Another agent has published here since the word was loaded.
  if (high32(before) !== ((position - get32(stream + RING_MASK) - 1) | 0)) return RACED;
  // Before the index: with `jsEngine` an agent may die in between, and its recovery must not make a spare of a slot
  // with a value.
  put32(entry + ENTRY_HELD, 0);
  if (cas64(index, before, pair((held >> SPARE_BITS) - 1, position)) !== before) {
    put32(entry + ENTRY_HELD, held);
    return RACED;
  }
  store32(spareOf(stream, held & (SPARES - 1)), low32(before) + 1);
  const found = cas64(stream + GRANT, word, plus(word, wide(POSITION_STEP)));
  detach(agent, bucketOf(stream, word));
  if (found === plus(word, wide(STREAM_CLOSED))) return SHUT;
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * The value at the next position is decided, and its publisher has not increased the word yet. What this detaches is
 * walked after the caller's own step.
 */
function helpPublisher(stream: LineAddress, agent: AgentAddress, word: i64): typeof RACED {
  cas64(stream + GRANT, word, plus(word, wide(POSITION_STEP)));
  detach(agent, bucketOf(stream, word));
  return RACED;
}

/** Nothing is published: the agent's slot is spare again. */
export function refusePublisher(stream: LineAddress, entry: EntryAddress): typeof SHUT {
  const held = get32(entry + ENTRY_HELD);
  // As in `publishAt`: a slot may be lost, and is never spare twice.
  put32(entry + ENTRY_HELD, 0);
  store32(spareOf(stream, held & (SPARES - 1)), held >> SPARE_BITS);
  return SHUT;
}

/**
 * No further value is published. IDLE: no waiter is to be woken, or it was closed before. NEEDS_WALK: run the walk.
 * RACED: call again.
 *
 * @takes The end, by CAS on `GRANT`; the chain of the ticket before
 * @leaves `GRANT`; `AGENT_CHAIN`
 * @death Walk
 */
export function closeBroadcast(stream: LineAddress, tag: i32, agent: AgentAddress): Wake | typeof SHUT | typeof RACED {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(stream + GRANT);
  if (isEnded(word)) return IDLE;
  if (cas64(stream + GRANT, word, plus(word, wide(STREAM_CLOSED))) !== word) return RACED;
  // The broadcast may be freed from here on: only its address is used.
  detach(agent, bucketOf(stream, word));
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * A dead publisher's slot is spare again. Returns 0: it held nothing that others wait for.
 *
 * @takes A dead publisher's slot
 * @leaves `ENTRY_HELD` 0, then the spare
 * @death Nothing
 */
export function restoreBroadcastSlot(agent: AgentAddress, entry: EntryAddress): i32 {
  const stream = asLine(get32(entry + ENTRY_SEM));
  guard(agent, stream);
  const held = get32(entry + ENTRY_HELD);
  put32(entry + ENTRY_HELD, 0);
  if (held !== 0 && load32(stream + BLOCK_TAG) === get32(entry + ENTRY_TAG))
    store32(spareOf(stream, held & (SPARES - 1)), held >> SPARE_BITS);
  unguard(agent);
  return 0;
}

/**
 * Where a subscriber begins: READ_WORD. `oldest` 0: at the next value. Otherwise at the oldest that is kept.
 *
 * @step `startBroadcast`, `beginBroadcastRead`, `confirmBroadcastRead`
 * @takes Nothing
 * @leaves `READ_WORD`, for the agent alone
 * @death Nothing
 */
export function startBroadcast(
  stream: LineAddress,
  tag: i32,
  entry: EntryAddress,
  oldest: i32,
): typeof TAKEN | typeof SHUT {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const next = unread(load64(stream + GRANT), wide(0));
  if (oldest === 0) put64(entry + READ_WORD, next);
  else if (next < lapOf(stream)) put64(entry + READ_WORD, wide(0));
  else put64(entry + READ_WORD, minus(next, lapOf(stream)));
  return TAKEN;
}

/**
 * Begins to read the value at a subscriber's position. Returns its slot. WAITING: there is no value yet. ENDED: there
 * will be none. LAGGED: it is no longer kept, and READ_WORD is the position of the oldest that may be.
 */
export function beginBroadcastRead(stream: LineAddress, tag: i32, entry: EntryAddress, atLow: i32, atHigh: i32): i32 {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const at = pair(atLow, atHigh);
  const word = load64(stream + GRANT);
  const left = unread(word, at);
  if (left < wide(POSITION_STEP)) return isEnded(word) ? ENDED : WAITING;
  if (left > lapOf(stream)) {
    put64(entry + READ_WORD, minus(plus(at, left), lapOf(stream)));
    return LAGGED;
  }
  const kept = load64(indexOf(stream, positionIn(at)));
  if (high32(kept) !== positionIn(at)) {
    put64(entry + READ_WORD, plus(at, wide(POSITION_STEP)));
    return LAGGED;
  }
  return low32(kept);
}

/**
 * After the copy. TAKEN: the copy is the whole value, and READ_WORD is the next position. RACED: the value may have
 * been replaced meanwhile, or the broadcast was freed; begin again.
 */
export function confirmBroadcastRead(
  stream: LineAddress,
  tag: i32,
  entry: EntryAddress,
  atLow: i32,
  atHigh: i32,
  slot: i32,
): typeof TAKEN | typeof RACED {
  const at = pair(atLow, atHigh);
  if (add64(indexOf(stream, positionIn(at)), wide(0)) !== pair(slot, positionIn(at))) return RACED;
  // The memory may be another broadcast's by now, with a value at the same position in the same slot.
  if (load32(stream + BLOCK_TAG) !== tag) return RACED;
  // An entry has half of its position. For a reader that stood still while a multiple of 2^32 values was published, the
  // entry can look the same.
  if (unread(load64(stream + GRANT), at) > lapOf(stream)) return RACED;
  put64(entry + READ_WORD, plus(at, wide(POSITION_STEP)));
  return TAKEN;
}

/**
 * TAKEN: there is a value at the subscriber's position or later, or the broadcast is closed. WAITING: neither, with
 * `mayWait` 0. Else the agent's spare element, QUEUED. The agent must have a spare.
 *
 * @takes A place: a ticket that is the word
 * @leaves The element: `AT`, `COUNT`, `SEM`, `TAG`, `GATE` QUEUED
 * @death Cancelled
 */
export function enqueueAtBroadcast(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  mayWait: i32,
  atLow: i32,
  atHigh: i32,
): Draw | typeof WAITING {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(stream + GRANT);
  if (word !== pair(atLow, atHigh)) return TAKEN;
  if (mayWait === 0) return WAITING;
  return queue(agent, stream, tag, 1, word);
}

/**
 * Checks once. TAKEN: a value was published or the broadcast was closed, the element is free. SHUT: freed, the element
 * is free. WAITING: neither.
 *
 * @step `pollBroadcast`, `cancelBroadcastWait`
 * @takes As `pollManualEvent` and `cancelManualWait`
 * @leaves `GATE`; `AGENT_CHAIN`
 * @death As before: the walk frees the element
 */
export function pollBroadcast(element: ElementAddress, _entry: EntryAddress): Poll {
  return pollAdmitted(element);
}

/**
 * Cancels a wait, also a dead agent's: the broadcast needs nothing from the waiter. TAKEN, ADMITTED_DETACHED: it was
 * admitted first. CANCELLED: left.
 * CANCELLED_LEFT_BEHIND: left, the element stays behind. SHUT: freed. RACED: call again. Run the walk afterwards.
 */
export function cancelBroadcastWait(agent: AgentAddress, element: ElementAddress, _entry: EntryAddress): Cancel {
  return cancelAdmitted(agent, element);
}
