// The parts in shared memory that a limit has beside its slots if it adapts its size or sheds calls.

import { Region, Semaphore, type RegionHandle, type SemaphoreHandle } from '@sluice/core';
import { asBlock, BLOCK_LINE } from '@sluice/core/format';
import { MAX_PERMITS, show, type Clock } from '@sluice/core/calls';
import { contextOf } from '@sluice/core/internal';
import { isHeld } from '@sluice/core/report';
import { firstEstimate } from '../adaptive/estimate.ts';
import type { AdaptivePlan } from '../adaptive/options.ts';
import { SharedEstimate } from '../adaptive/shared-estimate.ts';
import { Tuner } from '../adaptive/tuner.ts';
import { foreign, type ControlHandle } from '../api/handle.ts';
import type { SheddingTerms } from '../api/shedding-options.ts';
import type { SheddingReport } from '../api/shedding-report.ts';
import { WaitingPlaces } from '../overload/waiting-places.ts';
import type { SizedSlots } from '../slots/sized-slots.ts';
import {
  ANY_NUMBER,
  CONTROL_BYTES,
  MAX,
  MAX_WAITING,
  MIN,
  NEWEST,
  OLDEST,
  SHED,
  SHED_COUNT,
  SLOTS,
  TOLERANCE,
} from '../kernel/control-layout.ts';

/** What a new limit does beside counting slots. */
export interface ControlPlan {
  readonly adaptive?: AdaptivePlan | undefined;
  readonly shedding?: SheddingTerms | undefined;
}

export class Control {
  readonly region: Region;
  /** One permit, for the agent that changes the estimate. Absent if the limit is not adaptive. */
  readonly lock: Semaphore | undefined;
  /** A permit for each call that may wait. Absent if any number may. */
  readonly places: Semaphore | undefined;

  private constructor(region: Region, lock: Semaphore | undefined, places: Semaphore | undefined) {
    this.region = region;
    this.lock = lock;
    this.places = places;
  }

  /** Throws `ArenaFullError`. Then nothing stays allocated. */
  static create({ adaptive, shedding }: ControlPlan, slots: SizedSlots): Control {
    const { arena } = slots.ref;
    const parts: { free: () => void }[] = [];
    const kept = <Part extends { free: () => void }>(part: Part): Part => {
      parts.push(part);
      return part;
    };
    try {
      const region = kept(Region.create(CONTROL_BYTES, { arena, name: 'control' }));
      const lock = adaptive && kept(Semaphore.create(1, { arena, name: 'lock' }));
      const places = shedding && kept(Semaphore.create(shedding.maxWaiting, { arena, name: 'places' }));
      const { int32, float64 } = region;
      int32[SLOTS >> 2] = slots.semaphore.handle.address;
      if (shedding !== undefined) {
        int32[MAX_WAITING >> 2] = shedding.maxWaiting;
        int32[SHED >> 2] = shedding.isOldest ? OLDEST : NEWEST;
      }
      if (adaptive !== undefined) {
        int32[MIN >> 2] = adaptive.min;
        int32[MAX >> 2] = adaptive.max;
        float64[TOLERANCE >> 3] = adaptive.tolerance;
        const shared = estimateIn(region);
        const state = {
          estimate: firstEstimate(adaptive.initial),
          samples: { count: 0, sum: 0, saturated: 0, overloads: 0 },
          epoch: 0,
        };
        shared.write(state);
        shared.begin(state);
      }
      return new Control(region, lock, places);
    } catch (failure) {
      for (const part of parts) part.free();
      throw failure;
    }
  }

  /** Throws `HandleError`, and `ArenaFullError` if no record is left for this agent. */
  static from(handle: unknown, slots: SizedSlots): Control {
    if (typeof handle !== 'object' || handle === null) throw foreign(`its control is ${show(handle)}`);
    const given = handle as { readonly [Key in keyof ControlHandle]?: unknown };
    const region = Region.from(given.words as RegionHandle);
    if (region.byteLength < CONTROL_BYTES) throw foreign(`its control has ${region.byteLength} bytes`);
    const { arena } = slots.semaphore.handle;
    // Otherwise an address of one arena would be used in another.
    if (region.handle.arena !== arena) throw foreign('its control lies in another arena than its slots');
    const { int32 } = region;
    // Otherwise the calls of one limit would set the size of another.
    if (int32[SLOTS >> 2] !== (slots.semaphore.handle.address | 0))
      throw foreign('its control is that of another limit');
    const [min = 0, max = 0, tolerance = 0] = [int32[MIN >> 2], int32[MAX >> 2], region.float64[TOLERANCE >> 3]];
    if (min < 0 || (min > 0 && !(max >= min && max < MAX_PERMITS && tolerance > 1)))
      throw foreign('its control is not that of a limit');
    const part = (present: boolean, found: unknown): Semaphore | undefined => {
      if (!present) return undefined;
      const semaphore = Semaphore.from(found as SemaphoreHandle);
      if (semaphore.handle.arena !== arena) throw foreign('its parts lie in different arenas');
      return semaphore;
    };
    return new Control(region, part(min > 0, given.lock), part(int32[SHED >> 2] !== ANY_NUMBER, given.places));
  }

  get handle(): ControlHandle {
    const { region, lock, places } = this;
    return Object.freeze({
      words: region.handle,
      ...(lock === undefined ? {} : { lock: lock.handle }),
      ...(places === undefined ? {} : { places: places.handle }),
    });
  }

  /** Returns the tuner of this agent, or `undefined` if the limit is not adaptive. */
  tuner(slots: SizedSlots, clock: Clock, isOverload: ((error: unknown) => boolean) | undefined): Tuner | undefined {
    return this.lock && new Tuner(estimateIn(this.region), this.lock, slots, clock, isOverload);
  }

  /** Returns the places for waiting calls, or `undefined` if any number of calls may wait. */
  waitingPlaces(slots: SizedSlots): WaitingPlaces | undefined {
    const { region, places } = this;
    if (places === undefined) return undefined;
    const { words } = contextOf(places.arena);
    const at = region.handle.address + BLOCK_LINE;
    const terms = { maxWaiting: words.get32(at + MAX_WAITING), isOldest: words.get32(at + SHED) === OLDEST };
    return new WaitingPlaces(places, terms, slots, () => words.add32(at + SHED_COUNT, 1));
  }

  shedding(): SheddingReport | undefined {
    if (this.places === undefined) return undefined;
    const { int32, arena, handle } = this.region;
    return {
      maxWaiting: int32[MAX_WAITING >> 2] as number,
      shed: int32[SHED >> 2] === OLDEST ? 'oldest' : 'newest',
      shedCount: contextOf(arena).words.load32(handle.address + BLOCK_LINE + SHED_COUNT) >>> 0,
    };
  }

  /** Whether an agent has the lock or a place. Also true for a dead agent until it is recovered. */
  isHeld(): boolean {
    return [this.lock, this.places].some(
      (part) =>
        part !== undefined &&
        isHeld(contextOf(part.arena), { address: asBlock(part.handle.address), tag: part.handle.tag }),
    );
  }

  free(): void {
    this.lock?.free();
    this.places?.free();
    this.region.free();
  }
}

function estimateIn({ arena, handle }: Region): SharedEstimate {
  return new SharedEstimate(contextOf(arena), handle.address + BLOCK_LINE);
}
