// Functions that end when the test ends them.

/** A promise, and the function that resolves it. */
export class Gate<T = void> {
  readonly passed: Promise<T>;
  readonly open: (value: T) => void;

  constructor() {
    let open: (value: T) => void = () => undefined;
    this.passed = new Promise((resolve) => (open = resolve));
    this.open = open;
  }
}

/** Runs all pending callbacks, those of the event loop included. */
export async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Functions with names, each of which runs until the test ends it. */
export class Stage {
  /** The names in the order in which the functions began. */
  readonly began: string[] = [];
  readonly #running = new Map<string, Gate>();

  /** The function to pass to a limit. */
  readonly play = async (name: string): Promise<string> => {
    const gate = new Gate();
    this.began.push(name);
    this.#running.set(name, gate);
    await gate.passed;
    return name;
  };

  get running(): string[] {
    return [...this.#running.keys()];
  }

  /** Ends these functions, and lets the next ones begin. */
  async end(...names: string[]): Promise<void> {
    for (const name of names) {
      const gate = this.#running.get(name);
      if (gate === undefined) throw new Error(`${name} does not run; those that do: ${this.running.join(', ')}`);
      this.#running.delete(name);
      gate.open();
    }
    await turns();
  }

  /** Ends all running functions, and all that begin after that. */
  async endAll(): Promise<void> {
    while (this.#running.size > 0) await this.end(...this.running);
  }
}
