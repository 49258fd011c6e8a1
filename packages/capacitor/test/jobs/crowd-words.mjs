// @ts-check The agents inside a gate: one word per gate, with four bits per agent, so that one load shows all.

const BITS = 4;
const EACH = (1 << BITS) - 1;
/** A cache line per gate. */
export const GATE_WORDS = 32;

export class Crowd {
  /**
   * @param {Int32Array} words @param {number} which gate @param {number} slot of the agent
   * @param {number} most at most so many are inside; 0: one agent, several times
   * @param {boolean} exact whether the dead are taken out before they are recovered
   */
  constructor(words, which, slot, most, exact) {
    this.words = words;
    this.at = which * GATE_WORDS;
    this.slot = slot;
    this.most = most;
    this.exact = exact;
  }

  /** Call it right after going in. */
  enter() {
    const found = Atomics.add(this.words, this.at, 1 << (BITS * this.slot));
    if (!this.exact) return;
    const inside = Array.from({ length: 32 / BITS }, (_, slot) => (found >>> (BITS * slot)) & EACH);
    const others =
      this.most === 0 ? inside.filter((times, slot) => times > 0 && slot !== this.slot).length : sum(inside);
    if (others > Math.max(0, this.most - 1))
      throw new Error(`${this.slot} went in while ${inside.join(' ')} were inside`);
  }

  /** Call it right before going out. */
  leave() {
    Atomics.sub(this.words, this.at, 1 << (BITS * this.slot));
  }

  /** Call it when the agent has died. */
  clear() {
    Atomics.and(this.words, this.at, ~(EACH << (BITS * this.slot)));
  }
}

/** @param {number[]} list */
function sum(list) {
  return list.reduce((total, each) => total + each, 0);
}
