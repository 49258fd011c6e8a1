// Steps that count the starts of a limit with an interval.
//
//   word      value                                                                           written by
//   WINDOW    i64: the window's beginning, times intervalCap + 1, plus its number of starts   startInWindow
//   RING      i64 each: the times of the last intervalCap starts                              startInRing, moveInRing
//   NEXT      i32: the place of the oldest start in the ring                                  startInRing
//
// Agents with waiting calls wait in the line, a semaphore with one permit. The owner of the permit is the agent whose
// call starts next. The agent takes a slot before it counts a start, so the call starts right after the count. A step
// that only looks returns 0 where it would count.
//
// Times are in parts of the interval. The time that a step gets may have a fraction. WINDOW and RING have whole parts.
//
// INVARIANTS, FIXED WINDOWS
//
//   1. One CAS of WINDOW counts a start, or begins a window and counts its first start. So a window has at most
//      intervalCap starts, and a dead agent leaves no partial count. If an agent dies between its count and its start,
//      one start stays unused until the window ends. If an agent pauses in between until the window has ended, that
//      start stays unused, too, and the agent counts again.
//   2. A window begins only when an interval has passed since the window before it began. So windows do not overlap.
//   3. An agent's time is the later of its own clock and the beginning of the window. So an agent whose clock is behind
//      counts in the current window, and does not begin an older one.
//   4. The running functions are counted after WINDOW was read. A call that starts in between has counted itself in
//      WINDOW, so the CAS fails.
//
// INVARIANTS, SLIDING WINDOW
//
//   5. One CAS replaces the time of a start that is an interval ago or more. So each place has at most one start in an
//      interval. There are intervalCap places, so this alone is the bound, whatever NEXT is.
//   6. NEXT only says where to look. Each time is later than all times written before it. So NEXT is behind if and only
//      if the time at NEXT is later than the time in the place before it. Then the next agent moves NEXT on.
//   7. There are fewer places than parts. Starts at one moment get successive times (6). So even the last of
//      intervalCap starts is less than an interval after the first.
//   8. An agent that paused between its count and its start advances the time that it wrote, by one CAS of the same
//      place. So the place still has one start in an interval. Its time is then later than times that were written
//      after it. By 6 NEXT passes such a place, or waits for it at most as long as the agent paused.
//   9. NEXT can be too far for a moment: an agent that paused while all places were used once may move it. By 6 NEXT
//      returns to the right place.
//
// A word has times for 17 years. With fixed windows, a part is at least intervalCap + 1 sixteenths of a microsecond. So
// times and counts together stay below 2^53, where a double is exact. An interval shorter than such a part is refused.

import {
  asLine,
  BLOCK_TAG,
  cas32,
  cas64,
  fromNumber,
  get32,
  get64,
  GRANT,
  high32,
  load32,
  load64,
  minus,
  RACED,
  SHUT,
  TICKET,
  toNumber,
  unsigned,
  WAITING,
  wide,
  type LineAddress,
} from '@sluice/core/kernel';
import { CAP, CARRYING, MODE, NEXT, PARTS, RING, SIZE, SLOTS, STARTED, WINDOW } from './layout.ts';

/** GRANT is read before TICKET: if the line seems free, it was free when TICKET was read or before. */
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
 * the number of parts until the call can start. `underWay` is the number of slots that the agent has for calls that
 * have not started, this call included. If it is 0, the agent has one slot, and the step only looks.
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
  // While calls wait, windows follow one another without a gap. Otherwise the first start begins a window.
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
 * Like `startInWindow`, in the window that ends now. After a count it returns STARTED minus the index of its place in
 * the ring.
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
  // Later than the newest time (6).
  if (cas64(place, seen, fromNumber(Math.floor(at) + 1)) !== seen) return RACED;
  cas32(count + NEXT, next, after);
  return STARTED - next;
}

/**
 * Advances the time of a counted start to `now`. Call it within an interval after the count: until then no other start
 * takes the place.
 */
export function moveInRing(count: i32, index: i32, now: f64): f64 {
  const next = load32(count + NEXT);
  const newest = toNumber(load64(count + RING + 8 * (next === 0 ? get32(count + CAP) - 1 : next - 1)));
  const place = count + RING + 8 * index;
  const seen = load64(place);
  const at = now > newest ? now : newest;
  return cas64(place, seen, fromNumber(Math.floor(at) + 1)) === seen ? STARTED - index : RACED;
}
