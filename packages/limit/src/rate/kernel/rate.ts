// Steps of a rate limiter: the generic cell rate algorithm (GCRA, ITU-T I.371, "virtual scheduling"), on words that all
// agents share.
//
//   word      value                                                               written by
//   ARRIVAL   the time at which the bucket is full (theoretical arrival time)     takeAtRate, bookAtRate, returnToRate
//   LATEST    agreed time                                                         takeAtRate, bookAtRate
//   SERVED    the time of the last call that was served after a late timer        takeAtRate
//
// A permit costs interval / permits of time, and n permits cost n times as much. The tolerance is the cost of a whole
// burst. Taking permits at the agreed time `at` moves ARRIVAL to max(ARRIVAL, from) + cost. This is allowed if the new
// value is at most at + tolerance.
//
// For a caller that does not wait, `from` is `at`: a full bucket gains nothing. A waiter's timer ends late, and with a
// burst of one permit the bucket would be full in the meantime. So a waiter that joined the line at `since` counts from
// that time, as if it had taken its permits at the moment at which they became available. MAX_LATENESS bounds the
// difference.
//
// A timer of an event loop ends at whole ms. So at rates of more than a permit per ms it is late for several permits,
// and of calls that are made one after the other only the first waits. SERVED - ARRIVAL is the lateness that the waiter
// left. The calls after it use it up: they count from ARRIVAL, too. The pause from SERVED to a call is not lateness,
// because no call wanted a permit, and after a pause of MAX_LATENESS nothing is left.
//
// Waiters wait in the line, a semaphore with one permit. The owner of the permit is the head of the line. All other
// waiters wait for the permit.
//
// INVARIANTS
//
//   1. LATEST never decreases. It is at least every time that a step has used. An agent's time is the later of its own
//      clock and LATEST. So agents agree on the time even if their clocks differ, and an agent whose clock is slow does
//      not wait for it.
//   2. ARRIVAL alone decides. Permits taken from moment m to moment n move ARRIVAL from at least LATEST at m, less
//      MAX_LATENESS if a timer was late before the first of them, to at most LATEST at n + tolerance. So they cost at
//      most tolerance + MAX_LATENESS + (LATEST at n - LATEST at m). ARRIVAL decreases only by the cost of unused
//      permits (4). SERVED decides which of the two bounds applies, and cannot break the larger one. So it need not
//      change together with ARRIVAL.
//   3. A caller that is not in line takes nothing while the line has a waiter. GRANT is read before TICKET: if the line
//      seems free, it was free when TICKET was read or before. In the other order the caller would miss a waiter that
//      becomes the head between the two reads.
//   4. A booking is returned only while ARRIVAL still has the value that the booking wrote. Then no agent has booked or
//      taken permits after it, so no later time depends on it.
//
// Times are whole numbers of ticks, below 2^53 for 17 years. So a 64-bit word and a double hold each time exactly. A
// word is read and written as a whole.

import { BLOCK_TAG, GRANT, OVERFLOW, RACED, SHUT, TAKEN, TICKET, WAITING, type LineAddress } from '@sluice/core/format';
import { cas64, fromNumber, get64, load32, load64, minus, store64, toNumber, wide } from '@sluice/core/kernel';
import { ARRIVAL, LATEST, SERVED, TOLERANCE } from './layout.ts';

/**
 * The longest lateness of a timer that the limiter makes up for: 5 ms. A timer of an event loop is 1 to 2 ms late if
 * the thread is free. A thread that was busy for longer gets no burst for it.
 */
const MAX_LATENESS: f64 = 80_000;

/** The largest time: 2^53 - 1 ticks. */
const MOST: f64 = 9007199254740991;

function isOccupied(line: LineAddress): boolean {
  const granted = load64(line + GRANT);
  return minus(granted, load64(line + TICKET)) < wide(1);
}

/** Returns the time from which a caller wants its permits. The caller takes them at the time `at`. */
function wantsFrom(at: f64, since: f64): f64 {
  if (since < 0 || since > at) return at;
  const earliest = at - MAX_LATENESS;
  return since > earliest ? since : earliest;
}

/**
 * Returns the time from which the permits of a caller count that wants them from `wanted` on, in a bucket that has been
 * full since `arrival`.
 */
function countsFrom(at: f64, wanted: f64, arrival: f64, served: f64): f64 {
  const pause = wanted - served;
  if (served === 0 || served <= arrival || pause >= MAX_LATENESS) return wanted;
  const earliest = at - MAX_LATENESS;
  const counted = pause > 0 ? arrival + pause : arrival;
  return counted > earliest ? counted : earliest;
}

/**
 * Takes permits at the agent's time `now`. Returns 0, or the number of ticks until the permits can be taken. `since` is
 * the agreed time at which the caller joined the line, or negative if it is not in line.
 *
 * Returns WAITING if a waiter is in line and the caller is not. Returns SHUT if the limiter is closed or freed, and
 * RACED if the caller must read its clock and call again.
 *
 * @takes Permits, which are used up: first `LATEST`, then `ARRIVAL` by CAS, then `SERVED`
 * @leaves Nothing
 * @death The permits are used up. New ones come with time. Before `SERVED`, the lateness that is left is lost
 */
export function takeAtRate(line: LineAddress, tag: i32, bucket: i32, now: f64, cost: f64, since: f64): f64 {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  if (since < 0 && isOccupied(line)) return WAITING;
  const seen = load64(bucket + ARRIVAL);
  const latest = load64(bucket + LATEST);
  if (now > toNumber(latest) && cas64(bucket + LATEST, latest, fromNumber(now)) !== latest) return RACED;
  const at = now > toNumber(latest) ? now : toNumber(latest);
  const arrival = toNumber(seen);
  const wanted = wantsFrom(at, since);
  const from = arrival < wanted ? countsFrom(at, wanted, arrival, toNumber(load64(bucket + SERVED))) : arrival;
  const next = from + cost;
  const tolerance = toNumber(get64(bucket + TOLERANCE));
  if (next > at + tolerance) return next - tolerance - at;
  if (cas64(bucket + ARRIVAL, seen, fromNumber(next)) !== seen) return RACED;
  if (next < at && (since >= 0 || from < wanted)) store64(bucket + SERVED, fromNumber(at));
  return 0;
}

/**
 * Books permits for the earliest time at which they can be taken. Returns the new value of ARRIVAL. The time of the
 * permits is that value minus the tolerance. Returns OVERFLOW, without a booking, if that time is 17 years away or
 * more. The other negative results are those of `takeAtRate`.
 *
 * @takes Permits for a later time, which are used up: first `LATEST`, then `ARRIVAL` by CAS
 * @leaves Nothing
 * @death The permits are used up. New ones come with time
 */
export function bookAtRate(line: LineAddress, tag: i32, bucket: i32, now: f64, cost: f64, since: f64): f64 {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  if (since < 0 && isOccupied(line)) return WAITING;
  const seen = load64(bucket + ARRIVAL);
  const latest = load64(bucket + LATEST);
  if (now > toNumber(latest) && cas64(bucket + LATEST, latest, fromNumber(now)) !== latest) return RACED;
  const at = now > toNumber(latest) ? now : toNumber(latest);
  const arrival = toNumber(seen);
  const next = (arrival > at ? arrival : at) + cost;
  // A double does not hold larger times exactly.
  if (next > MOST) return OVERFLOW;
  return cas64(bucket + ARRIVAL, seen, fromNumber(next)) === seen ? next : RACED;
}

/**
 * Returns booked permits that were not used. `booked` is the result of `bookAtRate`. Returns WAITING, and changes
 * nothing, if permits were booked or taken after these.
 *
 * @takes The permits of a booking, which it returns: `ARRIVAL` by CAS
 * @leaves Nothing
 * @death The permits are returned. If the agent died before it woke the head of the line, the head wakes at the time
 *   for which it had set its timer
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
