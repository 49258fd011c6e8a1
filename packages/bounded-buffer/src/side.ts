// One side of a buffer, as one agent sees it: how the agent enters, and how it leaves. Words and invariants: core's kernel/buffer.ts.
//
// A newcomer enters if what it wants is available and no agent is before it. Otherwise it queues until it has the turn, and then takes the
// lock. If too little is available it keeps the turn and sleeps until there is enough. From entry to `commit` nothing may run in between,
// so the async forms take a function to call.
//
// Async calls of one agent keep their order. Each draws its ticket when it is made, and takes the lock after the calls before it have
// (Calls). Until then the agent's other calls queue behind them. A blocking call there would wait for calls that cannot run
// (`DeadlockError`).

import { MisuseError, type TimeoutError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  asCorrupt,
  BESIDE,
  BLOCK_LINE,
  BLOCK_TAG,
  Bouncer,
  FIRST_POSITION,
  IDLE,
  mayBlock,
  mayRetry,
  NEEDED,
  OFFICE,
  POSITION,
  RACED,
  SHORT,
  SHUT,
  tagOfLine,
  TAKEN,
  throwIfAborted,
  TURN,
  WAITING,
  WANTS,
  type Account,
  type Kernel,
  type LineReport,
  type Place,
  type AgentContext,
  type LocalState,
} from '@sluice/core/internal';
import { callsAt, type Calls } from './calls.ts';
import { endsBefore } from './ends-before.ts';

export const PRODUCERS = 0;
export const CONSUMERS = 1;
/** After the block's first line: the lines of both sides, then the lines in which their agents wait. */
const SIDES = 2;
/** How the wait in line ended: as SHORT, but the agent keeps the turn. */
const NOT_YET = -100;
/** How often a blocking newcomer lets the agents before it go first, for a moment each, before it queues behind them. */
const MOMENTS = 4;
/**
 * An agent holds the lock for the time of a copy. So calls that are not to wait still wait this many ms for it. They do not wait longer,
 * because an agent that was killed holds the lock until it is recovered.
 */
const LOCK_MS = 1;

export class Side {
  readonly address: number;
  readonly #tag: number;
  readonly #context: AgentContext;
  readonly #kernel: Kernel;
  // What the uncontended paths need, each in a field of its own, to save a lookup per call.
  readonly #enterSide: Kernel['enterSide'];
  readonly #commit: Kernel['commit'];
  readonly #id: number;
  readonly #agent: number;
  readonly #entry: number;
  readonly #semaphore: number;
  readonly #semaphoreTag: number;
  readonly #door: Bouncer;
  readonly #localState: LocalState;
  readonly #line: Bouncer;
  readonly #more: Bouncer;
  readonly #calls: Calls;
  readonly #what: Account;
  /** How many units the next ticket is drawn for. */
  #wanted = 1;
  /** While this agent owns the lock: the units it came for; `#turn` is 1 if it has the turn. */
  #came = 1;
  #turn = 0;

  constructor(place: Place, which: number, policy: WaitingPolicy, what: Account) {
    const { context } = place;
    const { kernel, agent } = context;
    this.#what = what;
    this.#context = context;
    this.#kernel = kernel;
    this.#enterSide = kernel.enterSide;
    this.#commit = kernel.commit;
    this.#id = context.id;
    this.#agent = agent;
    this.address = place.address + (1 + which) * BLOCK_LINE;
    this.#tag = tagOfLine(place, this.address);
    this.#semaphore = this.address + SIDES * BLOCK_LINE;
    this.#semaphoreTag = tagOfLine(place, this.#semaphore);
    const more = this.#semaphore + SIDES * BLOCK_LINE;
    const moreTag = tagOfLine(place, more);
    const door = { ...place, address: this.address, tag: this.#tag };
    const enqueueAtMutex = (mayWait: number): number => kernel.enqueueAtTts(this.address, this.#tag, agent, mayWait);
    this.#door = new Bouncer(door, policy, { unordered: true, competing: true }, enqueueAtMutex, what);
    this.#localState = this.#door.localState;
    const line = { ...place, address: this.#semaphore, tag: this.#semaphoreTag };
    this.#line = new Bouncer(line, policy, { recorded: true }, (mayWait) => (mayWait === 0 ? WAITING : this.#enqueueAtSide()), what);
    this.#entry = this.#line.entry;
    const waitFor = (mayWait: number): number => (mayWait === 0 ? WAITING : this.#waitFor(more, moreTag));
    this.#more = new Bouncer({ ...place, address: more, tag: moreTag }, policy, {}, waitFor, what);
    this.#calls = callsAt(line);
  }

  /**
   * FIRST_POSITION or more: this agent owns the lock, `count` units are available, and the value is their position in the ring. WAITING:
   * not in time. SHUT: closed, and for consumers empty. Throws `DeadlockError`, `MisuseError`, `ArenaFullError`.
   */
  enter(count: number, timeoutMs: number): number {
    const seen = this.enterNow(count);
    return seen >= FIRST_POSITION ? seen : this.#goOn(seen, count, timeoutMs);
  }

  /** As `enter` with 0, except that RACED, BESIDE, SHORT and SHUT are left to `enterAsync` to handle. */
  enterNow(count: number): number {
    if (this.#calls.pending > 0) return WAITING;
    this.#came = count;
    return this.#enterSide(this.address, this.#localState.tag, this.#id, count);
  }

  #goOn(first: number, count: number, timeoutMs: number): number {
    const end = this.#endOf(timeoutMs);
    const seen = first === BESIDE ? this.#letGoFirst(count, end) : first;
    if (seen >= FIRST_POSITION) return seen;
    if (seen === RACED || seen === WAITING) this.#refuseToNest();
    const found = seen === RACED && this.#tryLock(this.#left(end)) ? this.#look(count) : this.#inside(seen);
    if (found !== WAITING || timeoutMs === 0) return found;
    if (this.#calls.pending > 0) return this.#refuseToPass(timeoutMs);
    this.#wanted = count;
    const wasThere = !this.#isGone();
    const outcome = this.#line.enter(this.#left(end));
    if (outcome === WAITING) return WAITING;
    if (wasThere && outcome === SHUT && this.#isGone()) return SHUT;
    return this.#takeTurn(outcome, count, end);
  }

  /** After its wait in line: takes the lock, and what it came for once enough is available. Otherwise gives the turn back. */
  #takeTurn(outcome: number, count: number, end: number): number {
    let found = NOT_YET;
    let rounds = 0;
    try {
      while (this.#tryLock(this.#left(end))) {
        found = this.#redeem(outcome, count);
        if (found !== NOT_YET) return found;
        this.#wanted = count;
        const { parks } = this.#context;
        if (this.#more.enter(this.#left(end)) === WAITING) break;
        rounds = this.#nextRound(rounds, parks);
      }
      return WAITING;
    } finally {
      if (found === NOT_YET) this.#giveBack(outcome);
    }
  }

  /**
   * Enough is available for the agents before it as well, and they are about to take it. If this call queued behind them it would sleep
   * until they have, then they would queue behind it: one value per thread wake-up. So a blocking call lets them go first for a moment.
   */
  #letGoFirst(count: number, end: number): number {
    let seen = BESIDE;
    for (let moments = 0; seen === BESIDE && moments < MOMENTS && this.#left(end) > 0 && mayBlock(); moments++) {
      this.#context.parking.wait(this.address + TURN, 1, Math.min(LOCK_MS, this.#left(end)));
      seen = this.enterNow(count);
    }
    return seen === BESIDE ? WAITING : seen;
  }

  /**
   * As `enter`, without blocking, after `enterNow` returned `seen`. Calls `use` with the position; `use` must `commit` in every case.
   * Rejects with `TimeoutError`, the signal's reason, `ArenaFullError`, and what `use` throws.
   */
  async enterAsync(seen: number, count: number, options: WaitOptions, use: (position: number) => void): Promise<number> {
    const found = this.#inside(seen);
    if (found !== WAITING) return found;
    return this.#calls.inTurn((turn) => this.#comeIn(count, options, use, turn));
  }

  /** Draws the ticket before anything else can run, and takes the lock when its turn comes. */
  async #comeIn(
    count: number,
    { timeout = Infinity, ...others }: WaitOptions,
    use: (position: number) => void,
    turn: Promise<void> | undefined,
  ): Promise<number> {
    const end = this.#endOf(timeout);
    this.#wanted = count;
    const outcome = await this.#line.enterAsync({ ...others, timeout });
    if (outcome === SHUT && this.#isGone()) return SHUT;
    let found = WAITING;
    const state = { entered: false };
    const enter = (): void => {
      found = this.#redeem(outcome, count);
      state.entered = found !== NOT_YET;
      if (found >= FIRST_POSITION) use(found);
    };
    try {
      let rounds = 0;
      if (turn !== undefined && !(await endsBefore(turn, others, this.#left(end)))) throw this.#late(timeout);
      for (;;) {
        throwIfAborted(others.signal);
        found = WAITING;
        await this.#lockAsync({ ...others, timeout: this.#left(end) }, enter);
        // WAITING: the buffer was freed.
        if (found !== NOT_YET) return found;
        this.#wanted = count;
        const { parks } = this.#context;
        await this.#more.enterAsync({ ...others, timeout: this.#left(end) });
        rounds = this.#nextRound(rounds, parks);
      }
    } catch (failure) {
      if (!state.entered) this.#giveBack(outcome);
      throw failure;
    }
  }

  /** Counts the rounds of a wait since the agent last slept. Damaged counters could make a wait loop for ever without sleeping. */
  #nextRound(rounds: number, parks: number): number {
    if (this.#context.parks !== parks) return 0;
    mayRetry(rounds + 1);
    return rounds + 1;
  }

  #late(timeoutMs: number): TimeoutError {
    return this.#what.timedOut(timeoutMs, 0);
  }

  /** This agent's own async calls are before it in line, and cannot run while it is blocked. */
  #refuseToPass(timeoutMs: number): number {
    if (timeoutMs !== Infinity) return WAITING;
    const { pending } = this.#calls;
    throw this.#what.deadlock(pending);
  }

  /** Otherwise it would wait for a lock it owns. */
  #refuseToNest(): void {
    const { words } = this.#context;
    // The owner word of a freed buffer keeps its value.
    if (words.load32(this.address + OFFICE) !== this.#id || words.load32(this.address + BLOCK_TAG) !== this.#tag) return;
    throw new MisuseError(`${this.#what.toString()} cannot be used by its own \`onTake\` or by the \`decode\` of its codec.`);
  }

  /** Units that the owner of the lock may take: all available ones; while other agents wait in line, only those it came for. */
  get units(): number {
    return this.#kernel.countUnits(this.address, this.#came);
  }

  /** The owner of the lock leaves. It used or freed `room` units, and wrote or read `values` values. */
  commit(room: number, values: number): void {
    const turn = this.#turn;
    this.#turn = 0;
    try {
      if (this.#commit(this.address, this.#agent, this.#entry, room, values, turn) !== IDLE) this.#context.finishWalk();
    } catch (failure) {
      throw asCorrupt(failure);
    }
  }

  /** Whether the buffer was closed and freed while a call waited. */
  #isGone(): boolean {
    return this.#context.words.load32(this.address + BLOCK_TAG) !== this.#tag;
  }

  get isClosed(): boolean {
    return this.#context.words.load32(this.#semaphore + BLOCK_TAG) < 0;
  }

  /** On the producers' side: closes the buffer, once no agent is putting a value in. */
  close(): void {
    if (this.isClosed) return this.#closeConsumers();
    const entered = this.#door.enter(0) === TAKEN || this.#door.enter(Infinity) === TAKEN;
    if (entered) this.#shut();
  }

  async closeAsync(): Promise<void> {
    if (this.isClosed) this.#closeConsumers();
    else await this.#lockAsync({}, () => this.#shut());
  }

  /**
   * Closes the consumers' side if an agent died in the middle of its close (jsEngine only). No value enters any more, so no lock is needed.
   * While values are left, the consumer that takes the last one closes that side.
   */
  #closeConsumers(): void {
    const { words } = this.#context;
    const values = this.address + POSITION + 4;
    if (words.load32(values) !== words.load32(values + BLOCK_LINE)) return;
    for (const sem of [this.#semaphore + BLOCK_LINE, this.#semaphore + (1 + SIDES) * BLOCK_LINE]) {
      const tag = words.load32(sem + BLOCK_TAG);
      if (tag > 0) this.#kernel.close(this.#agent, sem, tag);
    }
    this.#context.finishWalk();
  }

  #shut(): void {
    this.#kernel.closeSides(this.address, this.#agent);
    this.#context.finishWalk();
  }

  /** Takes the lock for good, to free the buffer, if no agent owns it and none waits. Returns whether it did. */
  seize(): boolean {
    const { waiters } = this.inspect();
    return (this.isClosed || waiters.length === 0) && this.#door.enter(0) === TAKEN;
  }

  /** The agents that wait. An agent that has the turn and waits for more units comes first. */
  inspect(): LineReport {
    const [first, others] = [this.#more.inspect(), this.#line.inspect()];
    return { waiters: [...first.waiters, ...others.waiters], abandoned: first.abandoned + others.abandoned };
  }

  #enqueueAtSide(): number {
    const drawn = this.#kernel.enqueueAtSide(this.address, this.#semaphoreTag, this.#agent, this.#entry, this.#wanted);
    // Units that arrived since the last check give the turn to the first in line, possibly to this agent.
    this.#context.finishWalk();
    return drawn;
  }

  /** The owner of the lock checks what is available, and leaves unless that is TAKEN. */
  #look(count: number): number {
    const seen = this.#kernel.look(this.address, count, 0);
    this.#came = count;
    return seen === TAKEN ? this.#position() : this.#inside(seen);
  }

  /** If this agent owns the lock but not all that it wants is available, it leaves. */
  #inside(seen: number): number {
    if (seen === SHORT || seen === SHUT) this.commit(0, 0);
    return seen === SHUT ? SHUT : WAITING;
  }

  /** After its wait in line the agent owns the lock. NOT_YET: it left with the turn, and is woken when enough is available. */
  #redeem(outcome: number, count: number): number {
    // Closed before its turn came: values may be left, or it is SHUT.
    if (outcome !== TAKEN) return this.#look(count);
    const seen = this.#kernel.look(this.address, count, 1);
    if (seen !== SHORT) {
      this.#turn = 1;
      this.#came = count;
      if (seen === TAKEN) return this.#position();
      this.commit(0, 0);
      return SHUT;
    }
    // Lost wake-up, waiter side: write NEEDED before leaving the lock. Leaving checks it again (`exitSide`).
    this.#context.words.store32(this.#semaphore + NEEDED, count);
    this.commit(0, 0);
    return NOT_YET;
  }

  #position(): number {
    return FIRST_POSITION + (this.#context.words.load32(this.address + POSITION) >>> 0);
  }

  /** Draws a ticket in the line in which the agent with the turn waits for more. */
  #waitFor(line: number, tag: number): number {
    let drawn: number;
    try {
      drawn = this.#kernel.acquire(line, tag, 0, 1, this.#agent);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (drawn > TAKEN) this.#context.words.put32(drawn + WANTS, this.#wanted);
    return drawn;
  }

  /** The agent waited in line and did not get the lock, or enough units, in time: the next agent gets the turn. */
  #giveBack(outcome: number): void {
    if (outcome !== TAKEN) return;
    const { words } = this.#context;
    if (words.load32(this.#semaphore + NEEDED) !== 0) words.store32(this.#semaphore + NEEDED, 0);
    let given: number;
    try {
      given = this.#kernel.release(this.#semaphore, this.#semaphoreTag, this.#agent, this.#entry, 1);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (given > IDLE) this.#context.finishWalk();
    // Closed: no agent needs the turn, and this one no longer holds it.
    else if (given === SHUT) words.put64(this.#entry, words.get64(this.#entry) - 1n);
  }

  #tryLock(timeoutMs: number): boolean {
    return this.#door.enter(mayBlock() ? Math.max(timeoutMs, LOCK_MS) : 0) === TAKEN;
  }

  /** Blocks at most for a moment, which is nearly always enough. `entered` runs in the same task that takes the lock. */
  async #lockAsync(options: WaitOptions, entered: () => void): Promise<void> {
    if (this.#tryLock(0)) entered();
    else await this.#door.enterSoon(options, entered);
  }

  #endOf(timeoutMs: number): number {
    return timeoutMs === Infinity ? Infinity : this.#context.parking.now() + timeoutMs;
  }

  #left(end: number): number {
    return end === Infinity ? Infinity : Math.max(0, end - this.#context.parking.now());
  }
}
