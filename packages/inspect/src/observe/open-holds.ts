// The holds of primitives that have begun and not ended, with what a tool keeps of each.
//
// An owned lock has at most one hold for each key, so its end finds it. Permits are alike: a release ends the hold that
// began first of those that have not ended. So the sum of the times is exact, and a time is exact if an agent releases
// permits in the order in which it acquired them.

import type { UsedPrimitive } from './used-primitive.ts';

interface OpenHold<Kept> {
  readonly slot: string;
  /** The number of permits released at which it ends. */
  readonly endsAt: number;
  readonly kept: Kept;
}

export class OpenHolds<Kept> {
  readonly #open = new Map<UsedPrimitive, OpenHold<Kept>[]>();
  /** The only hold that is open, and its primitive: most holds begin when none is open. It is not in the map. */
  #only: OpenHold<Kept> | undefined;
  #onlyOf: UsedPrimitive | undefined;

  /** Notes a hold, right after its permits were added to `taken`. */
  begin(primitive: UsedPrimitive, slot: string, kept: Kept): void {
    const hold = { slot, endsAt: primitive.taken, kept };
    if (this.#onlyOf === undefined && this.#open.size === 0) {
      this.#only = hold;
      this.#onlyOf = primitive;
      return;
    }
    this.#settle();
    const others = this.#open.get(primitive);
    if (others === undefined) this.#open.set(primitive, [hold]);
    else others.push(hold);
  }

  /** Returns what was kept of a hold that has ended, or `undefined`. Call it until it returns `undefined`. */
  end(primitive: UsedPrimitive, slot: string): Kept | undefined {
    const only = this.#only;
    if (only !== undefined && this.#onlyOf === primitive && isOver(only, primitive, slot)) {
      this.#only = undefined;
      this.#onlyOf = undefined;
      return only.kept;
    }
    if (this.#open.size === 0) return undefined;
    const holds = this.#open.get(primitive);
    const at = holds?.findIndex((hold) => isOver(hold, primitive, slot));
    if (holds === undefined || at === undefined || at < 0) return undefined;
    const [hold] = holds.splice(at, 1);
    if (holds.length === 0) this.#open.delete(primitive);
    return hold?.kept;
  }

  /** Returns what was kept of all holds that have not ended. */
  all(): Kept[] {
    this.#settle();
    return [...this.#open.values()].flat().map(({ kept }) => kept);
  }

  clear(): void {
    this.#open.clear();
    this.#only = undefined;
    this.#onlyOf = undefined;
  }

  /** Moves the only hold to the map. */
  #settle(): void {
    if (this.#only !== undefined && this.#onlyOf !== undefined) this.#open.set(this.#onlyOf, [this.#only]);
    this.#only = undefined;
    this.#onlyOf = undefined;
  }
}

function isOver<Kept>(hold: OpenHold<Kept>, primitive: UsedPrimitive, slot: string): boolean {
  return primitive.isOwned ? hold.slot === slot : hold.endsAt <= primitive.given;
}
