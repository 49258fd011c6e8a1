// Steps at a bounded buffer: a ring between two sides, producers and consumers, each with a lock and with a line to wait in.
//
// A side takes units: the producers room, the consumers values. What is there for it follows from both sides' positions, and whoever
// comes takes it under its side's lock. Only when agents stand in line are units turned into permits of the side's semaphore
// (promise): so while nobody waits no permit moves, and each side writes to nothing but its own line.
//
//   word        value                                                              written by
//   OFFICE      the side's lock, as of a test-and-test-and-set lock (tts.ts)        enterSide, exitSide, promise
//   POSITION    low half: units of room ever used (producers), ever given back      commit: the owner of the
//               (consumers) · high half: values ever written, ever read · both wrap  lock
//   SEEN        the other side's POSITION, as last seen                             the owner of the lock
//   PROMISED    units that are out as permits and that nobody has taken yet         promise, recall, commit: the owner of the lock
//   ROOM        of the producers: units of room in the ring · of the consumers: 0   create
//   tag of the semaphore: negative once the buffer is closed                        closeSides
//
// INVARIANTS
//
//   1. A value is in the buffer from the write of the producers' POSITION to that of the consumers', each the last thing done: an
//      agent that dies before it has left nothing, or taken nothing.
//   2. While the buffer is open PROMISED is the number of permits at the side's semaphore, free or held. Promised units are there for
//      nobody else, and newcomers stand back while anybody is in line: so a line is served in its order.
//   3. Whoever frees a side's lock looks afterwards whether units are there that somebody waits for, on both sides. So who finds a lock
//      owned when it wants to promise has nothing left to do.

import { acquire, announce } from './admit.ts';
import {
  AGENT_SERVES,
  AGENT_SERVES_TAG,
  AGENT_SWEEP,
  BLOCK_LINE,
  BLOCK_TAG,
  GRANT,
  HEADER_BUCKET_MASK,
  OFFICE,
  OWNER,
  POSITION,
  PROMISED_UNITS,
  ROOM,
  SEEN,
  TICKET,
} from './layout.ts';
import { ownerOf } from './mutex.ts';
import { AGAIN, IDLE, RACED, SHORT, SHUT, TAKEN, WAITING, WALK } from './states.ts';
import { lockTts, passTts } from './tts.ts';
import { add64, cas32, cas64, clamp, get32, get64, high32, load32, load64, low32, minus, pair, put32, put64, store64, unsigned, wide } from './words.ts';

/** Of `enterSide`: a position in the ring is told as so much more. */
export const FIRST_POSITION: i32 = 16;

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

function isClosed(side: i32): boolean {
  return load32(semaphoreOf(side) + BLOCK_TAG) < 0;
}

/** How many units for which agents stand in line, or gave up there; less than 0: permits are free. */
function wanted(side: i32): i64 {
  return minus(load64(semaphoreOf(side) + TICKET), load64(semaphoreOf(side) + GRANT));
}

/** Units between two positions, of which none is promised once the buffer is closed. */
function units(side: i32, own: i64, other: i64): i32 {
  const room = get32(side + ROOM);
  const all = room !== 0 ? room - ((low32(own) - low32(other)) | 0) : (high32(other) - high32(own)) | 0;
  return isClosed(side) ? all : all - get32(side + PROMISED_UNITS);
}

/** Units that are there for newcomers. Its own position is read first: so without the lock there may be fewer, never more. */
function unitsNow(side: i32): i32 {
  const own = load64(side + POSITION);
  return units(side, own, load64(otherOf(side) + POSITION));
}

/** The same as far as SEEN tells. */
function unitsSeen(side: i32): i32 {
  return units(side, load64(side + POSITION), get64(side + SEEN));
}

/** For newcomers. Whether nobody stands in line and so many units seem to be there; looks at the other side only when it has to. */
function mayEnter(side: i32, count: i32): boolean {
  const line = wanted(side);
  if (line > wide(0)) return false;
  // Permits that are free are units again as soon as somebody has the lock (recall).
  const more = count - clamp(minus(wide(0), line), count);
  return unitsSeen(side) >= more || unitsNow(side) >= more;
}

/**
 * For the owner of the lock: TAKEN, so many units are there for it; SHORT, they are not, or others stand in line; SHUT, there will
 * never be: a producer comes to a closed buffer, or a consumer to one that is closed and empty.
 */
export function look(side: i32, count: i32): i32 {
  const closed = isClosed(side);
  if (closed && isProducers(side)) return SHUT;
  if (!closed && wanted(side) > wide(0)) return SHORT;
  if (unitsSeen(side) >= count) return TAKEN;
  put64(side + SEEN, load64(otherOf(side) + POSITION));
  recall(side);
  if (unitsSeen(side) >= count) return TAKEN;
  return closed ? SHUT : SHORT;
}

/** For the owner of the lock, to which `promised` units are promised: how many are there for it, these included. */
export function countUnits(side: i32, promised: i32): i32 {
  const closed = isClosed(side);
  put64(side + SEEN, load64(otherOf(side) + POSITION));
  if (closed) return unitsSeen(side);
  if (wanted(side) > wide(0)) return promised;
  recall(side);
  // Closed in this moment: then what was promised is among them.
  const there = unitsSeen(side);
  return isClosed(side) ? there : promised + there;
}

/** Permits that nobody took, since whoever waited for them gave up or died, are units again. */
function recall(side: i32): void {
  const free = minus(wide(0), wanted(side));
  if (free <= wide(0)) return;
  const sem = semaphoreOf(side);
  const grant = load64(sem + GRANT);
  if (cas64(sem + TICKET, minus(grant, free), grant) !== minus(grant, free)) return;
  put32(side + PROMISED_UNITS, get32(side + PROMISED_UNITS) - low32(free));
}

/**
 * A newcomer that wants `count` units. FIRST_POSITION and more: it owns the lock, they are there, and this is the low half of POSITION.
 * SHORT, SHUT: it owns the lock, and they are not (look). WAITING: they are not there, or others stand in line. RACED: the lock is
 * another's.
 */
export function enterSide(side: i32, tag: i32, id: i32, count: i32): f64 {
  if (!isClosed(side) && !mayEnter(side, count)) return WAITING;
  if (lockTts(side, tag, id) !== TAKEN) return RACED;
  const seen = look(side, count);
  return seen === TAKEN ? FIRST_POSITION + unsigned(low32(get64(side + POSITION))) : seen;
}

/**
 * Stands in line for `count` units, and has to run the walk: what came meanwhile may be promised to it. `tag`: of the semaphore. Results
 * as of `acquire`.
 */
export function lineUp(side: i32, tag: i32, agent: i32, entry: i32, count: i32): i32 {
  const sem = semaphoreOf(side);
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  // No lost wake-up, this end: its ticket is drawn before it looks what is there (promise); `exitSide` is the other end.
  beginServing(agent, side);
  return acquire(sem, tag, entry, count, agent);
}

/**
 * For the owner of the lock, which leaves: `room` units of room were used or given back, `values` written or read, and `redeemed` of
 * the units taken had been promised to it, as `entry` says. Results as of `exitSide`.
 */
export function commit(side: i32, agent: i32, entry: i32, room: i32, values: i32, redeemed: i32): i32 {
  // In this order: with engine 'js' an agent may die in between, and units are rather lost than there twice.
  if (redeemed !== 0) {
    put64(entry, minus(get64(entry), wide(redeemed)));
    put32(side + PROMISED_UNITS, get32(side + PROMISED_UNITS) - redeemed);
  }
  move(side, room, values);
  return exitSide(side, agent);
}

function move(side: i32, room: i32, values: i32): void {
  const at = load64(side + POSITION);
  store64(side + POSITION, pair((low32(at) + room) | 0, (high32(at) + values) | 0));
}

/** The owner of the lock leaves. IDLE; WALK: run the walk, which also frees the lock if this agent owns it still. */
export function exitSide(side: i32, agent: i32): i32 {
  const freed = passTts(side, agent, get32(agent + OWNER));
  // No lost wake-up, the other end: what was written is there before it looks who waits; `lineUp` is this end.
  if (freed !== RACED && !isDue(otherOf(side)) && !isDue(side)) return freed;
  beginServing(agent, side);
  return WALK;
}

function beginServing(agent: i32, side: i32): void {
  const producers = producersOf(side);
  put32(agent + AGENT_SERVES_TAG, load32(producers - BLOCK_LINE + BLOCK_TAG));
  put32(agent + AGENT_SERVES, producers);
}

/** Whether units are there for which an agent stands in line. */
function isDue(side: i32): boolean {
  return wanted(side) > wide(0) && !isClosed(side) && unitsNow(side) > 0;
}

/** A part of the walk: promises what is there to those who wait for it, first to the producers, then to the consumers. */
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
  if (!isDue(side)) return false;
  // Owned by another one, which looks when it leaves. When it is not, somebody changed the word who only gave up.
  if (lockTts(side, load32(side + BLOCK_TAG), id) !== TAKEN) return ownerOf(load64(side + OFFICE)) === 0;
  put64(side + SEEN, load64(otherOf(side) + POSITION));
  const count = clamp(wanted(side), unitsSeen(side));
  if (count > 0) {
    put32(side + PROMISED_UNITS, get32(side + PROMISED_UNITS) + count);
    announce(semaphoreOf(side), agent, add64(semaphoreOf(side) + GRANT, wide(count)), count);
  }
  passTts(side, agent, id);
  return true;
}

/** Closes the buffer, for the owner of the producers' lock, which leaves: so no value comes after it. Run the walk. */
export function closeSides(producers: i32, agent: i32): i32 {
  shutBoth(producers, agent);
  return exitSide(producers, agent);
}

/** A dead agent, which owned the lock, leaves; with engine 'js' it may have died in the middle of its close, which goes on. */
export function leaveForDead(side: i32, agent: i32): i32 {
  if (isProducers(side) && isClosed(side)) shutBoth(side, agent);
  return exitSide(side, agent);
}

/** As often as you like. */
function shutBoth(producers: i32, agent: i32): void {
  shut(semaphoreOf(producers));
  shut(semaphoreOf(producers + BLOCK_LINE));
  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
}

function shut(sem: i32): void {
  const tag = load32(sem + BLOCK_TAG);
  if (tag > 0) cas32(sem + BLOCK_TAG, tag, -tag);
}
