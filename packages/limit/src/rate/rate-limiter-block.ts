// A rate limiter's block, as one agent sees it: its options, its report, and its end. A subclass takes and books
// permits.

import type { Semaphore } from '@sluice/core';
import { BLOCK_TAG } from '@sluice/core/format';
import { checkInteger, PERMIT_CALLS } from '@sluice/core/calls';
import { Primitive, PrimitiveErrors, checkOpened, holdersOf } from '@sluice/core/internal';
import { isHeld } from '@sluice/core/report';
import { Bucket } from './bucket.ts';
import { handleTo, wordsOf, type RateLimiterParts, type RateLimiterHandle } from './handle.ts';
import { RateLimiterLine } from './rate-limiter-line.ts';
import { reportRate, type RateLimiterReport } from './report.ts';

const NAMING = { className: 'RateLimiter', what: 'The rate limiter' };

export abstract class RateLimiterBlock extends Primitive {
  /** The handle to post to another thread. Pass it to `RateLimiter.from` there. */
  readonly handle: RateLimiterHandle;
  readonly #parts: RateLimiterParts;
  readonly #semaphore: Semaphore;
  readonly #errors: PrimitiveErrors;
  readonly #bucket: Bucket;
  readonly #line: RateLimiterLine;
  readonly #cost: number;

  /** `parts` is `undefined` if a caller uses `new` itself. */
  protected constructor(parts: RateLimiterParts | undefined) {
    super(parts?.ref, NAMING);
    checkOpened(parts, NAMING.className);
    const { ref, line, alarm, rate, base, clock } = parts;
    this.#parts = parts;
    this.#semaphore = line;
    this.#errors = new PrimitiveErrors(
      {
        className: NAMING.className,
        late: 'gave no permit',
        untouched: 'No permit was taken.',
        state: () => `${this.#free} of ${rate.burst} available`,
        blame: () => [{ how: 'preceded', agents: holdersOf(ref.context, ref) }],
      },
      ref,
    );
    this.checkThere();
    // This finds the existing state: the semaphore has created it.
    const lineState = ref.context.lineState(ref.address, ref.tag, { recorded: true });
    this.#bucket = new Bucket(ref, lineState, wordsOf(parts), rate, base, clock);
    this.#line = new RateLimiterLine(line, alarm, ref, this.#errors);
    this.#cost = rate.cost;
    this.handle = handleTo(parts);
  }

  /** The number of permits in each interval. */
  get permits(): number {
    return this.#bucket.rate.permits;
  }

  /** The length of an interval in ms. */
  get interval(): number {
    return this.#bucket.rate.interval;
  }

  /** The largest number of permits that can be taken at once. */
  get burst(): number {
    return this.#bucket.rate.burst;
  }

  /** The number of permits that `tryAcquire` could take now. 0 while a caller waits, or if the limiter is closed. */
  get available(): number {
    this.checkThere();
    return this.#isOpen ? this.#free : 0;
  }

  /** The number of waiting calls, blocking and async. If the line is in use, this scans all waiters of the arena. */
  get waiting(): number {
    const { head, waiters } = this.inspect();
    return waiters.length + (head === undefined ? 0 : 1);
  }

  /**
   * Returns the earliest time after which `tryAcquire(weight)` can succeed, in whole ms. 0: now. The header
   * `Retry-After` is in seconds: divide by 1000 and round up.
   *
   * The estimate counts one permit for each waiting caller. The real time is longer if a waiting caller wants more
   * permits, or if further callers come first.
   *
   * @throws {ClosedError} If the limiter is closed.
   */
  retryAfter(weight = 1): number {
    const cost = this.costOf(weight);
    if (!this.#isOpen) throw this.shut();
    const { inLine } = this.#bucket;
    return Math.max(inLine > 0 ? 1 : 0, Math.ceil(this.#bucket.untilFree(cost + inLine * this.#cost)));
  }

  /** Returns a snapshot of the available permits and the waiting calls. */
  inspect(): RateLimiterReport {
    this.checkThere();
    return reportRate(this.#semaphore, this.#bucket);
  }

  /**
   * Closes the limiter: every waiting and every later call fails with `ClosedError`.
   *
   * Closing it again has no effect.
   */
  close(): void {
    this.checkThere();
    this.#line.close();
  }

  /**
   * Frees the limiter's memory. No agent may be inside a call on it. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If calls wait, or it was freed before.
   */
  override free(): void {
    this.checkThere();
    // Waiters of a closed line look only at its tag. The head looks at the bucket.
    if (isHeld(this.ref.context, this.ref) || (this.#isOpen && this.#semaphore.waiting > 0))
      throw this.#errors.inUse(' Close it first, and let the calls end.');
    const { line, alarm, bucket } = this.#parts;
    line.free();
    alarm.free();
    bucket.free();
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    const { permits, interval, burst, available, state } = this.inspect();
    const closed = state === 'closed' ? true : undefined;
    return { permits, interval, burst, available, waiting: this.waiting, closed };
  }

  // Accessors, because code that enumerates an instance would see fields.
  protected get errors(): PrimitiveErrors {
    return this.#errors;
  }

  protected get bucket(): Bucket {
    return this.#bucket;
  }

  protected get line(): RateLimiterLine {
    return this.#line;
  }

  /** Returns the time that `weight` permits cost, in ticks. Throws `RangeError`, `TypeError`. */
  protected costOf(weight: number): number {
    // Only the message needs the name. Reading the name takes longer than the whole call.
    if (!Number.isInteger(weight) || weight < 1 || weight > this.burst)
      checkInteger(`${this.toString()}: weight`, weight, 1, this.burst, PERMIT_CALLS);
    return weight * this.#cost;
  }

  protected shut(): Error {
    this.checkThere();
    return this.#errors.closed();
  }

  get #isOpen(): boolean {
    this.checkThere();
    const { context, address, tag } = this.ref;
    return context.words.load32(address + BLOCK_TAG) === tag;
  }

  get #free(): number {
    return this.#bucket.inLine === 0 ? this.#bucket.level : 0;
  }
}
