// One side of a buffer, as one agent sees it: how it comes in, and how it leaves. Words and invariants: core's kernel/buffer.ts.
//
// A newcomer comes in when what it wants is there and no agent is before it. Else it stands in line until it has the turn, and then takes
// the lock. If too little is there it keeps the turn and sleeps until enough is. From there to `commit` nothing may come between, so in
// the async forms it is a function that is called.
//
// Async calls of one agent keep their order: each draws its ticket when it is made, and takes the lock when those before it have
// (Calls). Until then the agent's other calls stand behind them: blocking ones would wait for what cannot go on (`DeadlockError`).

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
/** Behind the block's first line: both sides' own lines, then the lines that their agents wait in. */
const SIDES = 2;
/** Of how its line ended: as SHORT, but the agent keeps the turn. */
const NOT_YET = -100;
/** How often a blocking newcomer lets those before it go first, a moment each, before it stands in line behind them. */
const MOMENTS = 4;
/**
 * The lock is another agent's for the time of a copy. So calls that are not to wait wait so long for it, in ms; not longer, as an agent
 * that was killed has it until it is recovered.
 */
const LOCK_MS = 1;

export class Side {
  readonly address: number;
  readonly #tag: number;
  readonly #context: AgentContext;
  readonly #kernel: Kernel;
  // What the uncontended paths need, each a field of its own: a lookup less per call.
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
  /** What the next ticket is drawn for. */
  #wanted = 1;
  /** Units that the owner of the lock came for, while that is this agent; and 1 if it has the turn. */
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
   * FIRST_POSITION and more: this agent owns the lock, `count` units are there, and that is where in the ring. WAITING: not in time.
   * SHUT: closed, and for consumers empty. Throws `DeadlockError`, `MisuseError`, `ArenaFullError`.
   */
  enter(count: number, timeoutMs: number): number {
    const seen = this.enterNow(count);
    return seen >= FIRST_POSITION ? seen : this.#goOn(seen, count, timeoutMs);
  }

  /** As `enter` with 0; but RACED, BESIDE, SHORT and SHUT are `enterAsync`'s to go on with. */
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

  /** Its line ended so: takes the lock, and what it came for when enough is there; or gives the turn back. */
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
   * Enough is there also for those before it, which are about to take it: behind them in line it would sleep until they have, and they
   * behind it, one value for each time that a thread wakes up. So a blocking call lets them go first for a moment.
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
   * As `enter`, without blocking, after `enterNow` has `seen` that; and calls `use` with the position, which has to `commit`, whatever
   * happens. Rejects with `TimeoutError`, the signal's reason, `ArenaFullError`, and what `use` throws.
   */
  async enterAsync(seen: number, count: number, options: WaitOptions, use: (position: number) => void): Promise<number> {
    const found = this.#inside(seen);
    if (found !== WAITING) return found;
    return this.#calls.inTurn((turn) => this.#comeIn(count, options, use, turn));
  }

  /** Draws its ticket before anything else can happen, and takes the lock when its turn comes. */
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
        // WAITING: it was freed.
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

  /** Counts the rounds of a wait without a sleep since the agent had slept so often. Damaged counters can make their number endless. */
  #nextRound(rounds: number, parks: number): number {
    if (this.#context.parks !== parks) return 0;
    mayRetry(rounds + 1);
    return rounds + 1;
  }

  #late(timeoutMs: number): TimeoutError {
    return this.#what.timedOut(timeoutMs, 0);
  }

  /** Its own calls stand before it, and cannot go on while it is blocked. */
  #refuseToPass(timeoutMs: number): number {
    if (timeoutMs !== Infinity) return WAITING;
    const { pending } = this.#calls;
    throw this.#what.deadlock(pending);
  }

  /** It would wait for its own lock. */
  #refuseToNest(): void {
    const { words } = this.#context;
    // Of one that was freed it stays the owner.
    if (words.load32(this.address + OFFICE) !== this.#id || words.load32(this.address + BLOCK_TAG) !== this.#tag) return;
    throw new MisuseError(`${this.#what.toString()} cannot be used by its own \`onTake\` or by the \`decode\` of its codec.`);
  }

  /** Units that the owner of the lock may take: all that are there, or while others wait in line those that it came for. */
  get units(): number {
    return this.#kernel.countUnits(this.address, this.#came);
  }

  /** The owner of the lock leaves; so much room was used or given back, so many values were written or read. */
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

  /** Of the producers: closes the buffer, once nobody is putting a value in. */
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
   * Left open by an agent that died in the middle of its close, with engine 'js'. No value comes any more, so no lock is needed; while
   * values are left, the consumer that takes the last one closes them.
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

  /** Takes the lock for good, to free the buffer, if nobody has it and nobody waits: whether it did. */
  seize(): boolean {
    const { waiters } = this.inspect();
    return (this.isClosed || waiters.length === 0) && this.#door.enter(0) === TAKEN;
  }

  /** The agents that wait. One that has the turn, and waits for more units than there are, comes first. */
  inspect(): LineReport {
    const [first, others] = [this.#more.inspect(), this.#line.inspect()];
    return { waiters: [...first.waiters, ...others.waiters], abandoned: first.abandoned + others.abandoned };
  }

  #enqueueAtSide(): number {
    const drawn = this.#kernel.enqueueAtSide(this.address, this.#semaphoreTag, this.#agent, this.#entry, this.#wanted);
    // Units that came since the last look give the turn to the first in line: perhaps to this agent.
    this.#context.finishWalk();
    return drawn;
  }

  /** The owner of the lock looks, and leaves when it is not TAKEN. */
  #look(count: number): number {
    const seen = this.#kernel.look(this.address, count, 0);
    this.#came = count;
    return seen === TAKEN ? this.#position() : this.#inside(seen);
  }

  /** It may own the lock, but not all it wants is there: it leaves. */
  #inside(seen: number): number {
    if (seen === SHORT || seen === SHUT) this.commit(0, 0);
    return seen === SHUT ? SHUT : WAITING;
  }

  /** It stood in line, and owns the lock; NOT_YET: it left, with the turn, and is told when enough is there. */
  #redeem(outcome: number, count: number): number {
    // Closed before its turn came: there may be something left, or it is SHUT.
    if (outcome !== TAKEN) return this.#look(count);
    const seen = this.#kernel.look(this.address, count, 1);
    if (seen !== SHORT) {
      this.#turn = 1;
      this.#came = count;
      if (seen === TAKEN) return this.#position();
      this.commit(0, 0);
      return SHUT;
    }
    // No lost wake-up, this end: it is written before the lock is left, and looked at again with that (exitSide).
    this.#context.words.store32(this.#semaphore + NEEDED, count);
    this.commit(0, 0);
    return NOT_YET;
  }

  #position(): number {
    return FIRST_POSITION + (this.#context.words.load32(this.address + POSITION) >>> 0);
  }

  /** A ticket where the agent with the turn waits for more. */
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

  /** It stood in line, and did not get the lock, or enough, in time: the turn goes to the next one. */
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
    // Closed: nobody needs it, and it is not held any more.
    else if (given === SHUT) words.put64(this.#entry, words.get64(this.#entry) - 1n);
  }

  #tryLock(timeoutMs: number): boolean {
    return this.#door.enter(mayBlock() ? Math.max(timeoutMs, LOCK_MS) : 0) === TAKEN;
  }

  /** Blocks for a moment at the most: nearly always that is enough. `entered` is called in the turn in which the lock is taken. */
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
