// Steps of the subscriptions of a broadcast whose publishers wait for the slowest one (overflow 'wait'). The steps of
// the publishers are in publisher-waits.ts. Marks are the gating sequences of the LMAX Disruptor (Thompson, Farley,
// Barker, Gee, Stewart: "Disruptor", 2011). Our additions: the recovery of an agent frees its marks, and publishers
// without room sleep in order of arrival.
//
// MARK, one for each registered subscription
//
//   owner 0 ▶ id                     [takeBroadcastMark]   MARK_AT is ENTERING before and after
//   ENTERING ▶ position              [takeBroadcastMark]   where the subscription begins
//   position ▶ position + 1          [passBroadcastMark]   it has copied the value at that position
//   position ▶ ENTERING, owner ▶ 0   [freeBroadcastMark, freeDeadBroadcastMark]
//
// SUBSCRIBED   + 1 whenever a mark was taken, before its subscription reads where it begins
// HEAD LINE    a semaphore with one permit. A publisher that finds no room, or finds other publishers waiting, enters
//              it. The holder of the permit is the head of the line: its ledger entry records the permit, and the
//              core's recovery passes the permit on
// ROOM         its GRANT counts wake-ups. The head of the line sleeps there; its ticket is the count that it saw
// WANTED       0 ▶ 1 + mark  [enqueueForBroadcastRoom]   the head of the line is about to sleep until that mark
//                                                        moves
//              1 + mark ▶ 0  [the agent that moves or frees the mark]   then GRANT + 1 at the room, and the walk wakes
//                                                                       the publisher
//
// A scan of all marks (`beginBroadcastScan` to `endBroadcastScan`) yields a limit: the word at which there is no room.
// The agent keeps the limit, and the value of SUBSCRIBED before the scan, in its own thread. It scans again when the
// word has reached the limit or SUBSCRIBED has changed.
//
// INVARIANTS
//
//   1. No value at or after a mark is replaced. The value at position q + capacity replaces the value at position q. A
//      publisher first loads the word, which gives its position, and then SUBSCRIBED and the limit. Marks only move up.
//      So a mark that the publisher's scan has seen is high enough at the CAS of the index, however late the CAS is.
//   2. A mark that the scan has not seen begins high enough, too. Its agent took the mark, increased SUBSCRIBED, and
//      then loaded the word. If the publisher saw the old SUBSCRIBED, the new mark's word is at least the publisher's
//      word. So the publisher can replace at most the value that is `capacity` positions before the position in the new
//      mark's word. A subscription to the next value begins after that value. For this reason a subscription to the
//      oldest value begins one value after the oldest in the index.
//   3. While a mark is ENTERING and has an owner, a scan finds no room. So a subscription that has not begun yet holds
//      publishers back.
//   4. A subscription copies the value before it moves its mark. So its copy is whole, and needs no second load of the
//      index.
//   5. Lost wake-up: the publisher loads GRANT of the room, writes WANTED, and then loads the mark and the broadcast's
//      word (`enqueueForBroadcastRoom`). An agent that moves or frees a mark writes the mark first and then loads
//      WANTED (`passBroadcastMark`, `freeBroadcastMark`). If the publisher loaded the mark first (the mutant "a
//      publisher checks the mark before it records that it waits"), the subscription could move the mark, find WANTED 0
//      and wake no agent. The publisher would then write WANTED and sleep, although there is room. `closeHeldBroadcast`
//      closes the word first, and always increases GRANT. Before the publisher sleeps, it reloads only the mark that
//      WANTED names. It scans the other marks after it wakes.
//   6. At most one publisher sleeps in the room: the head of the line. While the line has a head, or agents wait in
//      it, new publishers enter the line. So waiting publishers are served in FIFO order.
//   7. A dead agent's marks have its id. ENTRY_HELD counts them, so a recovery that lacks this kernel leaves them
//      pending. ENTRY_HELD counts a mark until the publisher that waits for it was woken. With `jsEngine` an agent may
//      free a mark and die before it increases GRANT. Then ENTRY_HELD still counts that mark. The recovery frees the
//      agent's marks, and then always wakes the publisher.

import {
  AGAIN,
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
  OWNER,
  RACED,
  SHUT,
  TAKEN,
  type AgentAddress,
  type EntryAddress,
  type LineAddress,
  type Wake,
} from '@sluice/core/format';
import {
  add64,
  bucketOf,
  cas32,
  detach,
  get32,
  get64,
  setHazard,
  load32,
  load64,
  low32,
  minus,
  pair,
  plus,
  put32,
  put64,
  store32,
  store64,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import { lapOf, unread } from './broadcast.ts';
import {
  ENTERING,
  FIRST_MARK,
  MARK_AT,
  MARK_COUNT,
  MARK_OWNER,
  MARK_SHIFT,
  MARKS,
  POSITION_STEP,
  READ_WORD,
  ROOM_BEFORE,
  SUBSCRIBED,
  WANTED,
} from './layout.ts';

function marksOf(stream: LineAddress): i32 {
  return stream + get32(stream + MARKS);
}

export function markAt(marks: i32, n: i32): i32 {
  return marks + FIRST_MARK + (n << MARK_SHIFT);
}

export function isEntering(at: i64): boolean {
  return (low32(at) & ENTERING) !== 0;
}

/** Makes the ticket of the publisher in the room due. */
function callPublisher(stream: LineAddress, agent: AgentAddress): void {
  const room = asLine(stream - ROOM_BEFORE);
  detach(agent, bucketOf(room, add64(room + GRANT, wide(1))));
}

/** Wakes the publisher in the room if it waits for mark `n`. Called after the mark has moved or was freed. */
function callIfWanted(stream: LineAddress, agent: AgentAddress, marks: i32, n: i32): Wake {
  if (load32(marks + WANTED) !== n + 1) return IDLE;
  // Before GRANT: the publisher may wait for the same mark again right after GRANT is increased.
  if (cas32(marks + WANTED, n + 1, 0) !== n + 1) return IDLE;
  callPublisher(stream, agent);
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * Takes mark `n` for a subscription that begins at READ_WORD. Returns OCCUPIED if another subscription has the mark,
 * and SHUT if the broadcast was freed. NEEDS_WALK: the mark is taken, and the caller must run the walk.
 *
 * @takes A free mark, by CAS on `MARK_OWNER`; `SUBSCRIBED` + 1; if `WANTED` is that mark: `WANTED` 0, `GRANT` + 1 of
 *   the room, the chain of the previous ticket
 * @leaves High half of `ENTRY_HELD` + 1, first; `AGENT_CHAIN`
 * @death `freeDeadBroadcastMark`; walk
 */
export function takeBroadcastMark(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  n: i32,
  oldest: i32,
): typeof TAKEN | typeof OCCUPIED | typeof NEEDS_WALK | typeof SHUT {
  setHazard(agent, stream);
  const taken = takeUnderHazard(stream, tag, agent, entry, n, oldest);
  clearHazard(agent);
  return taken;
}

function takeUnderHazard(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  n: i32,
  oldest: i32,
): typeof TAKEN | typeof OCCUPIED | typeof NEEDS_WALK | typeof SHUT {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const marks = marksOf(stream);
  const mark = markAt(marks, n);
  if (load32(mark + MARK_OWNER) !== 0) return OCCUPIED;
  const held = get32(entry + ENTRY_HELD + 4);
  // Written first: with `jsEngine` an agent may die in between, and its recovery looks for marks only if this count is
  // not 0.
  put32(entry + ENTRY_HELD + 4, held + 1);
  if (cas32(mark + MARK_OWNER, 0, get32(agent + OWNER)) !== 0) {
    put32(entry + ENTRY_HELD + 4, held);
    return OCCUPIED;
  }
  add64(marks + SUBSCRIBED, wide(1));
  const next = unread(load64(stream + GRANT), wide(0));
  const kept = minus(lapOf(stream), wide(POSITION_STEP));
  if (oldest === 0) put64(entry + READ_WORD, next);
  else if (next < kept) put64(entry + READ_WORD, wide(0));
  else put64(entry + READ_WORD, minus(next, kept));
  store64(mark + MARK_AT, get64(entry + READ_WORD));
  return callIfWanted(stream, agent, marks, n) === NEEDS_WALK ? NEEDS_WALK : TAKEN;
}

/**
 * Moves the mark after the copy of its value. Returns TAKEN: READ_WORD is the next position. Returns NEEDS_WALK in the
 * same case if the caller must also run the walk. Returns RACED if the broadcast was freed.
 *
 * @takes The place of one value in the ring: `MARK_AT`. Then, if `WANTED` is that mark, as `takeBroadcastMark`
 * @leaves `READ_WORD`; `AGENT_CHAIN`
 * @death `freeDeadBroadcastMark`; walk
 */
export function passBroadcastMark(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  marks: i32,
  n: i32,
  atLow: i32,
  atHigh: i32,
): typeof TAKEN | typeof NEEDS_WALK | typeof RACED {
  setHazard(agent, stream);
  const passed = passUnderHazard(stream, tag, agent, entry, marks, n, plus(pair(atLow, atHigh), wide(POSITION_STEP)));
  clearHazard(agent);
  return passed;
}

function passUnderHazard(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  marks: i32,
  n: i32,
  next: i64,
): typeof TAKEN | typeof NEEDS_WALK | typeof RACED {
  if (load32(stream + BLOCK_TAG) !== tag) return RACED;
  store64(markAt(marks, n) + MARK_AT, next);
  put64(entry + READ_WORD, next);
  return callIfWanted(stream, agent, marks, n) === NEEDS_WALK ? NEEDS_WALK : TAKEN;
}

function clearMark(mark: i32): void {
  store64(mark + MARK_AT, wide(ENTERING));
  store32(mark + MARK_OWNER, 0);
}

/**
 * Frees mark `n` at the end of its subscription. Returns NEEDS_WALK if the caller must run the walk, and SHUT if the
 * broadcast was freed.
 *
 * @takes The mark: `MARK_OWNER` 0. Then, if `WANTED` is that mark, as `takeBroadcastMark`
 * @leaves High half of `ENTRY_HELD` - 1; `AGENT_CHAIN`
 * @death Walk
 */
export function freeBroadcastMark(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  n: i32,
): Wake | typeof SHUT {
  setHazard(agent, stream);
  const freed = freeUnderHazard(stream, tag, agent, entry, n);
  clearHazard(agent);
  return freed;
}

function freeUnderHazard(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  n: i32,
): Wake | typeof SHUT {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const marks = marksOf(stream);
  clearMark(markAt(marks, n));
  const called = callIfWanted(stream, agent, marks, n);
  // Written last: with `jsEngine` an agent may die in between, and its recovery wakes the publisher only if the entry
  // counts a mark.
  put32(entry + ENTRY_HELD + 4, get32(entry + ENTRY_HELD + 4) - 1);
  return called;
}

/**
 * Frees mark `n` if a dead agent had it. Returns AGAIN if the caller must call with the next number, and IDLE if all
 * marks are done or the agent had none. Run the walk afterwards.
 *
 * @takes A dead agent's marks, one for each call; after the last one `GRANT` + 1 of the room, and the chain
 * @leaves High half of `ENTRY_HELD` 0, at the end; `AGENT_CHAIN`
 * @death Called again from the first mark on
 */
export function freeDeadBroadcastMark(agent: AgentAddress, entry: EntryAddress, n: i32): typeof AGAIN | typeof IDLE {
  const stream = asLine(get32(entry + ENTRY_LINE));
  setHazard(agent, stream);
  const isThere = get32(entry + ENTRY_HELD + 4) !== 0 && load32(stream + BLOCK_TAG) === get32(entry + ENTRY_TAG);
  const freed = isThere ? freeDeadUnderHazard(stream, agent, entry, n) : IDLE;
  clearHazard(agent);
  return freed;
}

function freeDeadUnderHazard(
  stream: LineAddress,
  agent: AgentAddress,
  entry: EntryAddress,
  n: i32,
): typeof AGAIN | typeof IDLE {
  if (n < get32(stream + MARK_COUNT)) {
    const mark = markAt(marksOf(stream), n);
    if (load32(mark + MARK_OWNER) === get32(agent + OWNER)) clearMark(mark);
    return AGAIN;
  }
  // After the last mark and before the entry: if the recovery dies in between, the next recovery repeats this.
  callPublisher(stream, agent);
  put32(entry + ENTRY_HELD + 4, 0);
  return IDLE;
}
