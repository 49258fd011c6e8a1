// Collects statistics of the waits and the holds of this thread.

import { AgentTitles, type WaitEnding } from '@sluice/core/report';
import { OpenHolds } from '../observe/open-holds.ts';
import { callersOfCall, callersOfWait } from '../observe/calls.ts';
import type { Place } from '../observe/call-place.ts';
import type { UsedPrimitive } from '../observe/used-primitive.ts';
import { IdleTool, type ObservedWait } from '../observe/tool.ts';
import { Durations } from './durations.ts';
import {
  inOrder,
  longestFirst,
  MOST_PLACES,
  stackKey,
  type LongestHold,
  type PlaceStatistics,
  type PrimitiveStatistics,
  type StatisticsReport,
} from './report.ts';

/** The most callers that are kept of a sampled call. */
const MOST_FRAMES = 8;

type Stack = readonly Place[];

/** A hold that was sampled. */
interface SampledHold {
  readonly stack: Stack | undefined;
  /** ms on the clock of `parking.now`. */
  readonly began: number;
  /** The number of calls for which its place stands. */
  readonly weight: number;
}

/** A call that is sampled, until it has what it acquires. */
class SampledCall {
  readonly stack: Stack | undefined;
  readonly weight: number;

  constructor(stack: Stack | undefined, weight: number) {
    this.stack = stack;
    this.weight = weight;
  }
}

/** Sums by place. */
class Places {
  readonly #all = new Map<string, { stack: Stack; count: number; total: number }>();

  add(stack: Stack, ms: number, weight: number): void {
    const key = stackKey(stack);
    const known = this.#all.get(key);
    if (known !== undefined) {
      known.count += weight;
      known.total += ms * weight;
      return;
    }
    this.#all.set(key, { stack, count: weight, total: ms * weight });
    // A program whose stacks differ at each call would fill the memory.
    if (this.#all.size > 2 * MOST_PLACES) this.#shorten();
  }

  get all(): PlaceStatistics[] {
    return longestFirst([...this.#all.values()].map((place) => ({ ...place })));
  }

  #shorten(): void {
    const kept = new Set(this.all.map(({ stack }) => stackKey(stack)));
    for (const key of this.#all.keys()) if (!kept.has(key)) this.#all.delete(key);
  }
}

/** Reading the stacks of sampled calls takes at most about this share of the time of a thread. */
const SHARE = 1 / 200;
/** The longest time in ms without a stack, after one that took long to read. */
const LONGEST_PAUSE_MS = 1000;

/**
 * Reads the stacks of sampled calls. A stack takes some microseconds, as long as hundreds of uncontended calls. So after
 * each one a pause follows in which calls have no place. The next stack stands for them, too.
 */
class Stacks {
  readonly #now: () => number;
  #next = -Infinity;
  /** The calls since the last stack. */
  #weight = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Reads the stack of a call that stands for `sample` calls, or returns `undefined` in a pause. */
  read(sample: number, callers: () => Stack): Stack | undefined {
    this.#weight += sample;
    const from = this.#now();
    // Every call is to be sampled, whatever it costs.
    if (sample > 1 && from < this.#next) return undefined;
    const stack = callers().slice(0, MOST_FRAMES);
    const ms = this.#now() - from;
    this.#next = from + ms + Math.min(LONGEST_PAUSE_MS, ms / SHARE);
    return stack;
  }

  /** Returns the calls for which the stack stands that was just read. */
  takeWeight(): number {
    const weight = this.#weight;
    this.#weight = 0;
    return weight;
  }
}

/** What is known of a primitive. */
class Entry {
  readonly primitive: UsedPrimitive;
  /** Its calls before the first one that counts. */
  readonly callsBefore: number;
  contentions = 0;
  readonly waits = new Durations();
  readonly holds = new Durations();
  readonly waitPlaces = new Places();
  readonly holdPlaces = new Places();
  longest: LongestHold | undefined;
  /** The number of its calls, once it counts no more. */
  #calls: number | undefined;

  /** `since`: its calls that count already. */
  constructor(primitive: UsedPrimitive, since = 0) {
    this.primitive = primitive;
    this.callsBefore = primitive.calls - since;
  }

  get acquisitions(): number {
    return this.#calls ?? this.primitive.calls - this.callsBefore;
  }

  /** Counts no further calls. */
  end(): void {
    this.#calls = this.acquisitions;
  }

  get data(): PrimitiveStatistics {
    const { primitive, acquisitions, contentions, waits, holds, longest, waitPlaces, holdPlaces } = this;
    const { kind, name, side, arena, address } = primitive;
    return {
      primitive: primitive.toString(),
      kind,
      name,
      side,
      arena,
      address,
      acquisitions,
      contentions,
      waits: waits.data,
      holds: holds.data,
      ...(longest !== undefined && { longest }),
      waitPlaces: waitPlaces.all,
      holdPlaces: holdPlaces.all,
    };
  }
}

export class Collector extends IdleTool {
  /** An acquisition that is not sampled is only counted, and the primitive does that. */
  override readonly followsAll = false;
  /** The time since the start or the last reset. */
  #epoch = {};
  sample: number;
  readonly #now: () => number;
  #began: number;
  #entries = new Map<UsedPrimitive, Entry>();
  /** The entry that was used last: most calls are followed by one of the same primitive. */
  #last: Entry | undefined;
  readonly #held = new OpenHolds<SampledHold>();
  #waiting = new Map<ObservedWait, { readonly stack: Stack; readonly weight: number }>();
  readonly #callStacks: Stacks;
  readonly #waitStacks: Stacks;
  /** The calls until the next sample. */
  #callsLeft = 1;
  #waitsLeft = 1;

  /** `now` tells ms on a clock that does not go back. */
  constructor(sample: number, now: () => number) {
    super();
    this.sample = sample;
    this.#now = now;
    this.#callStacks = new Stacks(now);
    this.#waitStacks = new Stacks(now);
    this.#began = now();
  }

  reset(): void {
    this.#entries = new Map();
    this.#last = undefined;
    this.#epoch = {};
    this.#began = this.#now();
    // Holds that have begun would be counted without their acquisition.
    this.#held.clear();
    this.#waiting = new Map();
    this.#callsLeft = 1;
    this.#waitsLeft = 1;
  }

  /** Counts no further calls. */
  end(): void {
    for (const entry of this.#entries.values()) entry.end();
  }

  get report(): StatisticsReport {
    const primitives = [...this.#entries.values()]
      .filter(({ acquisitions, contentions }) => acquisitions > 0 || contentions > 0)
      .map(({ data }) => data);
    return { sample: this.sample, duration: this.#now() - this.#began, primitives: inOrder(primitives) };
  }

  override holdAsked(primitive: UsedPrimitive): unknown {
    if (primitive.countedBy !== this.#epoch) this.#count(primitive);
    this.#callsLeft -= 1;
    if (this.#callsLeft > 0) return undefined;
    this.#callsLeft = this.sample;
    const stack = this.#callStacks.read(this.sample, callersOfCall);
    return new SampledCall(stack, stack === undefined ? 0 : this.#callStacks.takeWeight());
  }

  override holdBegins(primitive: UsedPrimitive, _permits: number, slot: string, asked: unknown): void {
    // A hold without a call that asked: a condition gave the lock back.
    if (primitive.countedBy !== this.#epoch) this.#count(primitive, 1);
    if (asked === undefined) return;
    const { stack, weight } = asked as SampledCall;
    this.#held.begin(primitive, slot, { stack, weight, began: primitive.context.parking.now() });
  }

  override holdEnds(primitive: UsedPrimitive, _permits: number, slot: string): void {
    for (let held = this.#held.end(primitive, slot); held !== undefined; held = this.#held.end(primitive, slot)) {
      const { stack, weight, began } = held;
      const { context } = primitive;
      const ms = Math.max(0, context.parking.now() - began);
      const entry = this.#entry(primitive);
      entry.holds.add(ms);
      if (stack !== undefined) entry.holdPlaces.add(stack, ms, weight);
      if (entry.longest !== undefined && ms <= entry.longest.ms) continue;
      const [place = { file: '', line: 0, within: '' }] = stack ?? [];
      entry.longest = { ms, place, holder: new AgentTitles(context.words).of(context.id) };
    }
  }

  override waitBegins(wait: ObservedWait): void {
    this.#entry(wait.primitive).contentions += 1;
    this.#waitsLeft -= 1;
    if (this.#waitsLeft > 0) return;
    this.#waitsLeft = this.sample;
    const stack = this.#waitStacks.read(this.sample, callersOfWait);
    if (stack !== undefined) this.#waiting.set(wait, { stack, weight: this.#waitStacks.takeWeight() });
  }

  override waitEnds(wait: ObservedWait, _ending: WaitEnding): void {
    const ms = Math.max(0, wait.primitive.context.parking.now() - wait.began);
    const entry = this.#entry(wait.primitive);
    entry.waits.add(ms);
    const sampled = this.#waiting.get(wait);
    if (sampled === undefined) return;
    this.#waiting.delete(wait);
    entry.waitPlaces.add(sampled.stack, ms, sampled.weight);
  }

  /** Begins to count a primitive, unless another tool has only taken its mark. */
  #count(primitive: UsedPrimitive, since = 0): void {
    if (!this.#entries.has(primitive)) this.#entries.set(primitive, new Entry(primitive, since));
    primitive.countedBy = this.#epoch;
  }

  #entry(primitive: UsedPrimitive): Entry {
    if (this.#last?.primitive === primitive) return this.#last;
    const known = this.#entries.get(primitive) ?? new Entry(primitive);
    this.#entries.set(primitive, known);
    this.#last = known;
    return known;
  }
}
