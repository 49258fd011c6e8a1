// Steps of a rate limiter: the generic cell rate algorithm (GCRA, ITU-T I.371, "virtual scheduling"), on words that all
// agents share.
//
//   word      value                                                                              written by
//   ARRIVAL   when the bucket will be full again (the theoretical arrival time)
//         takeAtRate, bookAtRate, returnToRate
//   LATEST    agreed time                                                                        takeAtRate, bookAtRate
//
// A permit costs interval / permits of time, and n permits cost n times as much. The tolerance is the cost of a whole
// burst. To take permits at the agreed time `at` moves ARRIVAL to max(ARRIVAL, at) + cost. That is allowed if the new
// value is at most at + tolerance.
//
// In front is the line, a semaphore with one permit: its owner is the waiter at the head. Each other waiter is in line
// for that permit.
//
// INVARIANTS
//
//   1. LATEST never decreases, and is at least every time that a step has used. An agent's time is the later of its own
//      clock and LATEST. So agents agree on the time, whatever their clocks do, and no agent has to wait for its clock
//      to reach the others'.
//   2. ARRIVAL alone decides. It is at least every time that a step has used, so permits that are taken from the moment
//      m to the moment n move it from at least LATEST at m to at most LATEST at n + tolerance. Hence they cost at most
//      tolerance + (LATEST at n - LATEST at m). ARRIVAL decreases only by what no agent has used (4).
//   3. A caller that is not in line takes nothing while the line has a waiter. GRANT is read before TICKET: if the line
//      seems free, it was free when TICKET was read or before. In the other order a waiter that takes over the line
//      between the reads is not seen.
//   4. A booking is returned only while ARRIVAL is what the booking made it. Then no later booking rests on it, and no
//      other agent has taken a permit after it.
//
// Times are whole numbers of ticks, below 2^53 for 17 years. So a 64-bit word and a double hold each of them exactly,
// and a word is read and written as a whole.

import {
  BLOCK_TAG,
  cas64,
  fromNumber,
  get64,
  GRANT,
  load32,
  load64,
  minus,
  OVERFLOW,
  RACED,
  SHUT,
  TAKEN,
  TICKET,
  toNumber,
  WAITING,
  wide,
  type LineAddress,
} from '@sluice/core/kernel';
import { ARRIVAL, LATEST, TOLERANCE } from './layout.ts';

/** The largest time: 2^53 - 1 ticks. */
const MOST: f64 = 9007199254740991;

function isOccupied(line: LineAddress): boolean {
  const granted = load64(line + GRANT);
  return minus(granted, load64(line + TICKET)) < wide(1);
}

/**
 * Takes permits at the agent's time `now`. Returns 0, or how many ticks later they can be taken.
 *
 * WAITING: a waiter is in line, and the caller is not (`inLine` 0). SHUT: closed or freed. RACED: call again with the
 * time of that moment.
 *
 * @takes Permits, which are used up: `ARRIVAL` by CAS. `LATEST` before that
 * @leaves Nothing
 * @death They are used up. Time brings new ones
 */
export function takeAtRate(line: LineAddress, tag: i32, bucket: i32, now: f64, cost: f64, inLine: i32): f64 {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  if (inLine === 0 && isOccupied(line)) return WAITING;
  const seen = load64(bucket + ARRIVAL);
  const latest = load64(bucket + LATEST);
  if (now > toNumber(latest) && cas64(bucket + LATEST, latest, fromNumber(now)) !== latest) return RACED;
  const at = now > toNumber(latest) ? now : toNumber(latest);
  const arrival = toNumber(seen);
  const next = (arrival > at ? arrival : at) + cost;
  const tolerance = toNumber(get64(bucket + TOLERANCE));
  if (next > at + tolerance) return next - tolerance - at;
  return cas64(bucket + ARRIVAL, seen, fromNumber(next)) === seen ? 0 : RACED;
}

/**
 * Books permits for the earliest time at which they can be taken. Returns what the step made of ARRIVAL; their time is
 * the tolerance before that. Negative results are those of `takeAtRate`, and OVERFLOW: the time would be 17 years away
 * or more, and nothing was booked.
 *
 * @takes The same, for a later time
 * @leaves Nothing
 * @death The same
 */
export function bookAtRate(line: LineAddress, tag: i32, bucket: i32, now: f64, cost: f64, inLine: i32): f64 {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  if (inLine === 0 && isOccupied(line)) return WAITING;
  const seen = load64(bucket + ARRIVAL);
  const latest = load64(bucket + LATEST);
  if (now > toNumber(latest) && cas64(bucket + LATEST, latest, fromNumber(now)) !== latest) return RACED;
  const at = now > toNumber(latest) ? now : toNumber(latest);
  const arrival = toNumber(seen);
  const next = (arrival > at ? arrival : at) + cost;
  // Larger ones are not exact in a double.
  if (next > MOST) return OVERFLOW;
  return cas64(bucket + ARRIVAL, seen, fromNumber(next)) === seen ? next : RACED;
}

/**
 * Returns booked permits that were not used. `booked`: what `bookAtRate` returned. WAITING: later permits rest on them,
 * nothing changed.
 *
 * @takes Permits of a booking back: `ARRIVAL` by CAS
 * @leaves Nothing
 * @death They are back. If the agent had not woken the waiter at the head, that waiter wakes at the time that it had
 *   found before
 */
export function returnToRate(
  line: LineAddress,
  tag: i32,
  bucket: i32,
  booked: f64,
  cost: f64,
): typeof TAKEN | typeof WAITING | typeof SHUT | typeof RACED {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  const seen = load64(bucket + ARRIVAL);
  if (toNumber(seen) !== booked) return WAITING;
  return cas64(bucket + ARRIVAL, seen, fromNumber(booked - cost)) === seen ? TAKEN : RACED;
}
