// Agents of one thread that die at a point that a test chooses: before any kernel step, single write, sleep or wake-up.
// The bundle of a crash test wraps the modules that access memory (docs/crash-injection.md).

import type * as Kernels from '../../src/kernel/kernel.ts';
import type * as MemoryWords from '../../src/kernel/words.ts';
import type * as Parkings from '../../src/agent/parking.ts';
import { PROMISED, RACED } from '../../src/kernel/states.ts';
import type { ParkingLot } from './parking-lot.ts';

/**
 * An action of an agent that other agents can see. `inner` is a single write within a step, with the engine 'js' only.
 */
export type Deed = 'step' | 'write' | 'parking' | 'inner';

/** Thrown in an agent at its death, and by each of its later operations. */
export class Death extends Error {
  /** Creates the error without a stack: capturing one would take longer than the rest of the test of a death. */
  static before(name: string): Death {
    const depth = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    const death = new Death(`dead before ${name}`);
    Error.stackTraceLimit = depth;
    return death;
  }
}

/** Thrown if an agent repeats a step that can never succeed. */
export class Stuck extends Error {}

/**
 * The number of lost races in a row after which a step will never win, because no other agent acts. From then on each
 * race takes 1 ms.
 */
const MANY_RACES = 1000;
/** The number of lost races in a row after which the call counts as endless. */
const MAX_RACES = 50_000;

/** An action of other agents during a sleep. If it returns `timed-out`, the sleep ends by its timeout. */
export type Meanwhile = () => unknown;

export class Life {
  readonly lot: ParkingLot;
  /** The agent's deeds since the call of `count`, in order. */
  deeds: string[] = [];
  /**
   * The actions of other agents while this agent sleeps, one per sleep. A sleep without an action ends by its timeout.
   */
  readonly meanwhile: Meanwhile[] = [];
  /** Actions of other agents just before this agent's next step, by the step's name. */
  readonly before = new Map<string, () => void>();
  /** An action that may happen before every deed and before every read of a word. */
  between: (() => void) | undefined;
  #dead = false;
  #inside = false;
  #counted: readonly Deed[] = [];
  #last = Infinity;

  constructor(lot: ParkingLot) {
    this.lot = lot;
  }

  /** Begins to count deeds of these kinds. The agent dies before the deed number `last`, counted from 0. */
  count(kinds: readonly Deed[], last: number): void {
    this.deeds = [];
    this.#counted = kinds;
    this.#last = last;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  die(): void {
    this.#dead = true;
  }

  do<T>(kind: Deed, name: string, deed: () => T): T {
    if (this.#inside) return this.inside(name, deed);
    if (!this.#dead) this.#interpose(name);
    this.#dare(kind, name);
    this.#inside = kind === 'step';
    try {
      return deed();
    } finally {
      this.#inside = false;
    }
  }

  /** Performs a write, which is an `inner` deed if a step is in progress. */
  inside<T>(name: string, write: () => T): T {
    if (this.#inside) this.#dare('inner', name);
    return write();
  }

  /** Dies here if this is the chosen deed. */
  #dare(kind: Deed, name: string): void {
    if (this.#counted.includes(kind) && !this.#dead) {
      if (this.deeds.length === this.#last) this.#dead = true;
      else this.deeds.push(name);
    }
    if (this.#dead) throw Death.before(name);
  }

  /**
   * Called before a read of a word. Other agents may act here. The agent does not die here, because no other agent
   * could see the difference.
   */
  look(): void {
    if (!this.#inside && !this.#dead) this.between?.();
  }

  #interpose(name: string): void {
    const action = this.before.get(name);
    this.before.delete(name);
    action?.();
    this.between?.();
  }
}

let born: Life | undefined;

/** Runs `make`. All objects created in it belong to the agent `life`. */
export function bornAs<T>(life: Life, make: () => T): T {
  born = life;
  try {
    return make();
  } finally {
    born = undefined;
  }
}

/** The kernel instances by memory. Creating an instance costs more than a whole test, so each memory has one. */
const instances = new WeakMap<WebAssembly.Memory, Map<string, object>>();

function instanceIn<Steps extends object>(memory: WebAssembly.Memory, id: string, make: () => Steps): Steps {
  const made = instances.get(memory) ?? new Map<string, object>();
  const steps = (made.get(id) ?? make()) as Steps;
  instances.set(memory, made.set(id, steps));
  return steps;
}

/**
 * The steps of the kinds that an agent has loaded. The agent's kernel finds them here, so that no agent copies or wraps
 * a step that it never calls.
 */
const lent = new WeakMap<Life, Steps[]>();

/** Adds `steps` to the kernel of the agent that is being born. Returns what that agent still has to add itself. */
function lend<Own extends object>(steps: Own): Own {
  if (born === undefined) return { ...steps };
  lent.set(born, [...(lent.get(born) ?? []), steps]);
  return {} as Own;
}

/** The words of the acting agent. Kernels in TypeScript are bound to them once. */
let acting: MemoryWords.Words | undefined;

type Method = (this: void, ...args: unknown[]) => unknown;
const methods = new Map<PropertyKey, Method>();

function methodOfActing(name: PropertyKey): Method {
  const known = methods.get(name);
  if (known !== undefined) return known;
  const method: Method = (...args) =>
    (acting as unknown as Record<PropertyKey, (...args: unknown[]) => unknown>)[name]?.(...args);
  methods.set(name, method);
  return method;
}

const actingWords = new Proxy({} as MemoryWords.Words, { get: (_, name) => methodOfActing(name) });
const bound = new Map<Kernels.JsKernel['bind'], object>();

function bindOnce(bind: Kernels.JsKernel['bind']): object {
  const steps = bound.get(bind) ?? bind(actingWords);
  bound.set(bind, steps);
  return steps;
}

/** Returns `engine` for many agents. Kinds that an agent loads after its birth are bound to its own words. */
export function sharedEngine(engine: Kernels.JsEngine): Kernels.JsEngine {
  const shared = ({ kernel, bind }: Kernels.JsKernel): Kernels.JsKernel => ({
    kernel,
    bind: (words) => (born === undefined ? bind(words) : lend(bindOnce(bind))),
  });
  return { ...engine, kinds: new Map([...engine.kinds].map(([id, kernel]) => [id, shared(kernel)])) };
}

let skippedMs = 0;

export function crashingKernels(actual: typeof Kernels): typeof Kernels {
  const now = performance.now.bind(performance);
  performance.now = () => now() + skippedMs;
  return {
    ...actual,
    wasmKernel: (memory) => crashingKernel(instanceIn(memory, '', () => actual.wasmKernel(memory))),
    wasmSteps: (source, memory) => lend(instanceIn(memory, source.id, () => actual.wasmSteps(source, memory))),
    jsKernel: (engine, words) =>
      born === undefined
        ? actual.jsKernel(engine, words)
        : crashingKernel(bindOnce(engine.bind) as Kernels.Kernel, words),
  };
}

/**
 * Wraps a kernel so that its agent can die. `words` are the agent's words, for steps that are bound to `actingWords`.
 */
function crashingKernel(kernel: Kernels.Kernel, words?: MemoryWords.Words): Kernels.Kernel {
  const life = born;
  if (life === undefined) return kernel;
  // Steps are created at their first call, because an agent calls few of them.
  const made = new Map<string | symbol, Step>();
  // The target is empty: a proxy of a module must return the module's own exports.
  return new Proxy({} as Kernels.Kernel, {
    get: (added, name) => {
      const known = made.get(name);
      if (known !== undefined) return known;
      const found = [added as unknown as Steps, ...(lent.get(life) ?? []), kernel as unknown as Steps].find(
        (steps) => steps[name] !== undefined,
      );
      const step = crashingStep(String(name), found?.[name] as Step, life, words);
      made.set(name, step);
      return step;
    },
  });
}

type Step = (...args: number[]) => number;
type Steps = Partial<Record<string | symbol, Step>>;

function crashingStep(name: string, step: Step, life: Life, words: MemoryWords.Words | undefined): Step {
  let races = 0;
  const bounded: Step = (...args) => {
    acting = words;
    const result = step(...args);
    const raced = name === 'park' ? result === PROMISED : result === RACED;
    races = raced ? races + 1 : 0;
    if (races > MANY_RACES) skippedMs += 1;
    if (races > MAX_RACES) throw new Stuck(`${name} has nothing but races`);
    return result;
  };
  return (...args) => life.do('step', name, () => bounded(...args));
}

export function crashingWords(actual: typeof MemoryWords): typeof MemoryWords {
  class CrashingWords extends actual.AtomicWords {
    readonly #life = born;

    #write<T>(name: string, write: () => T): T {
      return this.#life === undefined ? write() : this.#life.do('write', name, write);
    }

    override load32(address: number): number {
      this.#life?.look();
      return super.load32(address);
    }
    override get32(address: number): number {
      this.#life?.look();
      return super.get32(address);
    }
    override load64(address: number): bigint {
      this.#life?.look();
      return super.load64(address);
    }
    override store32(address: number, value: number): void {
      this.#write('store32', () => super.store32(address, value));
    }
    override add32(address: number, delta: number): number {
      return this.#write('add32', () => super.add32(address, delta));
    }
    override put32(address: number, value: number): void {
      this.#write('put32', () => super.put32(address, value));
    }
    override put64(address: number, value: bigint): void {
      this.#write('put64', () => super.put64(address, value));
    }
    override store64(address: number, value: bigint): void {
      this.#write('store64', () => super.store64(address, value));
    }

    // Outside a step, none of these writes is a deed of its own.
    #inside<T>(name: string, write: () => T): T {
      return this.#life === undefined ? write() : this.#life.inside(name, write);
    }
    override cas32(address: number, expected: number, value: number): number {
      return this.#inside('cas32', () => super.cas32(address, expected, value));
    }
    override exchange32(address: number, value: number): number {
      return this.#inside('exchange32', () => super.exchange32(address, value));
    }
    override add64(address: number, delta: bigint): bigint {
      return this.#inside('add64', () => super.add64(address, delta));
    }
    override cas64(address: number, expected: bigint, value: bigint): bigint {
      return this.#inside('cas64', () => super.cas64(address, expected, value));
    }
  }
  return { ...actual, AtomicWords: CrashingWords };
}

/** Replaces the platform's sleeps and wake-ups of all agents. Nothing happens unless the test turns the parking lot. */
export function crashingParking(actual: typeof Parkings): typeof Parkings {
  class LotParking extends actual.AtomicParking {
    readonly #life: Life;
    readonly #words: MemoryWords.AtomicWords;

    constructor(words: MemoryWords.AtomicWords) {
      super(words);
      if (born === undefined) throw new Error('An agent of this test was created outside bornAs().');
      this.#life = born;
      this.#words = words;
    }

    override wait(address: number, expected: number, timeoutMs: number): 'ok' | 'not-equal' | 'timed-out' {
      return this.#life.do('parking', 'wait', () => {
        if (this.#words.load32(address) !== expected) return 'not-equal';
        const action = this.#life.meanwhile.shift();
        if (action === undefined && timeoutMs === Infinity)
          throw new Error('An agent sleeps, and no agent will wake it.');
        if (action !== undefined && action() !== 'timed-out') return 'ok';
        if (timeoutMs !== Infinity) this.#life.lot.clock += timeoutMs;
        return 'timed-out';
      });
    }

    override waitAsync(address: number, expected: number): Promise<unknown> | undefined {
      return this.#life.do('parking', 'waitAsync', () => {
        if (this.#words.load32(address) !== expected) return undefined;
        // Callers use only `then` of the result.
        return this.#life.lot.sleep(this.#life, address) as unknown as Promise<unknown>;
      });
    }

    override notify(address: number, count?: number): number {
      return this.#life.do('parking', 'notify', () => this.#life.lot.wake(address, count));
    }

    override now(): number {
      return (this.#life.lot.clock += 0.01);
    }

    override date(): number {
      return 1e12 + Math.ceil(this.#life.lot.clock);
    }
  }
  return { ...actual, AtomicParking: LotParking };
}
