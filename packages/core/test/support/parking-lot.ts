// The parking lot in which the agents of one thread sleep. A wake-up is due at once, and happens when the test turns
// the event loop.

type Callback = () => void;

/** A pending async wait. */
class Sleeper {
  readonly agent: { readonly isDead: boolean };
  readonly address: number;
  #woken: Callback = () => undefined;

  constructor(agent: Sleeper['agent'], address: number) {
    this.agent = agent;
    this.address = address;
  }

  /** Registers one callback, like a promise. The callback of a woken sleeper runs when the event loop turns. */
  then(woken: Callback): void {
    this.#woken = woken;
  }

  goOn(): void {
    if (!this.agent.isDead) this.#woken();
  }
}

export class ParkingLot {
  /** The time in ms. It advances slightly with each read. */
  clock = 0;
  #asleep: Sleeper[] = [];
  #due: Sleeper[] = [];

  sleep(agent: Sleeper['agent'], address: number): Sleeper {
    const sleeper = new Sleeper(agent, address);
    this.#asleep.push(sleeper);
    return sleeper;
  }

  /**
   * Wakes sleepers and returns their number. Dead agents do not count, because an engine drops the waits of an ended
   * thread.
   */
  wake(address: number, count = Infinity): number {
    this.#asleep = this.#asleep.filter(({ agent }) => !agent.isDead);
    const woken = this.#asleep.filter((sleeper) => sleeper.address === address).slice(0, count);
    this.#asleep = this.#asleep.filter((sleeper) => !woken.includes(sleeper));
    this.#due.push(...woken);
    return woken.length;
  }

  /** Lets the woken sleepers continue. Returns whether there were any. */
  turn(): boolean {
    let any = false;
    for (let next = this.#due.shift(); next !== undefined; next = this.#due.shift()) {
      any = true;
      next.goOn();
    }
    return any;
  }
}
