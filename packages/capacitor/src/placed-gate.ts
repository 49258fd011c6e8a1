// What all gates with a block of their own share.

import { MisuseError, type Arena, type WaitOptions } from '@sluice/core';
import {
  Account,
  type AccountShape,
  checkNotFreed,
  holdersOf,
  INSPECT,
  checkPlace,
  LIMIT,
  oneLine,
  refusePosting,
  readName,
  type Blame,
  type Place,
  type AgentContext,
} from '@sluice/core/internal';
import type { Gate } from './gate.ts';
import { gateFields, type GateReport } from './report.ts';
import { routesAt, type Routes } from './routes.ts';

/** How messages name a kind of gate. */
interface GateShape {
  readonly className: string;
  /** For messages, as 'The capacitor'. */
  readonly what: string;
  /** What an agent inside has done, for messages: 'entered'. */
  readonly inside: string;
  /** Whether agents enter in the order in which they arrived. Default true. */
  readonly ordered?: boolean;
  /** For messages: the lines of the waiters. Default: the first of the block. */
  readonly lines?: AccountShape['lines'];
}

export abstract class PlacedGate implements Gate {
  readonly #place: Place;
  readonly #what: string;
  readonly #className: string;
  readonly #account: Account;

  protected constructor(place: Place, { className, what, inside, ordered, lines }: GateShape) {
    refusePosting(this);
    checkPlace(place, className);
    this.#place = place;
    this.#className = className;
    this.#what = what;
    const blame = (): Blame[] => [{ how: inside, agents: holdersOf(place.context, place) }];
    this.#account = new Account(
      { className, late: 'could not be entered', untouched: 'It was not entered.', ordered, lines, blame },
      place,
    );
  }

  abstract readonly handle: { readonly kind: string };
  abstract readonly empty: boolean;
  abstract arrive(): void;
  abstract tryArrive(timeoutMs?: number): boolean;
  abstract arriveAsync(options?: WaitOptions): Promise<void>;
  abstract depart(): void;
  abstract inspect(): GateReport;
  abstract free(): void;

  /** As "Capacitor 'door'". */
  toString(): string {
    return this.#account.toString();
  }

  protected notInside(): MisuseError {
    return new MisuseError(
      `${this.toString()} cannot be left: this agent (agent ${this.context.id}) is not inside; it has departed as often as it arrived.`,
    );
  }

  /** How errors describe the gate. */
  protected account(): Account {
    return this.#account;
  }

  // Getters, not fields: code that walks over an instance would see a field.
  protected get place(): Place {
    return this.#place;
  }

  protected get context(): AgentContext {
    return this.#place.context;
  }

  [INSPECT](): string {
    return oneLine(this.#className, () => gateFields(this.inspect()));
  }

  /** For the lock behind the gate. */
  get routes(): Routes {
    return routesAt(this.place);
  }

  /** The name given at `create`, or '' without one. */
  get name(): string {
    this.checkThere();
    return readName(this.context.words, this.place.address);
  }

  /** The arena that the gate lives in. */
  get arena(): Arena {
    return this.place.arena;
  }

  /**
   * B: how many agents a platoon lets in. At a turnstile: how often an agent enters during one turn, on average; that
   * number adapts.
   */
  get bypassLimit(): number {
    this.checkThere();
    return this.context.words.load32(this.place.address + LIMIT);
  }

  protected checkThere(): void {
    checkNotFreed(this.place, this.#what);
  }
}
