// Steps at a bounded buffer: a ring between two sides, producers and consumers, each with a lock and with a line to wait in.
//
// A side takes units: the producers room, the consumers values. What is there for it follows from both sides' positions, and whoever
// comes takes it under its side's lock. A caller that finds too few stands in the side's line, a semaphore whose permit is the turn.
// There is one turn: an agent that has it is the only one of its side that may take units, and it keeps the turn until it has taken
// them. So values follow the line. While no agent waits no permit moves, and each side writes to nothing but its own line.
//
//   word        value                                                              written by
//   OFFICE      the side's lock, as of a test-and-test-and-set lock (tts.ts)        enterSide, exitSide, promise
//   POSITION    low half: units of room ever used (producers), ever given back      commit: the owner of the
//               (consumers) · high half: values ever written, ever read · both wrap  lock
//   SEEN        the other side's POSITION, as last seen                             the owner of the lock
//   ROOM        of the producers: units of room in the ring · of the consumers: 0   create
//   TURN        1: the turn is out, as a permit that is free, held, or on its way;  promise, commit, look: the owner of the lock
//               then the lock carries a notice (NOTICE), and `lockTts` refuses it
//
// In the line that agents of a side wait in:
//
//   NEEDED      units that the agent with the turn sleeps for · 0: it does not      side.ts, while it has the turn; wakeNeeded: CAS to 0
//   tag         negative once no unit comes any more: of the producers' line once   closeSides, exitSide
//               the buffer is closed, of the consumers' once it is empty as well
//
// Behind these lines each side has one more: a semaphore at which the agent with the turn sleeps for more units than there are.
//
// INVARIANTS
//
//   1. A value is in the buffer from the write of the producers' POSITION to that of the consumers', each the last thing done: an
//      agent that dies before it has left nothing, or taken nothing.
//   2. While a line is open TURN is the number of permits at its semaphore, free or held. A newcomer stands back while an agent is in
//      line or has the turn; so agents take units in the order of their tickets.
//   3. The agent that frees a side's lock looks afterwards whether units are there that an agent waits for, on both sides. So an agent
//      that finds a lock owned when it wants to give the turn has nothing left to do.

import { acquire, announce } from './admit.ts';
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
import { ownerOf } from './mutex.ts';
import { AGAIN, BESIDE, FIRST_POSITION, IDLE, RACED, SHORT, SHUT, TAKEN, WAITING, NEEDS_WALK } from './states.ts';
import { lockTts, passTts } from './tts.ts';
import { add64, cas32, cas64, clamp, get32, get64, high32, load32, load64, low32, minus, pair, plus, put32, put64, store32, store64, unsigned, wide } from './words.ts';

/** As far as `enterSide` counts those that are before a newcomer. */
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

/** The line that agents wait in, behind both sides' own. */
function semaphoreOf(side: i32): i32 {
  return side + BLOCK_LINE + BLOCK_LINE;
}

/** Where the agent with the turn waits for more units, behind both lines. */
function moreOf(side: i32): i32 {
  return semaphoreOf(side) + BLOCK_LINE + BLOCK_LINE;
}

/** Whether no unit comes any more: of producers once the buffer is closed, of consumers once it is empty as well. */
function isClosed(side: i32): boolean {
  return load32(semaphoreOf(side) + BLOCK_TAG) < 0;
}

/** How many agents stand in line, or gave up there; less than 0: the turn is free. */
function inLine(side: i32): i64 {
  return minus(load64(semaphoreOf(side) + TICKET), load64(semaphoreOf(side) + GRANT));
}

/** How many agents are before a newcomer: in line, or with the turn. */
function before(side: i32): i64 {
  return plus(inLine(side), wide(load32(side + TURN)));
}

/** Units between two positions. */
function units(side: i32, own: i64, other: i64): i32 {
  const room = get32(side + ROOM);
  return room !== 0 ? room - ((low32(own) - low32(other)) | 0) : (high32(other) - high32(own)) | 0;
}

/** Units that are there. Its own position is read first: so without the lock there may be fewer, never more. */
function unitsNow(side: i32): i32 {
  const own = load64(side + POSITION);
  return units(side, own, load64(otherOf(side) + POSITION));
}

/** The same as far as SEEN tells. */
function unitsSeen(side: i32): i32 {
  return units(side, load64(side + POSITION), get64(side + SEEN));
}

/** The fewest units that an agent of that side can want. */
function leastOf(side: i32): i32 {
  return isProducers(side) ? get32(side - BLOCK_LINE + LEAST_UNITS) : 1;
}

/** For newcomers. Whether no agent is in line and so many units seem to be there; looks at the other side only when it has to. */
function mayEnter(side: i32, count: i32): boolean {
  if (inLine(side) > wide(0)) return false;
  return unitsSeen(side) >= count || unitsNow(side) >= count;
}

/** Whether enough is there also for those before a newcomer, if they want as much as it does. */
function isPlenty(side: i32, count: i32): boolean {
  const all = clamp(before(side), MANY) + 1;
  return all > 1 && all < MANY && unsigned(unitsNow(side)) >= unsigned(all) * unsigned(count);
}

/**
 * For the owner of the lock: TAKEN, so many units are there for it; SHORT, they are not, or others are before it; SHUT, there will
 * never be: a producer comes to a closed buffer, or a consumer to one that is closed and empty. `turn`: 1: it has the turn.
 */
export function look(side: i32, count: i32, turn: i32): i32 {
  if (turn === 0 && load32(side + TURN) !== 0 && !isClosed(side) && !recall(side)) return SHORT;
  return lookInside(side, count, turn);
}

/** The same while TURN is 0, or the agent's own. */
function lookInside(side: i32, count: i32, turn: i32): i32 {
  if (isProducers(side) && isClosed(side)) return SHUT;
  if (turn === 0 && inLine(side) > wide(0) && !isClosed(side)) return SHORT;
  if (unitsSeen(side) >= count) return TAKEN;
  // Before the position: no value comes once the producers' line is closed.
  const ended = isClosed(producersOf(side));
  put64(side + SEEN, load64(otherOf(side) + POSITION));
  if (unitsSeen(side) >= count) return TAKEN;
  return ended ? SHUT : SHORT;
}

/** Takes back a turn that is free: no agent is in line for it. */
function recall(side: i32): boolean {
  const sem = semaphoreOf(side);
  const ticket = minus(load64(sem + GRANT), wide(1));
  if (cas64(sem + TICKET, ticket, plus(ticket, wide(1))) !== ticket) return false;
  store32(side + TURN, 0);
  return true;
}

/** For the owner of the lock, which came for `count` units: how many it may take. Only these, while others wait in line. */
export function countUnits(side: i32, count: i32): i32 {
  put64(side + SEEN, load64(otherOf(side) + POSITION));
  return inLine(side) > wide(0) ? count : unitsSeen(side);
}

/**
 * A newcomer that wants `count` units. FIRST_POSITION and more: it owns the lock, they are there, and this is the low half of POSITION.
 * SHORT, SHUT: it owns the lock, and they are not (look). WAITING: they are not there, or others are before it. BESIDE: others are before
 * it, and enough is there for all of them. RACED: the lock is another's.
 */
export function enterSide(side: i32, tag: i32, id: i32, count: i32): f64 {
  if (!isClosed(side) && !mayEnter(side, count)) return isPlenty(side, count) ? BESIDE : WAITING;
  // Not while the turn is out.
  if (lockTts(side, tag, id) !== TAKEN) return isPlenty(side, count) ? BESIDE : RACED;
  const seen = lookInside(side, count, 0);
  return seen === TAKEN ? FIRST_POSITION + unsigned(low32(get64(side + POSITION))) : seen;
}

/**
 * Stands in line with one ticket, for `wants` units, and has to run the walk: its turn may have come meanwhile. `tag`: of the semaphore.
 * Results as of `acquire`.
 */
export function enqueueAtSide(side: i32, tag: i32, agent: i32, entry: i32, wants: i32): i32 {
  const sem = semaphoreOf(side);
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  // No lost wake-up, this end: its ticket is drawn before it looks what is there (promise); `exitSide` is the other end.
  beginServing(agent, side);
  const drawn = acquire(sem, tag, entry, 1, agent);
  if (drawn > TAKEN) put32(drawn + WANTS, wants);
  return drawn;
}

/**
 * For the owner of the lock, which leaves: `room` units of room were used or given back, `values` written or read. `turn`: 1: it has the
 * turn, as `entry` says, and gives it on. Results as of `exitSide`.
 */
export function commit(side: i32, agent: i32, entry: i32, room: i32, values: i32, turn: i32): i32 {
  if (turn !== 0) {
    // In this order: with engine 'js' an agent may die in between, and a turn too many only costs order; one too few stops the line.
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

/** The owner of the lock leaves. IDLE; NEEDS_WALK: run the walk, which also frees the lock if this agent owns it still. */
export function exitSide(side: i32, agent: i32): i32 {
  const freed = passTts(side, agent, get32(agent + OWNER));
  const hasEnded = !isProducers(side) && shutWhenEmpty(side, agent);
  // No lost wake-up, the other end: what was written is there before it looks for waiters; `enqueueAtSide` and NEEDED are this end.
  if (freed !== RACED && !hasEnded && !isDue(otherOf(side)) && !isDue(side)) return freed;
  beginServing(agent, side);
  return NEEDS_WALK;
}

function beginServing(agent: i32, side: i32): void {
  const producers = producersOf(side);
  put32(agent + AGENT_SERVES_TAG, load32(producers - BLOCK_LINE + BLOCK_TAG));
  put32(agent + AGENT_SERVES, producers);
}

/** Whether units are there for which an agent waits. */
function isDue(side: i32): boolean {
  return mayGiveTurn(side) || isNeeded(side);
}

function mayGiveTurn(side: i32): boolean {
  if (inLine(side) <= wide(0) || load32(side + TURN) !== 0) return false;
  return !isClosed(side) && unitsNow(side) >= leastOf(side);
}

/** Whether the agent with the turn sleeps for units that are there. */
function isNeeded(side: i32): boolean {
  const needed = load32(semaphoreOf(side) + NEEDED);
  return needed !== 0 && unitsNow(side) >= needed;
}

/** A part of the walk: gives the turn to agents that units are there for, first to the producers, then to the consumers. */
export function serve(agent: i32): i32 {
  const side = get32(agent + AGENT_SERVES);
  if (side === 0) return IDLE;
  // Freed since the agent died that left this.
  const gone = load32(producersOf(side) - BLOCK_LINE + BLOCK_TAG) !== get32(agent + AGENT_SERVES_TAG);
  if (gone || !promise(side, agent)) put32(agent + AGENT_SERVES, !gone && isProducers(side) ? otherOf(side) : 0);
  return AGAIN;
}

/** Whether there may be more to do. */
function promise(side: i32, agent: i32): boolean {
  const id = get32(agent + OWNER);
  const owner = ownerOf(load64(side + OFFICE));
  // Its own since the last call, or since it left: others came to the lock in that moment.
  if (owner === id) {
    passTts(side, agent, id);
    return true;
  }
  if (wakeNeeded(side, agent)) return true;
  if (!mayGiveTurn(side)) return false;
  // Owned by another one, which looks when it leaves. When it is not, another agent changed the word that only gave up.
  if (lockTts(side, load32(side + BLOCK_TAG), id) !== TAKEN) return ownerOf(load64(side + OFFICE)) === 0;
  if (mayGiveTurn(side)) giveTurn(side, agent);
  passTts(side, agent, id);
  return true;
}

/** First the permit: with engine 'js' an agent may die in between, and a turn too many only costs order. */
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

/** Closes the buffer, for the owner of the producers' lock, which leaves: so no value comes after it. Run the walk. */
export function closeSides(producers: i32, agent: i32): i32 {
  shutSide(producers, agent);
  shutWhenEmpty(otherOf(producers), agent);
  return exitSide(producers, agent);
}

/** A dead agent, which owned the lock, leaves; with engine 'js' it may have died in the middle of its close, which goes on. */
export function leaveForDead(side: i32, agent: i32): i32 {
  if (isProducers(side) && isClosed(side)) return closeSides(side, agent);
  return exitSide(side, agent);
}

/** Ends the consumers' line once the buffer is closed and empty. Until then those in line are served in their order. */
function shutWhenEmpty(consumers: i32, agent: i32): boolean {
  if (!isClosed(otherOf(consumers)) || isClosed(consumers) || unitsNow(consumers) !== 0) return false;
  shutSide(consumers, agent);
  return true;
}

/** As often as you like. */
function shutSide(side: i32, agent: i32): void {
  shut(moreOf(side));
  shut(semaphoreOf(side));
  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
}

function shut(sem: i32): void {
  const tag = load32(sem + BLOCK_TAG);
  if (tag > 0) cas32(sem + BLOCK_TAG, tag, -tag);
}
