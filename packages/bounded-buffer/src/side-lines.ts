// Where the agents of a side wait: in one line for the turn, and with the turn, in another, until there are enough
// units.
//
// The turn is the permit of a semaphore. An agent that has it is the only one of its side that may take units. It keeps
// the turn until it has taken them or gives up.

import type { WaitingPolicy } from '@sluice/core';
import {
  asCorrupt,
  BLOCK_TAG,
  Bouncer,
  GRANT,
  isElement,
  mayRetry,
  NEEDS_WALK,
  SHUT,
  TAKEN,
  TICKET,
  WAITING,
  WANTS,
  type Account,
  type ElementAddress,
  type LineReport,
  type Place,
  type Draw,
  type LineAddress,
  type Release,
} from '@sluice/core/internal';
import { NEEDED } from './kernel/layout.ts';
import { BUFFER, type BufferKernel } from './kinds.ts';
import { LOCK, lineAt, MORE, placeOfLine, TURNS } from './lines.ts';

export class SideLines {
  /** The line for the turn. */
  readonly turns: Bouncer;
  /** Where the agent with the turn waits. */
  readonly more: Bouncer;
  /** How many units the next ticket is drawn for. */
  wanted = 1;
  readonly #kernel: BufferKernel;
  readonly #side: LineAddress;
  readonly #turns: Place;
  readonly #more: Place;

  constructor(place: Place, which: number, policy: WaitingPolicy, what: Account) {
    const { kernel, steps: line } = place.context.load(BUFFER);
    this.#kernel = kernel;
    this.#side = lineAt(place, LOCK, which);
    this.#turns = placeOfLine(place, TURNS, which);
    this.#more = placeOfLine(place, MORE, which);
    this.turns = new Bouncer(
      this.#turns,
      policy,
      { recorded: true, line },
      (mayWait) => (mayWait === 0 ? WAITING : this.#enqueue()),
      what,
    );
    this.more = new Bouncer(
      this.#more,
      policy,
      { line },
      (mayWait) => (mayWait === 0 ? WAITING : this.#enqueueForMore()),
      what,
    );
  }

  /** Whether the side is closed. */
  get isClosed(): boolean {
    return this.#turns.context.words.load32(this.#turns.address + BLOCK_TAG) < 0;
  }

  /** Whether agents stand in line. */
  get isWaitedIn(): boolean {
    const { context, address } = this.#turns;
    return ((context.words.load32(address + TICKET) - context.words.load32(address + GRANT)) | 0) > 0;
  }

  /** For the agent with the turn, while it owns the lock: it is woken when `count` units are available. */
  need(count: number): void {
    this.#turns.context.words.store32(this.#turns.address + NEEDED, count);
  }

  /**
   * The agent waited in line with this `outcome`, and did not get the lock, or enough units, in time: the next agent
   * gets the turn.
   */
  giveBack(outcome: number): void {
    if (outcome !== TAKEN) return;
    const { context, address, tag } = this.#turns;
    const { words, kernel, agent } = context;
    const { entry } = this.turns;
    if (words.load32(address + NEEDED) !== 0) words.store32(address + NEEDED, 0);
    let given: Release | ElementAddress;
    try {
      given = kernel.release(address, tag, agent, entry, 1);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (isElement(given)) context.notify(given);
    else if (given === NEEDS_WALK) context.finishWalk();
    // Closed: no agent needs the turn, and this one no longer holds it.
    else if (given === SHUT) words.put64(entry, words.get64(entry) - 1n);
  }

  /** The agents that wait. An agent that has the turn and waits for more units comes first. */
  inspect(): LineReport {
    const [first, others] = [this.more.inspect(), this.turns.inspect()];
    return { waiters: [...first.waiters, ...others.waiters], abandoned: first.abandoned + others.abandoned };
  }

  /**
   * Counts the rounds of a wait since the agent last slept. `parks`: as of before the round. Throws when there are too
   * many: damaged counters could make a wait loop for ever without sleeping.
   */
  nextRound(rounds: number, parks: number): number {
    if (this.#turns.context.parks !== parks) return 0;
    mayRetry(rounds + 1);
    return rounds + 1;
  }

  #enqueue(): Draw {
    const { context, tag } = this.#turns;
    const drawn = this.#kernel.enqueueAtSide(this.#side, tag, context.agent, this.turns.entry, this.wanted);
    // Units that arrived since the last check give the turn to the first in line, possibly to this agent.
    context.finishWalk();
    return drawn;
  }

  #enqueueForMore(): Draw {
    const { context, address, tag } = this.#more;
    let drawn: Draw;
    try {
      drawn = context.kernel.acquire(address, tag, 0, 1, context.agent);
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (isElement(drawn)) context.words.put32(drawn + WANTS, this.wanted);
    return drawn;
  }
}
