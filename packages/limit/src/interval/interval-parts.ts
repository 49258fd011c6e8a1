// The parts of a limit with an interval, beside its slots, in shared memory.

import { Region, Semaphore, type RegionHandle, type SemaphoreHandle } from '@sluice/core';
import { show, type Clock } from '@sluice/core/calls';
import { BLOCK_LINE } from '@sluice/core/format';
import { contextOf } from '@sluice/core/internal';
import { checkHandle, foreign, type IntervalHandle, type LimitHandle } from '../api/handle.ts';
import { sizedParts } from '../slots/open.ts';
import {
  BASE,
  CAP,
  CARRYING,
  COUNT_BYTES,
  FIXED,
  INTERVAL,
  MODE,
  PARTS,
  SIZE,
  SLIDING,
  SLOTS,
} from '../kernel/layout.ts';
import { partsOf, type IntervalTerms } from '../api/interval-terms.ts';
import type { WordRegion } from '../slots/sized-slots.ts';

export interface IntervalParts {
  /** A semaphore with one permit. Its owner is the agent whose call starts next. */
  readonly line: Semaphore;
  /**
   * A semaphore without permits. The head of the line waits for it until the interval lets a call start; `close` ends
   * that wait, too.
   */
  readonly alarm: Semaphore;
  readonly count: WordRegion;
  readonly terms: IntervalTerms;
  /** The zero of the limit's times, in ms of the clock. */
  readonly base: number;
  readonly clock: Clock;
}

/** Creates the parts that count the starts in an interval. If it throws `ArenaFullError`, nothing stays allocated. */
export function createInterval(
  terms: IntervalTerms,
  { semaphore, word }: { readonly semaphore: Semaphore; readonly word: WordRegion },
  clock: Clock,
): IntervalParts {
  const { arena } = semaphore;
  const line = Semaphore.create(1, { arena, name: 'line' });
  let alarm: Semaphore | undefined;
  try {
    alarm = Semaphore.create(0, { arena, recovery: false, name: 'alarm' });
    const ring = terms.mode === SLIDING ? 8 * terms.intervalCap : 0;
    const count = Region.create(COUNT_BYTES + ring, { arena, name: 'interval' });
    const base = Math.floor(clock());
    contextOf(arena).words.put64(count.handle.address + BLOCK_LINE + PARTS, BigInt(partsOf(terms)));
    const { int32, float64 } = count;
    int32[CAP >> 2] = terms.intervalCap;
    int32[MODE >> 2] = terms.mode;
    int32[SLOTS >> 2] = semaphore.handle.address;
    int32[SIZE >> 2] = sizeIn(word);
    float64[BASE >> 3] = base;
    float64[INTERVAL >> 3] = terms.interval;
    return { line, alarm, count, terms, base, clock };
  } catch (failure) {
    alarm?.free();
    line.free();
    throw failure;
  }
}

/**
 * Opens the parts of another agent's interval. Throws `HandleError`, and `ArenaFullError` if no record is left for this
 * agent.
 */
export function openInterval(handle: unknown, clock: Clock): IntervalParts & { readonly count: Region } {
  if (typeof handle !== 'object' || handle === null) throw foreign(`its interval is ${show(handle)}`);
  const given = handle as { readonly [Key in keyof IntervalHandle]?: unknown };
  const line = Semaphore.from(given.line as SemaphoreHandle);
  const alarm = Semaphore.from(given.alarm as SemaphoreHandle);
  const count = Region.from(given.count as RegionHandle);
  // Otherwise an address of one arena would be used in another.
  if (alarm.handle.arena !== line.handle.arena || count.handle.arena !== line.handle.arena)
    throw foreign('its parts lie in different arenas');
  if (count.byteLength < COUNT_BYTES) throw foreign(`its interval has ${count.byteLength} bytes`);
  const { int32, float64 } = count;
  const [intervalCap = 0, mode = -1] = [int32[CAP >> 2], int32[MODE >> 2]];
  const [base = 0, interval = 0] = [float64[BASE >> 3], float64[INTERVAL >> 3]];
  const terms = { interval, intervalCap, mode };
  if (!(intervalCap > 0 && partsOf(terms) >= 1) || !MODES.includes(mode))
    throw foreign('its interval is not that of a limit');
  if (mode === SLIDING && count.byteLength < COUNT_BYTES + 8 * intervalCap)
    throw foreign(`its interval has ${count.byteLength} bytes`);
  return { line, alarm, count, terms, base, clock };
}

/** Opens the parts of the limit that a handle refers to. Throws `HandleError`, `ArenaFullError`. */
export function openParts(
  handle: LimitHandle,
  clock: Clock,
): { readonly semaphore: Semaphore; readonly word: Region; readonly parts: IntervalParts } {
  const given = checkHandle(handle);
  const { semaphore, word } = sizedParts(given);
  const parts = openInterval(given.interval, clock);
  if (parts.line.handle.arena !== semaphore.handle.arena)
    throw foreign('its interval lies in another arena than its slots');
  const { int32 } = parts.count;
  // Otherwise the running functions of the other limit would be counted.
  if (int32[SLOTS >> 2] !== (semaphore.handle.address | 0) || int32[SIZE >> 2] !== (sizeIn(word) | 0))
    throw foreign('its interval is that of another limit');
  return { semaphore, word, parts };
}

/** The address of the word with the number of slots. */
function sizeIn({ handle }: WordRegion): number {
  return handle.address + BLOCK_LINE;
}

const MODES = [FIXED, CARRYING, SLIDING];
