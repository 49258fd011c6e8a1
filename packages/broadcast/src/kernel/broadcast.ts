// Steps of a broadcast. The word GRANT of its line decides how many values there are. Waiters compare GRANT with their
// tickets, as the core's waiters do.
//
// GRANT, one 64-bit word
//
//   bit 0       closed      no further value can be published
//   bits 1-63   published   the number of published values, which is the position of the next one; it never decreases
//
//   published ▶ published + 1    [publishBroadcast]    the ticket of all waiters, which is the word before, is due
//   closed 0 ▶ 1                 [closeBroadcast]      that ticket is due
//
// The step detaches the chain of that ticket. The walk that follows admits all waiters.
//
// INDEX, one entry for each value that is kept. Position p has the entry p modulo the capacity
//
//   { slot s, position p - capacity } ▶ { the publisher's slot, position p }   [publishBroadcast]
//
// That step decides the value at position p. Slot s is the publisher's from then on.
//
// SPARES, one word for each publisher that can write at the same moment
//
//   1 + slot ▶ 0   [claimBroadcastSlot]      a publisher takes the slot and notes it in its ledger entry
//   0 ▶ 1 + slot   [publishBroadcast]        the slot of the value that the new one replaced; its own if the broadcast
//                                            is closed
//                  [restoreBroadcastSlot]    the slot that a dead publisher had
//
// A position has 64 bits. A subscriber stores its position as the word with which it would wait.
//
// INVARIANTS
//
//   1. A slot is in one entry of the index, or in one spare, or belongs to one publisher. A publisher writes only to
//      its own slot. So a value in the index is whole, and a publisher that dies before its CAS publishes nothing.
//   2. The entry of the index decides which value has a position. The compare-and-swap succeeds only from the value one
//      lap before, so each position is given once. If a publisher finds that the next position is given and the word is
//      not yet increased, it increases the word itself. So no publisher waits for another.
//   3. A value can be read if its position is less than `published` and its entry has that position. If the entry has
//      another position, the value was replaced, and the subscriber lags. An entry is replaced before the word is
//      increased. So a subscriber that is exactly `capacity` values behind may already have lost a value. Registered
//      subscriptions never lag (marks.ts).
//   4. A reader's copy is a whole value if its entry is unchanged after the copy: until then its slot was in the index.
//      The second load writes the entry back unchanged. So even in a memory model with late plain reads, a later
//      replacement comes after the copy.
//   5. A ticket is due if and only if a value was published or the broadcast was closed after the ticket was drawn. A
//      waiter has got every value, so the waiters of one moment have one ticket and one chain.
//   6. Lost wake-up: the waiter enters the chain and then loads the word (core: `link`). `publishAt`, `helpPublisher`
//      and `closeBroadcast` write the word and then detach the chain. So either the waiter sees the new word, or the
//      step finds the waiter in the chain. If the step detached first (the mutant "publish() detaches the chain before
//      it writes the word"), it could detach an empty chain; the waiter would push its element and load the old word;
//      then the step would write the word. Later steps detach the chains of later words, so the waiter would sleep on.
//   7. One word holds the number of values and whether the broadcast is closed. So after a subscriber has seen the end,
//      no value is published.

import {
  AGENT_CHAIN,
  asLine,
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
  add64,
  bucketOf,
  cancelAdmitted,
  cas32,
  cas64,
  detach,
  get32,
  setHazard,
  high32,
  load32,
  load64,
  low32,
  minus,
  pair,
  plus,
  pollAdmitted,
  put32,
  put64,
  queue,
  store32,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import {
  INDEX_AT,
  POSITION_STEP,
  READ_WORD,
  RING_MASK,
  SPARE_BITS,
  SPARES,
  SPARES_AT,
  STREAM_CLOSED,
} from './layout.ts';
import { ENDED, LAGGED } from './outcomes.ts';

export function isEnded(word: i64): boolean {
  return (low32(word) & STREAM_CLOSED) !== 0;
}

/** Returns the low half of the position in a word. */
function positionIn(word: i64): i32 {
  return (low32(word) >>> 1) | (high32(word) << 31);
}

/** Returns the address of the index entry for a position. */
function indexOf(stream: LineAddress, position: i32): i32 {
  return stream + INDEX_AT + ((position & get32(stream + RING_MASK)) << 3);
}

function spareOf(stream: LineAddress, index: i32): i32 {
  return stream + SPARES_AT + (index << 2);
}

/** Returns the amount by which one lap, `capacity` values, increases the word. */
export function lapOf(stream: LineAddress): i64 {
  return wide((get32(stream + RING_MASK) + 1) << 1);
}

/** Returns the distance of the word from a subscriber's position, without the bit `closed`. */
export function unread(word: i64, at: i64): i64 {
  return minus(minus(word, wide(low32(word) & STREAM_CLOSED)), at);
}

/** Returns the low half of ENTRY_HELD of a publisher that has a slot. `spare` is 1 + the slot. */
function heldAs(spare: i32, index: i32): i32 {
  return (spare << SPARE_BITS) | index;
}

/** Returns the place among the spares from which the publisher took its slot. */
function spareIndexOf(held: i32): i32 {
  return held & (SPARES - 1);
}

/** Returns 1 + the slot of the publisher. */
function spareIn(held: i32): i32 {
  return held >> SPARE_BITS;
}

/**
 * Takes the spare slot at `index` for a publisher. Returns the slot, or OCCUPIED if there is none, or RACED if the
 * caller must call again.
 *
 * @takes A spare slot of a broadcast, by CAS on its place among the spares
 * @leaves `ENTRY_HELD`: 1 + the slot, and the place
 * @death `restoreBroadcastSlot`: the slot is spare again
 */
export function claimBroadcastSlot(stream: LineAddress, tag: i32, entry: EntryAddress, index: i32): i32 {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const spare = load32(spareOf(stream, index));
  if (spare === 0) return OCCUPIED;
  if (cas32(spareOf(stream, index), spare, 0) !== spare) return RACED;
  put32(entry + ENTRY_HELD, heldAs(spare, index));
  return spare - 1;
}

/**
 * Publishes the value in this agent's slot. Returns IDLE if no waiter must be woken, or NEEDS_WALK if the caller must
 * run the walk. Returns SHUT if the broadcast is closed or freed: then the value was not published, and the caller must
 * run the walk. Returns RACED if the caller must call again.
 *
 * @takes First, `GRANT` + 2 for another publisher that has not yet increased it. Then the agent's slot goes into the
 *   next entry of the index, by CAS, and the replaced slot becomes spare. `GRANT` + 2, by CAS; the chain of the
 *   previous ticket. If the broadcast is closed, only the agent's slot becomes spare
 * @leaves `ENTRY_HELD` 0 first, its old value if the CAS lost; the spare; `AGENT_CHAIN`
 * @death Walk
 */
export function publishBroadcast(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
): Wake | typeof SHUT | typeof RACED {
  // An admitted subscriber may free the broadcast.
  setHazard(agent, stream);
  const published = publishInRing(stream, tag, agent, entry);
  clearHazard(agent);
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

/** Publishes at the position in `word`, which was loaded from GRANT. Returns the results of `publishBroadcast`. */
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
  // Another agent has published at this position since the word was loaded.
  if (high32(before) !== ((position - get32(stream + RING_MASK) - 1) | 0)) return RACED;
  // Before the CAS of the index: with `jsEngine` an agent may die in between. Its recovery must not make a slot with a
  // published value spare.
  put32(entry + ENTRY_HELD, 0);
  if (cas64(index, before, pair(spareIn(held) - 1, position)) !== before) {
    put32(entry + ENTRY_HELD, held);
    return RACED;
  }
  store32(spareOf(stream, spareIndexOf(held)), low32(before) + 1);
  const found = cas64(stream + GRANT, word, plus(word, wide(POSITION_STEP)));
  // Lost wake-up, ending side: write GRANT, then detach. Pairs with `link`.
  detach(agent, bucketOf(stream, word));
  if (found === plus(word, wide(STREAM_CLOSED))) return SHUT;
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * Increases the word for a publisher that has decided the value at the next position, but has not increased the word
 * yet. The chain that this detaches is walked after the caller's own step.
 */
function helpPublisher(stream: LineAddress, agent: AgentAddress, word: i64): typeof RACED {
  cas64(stream + GRANT, word, plus(word, wide(POSITION_STEP)));
  detach(agent, bucketOf(stream, word));
  return RACED;
}

/** Refuses to publish: the agent's slot becomes spare. */
export function refusePublisher(stream: LineAddress, entry: EntryAddress): typeof SHUT {
  const held = get32(entry + ENTRY_HELD);
  // In the order of `publishAt`: a slot may be lost, but it is never spare twice.
  put32(entry + ENTRY_HELD, 0);
  store32(spareOf(stream, spareIndexOf(held)), spareIn(held));
  return SHUT;
}

/**
 * Closes the broadcast: no further value can be published. Returns IDLE if no waiter must be woken or the broadcast was
 * closed before, NEEDS_WALK if the caller must run the walk, and RACED if it must call again.
 *
 * @takes The end of the broadcast, by CAS on `GRANT`; the chain of the previous ticket
 * @leaves `GRANT`; `AGENT_CHAIN`
 * @death Walk
 */
export function closeBroadcast(stream: LineAddress, tag: i32, agent: AgentAddress): Wake | typeof SHUT | typeof RACED {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(stream + GRANT);
  if (isEnded(word)) return IDLE;
  if (cas64(stream + GRANT, word, plus(word, wide(STREAM_CLOSED))) !== word) return RACED;
  // Lost wake-up, ending side: write GRANT, then detach. Pairs with `link`.
  // The broadcast may be freed from here on: only its address is used.
  detach(agent, bucketOf(stream, word));
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * Makes the slot of a dead publisher spare. Returns 0, because no other agent waits for the slot.
 *
 * @takes A dead publisher's slot
 * @leaves `ENTRY_HELD` 0, then the spare
 * @death Nothing
 */
export function restoreBroadcastSlot(agent: AgentAddress, entry: EntryAddress): i32 {
  const stream = asLine(get32(entry + ENTRY_LINE));
  setHazard(agent, stream);
  const held = get32(entry + ENTRY_HELD);
  put32(entry + ENTRY_HELD, 0);
  if (held !== 0 && load32(stream + BLOCK_TAG) === get32(entry + ENTRY_TAG))
    store32(spareOf(stream, spareIndexOf(held)), spareIn(held));
  clearHazard(agent);
  return 0;
}

/**
 * Writes a new subscriber's position to READ_WORD. With `oldest` 0 the position is that of the next value, otherwise
 * that of the oldest kept value.
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
 * Begins to read the value at a subscriber's position. Returns its slot. Returns WAITING if there is no value yet, and
 * ENDED if there will be none. Returns LAGGED if the value is no longer kept: READ_WORD is then the position of the
 * oldest value that may be kept.
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
 * Confirms a read after the copy. Returns TAKEN if the copy is the whole value: READ_WORD is then the next position.
 * Returns RACED if the value may have been replaced, or the broadcast was freed. The caller must then begin again.
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
  // The memory may belong to another broadcast by now, with a value at the same position in the same slot.
  if (load32(stream + BLOCK_TAG) !== tag) return RACED;
  // An entry holds only half of its position. If 2^32 values, or a multiple, were published while a reader paused, the
  // entry can look unchanged.
  if (unread(load64(stream + GRANT), at) > lapOf(stream)) return RACED;
  put64(entry + READ_WORD, plus(at, wide(POSITION_STEP)));
  return TAKEN;
}

/**
 * Enters the line for the next value. Returns TAKEN, without waiting, if there is a value at the subscriber's position
 * or later, or if the broadcast is closed. Otherwise returns WAITING if `mayWait` is 0, or the agent's spare element,
 * which is then QUEUED. The agent must have a spare.
 *
 * @takes A place in line: the ticket is the subscriber's word
 * @leaves The element: `DRAWN`, `COUNT`, `LINE`, `TAG`, `GATE` QUEUED
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
 * Checks a wait once. Returns TAKEN if a value was published or the broadcast was closed, and SHUT if the broadcast was
 * freed. Then the element is free. Otherwise returns WAITING.
 *
 * @step `pollBroadcast`, `cancelBroadcastWait`
 * @takes Nothing: a waiter takes no value from the broadcast. `cancelBroadcastWait`: the place, and that chain if the
 *   element is alone in it
 * @leaves `GATE` FREE, or SPENT in a chain; `AGENT_CHAIN`
 * @death The walk frees the element
 */
export function pollBroadcast(element: ElementAddress, _entry: EntryAddress): Poll {
  return pollAdmitted(element);
}

/**
 * Cancels a wait of this agent, or of a dead agent. The broadcast takes nothing back from the waiter. Returns CANCELLED
 * if the wait ended, or CANCELLED_LEFT_BEHIND if the element stays behind. Returns TAKEN or ADMITTED_DETACHED if the
 * waiter was admitted first. Returns SHUT if the broadcast was freed, and RACED if the caller must call again. Run the
 * walk afterwards.
 */
export function cancelBroadcastWait(agent: AgentAddress, element: ElementAddress, _entry: EntryAddress): Cancel {
  return cancelAdmitted(agent, element);
}
