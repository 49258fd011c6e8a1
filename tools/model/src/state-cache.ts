// The states seen before, by a 64-bit hash. Each has one integer: the transitions omitted there (as bits) or the number
// of preemptions left. Open addressing in flat arrays: 12 bytes per slot.

const EMPTY_A = 0;
const EMPTY_B = 0;

export class StateCache {
  size = 0;
  /** Whether the last `find` met the state for the first time. */
  fresh = false;
  #mask = 0xffff;
  #a = new Int32Array(0x10000);
  #b = new Int32Array(0x10000);
  #value = new Int32Array(0x10000);

  clear(): void {
    this.size = 0;
    this.#a.fill(EMPTY_A);
    this.#b.fill(EMPTY_B);
  }

  /** Returns the slot of the state. Adds the state if it is new. The slot is valid until the next `find`. */
  find(a: number, b: number): number {
    if (3 * this.size > 2 * this.#mask) this.#grow();
    const key = a === EMPTY_A && b === EMPTY_B ? 1 : a;
    const slot = this.#probe(key, b);
    this.fresh = this.#a[slot] === EMPTY_A && this.#b[slot] === EMPTY_B;
    if (this.fresh) {
      this.#a[slot] = key;
      this.#b[slot] = b;
      this.size += 1;
    }
    return slot;
  }

  value(slot: number): number {
    return this.#value[slot] as number;
  }

  setValue(slot: number, value: number): void {
    this.#value[slot] = value;
  }

  #probe(a: number, b: number): number {
    let slot = (a ^ Math.imul(b, 0x9e3779b1)) & this.#mask;
    while (!(this.#a[slot] === a && this.#b[slot] === b) && !(this.#a[slot] === EMPTY_A && this.#b[slot] === EMPTY_B)) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }

  #grow(): void {
    const [oldA, oldB, oldValue] = [this.#a, this.#b, this.#value];
    const length = 2 * oldA.length;
    this.#mask = length - 1;
    this.#a = new Int32Array(length);
    this.#b = new Int32Array(length);
    this.#value = new Int32Array(length);
    for (let old = 0; old < oldA.length; old += 1) {
      const a = oldA[old] as number;
      const b = oldB[old] as number;
      if (a === EMPTY_A && b === EMPTY_B) continue;
      const slot = this.#probe(a, b);
      this.#a[slot] = a;
      this.#b[slot] = b;
      this.#value[slot] = oldValue[old] as number;
    }
  }
}
