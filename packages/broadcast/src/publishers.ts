// The publishers of a broadcast that wait for the slowest subscription, as one agent sees them. Words and invariants:
// kernel/marks.ts.
//
// A publisher that finds room, and no other publisher before it, publishes. Otherwise it waits in one line for the
// turn, and with the turn in another for room. It keeps the turn until it has published or gives up.

import { DeadlockError, type WaitOptions } from '@sluice/core';
import {
  AGENT_SCRATCH,
  asBlock,
  asCorrupt,
  Bouncer,
  checkNotFreed,
  ENTRY_HELD,
  finishPending,
  GRANT,
  isElement,
  isUint8Array,
  isUsed,
  Looks,
  mayRetry,
  NEEDS_WALK,
  plural,
  RACED,
  reserveStack,
  SHUT,
  TAKEN,
  throwIfAborted,
  TICKET,
  WAITING,
  type Account,
  type AgentAddress,
  type ElementAddress,
  type LineAddress,
  type LineReport,
  type LocalState,
  type Place,
  type Release,
  type Slots,
} from '@sluice/core/internal';
import {
  LIMIT_REACHED,
  MARK_COUNT,
  MARKS,
  RING_MASK,
  SEEN_LIMIT,
  SEEN_SUBSCRIBED,
  TURN_BEFORE,
} from './kernel/layout.ts';
import { BROADCAST, type BroadcastKernel } from './kinds.ts';
import { MANNER, publishersAccount, type Found } from './place.ts';
import { capacityAt, isFullFor } from './report.ts';

function handledLater(): void {
  // The call awaits this wait later, perhaps after its rejection.
}

/** Takes a spare slot. Throws if the broadcast is freed. */
type TakeSlot = () => number;

export class Publishers {
  readonly #place: Place;
  readonly #streamPlace: Place;
  readonly #slots: Slots;
  readonly #takeSlot: TakeSlot;
  readonly #account: Account;
  /** Where publishers wait for the turn, and where the one with the turn waits. */
  readonly #turnPlace: Place;
  readonly #turns: Bouncer;
  readonly #room: Bouncer;
  readonly #looks: Looks;
  readonly #look = (): number => this.#findRoom();
  readonly #isWaitedIn = (): boolean => this.#turnIsOut();
  // What the uncontended path needs, each in its own field: one lookup fewer per call.
  readonly #stream: LineAddress;
  readonly #agent: AgentAddress;
  readonly #localState: LocalState;
  readonly #marks: number;
  readonly #seek: BroadcastKernel['seekBroadcastRoom'];
  readonly #publish: BroadcastKernel['publishHeldBroadcast'];
  /**
   * What the last look at the marks has found: SUBSCRIBED before it, and the limit. At first a number that SUBSCRIBED
   * never has.
   */
  #subscribedLow = -1;
  #subscribedHigh = -1;
  #limitLow = 0;
  #limitHigh = 0;
  /** The mark that the publisher with the turn waits for. */
  #lowest = 0;

  /** `takeSlot`: of the broadcast. */
  constructor({ place, stream, policy, slots }: Found, takeSlot: TakeSlot) {
    const { context } = place;
    const { steps: line } = context.load(BROADCAST);
    const kernel = context.kernel as BroadcastKernel;
    this.#place = place;
    this.#streamPlace = stream;
    this.#slots = slots;
    this.#takeSlot = takeSlot;
    this.#turnPlace = { ...place, address: asBlock(stream.address - TURN_BEFORE) };
    this.#account = publishersAccount(place, stream, this.#turnPlace);
    this.#turns = new Bouncer(
      this.#turnPlace,
      policy,
      { recorded: true },
      (mayWait) => (mayWait === 0 ? WAITING : this.#getInLine()),
      this.#account,
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
    this.#room = new Bouncer(place, policy, { ...MANNER, line }, enqueue, this.#account);
    this.#stream = stream.address;
    this.#agent = context.agent;
    this.#localState = context.localState(stream.address, stream.tag, { recorded: true, line });
    this.#marks = stream.address + context.words.get32(stream.address + MARKS);
    this.#seek = kernel.seekBroadcastRoom;
    this.#publish = kernel.publishHeldBroadcast;
    const read = (): number => this.#limitLow >>> 1;
    this.#looks = new Looks(
      context,
      { units: read, values: read, room: capacityAt(stream), still: stream.address + RING_MASK },
      policy,
    );
  }

  /**
   * Publishes what `pack` made of a value. False: the timeout elapsed, and nothing was published. Throws `ClosedError`,
   * `DeadlockError`, `MisuseError`, `ArenaFullError`.
   */
  publish(packed: unknown, timeoutMs: number): boolean {
    // Once the call has the turn, it must be able to give the turn back.
    reserveStack();
    if (this.#attempt(packed, 0) === TAKEN) return true;
    const { context } = this.#place;
    // What a dead agent left may be in the way, and this agent can finish it.
    if (timeoutMs === 0) return finishPending(context) && this.#attempt(packed, 0) === TAKEN;
    const end = timeoutMs === Infinity ? Infinity : context.parking.now() + timeoutMs;
    const left = (): number => (end === Infinity ? Infinity : Math.max(0, end - context.parking.now()));
    if (this.#looks.again(this.#isWaitedIn, end, this.#look) !== WAITING && this.#attempt(packed, 0) === TAKEN)
      return true;
    // Before the line, too: the publisher with the turn may wait for the same subscription.
    if (end === Infinity) this.#checkOwnMarks();
    const outcome = this.#turns.enter(left(), this.#ownTurns());
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
      this.#giveTurnBack();
    }
  }

  /** As `publish`, without blocking. Rejects as it throws, with `TimeoutError` and the signal's reason. */
  async publishAsync(packed: unknown, options: WaitOptions): Promise<void> {
    reserveStack();
    if (this.#attempt(packed, 0) === TAKEN) return;
    // A codec may return the caller's own bytes.
    const kept = isUint8Array(packed) ? new Uint8Array(packed) : packed;
    const { timeout = Infinity } = options;
    const { parking } = this.#place.context;
    const end = parking.now() + timeout;
    /** `wait`: the current wait for room. */
    const state: { hasTurn: boolean; isPublished: boolean; wait: Promise<unknown> | undefined } = {
      hasTurn: false,
      isPublished: false,
      wait: undefined,
    };
    // Looks for room, and begins the next wait in the callback of the grant that ended the previous one. So an abort or
    // a timeout comes during a wait, where an earlier grant wins, and never between two waits.
    const attempt = (): void => {
      for (let tries = 1; ; tries++) {
        const lowest = this.#attempt(kept, 1);
        if (lowest === TAKEN) {
          state.isPublished = true;
          state.hasTurn = false;
          return this.#giveTurnBack();
        }
        this.#lowest = lowest;
        if (!waitForRoom()) return;
        mayRetry(tries, this.#account);
      }
    };
    /** True: there was room at once, so that no wait hears of an abort. */
    const waitForRoom = (): boolean => {
      let hasBegun = false;
      let atOnce = false;
      const met = (): void => {
        if (hasBegun) attempt();
        else atOnce = true;
      };
      const rest = timeout === Infinity ? options : { ...options, timeout: Math.max(0, end - parking.now()) };
      state.wait = this.#room.enterAsync(rest, met, timeout);
      state.wait.catch(handledLater);
      hasBegun = true;
      return atOnce;
    };
    const granted = (): void => {
      state.hasTurn = true;
      attempt();
    };
    try {
      if ((await this.#turns.enterAsync(options, granted)) === SHUT) this.#refuse();
      while (!state.isPublished) {
        const { wait } = state;
        state.wait = undefined;
        if (wait === undefined) {
          throwIfAborted(options.signal);
          attempt();
        } else await wait;
      }
    } finally {
      if (state.hasTurn) this.#giveTurnBack();
    }
  }

  /** The publishers that wait: the one with the turn comes first. */
  inspect(): LineReport {
    const [first, others] = [this.#room.inspect(), this.#turns.inspect()];
    return { waiters: [...first.waiters, ...others.waiters], abandoned: first.abandoned + others.abandoned };
  }

  /** Throws `MisuseError` if publishers wait, or one has the turn. */
  checkUnused(): void {
    const { context } = this.#place;
    finishPending(context);
    if (isUsed(context, this.#turnPlace) || isUsed(context, this.#place)) throw this.#account.inUse();
  }

  /**
   * TAKEN: published. WAITING: other publishers come first. 0 or more: there is no room because of that mark. `turn` 1:
   * this agent has the turn.
   */
  #attempt(packed: unknown, turn: 0 | 1): number {
    reserveStack();
    try {
      for (let tries = 1; ; tries++) {
        const { tag } = this.#localState;
        let seen: number = this.#seek(
          this.#stream,
          tag,
          this.#marks,
          turn,
          this.#subscribedLow,
          this.#subscribedHigh,
          this.#limitLow,
          this.#limitHigh,
        );
        if (seen === TAKEN) {
          seen = this.#publishNow(packed, turn);
          if (seen === TAKEN) return TAKEN;
          // Otherwise the room is gone: look again.
        } else if (seen === WAITING) return WAITING;
        else if (seen !== SHUT) {
          seen = this.#lookAtMarks();
          if (seen >= 0) return seen;
        }
        if (seen === SHUT) this.#refuse();
        mayRetry(tries, this.#account);
      }
    } catch (failure) {
      throw asCorrupt(failure, this.#account);
    }
  }

  /** TAKEN: there is room, and no other publisher comes first. WAITING: not so. */
  #findRoom(): typeof TAKEN | typeof WAITING | typeof SHUT {
    const { tag } = this.#localState;
    const seen = this.#seek(
      this.#stream,
      tag,
      this.#marks,
      0,
      this.#subscribedLow,
      this.#subscribedHigh,
      this.#limitLow,
      this.#limitHigh,
    );
    if (seen !== LIMIT_REACHED) return seen;
    return this.#lookAtMarks() === TAKEN ? TAKEN : WAITING;
  }

  #turnIsOut(): boolean {
    const { context, address } = this.#turnPlace;
    return ((context.words.load32(address + GRANT) - context.words.load32(address + TICKET)) | 0) <= 0;
  }

  /** TAKEN: published. WAITING: no room any more, or others come first. SHUT: closed, or freed. */
  #publishNow(packed: unknown, turn: 0 | 1): typeof TAKEN | typeof WAITING | typeof SHUT {
    this.#slots.write(this.#takeSlot(), packed);
    const { tag, entry } = this.#localState;
    let published: ReturnType<BroadcastKernel['publishHeldBroadcast']>;
    let tries = 0;
    do {
      published = this.#publish(
        this.#stream,
        tag,
        this.#agent,
        entry,
        this.#marks,
        turn,
        this.#subscribedLow,
        this.#subscribedHigh,
        this.#limitLow,
        this.#limitHigh,
      );
    } while (published === RACED && mayRetry(++tries, this.#account));
    // Also if nothing was published: the step may have detached a chain for another publisher.
    if (published === NEEDS_WALK || tries > 0 || published === SHUT) this.#place.context.finishWalk();
    return published === SHUT || published === WAITING ? published : TAKEN;
  }

  /** TAKEN: there is room. 0 or more: none because of that mark. */
  #lookAtMarks(): number {
    const { context } = this.#place;
    const { words } = context;
    const kernel = context.kernel as BroadcastKernel;
    const count = words.get32(this.#stream + MARK_COUNT);
    kernel.beginBroadcastScan(this.#stream, this.#agent, this.#marks);
    for (let n = 0; n < count; n++) kernel.scanBroadcastMark(this.#agent, this.#marks, n);
    const seen = kernel.endBroadcastScan(this.#stream, this.#agent);
    const found = this.#agent + AGENT_SCRATCH;
    this.#subscribedLow = words.get32(found + SEEN_SUBSCRIBED);
    this.#subscribedHigh = words.get32(found + SEEN_SUBSCRIBED + 4);
    this.#limitLow = words.get32(found + SEEN_LIMIT);
    this.#limitHigh = words.get32(found + SEEN_LIMIT + 4);
    return seen;
  }

  #getInLine(): ElementAddress | typeof TAKEN | typeof SHUT {
    const { context, address, tag } = this.#turnPlace;
    try {
      return context.kernel.acquire(address, tag, this.#turns.entry, 1, context.agent);
    } catch (failure) {
      throw asCorrupt(failure, this.#account);
    }
  }

  /** The turn goes to the next publisher. */
  #giveTurnBack(): void {
    const { context, address, tag } = this.#turnPlace;
    const { entry } = this.#turns;
    let given: Release | ElementAddress;
    try {
      given = context.kernel.release(address, tag, context.agent, entry, 1);
    } catch (failure) {
      throw asCorrupt(failure, this.#account);
    }
    if (isElement(given)) context.notify(given);
    else if (given === NEEDS_WALK) context.finishWalk();
    // Closed or freed: no agent needs the turn, and this one no longer holds it.
    else if (given === SHUT) context.words.put64(entry, context.words.get64(entry) - 1n);
  }

  #refuse(): never {
    checkNotFreed(this.#place, 'The broadcast');
    throw this.#account.closed();
  }

  /** How many async calls of this agent have the turn, also those of other instances. */
  #ownTurns(): number {
    return this.#place.context.words.get32(this.#turns.entry + ENTRY_HELD);
  }

  /**
   * Throws `DeadlockError` if a subscription of this agent itself leaves no room: it could not read while it is
   * blocked.
   */
  #checkOwnMarks(): void {
    if (!isFullFor(this.#streamPlace, this.#place.context.id)) return;
    throw new DeadlockError(
      `${this.#account.toString()}: the call would block this agent until a subscription of its own reads a value, which it cannot do meanwhile: that subscription is ${plural(capacityAt(this.#place), 'value')} behind. ` +
        'The value was not published. Use publishAsync, or read the subscription first.',
    );
  }
}
