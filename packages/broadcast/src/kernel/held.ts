// Steps of the publishers of a broadcast that wait for the slowest subscription. The words and the invariants are in
// marks.ts.

import {
  add64,
  AGAIN,
  AGENT_SCRATCH,
  AGENT_SWEEP,
  asLine,
  BLOCK_TAG,
  cas32,
  cas64,
  get32,
  get64,
  GRANT,
  guard,
  HEADER_BUCKET_MASK,
  load32,
  load64,
  minus,
  NEEDS_WALK,
  pair,
  plus,
  put32,
  put64,
  queue,
  RACED,
  SHUT,
  store32,
  TAKEN,
  TICKET,
  unguard,
  WAITING,
  wide,
  type AgentAddress,
  type Draw,
  type EntryAddress,
  type LineAddress,
  type Poll,
  type Wake,
} from '@sluice/core/kernel';
import { isEnded, lapOf, publishAt, refusePublisher, unread } from './broadcast.ts';
import {
  FAR,
  LIMIT_REACHED,
  MARK_AT,
  MARK_OWNER,
  ROOM_BEFORE,
  SEEN_LIMIT,
  SEEN_MARK,
  SEEN_SUBSCRIBED,
  STREAM_CLOSED,
  SUBSCRIBED,
  TURN_BEFORE,
  WANTED,
} from './layout.ts';
import { isEntering, markAt } from './marks.ts';

/** Whether a publisher has the turn, or agents wait for it. */
function isTurnOut(stream: LineAddress): boolean {
  const turn = stream - TURN_BEFORE;
  return minus(load64(turn + GRANT), load64(turn + TICKET)) <= wide(0);
}

/** Whether a publisher whose position is in `word`, loaded before, replaces no value that a subscription needs. */
function hasRoom(marks: i32, word: i64, subscribed: i64, limit: i64): boolean {
  return load64(marks + SUBSCRIBED) === subscribed && minus(limit, word) > wide(0);
}

/**
 * For a publisher, before it takes a slot. TAKEN: there seems to be room. WAITING: others come first. LIMIT_REACHED:
 * look at the marks. SHUT: closed, or freed. `turn` 1: the caller has the turn. The others are what its last look has
 * found.
 *
 * @step `seekBroadcastRoom`, `beginBroadcastScan`, `scanBroadcastMark`, `endBroadcastScan`
 * @takes Nothing, they read
 * @leaves The agent's scratch, for the agent alone
 * @death Nothing
 */
export function seekBroadcastRoom(
  stream: LineAddress,
  tag: i32,
  marks: i32,
  turn: i32,
  subscribedLow: i32,
  subscribedHigh: i32,
  limitLow: i32,
  limitHigh: i32,
): Poll | typeof LIMIT_REACHED {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(stream + GRANT);
  if (isEnded(word)) return SHUT;
  if (turn === 0 && isTurnOut(stream)) return WAITING;
  return hasRoom(marks, word, pair(subscribedLow, subscribedHigh), pair(limitLow, limitHigh)) ? TAKEN : LIMIT_REACHED;
}

/**
 * As `publishBroadcast`, if `seekBroadcastRoom` still finds room. WAITING: it does not, and the agent's slot is spare
 * again.
 *
 * @takes As `publishBroadcast`, if there is room; else its slot is spare again
 * @leaves As `publishBroadcast`
 * @death As `publishBroadcast`. The turn is a permit in the ledger: given back
 */
export function publishHeldBroadcast(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  marks: i32,
  turn: i32,
  subscribedLow: i32,
  subscribedHigh: i32,
  limitLow: i32,
  limitHigh: i32,
): Wake | typeof SHUT | typeof RACED | typeof WAITING {
  // A subscriber that is admitted may free the broadcast.
  guard(agent, stream);
  const published = publishInRoom(
    stream,
    tag,
    agent,
    entry,
    marks,
    turn,
    pair(subscribedLow, subscribedHigh),
    pair(limitLow, limitHigh),
  );
  unguard(agent);
  return published;
}

function publishInRoom(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  marks: i32,
  turn: i32,
  subscribed: i64,
  limit: i64,
): Wake | typeof SHUT | typeof RACED | typeof WAITING {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(stream + GRANT);
  if (isEnded(word)) return refusePublisher(stream, entry);
  // With the word from before: the index is compared with it.
  if ((turn === 0 && isTurnOut(stream)) || !hasRoom(marks, word, subscribed, limit)) {
    refusePublisher(stream, entry);
    return WAITING;
  }
  return publishAt(stream, agent, entry, word);
}

/** Begins a look at all marks. What it finds is in the agent's scratch. */
export function beginBroadcastScan(stream: LineAddress, agent: AgentAddress, marks: i32): typeof AGAIN {
  const seen = agent + AGENT_SCRATCH;
  // Before the marks: one that is taken later changes it.
  put64(seen + SEEN_SUBSCRIBED, load64(marks + SUBSCRIBED));
  put64(seen + SEEN_LIMIT, plus(unread(load64(stream + GRANT), wide(0)), wide(FAR)));
  put32(seen + SEEN_MARK, -1);
  return AGAIN;
}

export function scanBroadcastMark(agent: AgentAddress, marks: i32, n: i32): typeof AGAIN {
  const seen = agent + AGENT_SCRATCH;
  if (load32(markAt(marks, n) + MARK_OWNER) === 0) return AGAIN;
  const at = load64(markAt(marks, n) + MARK_AT);
  const lowest = get64(seen + SEEN_LIMIT);
  if (!isEntering(at) && (isEntering(lowest) || minus(at, lowest) >= wide(0))) return AGAIN;
  put64(seen + SEEN_LIMIT, at);
  put32(seen + SEEN_MARK, n);
  return AGAIN;
}

/** TAKEN: there is room, up to SEEN_LIMIT. 0 or more: there is none, and this is the lowest mark. */
export function endBroadcastScan(stream: LineAddress, agent: AgentAddress): i32 {
  const seen = agent + AGENT_SCRATCH;
  const lowest = get64(seen + SEEN_LIMIT);
  if (isEntering(lowest)) return get32(seen + SEEN_MARK);
  const limit = plus(lowest, lapOf(stream));
  put64(seen + SEEN_LIMIT, limit);
  return minus(limit, unread(load64(stream + GRANT), wide(0))) > wide(0) ? TAKEN : get32(seen + SEEN_MARK);
}

/** Whether the mark leaves no room for the value at the position in `word`. */
function holdsBack(stream: LineAddress, mark: i32, word: i64): boolean {
  if (load32(mark + MARK_OWNER) === 0) return false;
  const at = load64(mark + MARK_AT);
  return isEntering(at) || minus(plus(at, lapOf(stream)), word) <= wide(0);
}

/**
 * For the publisher with the turn, which has found that mark `n` leaves no room. TAKEN: look again. WAITING: it still
 * leaves none, with `mayWait` 0. Else the agent's spare element, QUEUED. The agent must have a spare. SHUT: freed.
 *
 * @takes A place in the room: a ticket that is the room's `GRANT`; `WANTED` 1 + the mark
 * @leaves The element: `AT`, `COUNT`, `SEM`, `TAG`, `GATE` QUEUED
 * @death Cancelled. `WANTED` stays: the next step of that mark's agent wakes no agent
 */
export function enqueueForBroadcastRoom(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  marks: i32,
  mayWait: i32,
  n: i32,
): Draw | typeof WAITING {
  guard(agent, stream);
  const drawn = enqueueInRoom(stream, tag, agent, marks, mayWait, n);
  unguard(agent);
  return drawn;
}

function enqueueInRoom(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  marks: i32,
  mayWait: i32,
  n: i32,
): Draw | typeof WAITING {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const room = asLine(stream - ROOM_BEFORE);
  const ticket = load64(room + GRANT);
  store32(marks + WANTED, n + 1);
  const word = load64(stream + GRANT);
  if (isEnded(word) || !holdsBack(stream, markAt(marks, n), word)) return TAKEN;
  if (mayWait === 0) return WAITING;
  return queue(agent, room, tag, 1, ticket);
}

/**
 * As `closeBroadcast`. The publishers that wait are told, too. Run the walk.
 *
 * @takes The end, by CAS on `GRANT`; `GRANT` + 1 of the room; the tag of the turn's line to its negative; all waiters
 *   have to be told. Again as often as it is called
 * @leaves `GRANT`; `AGENT_SWEEP`: all buckets
 * @death Walk
 */
export function closeHeldBroadcast(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
): typeof NEEDS_WALK | typeof SHUT | typeof RACED {
  // Once it is closed, another agent may free it.
  guard(agent, stream);
  const closed = load32(stream + BLOCK_TAG) === tag ? closeGuarded(stream, tag, agent) : SHUT;
  unguard(agent);
  return closed;
}

function closeGuarded(stream: LineAddress, tag: i32, agent: AgentAddress): typeof NEEDS_WALK | typeof RACED {
  const word = load64(stream + GRANT);
  if (!isEnded(word) && cas64(stream + GRANT, word, plus(word, wide(STREAM_CLOSED))) !== word) return RACED;
  // Also if it was closed before: with `jsEngine` that agent may have died at this point. The walk visits every chain,
  // so it finds the subscriptions, too.
  add64(stream - ROOM_BEFORE + GRANT, wide(1));
  cas32(stream - TURN_BEFORE + BLOCK_TAG, tag, 0 - tag);
  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
  return NEEDS_WALK;
}
