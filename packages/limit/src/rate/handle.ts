// The parts of a rate limiter in shared memory, and the handle that leads to them.

import { HandleError, Region, Semaphore, type RegionHandle, type SemaphoreHandle } from '@sluice/core';
import { asBlock, BLOCK_LINE } from '@sluice/core/format';
import { checkOptions, FROM_OPTIONS, show, type Clock } from '@sluice/core/calls';
import { contextOf, type BlockRef } from '@sluice/core/internal';
import { BASE, BUCKET_BYTES, BURST, INTERVAL, PERMITS, TOLERANCE } from './kernel/layout.ts';
import type { HeadAlarm } from '../line/head-of-line.ts';
import { checkRate, type RateLimiterOptions } from './options.ts';
import { rateOf, type Rate } from './rate.ts';

/** The handle to post to another thread. Pass it to `RateLimiter.from` there. */
export interface RateLimiterHandle {
  readonly kind: 'sluice.rate-limiter';
  readonly line: SemaphoreHandle;
  readonly alarm: SemaphoreHandle;
  readonly bucket: RegionHandle;
}

export interface RateLimiterParts {
  readonly line: Semaphore;
  readonly alarm: HeadAlarm;
  readonly bucket: Pick<Region, 'handle' | 'free'>;
  readonly rate: Rate;
  /** The zero of agreed time, in ms of the clock. */
  readonly base: number;
  readonly clock: Clock;
  /** The place of the line. */
  readonly ref: BlockRef;
}

/** Creates the parts. Throws the errors of `RateLimiter.create`. If it throws, nothing stays allocated. */
export function createParts(options: RateLimiterOptions, clock: Clock): RateLimiterParts {
  const rate = checkRate(options);
  const { arena: chosen, name, policy } = options;
  const line = Semaphore.create(1, { arena: chosen, name, policy });
  const { arena } = line;
  let alarm: Semaphore | undefined;
  try {
    // `recovery: false`, because the head uses up each permit and no agent holds one.
    alarm = Semaphore.create(0, { arena, policy, recovery: false, name: 'alarm' });
    const bucket = Region.create(BUCKET_BYTES, { arena, name: 'bucket' });
    const base = Math.floor(clock());
    const ref = refOf(line);
    ref.context.words.put64(bucket.handle.address + BLOCK_LINE + TOLERANCE, BigInt(rate.tolerance));
    const numbers = bucket.float64;
    for (const [word, value] of [
      [BASE, base],
      [PERMITS, rate.permits],
      [BURST, rate.burst],
      [INTERVAL, rate.interval],
    ] as const)
      numbers[word >> 3] = value;
    return { line, alarm, bucket, rate, base, clock, ref };
  } catch (failure) {
    alarm?.free();
    line.free();
    throw failure;
  }
}

/**
 * Opens the parts that a handle refers to. Throws `HandleError`, and `ArenaFullError` if no record is left for this
 * agent.
 */
export function openParts(
  handle: RateLimiterHandle,
  options: Pick<RateLimiterOptions, 'policy'>,
  clock: Clock,
): RateLimiterParts {
  checkOptions(options, FROM_OPTIONS);
  const given = checkKind(handle);
  const line = Semaphore.from(given.line as SemaphoreHandle, options);
  const alarm = Semaphore.from(given.alarm as SemaphoreHandle, options);
  const bucket = Region.from(given.bucket as RegionHandle);
  // Otherwise an address of one arena would be used in another.
  if (alarm.handle.arena !== line.handle.arena || bucket.handle.arena !== line.handle.arena)
    throw foreign('its parts lie in different arenas');
  if (bucket.byteLength < BUCKET_BYTES) throw foreign(`its bucket has ${bucket.byteLength} bytes`);
  const numbers = bucket.float64;
  const [base = 0, permits = 0, burst = 0, interval = 0] = [BASE, PERMITS, BURST, INTERVAL].map(
    (word) => numbers[word >> 3],
  );
  if (!(permits > 0 && burst > 0 && interval > 0)) throw foreign('its bucket is not that of a rate limiter');
  return { line, alarm, bucket, rate: rateOf(permits, interval, burst), base, clock, ref: refOf(line) };
}

export function handleTo({ line, alarm, bucket }: RateLimiterParts): RateLimiterHandle {
  return Object.freeze({ kind: 'sluice.rate-limiter', line: line.handle, alarm: alarm.handle, bucket: bucket.handle });
}

/** Returns the address of the bucket's words. */
export function wordsOf({ bucket }: RateLimiterParts): number {
  return bucket.handle.address + BLOCK_LINE;
}

function refOf({ arena, name, handle: { address, tag } }: Semaphore): BlockRef {
  return { arena, context: contextOf(arena), address: asBlock(address), tag, name };
}

function checkKind(handle: unknown): { readonly [Key in keyof RateLimiterHandle]?: unknown } {
  if (typeof handle !== 'object' || handle === null) throw foreign(`received ${show(handle)}`);
  const { kind, handle: inner } = handle as { readonly kind?: unknown; readonly handle?: unknown };
  if (typeof inner === 'object' && inner !== null) throw foreign('received an instance: pass its `handle`');
  if (kind !== 'sluice.rate-limiter') throw foreign(`received kind ${show(kind)}`);
  return handle;
}

function foreign(what: string): HandleError {
  return new HandleError(`Not a handle of kind sluice.rate-limiter: ${what}.`);
}
