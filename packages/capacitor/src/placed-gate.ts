// What every gate with a block of its own has in common.

import type { Arena, WaitOptions } from '@sluice/core';
import { checkNotFreed, checkPlace, LIMIT, postTheHandleInstead, readName, type Place, type Seat } from '@sluice/core/internal';
import type { Gate } from './gate.ts';
import type { GateReport } from './report.ts';
import { routesAt, type Routes } from './routes.ts';

/** How a kind of gate is called. */
interface GateShape {
  readonly className: string;
  /** For messages, as 'The capacitor'. */
  readonly what: string;
}

export abstract class PlacedGate implements Gate {
  /** Makes posting the gate itself fail; post `handle`. */
  readonly post = postTheHandleInstead;
  protected readonly place: Place;
  protected readonly seat: Seat;
  readonly #what: string;

  protected constructor(place: Place, { className, what }: GateShape) {
    checkPlace(place, className);
    this.place = place;
    this.seat = place.seat;
    this.#what = what;
  }

  abstract readonly handle: { readonly kind: string };
  abstract readonly empty: boolean;
  abstract arrive(): void;
  abstract tryArrive(timeoutMs?: number): boolean;
  abstract arriveAsync(options?: WaitOptions): Promise<void>;
  abstract depart(): void;
  abstract inspect(): GateReport;
  abstract free(): void;

  /** For the lock behind it. */
  get routes(): Routes {
    return routesAt(this.place);
  }

  /** The name given at `create`, '' if none was. */
  get name(): string {
    this.checkThere();
    return readName(this.seat.words, this.place.address);
  }

  /** The arena that it lives in. */
  get arena(): Arena {
    return this.place.arena;
  }

  /** B: how many a platoon lets in; at a turnstile, how often an agent may go in during one turn: it adapts. */
  get bypassLimit(): number {
    this.checkThere();
    return this.seat.words.load32(this.place.address + LIMIT);
  }

  protected checkThere(): void {
    checkNotFreed(this.place, this.#what);
  }
}
