// The operations on the rate of one key. A call that waits goes through `acquire`, as at any rate.
//
//   operation  arguments                           answers
//   draw       name, permits, cap, text            drawn AHEAD BLOCKED · busy AHEAD BLOCKED WAITERS · cap N EVERY
//   adjust     name, permits, block, cap, text     adjusted AHEAD BLOCKED, then grants of this session · cap N EVERY ·
//                                                  far
//
// AHEAD: ticks until the bucket is full; BLOCKED: ticks until the end of the block. `permits` of `adjust`: what is
// taken without waiting; below 0: what is returned. `block`: the ms for which no call takes a permit; -1: the block
// stays.
//
// 1. `draw` takes permits only if they are available and no call waits. It leaves no record, so a call whose reply was
//    lost, and that is sent again, may take its permits twice. It never takes too few.
// 2. No session uses the rate because of these operations. It stays until it is full and not blocked.

import { grant } from './line.ts';
import { keepUnused, lineAt, newLine } from './primitives.ts';
import { ahead, blockedFor, blockFor, charge, madeOf, moveBy } from './rate.ts';
import type { LineRecord } from './state.ts';
import type { Step } from './step.ts';

/** Returns the rate with the numbers of the caller, or the answer that it has others. */
function rateWith(step: Step, name: string, size: number, rest: string): LineRecord | string[] {
  const line = lineAt(step, name);
  if (line !== undefined && line.cap === size && rest === madeOf(line)) return line;
  if (line !== undefined && line.sessions.size > 0) return ['cap', String(line.cap), String(line.every)];
  const { from = 0, used = 0, expires = 0 } = line ?? {};
  return Object.assign(newLine(size, rest), { from, used, expires });
}

/** Stores the rate, unless it is full. */
function keepRate(step: Step, name: string, line: LineRecord): void {
  step.state.lines.set(name, line);
  if (line.sessions.size === 0) keepUnused(step, name, line);
}

export function draw(step: Step, name: string, n: number, size: number, rest: string): string[] {
  const line = rateWith(step, name, size, rest);
  if (Array.isArray(line)) return line;
  const isFree = line.waiters.length === 0 && charge(step, line, n) === 0;
  if (isFree) keepRate(step, name, line);
  const state = [String(ahead(step, line)), String(blockedFor(step, line))];
  return isFree ? ['drawn', ...state] : ['busy', ...state, String(line.waiters.length)];
}

export function adjust(step: Step, name: string, n: number, block: number, size: number, rest: string): string[] {
  const line = rateWith(step, name, size, rest);
  if (Array.isArray(line)) return line;
  if (!moveBy(step, line, n)) return ['far'];
  if (block >= 0) blockFor(step, line, block);
  const out = ['adjusted', String(ahead(step, line)), String(blockedFor(step, line))];
  keepRate(step, name, line);
  // The head may sleep until a time that is now too late. It is told the new one.
  grant(step, line, out);
  return out;
}
