/** A mailbox: the values that a worker has posted, and the calls that wait for them. */
export class Mail {
  readonly #values: unknown[] = [];
  readonly #takers: ((value: unknown) => void)[] = [];

  put(value: unknown): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#values.push(value);
    else taker(value);
  }

  take(): Promise<unknown> {
    return this.#values.length > 0
      ? Promise.resolve(this.#values.shift())
      : new Promise((resolve) => this.#takers.push(resolve));
  }
}
