// Steps at a bounded buffer: a ring between two sides, producers and consumers, each with a lock and a line to wait in.
//
// A side takes units: the producers take room, the consumers take values. Both sides' positions together tell how many units a side has,
// and an agent takes them under its side's lock. A caller that finds too few enqueues in the side's line, a semaphore whose permit is the
// turn. There is one turn: an agent that has it is the only one of its side that may take units, and it keeps the turn until it has taken
// them. So values follow the line. While no agent waits no permit moves, and each side writes only to its own line.
//
//   word        value                                                              written by
//   OFFICE      the side's lock (competing.ts)                                      enterSide, exitSide, promise
//   POSITION    low half: units of room ever used (producers), ever given back      commit: the owner of the
//               (consumers) · high half: values ever written, ever read · both wrap  lock
//   SEEN        the other side's POSITION, as last seen                             the owner of the lock
//   ROOM        of the producers: units of room in the ring · of the consumers: 0   create
//   TURN        1: the turn is out, as a permit that is free, held, or on its way;  promise, commit, look: the owner of the lock
//               then the lock carries a notice (NOTICE), and `takeWord` refuses it
//
// In the line that agents of a side wait in:
//
//   NEEDED      units that the agent with the turn sleeps for · 0: it does not      side.ts, while it has the turn; wakeNeeded: CAS to 0
//   tag         negative once no more units come: of the producers' line once       closeSides, exitSide
//               the buffer is closed, of the consumers' once it is empty as well
//
// Behind these lines each side has one more: a semaphore at which the agent with the turn sleeps for more units than there are.
//
// INVARIANTS
//
//   1. A value is in the buffer from the write of the producers' POSITION to that of the consumers'. Each write is the last thing its agent
//      does: an agent that dies before it has added nothing, or taken nothing.
//   2. While a line is open TURN is the number of permits at its semaphore, free or held. A newcomer stands back while an agent is in line
//      or has the turn; so agents take units in the order of their tickets.
//   3. The agent that frees a side's lock checks afterwards, on both sides, whether units are there that an agent waits for. So an agent
//      that finds a lock owned when it wants to give the turn has nothing left to do.

import { acquire, announce } from './admit.ts';
import { freeWord, takeOrEnqueue, takeWord } from './competing.ts';
import {
  AGENT_SERVES,
  AGENT_SERVES_TAG,
  AGENT_SWEEP,
  BLOCK_LINE,
  BLOCK_TAG,
  GRANT,
  HEADER_BUCKET_MASK,
  LEAST_UNITS,
  NEEDED,
  OFFICE,
  OWNER,
  POSITION,
  ROOM,
  SEEN,
  TICKET,
  TURN,
  WANTS,
} from './layout.ts';
import { ownerOf } from './owner.ts';
import { AGAIN, BESIDE, FIRST_POSITION, IDLE, RACED, SHORT, SHUT, TAKEN, WAITING, NEEDS_WALK } from './states.ts';
import { add64, cas32, cas64, clamp, get32, get64, high32, load32, load64, low32, minus, pair, plus, put32, put64, store32, store64, unsigned, wide } from './words.ts';

/** The highest number of agents before a newcomer that `enterSide` counts. */
const MANY: i32 = 1000;

function isProducers(side: i32): boolean {
  return get32(side + ROOM) !== 0;
}

function otherOf(side: i32): i32 {
  return isProducers(side) ? side + BLOCK_LINE : side - BLOCK_LINE;
}

function producersOf(side: i32): i32 {
  return isProducers(side) ? side : side - BLOCK_LINE;
}

/** The line that agents wait in, behind both sides' own lines. */
function semaphoreOf(side: i32): i32 {
  return side + BLOCK_LINE + BLOCK_LINE;
}

/** Where the agent with the turn waits for more units, behind both lines. */
function moreOf(side: i32): i32 {
  return semaphoreOf(side) + BLOCK_LINE + BLOCK_LINE;
}

/** Whether no more units come: for producers once the buffer is closed, for consumers once it is empty as well. */
function isClosed(side: i32): boolean {
  return load32(semaphoreOf(side) + BLOCK_TAG) < 0;
}

/** How many agents stand in line or cancelled there. Less than 0: the turn is free. */
function inLine(side: i32): i64 {
  return minus(load64(semaphoreOf(side) + TICKET), load64(semaphoreOf(side) + GRANT));
}

/** How many agents come before a newcomer: in line, or with the turn. */
function before(side: i32): i64 {
  return plus(inLine(side), wide(load32(side + TURN)));
}

/** Units between two positions. */
function units(side: i32, own: i64, other: i64): i32 {
  const room = get32(side + ROOM);
  return room !== 0 ? room - ((low32(own) - low32(other)) | 0) : (high32(other) - high32(own)) | 0;
}

/** Units that are there. The side's own position is read first: without the lock the result may be too low, never too high. */
function unitsNow(side: i32): i32 {
  const own = load64(side + POSITION);
  return units(side, own, load64(otherOf(side) + POSITION));
}

/** As `unitsNow`, judged by SEEN. */
function unitsSeen(side: i32): i32 {
  return units(side, load64(side + POSITION), get64(side + SEEN));
}

/** The fewest units that an agent of that side can want. */
function leastOf(side: i32): i32 {
  return isProducers(side) ? get32(side - BLOCK_LINE + LEAST_UNITS) : 1;
}

/** For newcomers: whether no agent is in line and `count` units seem to be there. Reads the other side's line only when it has to. */
function mayEnter(side: i32, count: i32): boolean {
  if (inLine(side) > wide(0)) return false;
  return unitsSeen(side) >= count || unitsNow(side) >= count;
}

/** Whether there are enough units also for the agents before a newcomer, if each wants as many as the newcomer. */
function isPlenty(side: i32, count: i32): boolean {
  const all = clamp(before(side), MANY) + 1;
  return all > 1 && all < MANY && unsigned(unitsNow(side)) >= unsigned(all) * unsigned(count);
}

/**
 * For the owner of the lock. TAKEN: `count` units are there for it. SHORT: they are not, or other agents come before it. SHUT: they will
 * never be, because a producer comes to a closed buffer, or a consumer to one that is closed and empty. `turn` 1: the caller has the turn.
 */
export function look(side: i32, count: i32, turn: i32): i32 {
  if (turn === 0 && load32(side + TURN) !== 0 && !isClosed(side) && !recall(side)) return SHORT;
  return lookInside(side, count, turn);
}

/** As `look`, while TURN is 0 or the turn is the agent's own. */
function lookInside(side: i32, count: i32, turn: i32): i32 {
  if (isProducers(side) && isClosed(side)) return SHUT;
  if (turn === 0 && inLine(side) > wide(0) && !isClosed(side)) return SHORT;
  if (unitsSeen(side) >= count) return TAKEN;
  // Read this before the position: no value comes once the producers' line is closed.
  const ended = isClosed(producersOf(side));
  put64(side + SEEN, load64(otherOf(side) + POSITION));
  if (unitsSeen(side) >= count) return TAKEN;
  return ended ? SHUT : SHORT;
}

/** Takes back a turn that is free because no agent is in line for it. */
function recall(side: i32): boolean {
  const sem = semaphoreOf(side);
  const ticket = minus(load64(sem + GRANT), wide(1));
  if (cas64(sem + TICKET, ticket, plus(ticket, wide(1))) !== ticket) return false;
  store32(side + TURN, 0);
  return true;
}

/** For the owner of the lock, which came for `count` units: how many it may take. Only `count` while other agents wait in line. */
export function countUnits(side: i32, count: i32): i32 {
  put64(side + SEEN, load64(otherOf(side) + POSITION));
  return inLine(side) > wide(0) ? count : unitsSeen(side);
}

/**
 * A newcomer that wants `count` units. FIRST_POSITION and more: it owns the lock, the units are there, and the rest is the low half of
 * POSITION. SHORT, SHUT: it owns the lock, and the units are not there (look). WAITING: the units are not there, or other agents come
 * before it. BESIDE: other agents come before it, and enough is there for all of them. RACED: another agent owns the lock.
 */
export function enterSide(side: i32, tag: i32, id: i32, count: i32): f64 {
  if (!isClosed(side) && !mayEnter(side, count)) return isPlenty(side, count) ? BESIDE : WAITING;
  // Fails while the turn is out.
  if (takeWord(side, tag, id) !== TAKEN) return isPlenty(side, count) ? BESIDE : RACED;
  const seen = lookInside(side, count, 0);
  return seen === TAKEN ? FIRST_POSITION + unsigned(low32(get64(side + POSITION))) : seen;
}

/** Takes a side's lock, or waits for it. Results as of `takeOrEnqueue`. */
export function enqueueAtSideLock(side: i32, tag: i32, agent: i32, mayWait: i32): i32 {
  return takeOrEnqueue(side, tag, agent, mayWait);
}

/**
 * Enqueues with one ticket, for `wants` units. The caller then runs the walk: its turn may have come meanwhile. `tag`: of the semaphore.
 * Results as of `acquire`.
 */
export function enqueueAtSide(side: i32, tag: i32, agent: i32, entry: i32, wants: i32): i32 {
  const sem = semaphoreOf(side);
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  // Lost wake-up, waiter side: draw the ticket before checking the units (promise). Pairs with `exitSide`.
  beginServing(agent, side);
  const drawn = acquire(sem, tag, entry, 1, agent);
  if (drawn > TAKEN) put32(drawn + WANTS, wants);
  return drawn;
}

/**
 * For the owner of the lock, which leaves: `room` units of room were used or given back, `values` written or read. `turn` 1: the owner has
 * the turn, as `entry` says, and passes it on. Results as of `exitSide`.
 */
export function commit(side: i32, agent: i32, entry: i32, room: i32, values: i32, turn: i32): i32 {
  if (turn !== 0) {
    // In this order: with `jsEngine` an agent may die in between. A surplus turn only costs order, a missing turn stops the line.
    store32(side + TURN, 0);
    put64(entry, minus(get64(entry), wide(turn)));
  }
  move(side, room, values);
  return exitSide(side, agent);
}

function move(side: i32, room: i32, values: i32): void {
  const at = load64(side + POSITION);
  store64(side + POSITION, pair((low32(at) + room) | 0, (high32(at) + values) | 0));
}

/** The owner of the lock leaves. IDLE: done. NEEDS_WALK: run the walk, which also frees the lock if this agent still owns it. */
export function exitSide(side: i32, agent: i32): i32 {
  const freed = freeWord(side, agent, get32(agent + OWNER));
  const hasEnded = !isProducers(side) && shutWhenEmpty(side, agent);
  // Lost wake-up, leaving side: the write is done before the check for waiters. Pairs with `enqueueAtSide` and NEEDED.
  if (freed !== RACED && !hasEnded && !isDue(otherOf(side)) && !isDue(side)) return freed;
  beginServing(agent, side);
  return NEEDS_WALK;
}

function beginServing(agent: i32, side: i32): void {
  const producers = producersOf(side);
  put32(agent + AGENT_SERVES_TAG, load32(producers - BLOCK_LINE + BLOCK_TAG));
  put32(agent + AGENT_SERVES, producers);
}

/** Whether units are there that an agent waits for. */
function isDue(side: i32): boolean {
  return mayGiveTurn(side) || isNeeded(side);
}

function mayGiveTurn(side: i32): boolean {
  if (inLine(side) <= wide(0) || load32(side + TURN) !== 0) return false;
  return !isClosed(side) && unitsNow(side) >= leastOf(side);
}

/** Whether the agent with the turn sleeps for units that are now there. */
function isNeeded(side: i32): boolean {
  const needed = load32(semaphoreOf(side) + NEEDED);
  return needed !== 0 && unitsNow(side) >= needed;
}

/** A part of the walk: gives the turn to agents that units are there for, first to a producer, then to a consumer. */
export function serve(agent: i32): i32 {
  const side = get32(agent + AGENT_SERVES);
  if (side === 0) return IDLE;
  // The buffer was freed after the death of the agent that left this note.
  const gone = load32(producersOf(side) - BLOCK_LINE + BLOCK_TAG) !== get32(agent + AGENT_SERVES_TAG);
  if (gone || !promise(side, agent)) put32(agent + AGENT_SERVES, !gone && isProducers(side) ? otherOf(side) : 0);
  return AGAIN;
}

/** Returns whether there may be more to do. */
function promise(side: i32, agent: i32): boolean {
  const id = get32(agent + OWNER);
  const owner = ownerOf(load64(side + OFFICE));
  // This agent owns the lock since its last call, or since it left: other agents came to the lock in that moment.
  if (owner === id) {
    freeWord(side, agent, id);
    return true;
  }
  if (wakeNeeded(side, agent)) return true;
  if (!mayGiveTurn(side)) return false;
  // If another agent owns the lock, that agent checks when it leaves. If the lock is free, a waiter that cancelled changed the word: try
  // again.
  if (takeWord(side, load32(side + BLOCK_TAG), id) !== TAKEN) return ownerOf(load64(side + OFFICE)) === 0;
  if (mayGiveTurn(side)) giveTurn(side, agent);
  freeWord(side, agent, id);
  return true;
}

/** The permit comes first: with `jsEngine` an agent may die in between, and a surplus turn only costs order. */
function giveTurn(side: i32, agent: i32): void {
  const sem = semaphoreOf(side);
  const grant = add64(sem + GRANT, wide(1));
  store32(side + TURN, 1);
  announce(sem, agent, grant, 1);
}

function wakeNeeded(side: i32, agent: i32): boolean {
  if (!isNeeded(side)) return false;
  const word = semaphoreOf(side) + NEEDED;
  const needed = load32(word);
  if (needed === 0 || cas32(word, needed, 0) !== needed) return true;
  announce(moreOf(side), agent, add64(moreOf(side) + GRANT, wide(1)), 1);
  return true;
}

/** Closes the buffer. The caller owns the producers' lock and leaves, so no value follows. Run the walk. */
export function closeSides(producers: i32, agent: i32): i32 {
  shutSide(producers, agent);
  shutWhenEmpty(otherOf(producers), agent);
  return exitSide(producers, agent);
}

/** Makes a dead owner of the lock leave. With `jsEngine` it may have died while it closed the buffer; the close is then completed. */
export function leaveForDead(side: i32, agent: i32): i32 {
  if (isProducers(side) && isClosed(side)) return closeSides(side, agent);
  return exitSide(side, agent);
}

/** Closes the consumers' line once the buffer is closed and empty. Until then waiting consumers are served in their order. */
function shutWhenEmpty(consumers: i32, agent: i32): boolean {
  if (!isClosed(otherOf(consumers)) || isClosed(consumers) || unitsNow(consumers) !== 0) return false;
  shutSide(consumers, agent);
  return true;
}

/** Idempotent. */
function shutSide(side: i32, agent: i32): void {
  shut(moreOf(side));
  shut(semaphoreOf(side));
  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
}

function shut(sem: i32): void {
  const tag = load32(sem + BLOCK_TAG);
  if (tag > 0) cas32(sem + BLOCK_TAG, tag, -tag);
}
