// Functions that a test lets end when it likes.

/** A promise, and what resolves it. */
export class Gate<T = void> {
  readonly passed: Promise<T>;
  readonly open: (value: T) => void;

  constructor() {
    let open: (value: T) => void = () => undefined;
    this.passed = new Promise((resolve) => (open = resolve));
    this.open = open;
  }
}

/** Lets everything run that is due, on the event loop, too. */
export async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Functions that run until they are ended, each under its name. */
export class Stage {
  /** In the order in which they began. */
  readonly began: string[] = [];
  readonly #running = new Map<string, Gate>();

  /** What to give to a limit. */
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

  /** Ends the functions, and lets the next ones begin. */
  async end(...names: string[]): Promise<void> {
    for (const name of names) {
      const gate = this.#running.get(name);
      if (gate === undefined) throw new Error(`${name} does not run; those that do: ${this.running.join(', ')}`);
      this.#running.delete(name);
      gate.open();
    }
    await turns();
  }

  /** Ends all that run, and all that begin then. */
  async endAll(): Promise<void> {
    while (this.#running.size > 0) await this.end(...this.running);
  }
}
