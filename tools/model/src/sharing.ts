// The words that two or more agents touch. An operation on any other word commutes with all operations of other agents,
// so it is no scheduling point. The search learns which words are shared: it starts again when it meets a newly shared
// word.

export class Sharing {
  /** One bit per agent (and one for the invariant) that has touched the word. */
  readonly #touchedBy: Int32Array;
  /** The shared words of the present search. */
  readonly #shared: Uint8Array;
  /** The shared words found during the present search. */
  readonly #found = new Set<number>();
  /** A number that changes whenever the set of shared words changes. */
  version = 0;

  constructor(wordCount: number, everything: boolean) {
    this.#touchedBy = new Int32Array(wordCount);
    this.#shared = new Uint8Array(wordCount).fill(everything ? 1 : 0);
  }

  get outdated(): boolean {
    return this.#found.size > 0;
  }

  /** Records the access. Returns whether the word is shared in the present search. */
  touch(word: number, agent: number): boolean {
    const before = this.#touchedBy[word] as number;
    const now = before | (1 << agent);
    if (now !== before) {
      this.#touchedBy[word] = now;
      if ((now & (now - 1)) !== 0 && this.#shared[word] === 0) this.#found.add(word);
    }
    return this.#shared[word] === 1;
  }

  /** Treats the word as shared, whichever agents touch it. Returns whether it was already. */
  demand(word: number): boolean {
    if (this.#shared[word] === 1) return true;
    this.#found.add(word);
    return false;
  }

  isShared(word: number): boolean {
    return this.#shared[word] === 1;
  }

  adopt(): void {
    if (this.outdated) this.version += 1;
    for (const word of this.#found) this.#shared[word] = 1;
    this.#found.clear();
  }
}
