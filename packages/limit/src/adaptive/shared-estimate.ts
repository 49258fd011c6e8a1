// The estimate of an adaptive limit and the samples of the current window, in shared memory: two copies, one of which
// is current. The agent that changes them holds the limit's lock. It writes the other copy, and then makes it the
// current one with one write. So an agent that dies leaves the old state or the new one.
//
// The words of a copy are loaded and stored atomically. A plain load of `read` could take effect after the second load
// of VERSION, and belong to a later state.

import type { AgentContext } from '@sluice/core/internal';
import { BATCH, COPIES, EPOCH, MAX, MIN, STATE_DOUBLES, TOLERANCE, VERSION } from '../kernel/control-layout.ts';
import { samplesOf, type AdaptiveTerms, type Estimate, type Samples } from './estimate.ts';

export interface EstimateState {
  readonly estimate: Estimate;
  readonly samples: Samples;
  /** The number of changes of the size. */
  readonly epoch: number;
}

/** An agent adds its samples to the window in at least this many parts. */
const PARTS = 16;

export class SharedEstimate {
  readonly terms: AdaptiveTerms;
  readonly #context: Pick<AgentContext, 'words'>;
  readonly #at: number;
  /** A copy in this thread's own memory. */
  readonly #doubles = new Float64Array(STATE_DOUBLES);
  readonly #halves = new Int32Array(this.#doubles.buffer);

  /** `at`: the address of the words of kernel/control-layout.ts, where the limit's creator has written the terms. */
  constructor(context: Pick<AgentContext, 'words'>, at: number) {
    this.#context = context;
    this.#at = at;
    const { words } = context;
    this.#halves[0] = words.get32(at + TOLERANCE);
    this.#halves[1] = words.get32(at + TOLERANCE + 4);
    this.terms = { min: words.get32(at + MIN), max: words.get32(at + MAX), tolerance: this.#doubles[0] as number };
  }

  /** The number of changes of the size, as far as they are complete. Samples of earlier calls do not count. */
  get epoch(): number {
    return this.#context.words.load32(this.#at + EPOCH);
  }

  /** The number of samples that an agent collects before it adds them to the window. */
  get batch(): number {
    return this.#context.words.load32(this.#at + BATCH);
  }

  /** Reads the state. The caller need not hold the lock. */
  read(): EstimateState {
    const { words } = this.#context;
    for (;;) {
      const version = words.load32(this.#at + VERSION);
      const state = this.#copy(version & 1);
      // The copy is written only after the other one has become current.
      if (words.load32(this.#at + VERSION) === version) return state;
    }
  }

  /** Replaces the state. The caller holds the lock, or no other agent knows the limit. */
  write({ estimate, samples, epoch }: EstimateState): void {
    const { words } = this.#context;
    const version = words.load32(this.#at + VERSION) + 1;
    this.#doubles.set([
      estimate.size,
      estimate.baseline,
      estimate.latency,
      estimate.resume,
      estimate.probed,
      estimate.windows,
      estimate.isStarting ? 1 : 0,
      samples.count,
      samples.sum,
      samples.saturated,
      samples.overloads,
      epoch,
    ]);
    const at = this.#at + offsetOf(version & 1);
    this.#halves.forEach((half, index) => words.store32(at + 4 * index, half));
    words.store32(this.#at + VERSION, version);
  }

  /** Begins an epoch: calls that start from now on run under the size of the state. */
  begin({ estimate, epoch }: EstimateState): void {
    const { words } = this.#context;
    words.store32(this.#at + BATCH, Math.ceil(samplesOf(estimate.size) / PARTS));
    words.store32(this.#at + EPOCH, epoch);
  }

  #copy(which: number): EstimateState {
    const { words } = this.#context;
    const at = this.#at + offsetOf(which);
    for (let index = 0; index < this.#halves.length; index++) this.#halves[index] = words.load32(at + 4 * index);
    const read = (index: number): number => this.#doubles[index] as number;
    return {
      estimate: {
        size: read(0),
        baseline: read(1),
        latency: read(2),
        resume: read(3),
        probed: read(4),
        windows: read(5),
        isStarting: read(6) !== 0,
      },
      samples: { count: read(7), sum: read(8), saturated: read(9), overloads: read(10) },
      epoch: read(11),
    };
  }
}

/** The offset of a copy, in bytes. */
function offsetOf(which: number): number {
  return COPIES + which * STATE_DOUBLES * 8;
}
