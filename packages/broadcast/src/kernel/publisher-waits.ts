// Steps of publishers that wait for the slowest subscription of a broadcast. The words and the invariants are in
// marks.ts.

import {
  AGAIN,
  AGENT_SCRATCH,
  AGENT_SWEEP,
  asLine,
  BLOCK_TAG,
  GRANT,
  HEADER_BUCKET_MASK,
  NEEDS_WALK,
  RACED,
  SHUT,
  TAKEN,
  TICKET,
  WAITING,
  type AgentAddress,
  type Draw,
  type EntryAddress,
  type LineAddress,
  type Poll,
  type Wake,
} from '@sluice/core/format';
import {
  add64,
  cas32,
  cas64,
  get32,
  get64,
  setHazard,
  load32,
  load64,
  minus,
  pair,
  plus,
  put32,
  put64,
  queue,
  store32,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import { isEnded, lapOf, publishAt, refusePublisher, unread } from './broadcast.ts';
import {
  FAR,
  MARK_AT,
  MARK_OWNER,
  ROOM_BEFORE,
  SEEN_LIMIT,
  SEEN_MARK,
  SEEN_SUBSCRIBED,
  STREAM_CLOSED,
  SUBSCRIBED,
  HEAD_LINE_BEFORE,
  WANTED,
} from './layout.ts';
import { LIMIT_REACHED } from './outcomes.ts';
import { isEntering, markAt } from './marks.ts';

/** Whether the line has a head, or agents wait to become its head. */
function hasHead(stream: LineAddress): boolean {
  const headLine = stream - HEAD_LINE_BEFORE;
  return minus(load64(headLine + GRANT), load64(headLine + TICKET)) <= wide(0);
}

/**
 * Whether a publisher replaces no value that a subscription needs. `word`, loaded earlier, holds the publisher's
 * position.
 */
function hasRoom(marks: i32, word: i64, subscribed: i64, limit: i64): boolean {
  return load64(marks + SUBSCRIBED) === subscribed && minus(limit, word) > wide(0);
}

/**
 * Looks for room, before a publisher takes a slot. Returns TAKEN if there seems to be room, WAITING if other publishers
 * come first, LIMIT_REACHED if the caller must scan the marks, and SHUT if the broadcast is closed or freed. `isHead`
 * is 1 if the caller is the head of the line. The other arguments are the results of the caller's last scan.
 *
 * @step `seekBroadcastRoom`, `beginBroadcastScan`, `scanBroadcastMark`, `endBroadcastScan`
 * @takes Nothing: these steps only read
 * @leaves The agent's scratch, for the agent alone
 * @death Nothing
 */
export function seekBroadcastRoom(
  stream: LineAddress,
  tag: i32,
  marks: i32,
  isHead: i32,
  subscribedLow: i32,
  subscribedHigh: i32,
  limitLow: i32,
  limitHigh: i32,
): Poll | typeof LIMIT_REACHED {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(stream + GRANT);
  if (isEnded(word)) return SHUT;
  if (isHead === 0 && hasHead(stream)) return WAITING;
  return hasRoom(marks, word, pair(subscribedLow, subscribedHigh), pair(limitLow, limitHigh)) ? TAKEN : LIMIT_REACHED;
}

/**
 * Publishes as `publishBroadcast` does, if `seekBroadcastRoom` still finds room. Otherwise returns WAITING, and the
 * agent's slot is spare again.
 *
 * @takes As `publishBroadcast`, if there is room. Otherwise the agent's slot becomes spare
 * @leaves As `publishBroadcast`
 * @death As `publishBroadcast`. The head's permit is in the agent's ledger entry: recovery releases it
 */
export function publishHeldBroadcast(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  marks: i32,
  isHead: i32,
  subscribedLow: i32,
  subscribedHigh: i32,
  limitLow: i32,
  limitHigh: i32,
): Wake | typeof SHUT | typeof RACED | typeof WAITING {
  // An admitted subscriber may free the broadcast.
  setHazard(agent, stream);
  const published = publishInRoom(
    stream,
    tag,
    agent,
    entry,
    marks,
    isHead,
    pair(subscribedLow, subscribedHigh),
    pair(limitLow, limitHigh),
  );
  clearHazard(agent);
  return published;
}

function publishInRoom(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  marks: i32,
  isHead: i32,
  subscribed: i64,
  limit: i64,
): Wake | typeof SHUT | typeof RACED | typeof WAITING {
  if (load32(stream + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(stream + GRANT);
  if (isEnded(word)) return refusePublisher(stream, entry);
  // Uses the word that was loaded earlier, because the CAS of the index compares with it.
  if ((isHead === 0 && hasHead(stream)) || !hasRoom(marks, word, subscribed, limit)) {
    refusePublisher(stream, entry);
    return WAITING;
  }
  return publishAt(stream, agent, entry, word);
}

/** Begins a scan of all marks. The result is in the agent's scratch. */
export function beginBroadcastScan(stream: LineAddress, agent: AgentAddress, marks: i32): typeof AGAIN {
  const seen = agent + AGENT_SCRATCH;
  // Before the marks: a mark that is taken later changes this word.
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

/** Ends a scan. Returns TAKEN if there is room up to SEEN_LIMIT. Otherwise returns the number of the lowest mark. */
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
 * Lets the head of the line wait until mark `n` moves. Returns TAKEN if the publisher must look for room again,
 * and SHUT if the broadcast was freed. If mark `n` still leaves no room, returns WAITING if `mayWait` is 0, or the
 * agent's spare element, which is then QUEUED. The agent must have a spare.
 *
 * @takes A place in the room: the ticket is the room's `GRANT`. `WANTED` becomes 1 + the mark
 * @leaves The element: `DRAWN`, `COUNT`, `LINE`, `TAG`, `GATE` QUEUED
 * @death Cancelled. `WANTED` stays, so the next step of that mark's agent finds no publisher to wake
 */
export function enqueueForBroadcastRoom(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
  marks: i32,
  mayWait: i32,
  n: i32,
): Draw | typeof WAITING {
  setHazard(agent, stream);
  const drawn = enqueueInRoom(stream, tag, agent, marks, mayWait, n);
  clearHazard(agent);
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
 * Closes the broadcast as `closeBroadcast` does, and wakes the waiting publishers, too. Run the walk afterwards.
 *
 * @takes The end of the broadcast, by CAS on `GRANT`. `GRANT` of the room + 1; the tag of the publishers' line to its
 *   negative. All waiters must be woken. A repeated call repeats these writes
 * @leaves `GRANT`; `AGENT_SWEEP`: all buckets
 * @death Walk
 */
export function closeHeldBroadcast(
  stream: LineAddress,
  tag: i32,
  agent: AgentAddress,
): typeof NEEDS_WALK | typeof SHUT | typeof RACED {
  // Once the broadcast is closed, another agent may free it.
  setHazard(agent, stream);
  const closed = load32(stream + BLOCK_TAG) === tag ? closeUnderHazard(stream, tag, agent) : SHUT;
  clearHazard(agent);
  return closed;
}

function closeUnderHazard(stream: LineAddress, tag: i32, agent: AgentAddress): typeof NEEDS_WALK | typeof RACED {
  const word = load64(stream + GRANT);
  if (!isEnded(word) && cas64(stream + GRANT, word, plus(word, wide(STREAM_CLOSED))) !== word) return RACED;
  // Also if the broadcast was closed before: with `jsEngine`, the agent that closed it may have died at this point. The
  // walk visits every chain, so it finds the waiting subscriptions, too.
  add64(stream - ROOM_BEFORE + GRANT, wide(1));
  cas32(stream - HEAD_LINE_BEFORE + BLOCK_TAG, tag, 0 - tag);
  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
  return NEEDS_WALK;
}
