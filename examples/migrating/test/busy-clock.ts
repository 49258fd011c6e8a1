// A clock for a thread that computes. It advances while code runs. Timers that come due meanwhile fire after the code
// has returned.

interface Alarm {
  readonly id: number;
  due: number;
  readonly act: () => void;
  /** The interval in ms. `undefined`: the timer fires once. */
  readonly every?: number | undefined;
}

/** The properties of the global object that are replaced until `restore`. */
const NAMES = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;

export class BusyClock {
  now = 1_000_000;
  #ids = 0;
  readonly #alarms = new Map<number, Alarm>();
  readonly #real = NAMES.map((name) => globalThis[name]);
  readonly #dateNow = Date.now;

  constructor() {
    const { performance } = globalThis;
    const start =
      (every?: boolean) =>
      (act: () => void, ms = 0) =>
        this.#start(act, ms, every);
    const stop = (id: number | { readonly id: number } | undefined): void =>
      void this.#alarms.delete(typeof id === 'object' ? id.id : (id ?? -1));
    Object.assign(globalThis, {
      setTimeout: start(),
      clearTimeout: stop,
      setInterval: start(true),
      clearInterval: stop,
    });
    Date.now = () => this.now;
    // An own property, which hides that of the prototype.
    Object.defineProperty(performance, 'now', { value: () => this.now, configurable: true });
  }

  restore(): void {
    for (const [index, name] of NAMES.entries()) Object.assign(globalThis, { [name]: this.#real[index] });
    Date.now = this.#dateNow;
    Reflect.deleteProperty(globalThis.performance, 'now');
  }

  /** Lets the thread compute for that long. */
  compute(ms: number): void {
    this.now += ms;
  }

  /** Sleeps until the next timer is due, and runs it and what follows. */
  async next(): Promise<void> {
    const alarm = [...this.#alarms.values()].reduce<Alarm | undefined>(
      (first, each) => (first === undefined || each.due < first.due ? each : first),
      undefined,
    );
    if (alarm === undefined) throw new Error('no timer is set, so the wait would never end');
    this.now = Math.max(this.now, alarm.due);
    if (alarm.every === undefined) this.#alarms.delete(alarm.id);
    // As in Node.js, an interval counts from when it fires.
    else alarm.due = this.now + alarm.every;
    alarm.act();
    await settle();
  }

  #start(act: () => void, ms: number, repeats = false): object {
    const id = ++this.#ids;
    const delay = Math.max(1, ms);
    this.#alarms.set(id, { id, due: this.now + delay, act, every: repeats ? delay : undefined });
    const timer = { id, ref: () => timer, unref: () => timer, hasRef: () => true, [Symbol.toPrimitive]: () => id };
    return timer;
  }
}

/** Runs everything that is due. Its turns of the event loop are real. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
