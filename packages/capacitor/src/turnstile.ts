// The turnstile: lets in one agent at a time, first come, first served, for a turn of B passes. It is Sluice's addition to Dice's
// capacitors: B adapts to the length of a turn. Words and invariants: kernel/turnstile.ts.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import {
  adapted,
  Bouncer,
  checkOptions,
  checkTimeout,
  checkWait,
  freePrimitive,
  FROM_OPTIONS,
  handleTo,
  IDLE,
  isElement,
  LIMIT,
  mayBlock,
  mayRetry,
  mergePolicy,
  OFFICE,
  openPrimitive,
  RACED,
  refuseToBlock,
  SHUT,
  TAKEN,
  type Place,
  type PrimitiveHandle,
  type LocalState,
  type ElementAddress,
  type HandOver,
  type LineAddress,
} from '@sluice/core/internal';
import { TURNSTILE, type GateKernel, type GateSteps } from './kinds.ts';
import { createTurnstile, type TurnstileOptions } from './options.ts';
import { patrolOf } from './patrol.ts';
import { PlacedGate } from './placed-gate.ts';
import { reportTurnstile, type TurnstileReport } from './report.ts';
import { turnAt, type Turn } from './turn.ts';

export type TurnstileHandle = PrimitiveHandle<'sluice.turnstile'>;

const NO_OPTIONS: WaitOptions = {};
const SHAPE = { className: 'Turnstile', what: 'The turnstile', inside: 'taken' };
let construct: (place: Place, policy: WaitingPolicy) => Turnstile;

/**
 * Lets in one agent at a time, for a turn. During its turn the agent may leave and re-enter up to B times without queueing. B adapts
 * so that a turn takes half a millisecond. So even with more agents than cores, nearly all passes cost no wake-up, and all agents get
 * equally many.
 *
 * Turns are granted in FIFO order, blocking and async together. While no agent waits, each `depart` ends the turn. An agent that leaves
 * and does not come back delays the next one by about a millisecond; after that it tries less and less often to keep its turn. An agent
 * with w waiters before it is overtaken by at most (w + 1) B arrivals that came later. An agent that dies, inside or outside, gives up
 * its turn when it is reclaimed.
 *
 * ```ts run
 * import { Turnstile } from '@sluice/capacitor';
 *
 * const turnstile = Turnstile.create({ name: 'hot path' });
 * for (let pass = 0; pass < 3; pass++) {
 *   turnstile.arrive();
 *   turnstile.depart();
 * }
 * console.log(turnstile.empty, turnstile.bypassLimit); // true 1000
 * ```
 */
export class Turnstile extends PlacedGate {
  /** Post this to another thread and give it to `Turnstile.from` there. */
  readonly handle: TurnstileHandle;
  readonly #kernel: GateKernel;
  readonly #bouncer: Bouncer;
  readonly #turn: Turn;
  readonly #patrol: ReturnType<typeof patrolOf>;
  // What the uncontended paths need, each in a field of its own, to save a lookup per call.
  readonly #address: LineAddress;
  readonly #localState: LocalState;
  readonly #id: number;
  readonly #takeTurn: GateSteps['takeTurn'];
  readonly #endTurnAlone: GateSteps['endTurn'];
  readonly #pause: GateSteps['pause'];
  readonly #resume: GateSteps['resume'];

  static {
    construct = (place, policy) => new this(place, policy);
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    super(place, SHAPE);
    const { context, address, tag } = place;
    const { agent, id } = context;
    const { kernel, steps: line } = context.load(TURNSTILE);
    this.#kernel = kernel;
    const visit = (mayWait: number) => kernel.enqueueAtTurnstile(address, tag, agent, mayWait);
    this.#address = address;
    this.#patrol = patrolOf(context, address, () => this.#evict());
    this.#bouncer = new Bouncer(place, policy, { patrol: this.#patrol, line }, visit, this.account());
    this.#localState = this.#bouncer.localState;
    this.#turn = turnAt(place);
    this.#id = id;
    this.#takeTurn = kernel.takeTurn;
    this.#endTurnAlone = kernel.endTurn;
    this.#pause = kernel.pause;
    this.#resume = kernel.resume;
    this.handle = handleTo('sluice.turnstile', place, TURNSTILE.kernel.id);
  }

  /** A new turnstile that no agent holds. Throws `RangeError`, `TypeError`, `ArenaFullError`. */
  static create(options: TurnstileOptions = {}): Turnstile {
    return construct(...createTurnstile(options));
  }

  /** The turnstile that a handle refers to. Throws `HandleError`; `ArenaFullError` if no record is left for this agent. */
  static from(handle: TurnstileHandle, options: Pick<TurnstileOptions, 'policy'> = {}): Turnstile {
    checkOptions(options, FROM_OPTIONS);
    const place = openPrimitive(handle, TURNSTILE);
    return construct(place, mergePolicy(place.arena.policy, options.policy));
  }

  /** Whether no agent is inside and none waits, at this moment. An agent that intends to come back counts as inside. */
  get empty(): boolean {
    return this.context.words.load32(this.#address + OFFICE) === 0;
  }

  /**
   * Enters, blocking until that is possible. Throws `MisuseError` (on a browser's main thread), `DeadlockError` (this agent has an
   * earlier async wait here), `ArenaFullError`. Several tasks of the agent whose turn it is may be inside.
   */
  arrive(): void {
    if (this.#enterOwnTurn()) return;
    if (!mayBlock()) refuseToBlock();
    if (this.#takeTurn(this.#address, this.#localState.tag, this.#id) === TAKEN) this.#turn.begin();
    else this.#wait(Infinity);
  }

  /** Waits at most `timeoutMs` ms to enter, with 0 not at all. Returns whether this agent is in. Never overtakes a waiter. Throws as `arrive`. */
  tryArrive(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    if (this.#enterOwnTurn()) return true;
    if (this.#takeTurn(this.#address, this.#localState.tag, this.#id) !== TAKEN) return this.#wait(timeoutMs);
    this.#turn.begin();
    return true;
  }

  /** Resolves when this agent is in. Rejects with `TimeoutError`, `signal.reason` or `ArenaFullError`; then it is not in. */
  async arriveAsync(options: WaitOptions = NO_OPTIONS): Promise<void> {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    if (this.#mayCome() && this.#enterOwnTurn()) return;
    try {
      if ((await this.#bouncer.enterAsync(checked, () => this.#turn.begin())) === SHUT) this.checkThere();
    } catch (failure) {
      this.#patrol.look();
      throw failure;
    }
  }

  /**
   * Leaves. If other agents wait and the turn is not used up, keeps the turn for a moment. Throws `MisuseError` if this agent is not inside.
   */
  depart(): void {
    const turn = this.#turn;
    if (turn.inside === 0) this.#refuseDeparture();
    turn.inside -= 1;
    if (turn.inside > 0) return;
    if (turn.contended && turn.passes < turn.check) this.#goAway(turn);
    else if (turn.contended || this.#endTurnAlone(this.#address, this.#localState.tag, this.#id) !== IDLE) this.#departContended();
  }

  /** A snapshot: the agent whose turn it is, the waiters and since when they wait. */
  inspect(): TurnstileReport {
    this.checkThere();
    return reportTurnstile(this.place, this.#bouncer.inspect());
  }

  /** As `Capacitor.free`. */
  free(): void {
    this.checkThere();
    // An agent that went out does not count as inside. Without a waiter no other agent ends its turn.
    this.#evict();
    if (this.#takeTurn(this.#address, this.#localState.tag, this.#id) !== TAKEN) throw this.account().inUse();
    freePrimitive(this.place, 'The turnstile');
  }

  /**
   * Whether a further task of this agent may enter. While a task is inside, no departure ends the turn, so its end must be noticed here.
   * Once the turn is used up, this task queues like those of other agents.
   */
  #mayCome(): boolean {
    const turn = this.#turn;
    if (turn.inside === 0) return true;
    if (!turn.contended && this.#hasWaiters()) this.#contend(turn);
    return !turn.contended || !turn.isUsedUp(this.context.parking.now());
  }

  #hasWaiters(): boolean {
    return this.context.words.load32(this.#address + OFFICE + 4) !== 0;
  }

  /** From here on the turn has an end. */
  #contend(turn: Turn): void {
    turn.contended = true;
    turn.since = this.context.parking.now();
    turn.passes = 0;
    turn.check = 1;
    turn.limit = this.context.words.load32(this.#address + LIMIT);
  }

  /** If it is this agent's turn: enters, or comes back. */
  #enterOwnTurn(): boolean {
    const turn = this.#turn;
    if (turn.inside > 0) {
      turn.inside += 1;
      turn.passes += 1;
      return true;
    }
    if (!turn.away) return false;
    turn.away = false;
    const back = this.#resume(this.#address, this.#localState.tag, this.#id) === TAKEN;
    turn.returns.note(back);
    if (!back) return false;
    turn.inside = 1;
    turn.passes += 1;
    return true;
  }

  #wait(timeoutMs: number): boolean {
    const outcome = this.#bouncer.enter(timeoutMs);
    if (outcome === SHUT) this.checkThere();
    if (outcome !== TAKEN && !this.#endStaleTurn()) return false;
    this.#turn.begin();
    return true;
  }

  /** Other agents wait. Leaves with the intention to come back, or ends the turn. */
  #departContended(): void {
    const turn = this.#turn;
    const { parking, agent } = this.context;
    // This agent's own queued tasks would only wait until the other agents noticed that it does not come back.
    const mayReturn = this.#bouncer.asyncWaits === 0;
    if (mayReturn && !turn.contended && turn.returns.mayTry()) {
      this.#contend(turn);
      this.#goAway(turn);
    } else if (mayReturn && turn.contended && !turn.isUsedUp(parking.now())) {
      turn.check = Math.min(2 * turn.passes, turn.limit);
      this.#goAway(turn);
    } else {
      if (turn.contended) this.#adapt(turn.passes, parking.now() - turn.since);
      turn.contended = false;
      this.#endTurn(() => this.#kernel.passTurn(this.#address, agent, this.#id));
    }
  }

  #goAway(turn: Turn): void {
    turn.away = true;
    this.#pause(this.#address, this.#id);
  }

  #adapt(passes: number, tookMs: number): void {
    const { words } = this.context;
    words.store32(this.#address + LIMIT, adapted(words.load32(this.#address + LIMIT), passes, tookMs));
  }

  #endTurn(step: () => HandOver | ElementAddress): void {
    let passed: HandOver | ElementAddress;
    let tries = 0;
    do passed = step();
    while (passed === RACED && mayRetry(++tries));
    if (isElement(passed)) this.context.notify(passed);
    else this.#bouncer.wake(passed);
  }

  /** Ends a turn whose agent has stayed away for too long. Returns whether this agent has the turn now. */
  #endStaleTurn(): boolean {
    this.#patrol.look();
    return this.#takeTurn(this.#address, this.#localState.tag, this.#id) === TAKEN;
  }

  #evict(): void {
    this.#endTurn(() => this.#kernel.evict(this.#address, this.context.agent));
  }

  #refuseDeparture(): never {
    this.checkThere();
    throw this.notInside();
  }
}

/** A turnstile over words that exist already: for models. */
export function turnstileAt(place: Place, policy: WaitingPolicy): Turnstile {
  return construct(place, policy);
}
