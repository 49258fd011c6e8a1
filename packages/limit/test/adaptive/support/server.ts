// A server in virtual time: `capacity` calls are served at a time, and later calls queue at it in FIFO order. Service
// times come from a sequence without chance: the quantiles of a distribution, in an order that spreads them evenly.

export interface Served {
  /** The time at which the call arrived, in ms. */
  readonly from: number;
  readonly done: () => void;
  until: number;
}

/** Service times of exactly that mean. */
export type ServiceTime = (index: number) => number;

export const constant: ServiceTime = () => 1;
/** An exponential distribution: the van der Corput sequence gives its quantiles. */
export const exponential: ServiceTime = (index) => -Math.log(1 - radicalInverse(index + 1));

function radicalInverse(index: number): number {
  let [rest, digit, sum] = [index, 0.5, 0];
  for (; rest > 0; rest >>= 1, digit /= 2) sum += (rest & 1) * digit;
  return sum;
}

export class Server {
  /** In ms. */
  now = 0;
  capacity: number;
  /** The mean service time, in ms. */
  mean: number;
  readonly #times: ServiceTime;
  readonly #served: Served[] = [];
  readonly #queue: Served[] = [];
  #begun = 0;

  constructor(capacity: number, mean = 10, times: ServiceTime = constant) {
    this.capacity = capacity;
    this.mean = mean;
    this.#times = times;
  }

  get inFlight(): number {
    return this.#served.length + this.#queue.length;
  }

  /** Sends a call. `done` is called when it ends. */
  send(done: () => void): void {
    this.#queue.push({ from: this.now, done, until: 0 });
    this.#fill();
  }

  /** Advances the time to the next end of a call, and ends it. Returns the call's latency in ms. */
  next(): number {
    const call = this.#served.reduce((first, other) => (other.until < first.until ? other : first));
    this.#served.splice(this.#served.indexOf(call), 1);
    this.now = call.until;
    this.#fill();
    call.done();
    return this.now - call.from;
  }

  #fill(): void {
    while (this.#served.length < this.capacity) {
      const call = this.#queue.shift();
      if (call === undefined) return;
      call.until = this.now + this.mean * this.#times(this.#begun++);
      this.#served.push(call);
    }
  }
}
