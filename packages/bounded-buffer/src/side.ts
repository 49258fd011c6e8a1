// One side of a buffer, as one agent sees it: how the agent enters, and how it leaves. Words and invariants:
// kernel/sides.ts.
//
// What a newcomer finds (`enterSide`):
//
//   0 or more                it owns the lock, what it wants is available, and this is the position in the ring
//   WAITING                  too little is available, or agents are before it: it waits in line for the turn
//                            (side-lines.ts)
//   BESIDE                   enough is available for the agents before it, too: it lets them go first for a moment,
//                            then waits in line
//   RACED                    another agent owns the lock: it waits for the lock (side-lock.ts)
//   SHORT, SHUT              it owns the lock, but too little is available, or the side is closed: it leaves
//
// INVARIANTS
//
//   1. An agent with the turn takes the lock. If too little is available, it writes how much it needs, leaves the lock,
//      keeps the turn and sleeps until there is enough. Every other end of its call gives the turn back.
//   2. From entry to `commit` nothing may run in between, so the async forms take a function to call.
//   3. Async calls of one agent keep their order. Each draws its ticket when it is made, and takes the lock after the
//      calls before it have (Calls). Until then the agent's other calls queue behind them. A blocking call there would
//      wait for calls that cannot run (`DeadlockError`).

import { ClosedError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  asCorrupt,
  corrupt,
  BLOCK_TAG,
  checkNotFreed,
  checkWait,
  finishPending,
  IDLE,
  RACED,
  reserveStack,
  SHUT,
  TAKEN,
  throwIfAborted,
  WAITING,
  type Account,
  type AgentContext,
  type Bouncer,
  type Entered,
  type LocalState,
  type Place,
  type EntryAddress,
  type LineAddress,
  type AgentAddress,
  Looks,
} from '@sluice/core/internal';
import { callsAt, type Calls } from './calls.ts';
import { endsBefore } from './ends-before.ts';
import { POSITION, RING_BYTES, UNIT_BYTES } from './kernel/layout.ts';
import { BESIDE, SHORT } from './kernel/states.ts';
import { BUFFER, type BufferKernel } from './kinds.ts';
import { CONSUMERS, LOCK, placeOfLine, TURNS } from './lines.ts';
import { flowAt } from './flow.ts';
import { NO_OPTIONS } from './options.ts';
import { SideLines } from './side-lines.ts';
import { SideLock } from './side-lock.ts';

function handledLater(): void {
  // The call awaits this wait later, perhaps after its rejection.
}

/** How the wait in line ended: as SHORT, but the agent keeps the turn. */
const NOT_YET = -100;

export class Side {
  readonly address: LineAddress;
  readonly lock: SideLock;
  readonly lines: SideLines;
  readonly #place: Place;
  readonly #tag: number;
  readonly #context: AgentContext;
  readonly #kernel: BufferKernel;
  // What the uncontended paths need, each in a field of its own, to save a lookup per call.
  readonly #enterSide: BufferKernel['enterSide'];
  readonly #commit: BufferKernel['commit'];
  readonly #id: number;
  readonly #agent: AgentAddress;
  readonly #entry: EntryAddress;
  readonly #localState: LocalState;
  readonly #line: Bouncer;
  readonly #more: Bouncer;
  readonly #calls: Calls;
  readonly #looks: Looks;
  readonly #closed: string;
  /** Units of the whole ring. */
  readonly #ringUnits: number;
  readonly #what: Account;
  /** While this agent owns the lock: the units it came for; `#turn` is 1 if it has the turn. */
  #came = 1;
  #turn = 0;

  constructor(place: Place, which: number, policy: WaitingPolicy, what: Account) {
    const { context } = place;
    const { kernel } = context.load(BUFFER);
    const own = placeOfLine(place, LOCK, which);
    this.#place = place;
    this.#what = what;
    this.#closed = which === CONSUMERS ? 'closed and empty' : 'closed';
    this.#context = context;
    this.#kernel = kernel;
    this.#enterSide = kernel.enterSide;
    this.#commit = kernel.commit;
    this.#id = context.id;
    this.#agent = context.agent;
    this.address = own.address;
    this.#tag = own.tag;
    this.lock = new SideLock(own, policy, what);
    this.#localState = this.lock.localState;
    this.lines = new SideLines(place, which, policy, what);
    this.#line = this.lines.turns;
    this.#more = this.lines.more;
    this.#ringUnits = context.words.get32(place.address + RING_BYTES) / context.words.get32(place.address + UNIT_BYTES);
    this.#entry = this.#line.entry;
    this.#looks = new Looks(context, flowAt(place, which), policy);
    this.#calls = callsAt(placeOfLine(place, TURNS, which));
  }

  /**
   * 0 or more: this agent owns the lock, `count` units are available, and the value is their position in the ring.
   * WAITING: not in time. Throws `ClosedError` (for consumers: closed and empty), `DeadlockError`, `MisuseError`,
   * `ArenaFullError`.
   */
  enter(count: number, timeoutMs: number): number {
    // The caller owns the lock afterwards, and has to commit.
    reserveStack();
    const seen = this.#enterNow(count);
    return seen >= 0 ? seen : this.goOn(seen, count, timeoutMs);
  }

  /**
   * The form of `enter` that does not block: for async functions. Calls `use` with the position; `use` must `commit` in
   * every case. If the agent may enter now, the call returns the result of `use`, because a promise would cost more
   * than all other steps. Otherwise it returns a promise of that result.
   *
   * Fails with the errors of `enter`, with `TimeoutError`, the signal's reason and the error that `use` throws.
   * `spends`: false for a caller that spends from the budget itself.
   */
  enterAsync<Used>(
    count: number,
    options: WaitOptions,
    use: (position: number) => Used,
    spends = true,
  ): Used | Promise<Used> {
    reserveStack();
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    const seen = this.#enterNow(count);
    if (seen < 0) return this.#enterLater(seen, count, checked, use);
    const used = use(seen);
    const later = spends ? this.budget.spend() : undefined;
    return later === undefined ? used : later.then(() => used);
  }

  /** The rest of `enterAsync`, after a first step that returned `seen`. */
  async #enterLater<Used>(
    seen: number,
    count: number,
    checked: WaitOptions,
    use: (position: number) => Used,
  ): Promise<Used> {
    checkNotFreed(this.#place, 'The buffer');
    if (seen !== SHORT && seen !== SHUT) this.lock.refuseToNest();
    let used: { readonly by: Used } | undefined;
    const note = (position: number): void => void (used = { by: use(position) });
    let found = this.#inside(seen);
    if (found === WAITING) found = await this.#calls.inTurn((turn) => this.#comeIn(count, checked, note, turn));
    if (used === undefined) this.#refuse(found);
    return (used as unknown as { readonly by: Used }).by;
  }

  /**
   * The owner of the lock leaves. It used or freed `room` units, and wrote or read `values` values. Wakes the agents
   * that may enter now.
   */
  commit(room: number, values: number): void {
    const turn = this.#turn;
    this.#turn = 0;
    try {
      if (this.#commit(this.address, this.#agent, this.#entry, room, values, turn) !== IDLE) this.#context.finishWalk();
    } catch (failure) {
      throw asCorrupt(failure, this.#what);
    }
  }

  /** What calls spend from before they settle. */
  get budget(): AgentContext['budget'] {
    return this.#context.budget;
  }

  /**
   * Units that the owner of the lock may take: all available ones; while other agents wait in line, only those it came
   * for.
   */
  get units(): number {
    const units = this.#kernel.countUnits(this.address, this.#came);
    if (units > this.#ringUnits)
      throw corrupt(`${this.#what.toString()} has ${units} units in a ring of ${this.#ringUnits}`);
    return units;
  }

  #enterNow(count: number): number {
    if (this.#calls.pending > 0) return WAITING;
    this.#came = count;
    return this.#enterSide(this.address, this.#localState.tag, this.#id, count);
  }

  /** Throws if the buffer is closed or freed. SHUT: also if it was closed during the call, and freed since. */
  #refuse(outcome: number): void {
    // Tested first: the buffer may have been freed after it was closed.
    if (outcome === SHUT) throw new ClosedError(`${this.#what.toString()} is ${this.#closed}.`);
    checkNotFreed(this.#place, 'The buffer');
  }

  /** The rest of `enter`, after a first step that returned `first`. */
  goOn(first: number, count: number, timeoutMs: number): number {
    reserveStack();
    const end = this.#endOf(timeoutMs);
    const wasThere = !this.#isGone();
    let seen = first;
    if (first === WAITING && timeoutMs > 0 && this.#calls.pending === 0)
      seen = this.#looks.again(
        () => this.lines.isWaitedIn,
        end,
        () => this.#enterNow(count),
      );
    if (seen === BESIDE) seen = this.#looks.letGoFirst(end, () => this.#enterNow(count));
    if (seen >= 0) return seen;
    if (seen === RACED || seen === WAITING) this.lock.refuseToNest();
    let found = seen === RACED && this.lock.tryLock(this.#left(end)) ? this.#look(count) : this.#inside(seen);
    // `#enterNow` did not look, because async calls of this agent are pending.
    if (found === WAITING && this.#calls.pending > 0 && this.lines.isClosed) found = SHUT;
    if (found === WAITING && timeoutMs !== 0) found = this.#waitInLine(count, end, wasThere);
    // What a dead agent left may be in the way, and this agent can finish it.
    if (found === WAITING && timeoutMs === 0 && finishPending(this.#context)) return this.enter(count, timeoutMs);
    if (found < 0) this.#refuse(wasThere && this.#isGone() ? SHUT : found);
    return found;
  }

  /**
   * Waits for the turn. Then takes the lock, and what it came for once enough is available. Otherwise gives the turn
   * back.
   */
  #waitInLine(count: number, end: number, wasThere: boolean): number {
    const { pending } = this.#calls;
    // Those calls are before this one in line, and cannot run while this agent is blocked.
    if (pending > 0 && end === Infinity) throw this.#what.deadlock(pending);
    if (pending > 0) return WAITING;
    this.lines.wanted = count;
    const outcome = this.#line.enter(this.#left(end));
    if (outcome === WAITING || (wasThere && outcome === SHUT && this.#isGone())) return outcome;
    let found = NOT_YET;
    let rounds = 0;
    try {
      while (this.lock.tryLock(this.#left(end))) {
        found = this.#redeem(outcome, count);
        if (found !== NOT_YET) return found;
        this.lines.wanted = count;
        const { parks } = this.#context;
        if (this.#more.enter(this.#left(end)) === WAITING) break;
        rounds = this.lines.nextRound(rounds, parks);
      }
      return WAITING;
    } finally {
      if (found === NOT_YET) this.lines.giveBack(outcome);
    }
  }

  /**
   * Draws the ticket before anything else can run, and takes the lock when its turn comes.
   *
   * Each further wait begins in the callback of the grant that ended the previous wait (`attempt`, `standBy`). So an
   * abort or a timeout comes during a wait, where an earlier grant wins, and never between two waits.
   */
  async #comeIn(
    count: number,
    { timeout = Infinity, ...others }: WaitOptions,
    use: (position: number) => void,
    turn: Promise<void> | undefined,
  ): Promise<number> {
    const end = this.#endOf(timeout);
    const rest = (): WaitOptions => ({ ...others, timeout: this.#left(end) });
    let outcome: Entered = WAITING;
    let found = WAITING;
    let { parks } = this.#context;
    /** `wait`: the current wait for more units. */
    const state: { entered: boolean; wait: Promise<unknown> | undefined } = { entered: false, wait: undefined };
    const enter = (): void => {
      found = this.#redeem(outcome, count);
      state.entered = found !== NOT_YET;
      if (found >= 0) use(found);
    };
    const attempt = (): void => {
      for (let rounds = 0; this.lock.tryLock(0); rounds = this.lines.nextRound(rounds, parks)) {
        enter();
        if (state.entered || !standBy()) return;
      }
    };
    /** True: there was enough at once, so that no wait hears of an abort. */
    const standBy = (): boolean => {
      let hasBegun = false;
      let atOnce = false;
      this.lines.wanted = count;
      ({ parks } = this.#context);
      const met = (): void => {
        if (hasBegun) attempt();
        else atOnce = true;
      };
      state.wait = this.#more.enterAsync(rest(), met, timeout);
      state.wait.catch(handledLater);
      hasBegun = true;
      return atOnce;
    };
    const granted = (): void => {
      outcome = TAKEN;
      // Otherwise earlier calls of this agent come first.
      if (turn === undefined) attempt();
    };
    this.lines.wanted = count;
    try {
      outcome = await this.#line.enterAsync({ ...others, timeout }, granted);
      if (outcome === SHUT && this.#isGone()) return SHUT;
      if (turn !== undefined && !(await endsBefore(turn, others, this.#left(end))))
        throw this.#what.timedOut(timeout, 0);
      for (let rounds = 0; !state.entered; ) {
        const { wait } = state;
        state.wait = undefined;
        if (wait === undefined) {
          throwIfAborted(others.signal);
          found = WAITING;
          await this.lock.lockAsync(rest(), enter, timeout);
          // WAITING: the buffer was freed, so it was closed before.
          if (found !== NOT_YET) return found === WAITING && this.#isGone() ? SHUT : found;
          if (standBy()) attempt();
        } else {
          const before = parks;
          await wait;
          rounds = this.lines.nextRound(rounds, before);
        }
      }
      return found;
    } catch (failure) {
      if (!state.entered) this.lines.giveBack(outcome);
      throw failure;
    }
  }

  /** Whether the buffer was freed. If it was there when a call began to wait, it was closed in between. */
  #isGone(): boolean {
    return this.#context.words.load32(this.address + BLOCK_TAG) !== this.#tag;
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

  /**
   * After its wait in line the agent owns the lock. NOT_YET: it left with the turn, and is woken when enough is
   * available.
   */
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
    this.lines.need(count);
    this.commit(0, 0);
    return NOT_YET;
  }

  #position(): number {
    return this.#context.words.load32(this.address + POSITION) >>> 0;
  }

  #endOf(timeoutMs: number): number {
    return timeoutMs === Infinity ? Infinity : this.#context.parking.now() + timeoutMs;
  }

  #left(end: number): number {
    return end === Infinity ? Infinity : Math.max(0, end - this.#context.parking.now());
  }
}
