// Slots of a limit with an interval. A call needs a slot, and a start of the interval.
//
// Agents with waiting calls wait in the line of the interval, whose head makes attempts (head-of-line.ts). Only the
// head waits for a slot and for the interval. When it has both, it starts one call, and the next agent becomes the
// head. So calls start in the order of the line, and no waiter polls. The head takes its slot first. If the interval
// has no start left, the head returns the slot, and sleeps until there is one.
//
// Other code of the thread may run between the moment at which a call gets its slot and its function. So the call
// counts its start with `begin`, right before the function. If the interval has no start left by then, the call returns
// its slot and waits. The head keeps its place until its call has counted.
//
// While the line is empty, an agent starts its calls without it.
//
// If the head dies, its recovery releases the permit and the slot, and the next agent becomes the head.
//
// Lost wake-up: the head waits for the line's permit, a slot and the alarm at semaphores of the core, each of which
// keeps a permit that is released before its waiter sleeps (core: kernel/admit.ts). A start frees no further start, so
// the head needs no signal for the interval: its own timer ends the sleep.

import type { Arena, Holder, Semaphore, Waiter } from '@sluice/core';
import type { Clock } from '@sluice/core/calls';
import { asBlock, BLOCK_LINE, BLOCK_TAG, SHUT } from '@sluice/core/format';
import { contextOf, countIn, holdersOf, type BlockRef } from '@sluice/core/internal';
import { isHeld, type Counted } from '@sluice/core/report';
import type { LimitHandle } from '../api/handle.ts';
import { createInterval, type IntervalParts } from './interval-parts.ts';
import type { IntervalReport, IntervalTerms } from '../api/interval-terms.ts';
import { AT_HEAD, Interval, OUTSIDE } from './interval.ts';
import { ownPending } from '../slots/pending.ts';
import { reportLimit, type LimitReport } from '../api/report.ts';
import { SizedSlots, type WordRegion } from '../slots/sized-slots.ts';
import type { IntervalPlace } from './interval-place.ts';
import { HeadOfLine } from '../line/head-of-line.ts';
import { PlaceInLine } from '../line/place-in-line.ts';

export class IntervalSlots extends SizedSlots {
  readonly #parts: IntervalParts;
  readonly #interval: Interval;
  readonly #head: HeadOfLine;

  /** `ref`: the block of the slots. `lineRef`: the block of the line. */
  constructor(
    semaphore: Semaphore,
    word: WordRegion,
    parts: IntervalParts,
    ref?: BlockRef,
    lineRef = refOf(parts.line),
    className?: string,
  ) {
    super(semaphore, word, ref, className);
    this.#parts = parts;
    // The semaphore has created the line state. This call only finds it.
    const lineState = this.ref.context.lineState(lineRef.address, lineRef.tag, { recorded: true });
    this.#interval = new Interval(
      lineRef,
      lineState,
      parts.count.handle.address + BLOCK_LINE,
      parts.terms,
      parts.base,
      parts.clock,
    );
    this.#head = new HeadOfLine(parts.alarm, this.ref, this.errors);
  }

  /**
   * Creates `size` slots with an interval. If it throws `RangeError`, `TypeError` or `ArenaFullError`, nothing stays
   * allocated.
   */
  static createIntervalLimit(
    size: number,
    terms: IntervalTerms,
    arena: Arena | undefined,
    name: string | undefined,
    clock: Clock,
    className?: string,
  ): IntervalSlots {
    const sized = SizedSlots.create(size, arena, name);
    try {
      const parts = createInterval(terms, sized, clock);
      return new IntervalSlots(sized.semaphore, sized.word, parts, undefined, undefined, className);
    } catch (failure) {
      sized.free();
      throw failure;
    }
  }

  override get handle(): LimitHandle {
    const { line, alarm, count } = this.#parts;
    return Object.freeze({
      ...super.handle,
      interval: Object.freeze({ line: line.handle, alarm: alarm.handle, count: count.handle }),
    });
  }

  /**
   * Takes a slot, if the interval lets an agent outside the line start a call now. Returns whether it did. Throws if
   * the limit was closed.
   */
  tryTakeOutsideLine(): boolean {
    if (!this.tryTake()) return false;
    const left = this.#interval.look(OUTSIDE);
    if (left === 0) return true;
    this.giveBack();
    if (left === SHUT) throw this.#shut();
    return false;
  }

  /**
   * Counts the start of a call that has a slot. Call it right before the function runs. Returns false if the interval
   * has no start left. Then the slot was released, and the head of the line sleeps.
   *
   * `place`: this agent's place, if the agent is the head of the line. `underWay`: how many calls of this agent have
   * a slot and have not started, this one included.
   */
  begin(place?: IntervalPlace, underWay = 1): boolean {
    try {
      let left = this.#interval.start(place === undefined ? OUTSIDE : AT_HEAD, underWay);
      if (left === SHUT) throw this.#shut();
      place?.end(left);
      if (left === 0) {
        // Before the count is confirmed: a release may wake a thread that then takes the core from this one.
        if (place !== undefined) this.#parts.line.release();
        left = this.#interval.confirm(underWay);
        if (left === 0) return true;
      }
    } catch (failure) {
      this.giveBack();
      place?.fail(failure);
      throw failure;
    }
    this.giveBack();
    return false;
  }

  /**
   * Waits for a slot and a start, as `Slots.take` waits for a slot. `granted`: a call may begin now, in that place.
   */
  override take(place: IntervalPlace, granted: () => void, refused: (failure: unknown) => void): void {
    void this.#lead(place, granted, refused);
  }

  /**
   * Always `Infinity`. The next call also needs a start, so a call that ends releases its slot instead of handing it
   * on.
   */
  override wanted(): number {
    return Infinity;
  }

  /** Returns the terms of the interval, and its state now. */
  get interval(): IntervalReport {
    return this.#interval.report();
  }

  override report(): LimitReport {
    const { line, alarm } = this.#parts;
    const slots = this.semaphore.inspect();
    const {
      holders: [head],
      waiters,
      abandoned,
    } = line.inspect();
    const first =
      head === undefined || this.#isLeaving(head.agent)
        ? []
        : [this.#waiterAt(head, [...slots.waiters, ...alarm.inspect().waiters])];
    return {
      ...reportLimit(this, { ...slots, waiters: [...first, ...waiters], abandoned }),
      interval: this.#interval.report(),
    };
  }

  override close(): void {
    const { line, alarm } = this.#parts;
    // The line first: its tag stops every agent, even if this agent dies after this step.
    line.close();
    alarm.close();
    super.close();
  }

  override free(): void {
    const { line, alarm, count } = this.#parts;
    const ref = refOf(line);
    const {
      context: { words },
      address,
      tag,
    } = ref;
    // Waiters of a closed line read only its tag. The head reads the count.
    if (isHeld(ref.context, ref) || (words.load32(address + BLOCK_TAG) === tag && line.waiting > 0))
      throw this.errors.inUse();
    super.free();
    line.free();
    alarm.free();
    count.free();
  }

  /** Counts the head, too: it has left the line, but waits for a slot or for the interval. */
  protected override countForText(): Counted {
    const { context } = this.ref;
    const { handle } = this.#parts.line;
    const { count, isAll } = countIn(context, handle);
    const heads = holdersOf(context, handle).filter((agent) => !this.#isLeaving(agent));
    return { count: count + heads.length, isAll };
  }

  protected override inUse(): string {
    const { startCount, intervalCap, interval } = this.#interval.report();
    return `${super.inUse()}, ${startCount} of ${intervalCap} starts in ${interval} ms made`;
  }

  /**
   * Whether that agent is this agent, and it has no waiting calls. Then it gives up the head of the line in a later
   * job.
   */
  #isLeaving(agent: number): boolean {
    return agent === this.ref.context.id && ownPending(this.ref, this.lineState.entry) === 0;
  }

  /** Returns the head of the line as a waiter. A head that did not wait in the line waits since it sleeps. */
  #waiterAt({ agent, title, since: began }: Holder, sleepers: readonly Waiter[]): Waiter {
    const sleeper = sleepers.find((waiter) => waiter.agent === agent);
    const now = this.ref.context.parking.date();
    const since = began ?? sleeper?.since ?? now;
    return { agent, title, permits: 1, kind: 'async', since, age: Math.max(0, now - since) };
  }

  /** Waits in line, and then at its head for a slot and a start. Never rejects. */
  async #lead(place: IntervalPlace, granted: () => void, refused: (failure: unknown) => void): Promise<void> {
    const { line } = this.#parts;
    let isHead = false;
    const leave = (): void => {
      if (isHead) line.release();
      isHead = false;
    };
    const signal = new HeadSignal(place, leave);
    try {
      await this.queueFor(line, signal);
      isHead = true;
      const check = (): void => {
        if (signal.isOver()) throw LEFT;
      };
      await this.#head.lead(() => this.#letOneBegin(place, granted, signal), {
        check,
        signal: signal as unknown as AbortSignal,
        ref: false,
      });
    } catch (failure) {
      leave();
      refused(failure);
    }
  }

  /** Waits for a slot, then lets a call begin. Resolves with 0 when it has begun, or with the ms until it may. */
  async #letOneBegin(place: IntervalPlace, granted: () => void, signal: HeadSignal): Promise<number> {
    if (!this.tryTake()) {
      await this.queueFor(this.semaphore, signal);
      if (signal.isOver()) {
        this.giveBack();
        throw LEFT;
      }
    }
    let left = this.#interval.look(AT_HEAD);
    if (left === 0) left = await place.letOneBegin(granted);
    else this.giveBack();
    if (left === SHUT) throw this.#shut();
    return left;
  }

  #shut(): Error {
    this.checkThere();
    return this.errors.closed();
  }
}

/** The signal of an agent's successive waits. When the agent gives up, the current wait ends and no other begins. */
class HeadSignal extends PlaceInLine {
  #isOver = false;

  /**
   * `leave` gives up the head of the line, if the agent has it. It is called at once, because the limit may be freed
   * right after.
   */
  constructor(place: PlaceInLine, leave: () => void) {
    super();
    place.addEventListener('abort', () => {
      this.#isOver = true;
      leave();
      this.giveUp();
    });
  }

  isOver(): boolean {
    return this.#isOver;
  }
}

function refOf({ arena, handle: { address, tag } }: Semaphore): BlockRef {
  return { arena, context: contextOf(arena), address: asBlock(address), tag };
}

/** Ends the wait of an agent that has no waiting call left. Its queue ignores this error. */
const LEFT = /* @__PURE__ */ new Error('No call waits.');
