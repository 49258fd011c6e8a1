// A rate in front of a line: the generic cell rate algorithm.
//
// A rate is a line whose permits are used up when they are taken, and come back with time. A waiter with 2^31 added to
// its permits makes a booking: at the head of the line it is granted at once, for a later time.
//
// 1. A take moves `from` by its cost, from where it is or from now, whichever is later. Afterwards `from` is at most a
//    burst ahead of now, unless the take is a booking. So within t ticks at most burst + t / every permits become
//    usable.
// 2. A take is recorded under its number until its session has the answer. If the step is sent again, it finds the
//    record and takes nothing more.
// 3. Permits return only if no later take rests on them: `from` is still what their own take made of it.
// 4. `used` is the tick until which a rate is blocked: no call takes a permit, but permits come. Bookings pass.
// 5. A rate that no session uses stays until its bucket is full. Otherwise a process that restarts would get another
//    burst.

import type { LineRecord } from './state.ts';
import type { Step } from './step.ts';

const BOOKS = 2 ** 31;
const TICKS_PER_MS = 16_000;
/** Bookings reach at most this far. Times up to 2^53 are exact. */
const MAX_AHEAD = 2 ** 51;
const MOST_STAY_SECONDS = 432_000;
/** The rate of a key is kept by its own time to live, which must end before the clock of a namespace without sessions. */
const MAX_KEY_AHEAD = 345_600 * 1000 * TICKS_PER_MS;

/** The permits of a wait, without the mark of a booking. */
export function weight(n: number): number {
  return n % BOOKS;
}

export function isRate(line: LineRecord): boolean {
  return line.every > 0 && line.starts === 0;
}

/** The current tick. */
function tick({ now }: Step): number {
  return Math.floor(now * 1000 + 0.5) * 16;
}

/** The text with which a session makes the rate. */
export function madeOf({ every }: LineRecord): string {
  return `0 ${every} 0 1`;
}

/**
 * Returns the ms until the permits are available. If it returns 0, it has added their cost to `from`, and the caller
 * must take them.
 */
export function charge(step: Step, line: LineRecord, n: number): number {
  const after = Math.max(line.from, tick(step)) + weight(n) * line.every;
  const early = Math.max(after - line.free * line.every, line.used) - tick(step);
  if (early > 0 && n < BOOKS) return Math.max(1, Math.ceil(early / TICKS_PER_MS));
  line.from = after;
  return 0;
}

/** Whether a booking is too far ahead, when it comes or at the head of the line. */
export function isFar(step: Step, line: LineRecord, n: number): boolean {
  return n >= BOOKS && Math.max(line.from - tick(step), 0) + weight(n) * line.every > MAX_AHEAD;
}

/** Returns how many ticks later the permits may be used that a take has recorded with `from`. */
export function delayOf(step: Step, line: LineRecord, from: number): number {
  return Math.max(0, from - line.free * line.every - tick(step));
}

/** Returns the permits of a take. Returns false if later takes rest on them. */
export function takeBack(line: LineRecord, n: number, from: number): boolean {
  if (line.from !== from) return false;
  line.from = from - weight(n) * line.every;
  return true;
}

/** Keeps a rate that no session uses until its bucket is full. Returns false if it is full. */
export function stays(step: Step, line: LineRecord): boolean {
  const seconds = Math.ceil((Math.max(line.from, line.used) - tick(step)) / (TICKS_PER_MS * 1000));
  if (seconds <= 0) return false;
  line.closed = false;
  line.expires = step.us + Math.min(seconds, MOST_STAY_SECONDS) * 1e6;
  return true;
}

/** Returns the ticks until the bucket is full. */
export function ahead(step: Step, line: LineRecord): number {
  return Math.max(0, line.from - tick(step));
}

/** Returns the ticks until the end of the block. */
export function blockedFor(step: Step, line: LineRecord): number {
  return Math.max(0, line.used - tick(step));
}

/** Blocks the rate for `ms` from now. 0 ends a block. */
export function blockFor(step: Step, line: LineRecord, ms: number): void {
  line.used = ms === 0 ? 0 : tick(step) + ms * TICKS_PER_MS;
}

/**
 * Takes `n` permits without waiting. Below 0: returns them, until the bucket is full. Returns false if the bucket would
 * be full too late.
 */
export function moveBy(step: Step, line: LineRecord, n: number): boolean {
  if (n === 0) return true;
  const now = tick(step);
  const from = Math.max(Math.max(line.from, now) + n * line.every, now);
  if (n > 0 && from - now > MAX_KEY_AHEAD) return false;
  line.from = from;
  return true;
}
