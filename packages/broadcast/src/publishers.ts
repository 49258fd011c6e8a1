// The publishers of a broadcast that wait for the slowest subscription, as one agent sees them. Words and invariants:
// kernel/marks.ts.
//
// If a publisher finds room, and no other publisher waits, it publishes. Otherwise it waits in one line. The head of
// this line waits in a second line for room. It stays the head until it has published or gives up.

import { DeadlockError, type WaitOptions } from '@sluice/core';
import {
  asBlock,
  ENTRY_HELD,
  GRANT,
  NEEDS_WALK,
  RACED,
  SHUT,
  TAKEN,
  TICKET,
  WAITING,
  type AgentAddress,
  type ElementAddress,
  type LineAddress,
  type Release,
} from '@sluice/core/format';
import { isUint8Array, plural, reserveStack, throwIfAborted } from '@sluice/core/calls';
import {
  asCorrupt,
  Attempts,
  WaitLine,
  checkNotFreed,
  deadlineIn,
  finishPending,
  leftUntil,
  EntryDelay,
  retryOrThrow,
  type PrimitiveErrors,
  type AttemptOutcome,
  type LineState,
  type BlockRef,
} from '@sluice/core/internal';
import { isUsed, type LineReport } from '@sluice/core/report';
import type { ValueSlots } from './slots/byte-slots.ts';
import { MARKS, RING_MASK, HEAD_LINE_BEFORE } from './kernel/layout.ts';
import { MarksScan } from './marks-scan.ts';
import { BROADCAST, type BroadcastKernel } from './kinds.ts';
import { BEHAVIOUR, publishersErrors, type OpenedBroadcast } from './create-and-open.ts';
import { capacityAt, isFullFor } from './report.ts';

/** Takes a spare slot. Throws if the broadcast is freed. */
type TakeSlot = () => number;

export class Publishers {
  readonly #ref: BlockRef;
  readonly #streamRef: BlockRef;
  readonly #slots: ValueSlots;
  readonly #takeSlot: TakeSlot;
  readonly #errors: PrimitiveErrors;
  /** The line in which publishers wait to become its head. In the other line, the head of the line waits for room. */
  readonly #headRef: BlockRef;
  readonly #headLine: WaitLine;
  readonly #room: WaitLine;
  readonly #looks: EntryDelay;
  readonly #isWaitedIn = (): boolean => this.#hasHead();
  readonly #findRoom = (): number => this.#scan.findRoom();
  // The fields of the uncontended path are separate, to save a lookup per call.
  readonly #stream: LineAddress;
  readonly #agent: AgentAddress;
  readonly #lineState: LineState;
  readonly #marks: number;
  readonly #scan: MarksScan;
  readonly #publish: BroadcastKernel['publishHeldBroadcast'];
  /** The mark that the head of the line waits for. */
  #lowest = 0;

  /** `takeSlot` takes a slot of the broadcast. */
  constructor({ ref, stream, policy, slots }: OpenedBroadcast, takeSlot: TakeSlot) {
    const { context } = ref;
    const { steps: line } = context.load(BROADCAST);
    const kernel = context.kernel as BroadcastKernel;
    this.#ref = ref;
    this.#streamRef = stream;
    this.#slots = slots;
    this.#takeSlot = takeSlot;
    this.#headRef = { ...ref, address: asBlock(stream.address - HEAD_LINE_BEFORE) };
    this.#errors = publishersErrors(ref, stream, this.#headRef);
    this.#headLine = new WaitLine(
      this.#headRef,
      policy,
      { recorded: true },
      (mayWait) => (mayWait === 0 ? WAITING : this.#getInLine()),
      this.#errors,
    );
    const enqueue = (mayWait: number): ReturnType<BroadcastKernel['enqueueForBroadcastRoom']> =>
      (context.kernel as BroadcastKernel).enqueueForBroadcastRoom(
        stream.address,
        stream.tag,
        context.agent,
        this.#marks,
        mayWait,
        this.#lowest,
      );
    this.#room = new WaitLine(ref, policy, { ...BEHAVIOUR, line }, enqueue, this.#errors);
    this.#stream = stream.address;
    this.#agent = context.agent;
    this.#lineState = context.lineState(stream.address, stream.tag, { recorded: true, line });
    this.#marks = stream.address + context.words.get32(stream.address + MARKS);
    this.#scan = new MarksScan(context, stream.address, this.#marks, this.#lineState);
    this.#publish = kernel.publishHeldBroadcast;
    const read = (): number => this.#scan.limitLow >>> 1;
    this.#looks = new EntryDelay(
      context,
      { units: read, values: read, room: capacityAt(stream), still: stream.address + RING_MASK },
      policy,
    );
  }

  /**
   * Publishes a packed value. Returns false if the timeout elapsed and nothing was published. Throws `ClosedError`,
   * `DeadlockError`, `MisuseError`, `ArenaFullError`.
   */
  publish(packed: unknown, timeoutMs: number): boolean {
    // Once the call is the head of the line, it must be able to admit the next head.
    reserveStack();
    if (this.#attempt(packed, 0) === TAKEN) return true;
    const { context } = this.#ref;
    // A dead agent may still hold a mark or be the head of the line. This agent can finish its recovery.
    if (timeoutMs === 0) return finishPending(context) && this.#attempt(packed, 0) === TAKEN;
    const end = deadlineIn(context.parking, timeoutMs);
    const left = (): number => leftUntil(context.parking, end);
    if (this.#looks.again(this.#isWaitedIn, end, this.#findRoom) !== WAITING && this.#attempt(packed, 0) === TAKEN)
      return true;
    // Checked before the wait in line, too: the head of the line may wait for the same subscription.
    if (end === Infinity) this.#checkOwnMarks();
    const outcome = this.#headLine.enter(left(), this.#ownHeads());
    if (outcome === WAITING) return false;
    if (outcome === SHUT) this.#refuse();
    try {
      for (;;) {
        const lowest = this.#attempt(packed, 1);
        if (lowest === TAKEN) return true;
        if (end === Infinity) this.#checkOwnMarks();
        this.#lowest = lowest;
        if (this.#room.enter(left()) === WAITING) return false;
      }
    } finally {
      this.#admitNextHead();
    }
  }

  /**
   * Publishes as `publish` does, without blocking. Rejects with its errors, with `TimeoutError` and with the signal's
   * reason.
   */
  async publishAsync(packed: unknown, options: WaitOptions): Promise<void> {
    reserveStack();
    if (this.#attempt(packed, 0) === TAKEN) return;
    // A codec may return the caller's own bytes.
    const kept = isUint8Array(packed) ? new Uint8Array(packed) : packed;
    const { timeout = Infinity } = options;
    const { parking } = this.#ref.context;
    const end = deadlineIn(parking, timeout);
    const head = { isOurs: false };
    const attempt = (): AttemptOutcome => {
      const lowest = this.#attempt(kept, 1);
      if (lowest === TAKEN) {
        head.isOurs = false;
        this.#admitNextHead();
        return 'done';
      }
      this.#lowest = lowest;
      return 'wait';
    };
    const waitForRoom = (met: () => void): Promise<unknown> => {
      const rest = timeout === Infinity ? options : { ...options, timeout: leftUntil(parking, end) };
      return this.#room.enterAsync(rest, met, timeout);
    };
    const attempts = new Attempts(attempt, waitForRoom, this.#errors);
    const granted = (): void => {
      head.isOurs = true;
      attempts.make();
    };
    try {
      if ((await this.#headLine.enterAsync(options, granted)) === SHUT) this.#refuse();
      await attempts.finish(() => {
        throwIfAborted(options.signal);
        return attempt();
      });
    } finally {
      if (head.isOurs) this.#admitNextHead();
    }
  }

  /** Returns the waiting publishers. The head of the line comes first. */
  inspect(): LineReport {
    const [first, others] = [this.#room.inspect(), this.#headLine.inspect()];
    return { waiters: [...first.waiters, ...others.waiters], abandoned: first.abandoned + others.abandoned };
  }

  /** Throws `MisuseError` if publishers wait, or one is the head of the line. */
  checkUnused(): void {
    const { context } = this.#ref;
    finishPending(context);
    if (isUsed(context, this.#headRef) || isUsed(context, this.#ref)) throw this.#errors.inUse();
  }

  /**
   * Makes one attempt to publish. Returns TAKEN if it published, and WAITING if other publishers come first. Otherwise
   * returns the number of the mark that leaves no room. `isHead` is 1 if this agent is the head of the line.
   */
  #attempt(packed: unknown, isHead: 0 | 1): number {
    reserveStack();
    try {
      for (let tries = 1; ; tries++) {
        let seen: number = this.#scan.seek(isHead);
        if (seen === TAKEN) {
          seen = this.#publishNow(packed, isHead);
          if (seen === TAKEN) return TAKEN;
          // The room is gone again: look once more.
        } else if (seen === WAITING) return WAITING;
        else if (seen !== SHUT) {
          seen = this.#scan.look();
          if (seen >= 0) return seen;
        }
        if (seen === SHUT) this.#refuse();
        retryOrThrow(tries, this.#errors);
      }
    } catch (failure) {
      throw asCorrupt(failure, this.#errors);
    }
  }

  #hasHead(): boolean {
    const { context, address } = this.#headRef;
    return ((context.words.load32(address + GRANT) - context.words.load32(address + TICKET)) | 0) <= 0;
  }

  /**
   * Takes a slot and publishes. Returns TAKEN if it published, WAITING if there is no room any more or other publishers
   * come first, and SHUT if the broadcast is closed or freed.
   */
  #publishNow(packed: unknown, isHead: 0 | 1): typeof TAKEN | typeof WAITING | typeof SHUT {
    this.#slots.write(this.#takeSlot(), packed);
    const { tag, entry } = this.#lineState;
    const scan = this.#scan;
    let published: ReturnType<BroadcastKernel['publishHeldBroadcast']>;
    let tries = 0;
    do {
      published = this.#publish(
        this.#stream,
        tag,
        this.#agent,
        entry,
        this.#marks,
        isHead,
        scan.subscribedLow,
        scan.subscribedHigh,
        scan.limitLow,
        scan.limitHigh,
      );
    } while (published === RACED && retryOrThrow(++tries, this.#errors));
    // Also if nothing was published: the step may have detached a chain for another publisher.
    if (published === NEEDS_WALK || tries > 0 || published === SHUT) this.#ref.context.finishWalk();
    return published === SHUT || published === WAITING ? published : TAKEN;
  }

  #getInLine(): ElementAddress | typeof TAKEN | typeof SHUT {
    const { context, address, tag } = this.#headRef;
    try {
      return context.kernel.acquire(address, tag, this.#headLine.entry, 1, context.agent);
    } catch (failure) {
      throw asCorrupt(failure, this.#errors);
    }
  }

  /** Makes the next publisher the head of the line. */
  #admitNextHead(): void {
    const { context, address, tag } = this.#headRef;
    const { entry } = this.#headLine;
    let given: Release | ElementAddress;
    try {
      given = context.kernel.release(address, tag, context.agent, entry, 1);
    } catch (failure) {
      throw asCorrupt(failure, this.#errors);
    }
    // The broadcast was closed or freed. No agent needs the permit, and the ledger no longer lists it.
    if (given !== SHUT) context.wakeAdmitted(given);
    else context.words.put64(entry, context.words.get64(entry) - 1n);
  }

  #refuse(): never {
    checkNotFreed(this.#ref, 'The broadcast');
    throw this.#errors.closed();
  }

  /** Returns the number of this agent's async calls that are heads of the line, including those of other instances. */
  #ownHeads(): number {
    return this.#ref.context.words.get32(this.#headLine.entry + ENTRY_HELD);
  }

  /**
   * Throws `DeadlockError` if a subscription of this agent leaves no room: it could not read while the agent is
   * blocked.
   */
  #checkOwnMarks(): void {
    if (!isFullFor(this.#streamRef, this.#ref.context.id)) return;
    throw new DeadlockError(
      `${this.#errors.toString()}: the call would block this agent until a subscription of its own reads a value, which it cannot do meanwhile: that subscription is ${plural(capacityAt(this.#ref), 'value')} behind. ` +
        'The value was not published. Use publishAsync, or read the subscription first.',
    );
  }
}
