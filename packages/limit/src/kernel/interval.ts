// Steps that count the starts of a limit with an interval.
//
//   word      value                                                                    written by
//   WINDOW    i64: begin × (intervalCap + 1) + starts, of the current window           startInWindow
//   RING      i64 each: the times of the last intervalCap starts                       startInRing, moveInRing
//   NEXT      i32: the index in RING of the oldest start                               startInRing
//
// UNITS. Times are in parts. A part is a fixed fraction of the interval: the interval has PARTS parts (`partsOf` in
// ../api/interval-terms.ts). The time `now` of a step may be fractional. WINDOW and RING store whole parts.
//
// Agents with waiting calls wait in the line, a semaphore with one permit. The owner of the permit is the agent whose
// call starts next. An agent acquires a slot before it counts a start, so the call starts right after the count.
//
// With underWay 0 a step counts nothing and returns 0 if a call could start now.
//
// INVARIANTS, FIXED WINDOWS
//
//   1. One CAS of WINDOW counts a start, or begins a window and counts its first start. So a window has at most
//      intervalCap starts, and a dead agent leaves no partial count. If an agent dies between its count and its start,
//      that count stays unused until the window ends. If an agent pauses in between until the window has ended, that
//      count stays unused, too, and the agent counts again.
//   2. A window begins at least one interval after the previous window began. So windows do not overlap.
//   3. A step uses the later of the agent's clock and the begin of the window. So an agent whose clock is behind counts
//      in the current window, and does not begin an older one.
//   4. A step reads WINDOW first, and then the number of running functions. A call that starts in between changes
//      WINDOW, so the CAS of the step fails.
//
// INVARIANTS, SLIDING WINDOW
//
//   5. One CAS replaces a time that is at least one interval old. So each element of RING counts at most one start per
//      interval. RING has intervalCap elements, so this alone enforces the cap, for any value of NEXT.
//   6. startInRing writes a time that is later than all earlier times. So NEXT is outdated if and only if the time at
//      NEXT is later than the time in the element before it. The next agent then increments NEXT.
//   7. An interval has more parts than RING has elements. Starts at one moment get successive times (6). So the last of
//      intervalCap starts is less than an interval after the first.
//   8. An agent that paused between its count and its start advances the time that it wrote, by one CAS of the same
//      element (moveInRing). So the element still counts one start per interval. Its time may then be later than times
//      that were written after it. By 6, the next agent moves NEXT past such an element, or waits for it at most as
//      long as the agent paused.
//   9. An agent that paused while others used all elements once may move NEXT too far. By 6, NEXT returns to the oldest
//      start.
//
// A word holds times for 17 years. With fixed windows, a part is at least intervalCap + 1 sixteenths of a microsecond.
// So WINDOW stays below 2^53, where a double is exact. `createLimit` throws for an interval shorter than such a part.

import { asLine, BLOCK_TAG, GRANT, RACED, SHUT, TICKET, WAITING, type LineAddress } from '@sluice/core/format';
import {
  cas32,
  cas64,
  fromNumber,
  get32,
  get64,
  high32,
  load32,
  load64,
  minus,
  toNumber,
  unsigned,
  wide,
} from '@sluice/core/kernel';
import { CAP, CARRYING, MODE, NEXT, PARTS, RING, SIZE, SLOTS, WINDOW } from './layout.ts';
import { STARTED } from './outcomes.ts';

/**
 * Whether a waiter is in the line. Load GRANT before TICKET: if the result is false, the line was free at some moment up
 * to the load of TICKET.
 */
function isOccupied(line: LineAddress): boolean {
  const granted = load64(line + GRANT);
  return minus(granted, load64(line + TICKET)) < wide(1);
}

/** Returns the number of slots in use: all slots except the free ones. `size` is the word with the number of slots. */
function inUse(slots: LineAddress, size: i32): f64 {
  const granted = load64(slots + GRANT);
  const free = toNumber(minus(granted, load64(slots + TICKET)));
  const all = unsigned(high32(load64(size)));
  return free > 0 ? all - free : all;
}

/**
 * Counts a start in the fixed window at the agent's time `now`. The agent has a slot for the call. Returns STARTED, or
 * the number of parts until the call can start.
 *
 * `underWay` is the number of the agent's slots for calls that have not started, including this call. With 0 the step
 * counts nothing, and returns 0 if a call could start now; the agent then has one slot.
 *
 * Returns WAITING if a waiter is in line and the caller is not (`inLine` is 0). Returns SHUT if the limit is closed or
 * freed. Returns RACED if the caller must read its clock and call again.
 *
 * @step `startInWindow` `startInRing` `moveInRing`
 * @takes A start, which is used up: `WINDOW`, or a place of `RING`, by CAS. Then `NEXT`
 * @leaves Nothing; the slot is held already
 * @death The start is used up until its interval ends. The next agent moves `NEXT` on
 */
export function startInWindow(line: LineAddress, tag: i32, count: i32, now: f64, inLine: i32, underWay: i32): f64 {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  if (inLine === 0 && isOccupied(line)) return WAITING;
  const seen = load64(count + WINDOW);
  const word = toNumber(seen);
  const cap = unsigned(get32(count + CAP));
  const parts = toNumber(get64(count + PARTS));
  const began = Math.floor(word / (cap + 1));
  const starts = word - began * (cap + 1);
  const at = now > began ? now : began;
  if (starts > 0 && at < began + parts) {
    if (starts >= cap) return began + parts - at;
    if (underWay === 0) return 0;
    return cas64(count + WINDOW, seen, fromNumber(word + 1)) === seen ? STARTED : RACED;
  }
  // While calls wait, each window begins when the previous one ends. Otherwise a window begins with its first start.
  const begins = starts > 0 && inLine !== 0 ? began + Math.floor((at - began) / parts) * parts : Math.ceil(at);
  const carried: f64 =
    get32(count + MODE) === CARRYING
      ? inUse(asLine(get32(count + SLOTS)), get32(count + SIZE)) - unsigned(underWay === 0 ? 1 : underWay)
      : 0;
  if (underWay === 0 && carried < cap) return 0;
  const counted = carried < cap ? carried + 1 : cap;
  if (cas64(count + WINDOW, seen, fromNumber(begins * (cap + 1) + counted)) !== seen) return RACED;
  return carried < cap ? STARTED : begins + parts - at;
}

/**
 * Counts a start as `startInWindow` does, in the sliding window, which ends at `now`. Returns STARTED - i if it counted
 * the start in element i of RING.
 */
export function startInRing(line: LineAddress, tag: i32, count: i32, now: f64, inLine: i32, underWay: i32): f64 {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  if (inLine === 0 && isOccupied(line)) return WAITING;
  const cap = get32(count + CAP);
  const next = load32(count + NEXT);
  const after = next + 1 === cap ? 0 : next + 1;
  const place = count + RING + 8 * next;
  const seen = load64(place);
  const oldest = toNumber(seen);
  const newest = toNumber(load64(count + RING + 8 * (next === 0 ? cap - 1 : next - 1)));
  if (cap > 1 && oldest > newest) {
    cas32(count + NEXT, next, after);
    return RACED;
  }
  const at = now > newest ? now : newest;
  const parts = toNumber(get64(count + PARTS));
  if (oldest > 0 && at < oldest + parts) return oldest + parts - at;
  if (underWay === 0) return 0;
  // Write a time later than the newest one (6).
  if (cas64(place, seen, fromNumber(Math.floor(at) + 1)) !== seen) return RACED;
  cas32(count + NEXT, next, after);
  return STARTED - next;
}

/**
 * Advances the time of a counted start, in element `index` of RING, to `now`. Call it within an interval after the
 * count: until then no other start uses the element.
 */
export function moveInRing(count: i32, index: i32, now: f64): f64 {
  const next = load32(count + NEXT);
  const newest = toNumber(load64(count + RING + 8 * (next === 0 ? get32(count + CAP) - 1 : next - 1)));
  const place = count + RING + 8 * index;
  const seen = load64(place);
  const at = now > newest ? now : newest;
  return cas64(place, seen, fromNumber(Math.floor(at) + 1)) === seen ? STARTED - index : RACED;
}
