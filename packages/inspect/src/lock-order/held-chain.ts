// Chains of locks that this thread has held, each acquired while those before it were held.

/**
 * The subjects of a chain, from the outermost. Once all edges of a chain are known, the chain is not checked again.
 */
export class HeldChain {
  readonly #next = new Map<object, HeldChain>();
  // What was found last: most programs ask for the same class again.
  #subject: object | undefined = undefined;
  #found: HeldChain | undefined = undefined;

  /** Returns the chain that goes on with that subject, if it was seen. */
  after(subject: object): HeldChain | undefined {
    if (this.#subject === subject) return this.#found;
    const found = this.#next.get(subject);
    if (found === undefined) return undefined;
    this.#subject = subject;
    this.#found = found;
    return found;
  }

  /** Notes a chain that goes on with that subject. */
  add(subject: object): void {
    this.#next.set(subject, new HeldChain());
  }
}
