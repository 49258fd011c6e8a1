// Steps of the subscriptions of a broadcast whose publishers wait for the slowest one (overflow 'wait'). Those of the
// publishers are in held.ts. Marks are the gating sequences of the LMAX Disruptor (Thompson, Farley, Barker, Gee,
// Stewart: "Disruptor", 2011). Our additions: the recovery of an agent frees its marks, and publishers without room
// sleep in order of arrival.
//
// MARK, one for each registered subscription
//
//   owner 0 ▶ id            [takeBroadcastMark]   MARK_AT is ENTERING before and after
//   ENTERING ▶ position     [takeBroadcastMark]   where the subscription begins
//   position ▶ position+1   [passBroadcastMark]   it has copied the value at that position
//   position ▶ ENTERING, owner ▶ 0   [freeBroadcastMark, freeDeadBroadcastMark]
//
// SUBSCRIBED   + 1 whenever a mark was taken, before its subscription reads where it begins
// TURN         a semaphore of one permit. A publisher that finds no room, or finds that others wait, gets in line
//              there. Its ledger entry records the turn, and the core's recovery passes it on
// ROOM         its GRANT counts wake-ups. The publisher with the turn sleeps there; its ticket is the count that it saw
// WANTED       0 ▶ 1 + mark  [enqueueForBroadcastRoom]   the publisher with the turn is about to sleep until that mark
//                                                        moves
//              1 + mark ▶ 0  [the agent that moves or frees the mark]   then GRANT + 1 at the room, and the walk wakes
//                                                                       the publisher
//
// An agent that looks at all marks (`beginBroadcastScan` to `endBroadcastScan`) learns a limit: the word at which there
// is no room. It keeps the limit, and SUBSCRIBED as it was before the look, in its own thread. It looks again when the
// word has reached the limit or SUBSCRIBED has changed.
//
// INVARIANTS
//
//   1. No value from a mark on is replaced. The value at position q is replaced by the one at q + capacity. A publisher
//      loads the word first, which gives its position, and SUBSCRIBED and the limit afterwards. Marks only move up. So
//      a mark that the publisher's look has seen is high enough whenever the index is compared and swapped, however
//      late.
//   2. A mark that the look has not seen begins high enough, too. Its agent took it, increased SUBSCRIBED, and then
//      loaded the word. If the publisher saw the old SUBSCRIBED, the new mark's word is not less than the publisher's.
//      So it can replace only the value `capacity` before the one at which a subscription to the next value begins. A
//      subscription to the oldest begins one value later than the oldest in the index for this reason.
//   3. While a mark is ENTERING and has an owner, the look finds no room. So a subscription that has not begun yet
//      holds publishers back.
//   4. A subscription copies the value before it moves its mark. So its copy is whole, and needs no second look at the
//      index.
//   5. Lost wake-up, publisher side: it loads GRANT of the room, writes WANTED, then looks at the mark and at the
//      broadcast's word. An agent that moves or frees a mark does that first and loads WANTED afterwards.
//      `closeHeldBroadcast` closes the word first and increases GRANT always. Only the mark in WANTED is looked at
//      again: the publisher looks at the others when it has woken.
//   6. At most one publisher sleeps in the room, and only with the turn. While it has the turn, or agents wait for it,
//      newcomers get in line. So the publishers that wait go on in the order in which they came.
//   7. A dead agent's marks have its id. ENTRY_HELD counts them, so a recovery that lacks this kernel leaves them
//      pending. It counts a mark that its subscription frees until the publisher was woken. So for an agent that died
//      with `jsEngine` before GRANT it counts one, and its recovery wakes the publisher in any case, after it has freed
//      all of them.

import {
  add64,
  AGAIN,
  AGENT_CHAIN,
  asLine,
  BLOCK_TAG,
  bucketOf,
  cas32,
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
  minus,
  NEEDS_WALK,
  OCCUPIED,
  OWNER,
  pair,
  plus,
  put32,
  put64,
  RACED,
  SHUT,
  store32,
  store64,
  TAKEN,
  unguard,
  wide,
  type AgentAddress,
  type EntryAddress,
  type LineAddress,
  type Wake,
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

/** After mark `n` has moved or was freed. */
function callIfWanted(stream: LineAddress, agent: AgentAddress, marks: i32, n: i32): Wake {
  if (load32(marks + WANTED) !== n + 1) return IDLE;
  // Before GRANT: the publisher may be back for the same mark right after it.
  if (cas32(marks + WANTED, n + 1, 0) !== n + 1) return IDLE;
  callPublisher(stream, agent);
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * Takes mark `n` for a subscription that begins at READ_WORD. OCCUPIED: another subscription has it. NEEDS_WALK: taken;
 * run the walk. SHUT: freed.
 *
 * @takes A free mark, by CAS on `MARK_OWNER`; `SUBSCRIBED` + 1; if `WANTED` is that mark: `WANTED` 0, `GRANT` + 1 of
 *   the room, the chain of the ticket before
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
  guard(agent, stream);
  const taken = takeGuarded(stream, tag, agent, entry, n, oldest);
  unguard(agent);
  return taken;
}

function takeGuarded(
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
  // First: with `jsEngine` an agent may die in between, and its recovery looks for marks only if there are some.
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
 * After the copy of the value at the mark. TAKEN: READ_WORD is the next position. NEEDS_WALK: the same; run the walk.
 * RACED: freed meanwhile; begin again.
 *
 * @takes The place in the ring of one value: `MARK_AT`; then as above
 * @leaves `READ_WORD`; `AGENT_CHAIN`
 * @death As above
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
  guard(agent, stream);
  const passed = passGuarded(stream, tag, agent, entry, marks, n, plus(pair(atLow, atHigh), wide(POSITION_STEP)));
  unguard(agent);
  return passed;
}

function passGuarded(
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
 * Frees mark `n`, whose subscription ends. NEEDS_WALK: run the walk. SHUT: freed.
 *
 * @takes The mark: `MARK_OWNER` 0; then as above
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
  guard(agent, stream);
  const freed = freeGuarded(stream, tag, agent, entry, n);
  unguard(agent);
  return freed;
}

function freeGuarded(
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
  // Last: with `jsEngine` an agent may die in between, and its recovery wakes the publisher only if the entry counts a
  // mark.
  put32(entry + ENTRY_HELD + 4, get32(entry + ENTRY_HELD + 4) - 1);
  return called;
}

/**
 * For a dead agent: frees mark `n` if it was the agent's. AGAIN: call with the next one. IDLE: all are done, or the
 * agent had none. Run the walk afterwards.
 *
 * @takes A dead agent's marks, one for each call; after the last one `GRANT` + 1 of the room, and the chain
 * @leaves High half of `ENTRY_HELD` 0, at the end; `AGENT_CHAIN`
 * @death Called again from the first mark on
 */
export function freeDeadBroadcastMark(agent: AgentAddress, entry: EntryAddress, n: i32): typeof AGAIN | typeof IDLE {
  const stream = asLine(get32(entry + ENTRY_SEM));
  guard(agent, stream);
  const isThere = get32(entry + ENTRY_HELD + 4) !== 0 && load32(stream + BLOCK_TAG) === get32(entry + ENTRY_TAG);
  const freed = isThere ? freeDeadGuarded(stream, agent, entry, n) : IDLE;
  unguard(agent);
  return freed;
}

function freeDeadGuarded(
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
  // After the last one, and before the entry: a recovery that dies in between is repeated.
  callPublisher(stream, agent);
  put32(entry + ENTRY_HELD + 4, 0);
  return IDLE;
}
