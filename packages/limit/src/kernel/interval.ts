// Steps that count the starts of a limit with an interval.
//
//   word      value                                                                              written by
//   WINDOW    i64: when the window began, times intervalCap + 1, plus how many calls started in it    startInWindow
//   RING      i64 each: the times of the last intervalCap starts
//         startInRing, moveInRing
//   NEXT      i32: where in the ring the oldest start is                                         startInRing
//
// In front is the line, a semaphore with one permit: its owner is the agent whose call starts next. All other agents
// with waiting calls are in line for that permit. The agent that starts a call has a slot for it already, so a count is
// followed by a start at once. A step that only looks returns 0 where it would count.
//
// Times are in parts of the interval, of which a step gets a fraction, too. WINDOW and RING have whole parts.
//
// INVARIANTS, FIXED WINDOWS
//
//   1. One CAS of WINDOW counts a start, or begins a window and counts its first start. So a window has at most
//      intervalCap starts, and no agent that dies leaves half a count. An agent that dies between its count and its
//      start leaves one start unused, until the window ends. So does an agent that paused in between until the window
//      ended: it counts again.
//   2. A window begins only when an interval has passed since the window before it began. So windows do not overlap.
//   3. An agent's time is the later of its own clock and the beginning of the window. So an agent whose clock is behind
//      counts in the window that is there, and does not begin an older one.
//   4. The running functions are counted after WINDOW was read. A call that starts in between has counted itself in
//      WINDOW, so the CAS fails.
//
// INVARIANTS, SLIDING WINDOW
//
//   5. A start replaces the time of a start that is an interval ago or more, in one CAS. Each place has one start in an
//      interval, and there are intervalCap places: this alone is the bound, whatever NEXT is.
//   6. NEXT only says where to look. Each time is later than all times that were written before. So NEXT is behind if
//      and only if the time at NEXT is later than the one before it in the ring: the next agent moves NEXT on.
//   7. There are fewer places than parts. So starts at one moment, each with a time of its own by 6, do not make the
//      oldest of them old.
//   8. An agent that paused between its count and its start advances the time that it wrote, by one CAS of the same
//      place. So the place still has one start in an interval. Its time is then later than times that were written
//      after it. By 6 NEXT passes such a place, or waits for it at most as long as the agent paused.
//   9. NEXT can be too far for a moment: an agent that paused while all places were used once may move it. By 6 NEXT
//      returns to the right place.
//
// A word has times for 17 years: fixed windows have parts of intervalCap + 1 sixteenths of a microsecond or longer, so
// that times and counts together stay below 2^53, where a double is exact. An interval that is shorter than such a part
// is refused.

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

/** How many slots are in use: all but the free ones. `size`: the word with the number of slots. */
function inUse(slots: LineAddress, size: i32): f64 {
  const granted = load64(slots + GRANT);
  const free = toNumber(minus(granted, load64(slots + TICKET)));
  const all = unsigned(high32(load64(size)));
  return free > 0 ? all - free : all;
}

/**
 * Counts a start in the fixed window at the agent's time `now`. The agent has a slot for it. Returns STARTED, or how
 * many parts later it can start. `underWay`: how many slots the agent has for calls that have not started, this one
 * included. 0: the agent has one slot, and the step only looks.
 *
 * WAITING: a waiter is in line, and the caller is not (`inLine` 0). SHUT: closed or freed. RACED: call again with the
 * time of that moment.
 *
 * @step `startInWindow` `startInRing` `moveInRing`
 * @takes A start, which is used up: `WINDOW`, or a place of `RING`, by CAS. `NEXT` after that
 * @leaves Nothing; the slot is held already
 * @death It is used up until its interval ends. The next agent moves `NEXT` on
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
  // While calls wait, one window follows the other without a gap. Otherwise the first start begins a window.
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
  // Later than the newest, by 6.
  if (cas64(place, seen, fromNumber(Math.floor(at) + 1)) !== seen) return RACED;
  cas32(count + NEXT, next, after);
  return STARTED - next;
}

/**
 * Advances the time of a start to `now`. The agent counted it in that place less than an interval ago, so no other
 * start has the place.
 */
export function moveInRing(count: i32, index: i32, now: f64): f64 {
  const next = load32(count + NEXT);
  const newest = toNumber(load64(count + RING + 8 * (next === 0 ? get32(count + CAP) - 1 : next - 1)));
  const place = count + RING + 8 * index;
  const seen = load64(place);
  const at = now > newest ? now : newest;
  return cas64(place, seen, fromNumber(Math.floor(at) + 1)) === seen ? STARTED - index : RACED;
}
