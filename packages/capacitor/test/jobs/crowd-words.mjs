// @ts-check
// The agents inside a gate: one word for each gate, with four bits for each agent, so that all are seen in one look.

const BITS = 4;
const EACH = (1 << BITS) - 1;
/** A line for each gate. */
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

  /** Right after going in. */
  enter() {
    const found = Atomics.add(this.words, this.at, 1 << (BITS * this.slot));
    if (!this.exact) return;
    const inside = Array.from({ length: 32 / BITS }, (_, slot) => (found >>> (BITS * slot)) & EACH);
    const others =
      this.most === 0 ? inside.filter((times, slot) => times > 0 && slot !== this.slot).length : sum(inside);
    if (others > Math.max(0, this.most - 1))
      throw new Error(`${this.slot} went in where ${inside.join(' ')} were inside`);
  }

  /** Right before going out. */
  leave() {
    Atomics.sub(this.words, this.at, 1 << (BITS * this.slot));
  }

  /** The agent has died. */
  clear() {
    Atomics.and(this.words, this.at, ~(EACH << (BITS * this.slot)));
  }
}

/** @param {number[]} list */
function sum(list) {
  return list.reduce((total, each) => total + each, 0);
}
