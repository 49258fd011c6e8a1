// The kinds whose primitives an agent has opened, and the kernels of packages that it has added to its own.

import { MisuseError } from '../api/errors.ts';
import type { Kernel, KernelSource } from '../kernel/kernel.ts';
import { untrapped } from '../memory/traps.ts';
import type { Kind, KindAgent, LineSteps, LoadedKind } from './kind.ts';

/** Binds a kind's steps to the arena's memory. */
export type Binder = <Steps extends object>(source: KernelSource<Steps>) => Steps;

/** The steps of waiters that wait loops call without a wrapper that catches traps. */
export const LINE_STEPS = ['poll', 'park', 'cancel'] as const satisfies readonly (keyof LineSteps)[];

/** The agent that loads kinds. */
export interface KindLoader extends KindAgent {
  readonly kernel: Kernel;
  /** The value of HEADER_PENDING when it last looked for recoveries that other agents left. */
  pendingSeen: number;
  finishPending(): void;
}

export class LoadedKinds {
  readonly #agent: KindLoader;
  readonly #bind: Binder | undefined;
  /** The ids of kernels whose steps were added. */
  readonly #added = new Set<string>();
  readonly #byCode = new Map<number, LoadedKind>();
  /** The kinds by their codes. */
  readonly byCode: ReadonlyMap<number, LoadedKind> = this.#byCode;

  /** Without `bind`, the agent's kernel has the steps of all packages from the start, as in a model. */
  constructor(agent: KindLoader, bind: Binder | undefined) {
    this.#agent = agent;
    this.#bind = bind;
  }

  /** Makes the steps of a kind available. The first call for a kind also calls `finishPending`. */
  load<Steps extends object>(kind: Kind<Steps>): LoadedKind<Steps> {
    const known = this.#byCode.get(kind.code);
    if (known !== undefined) return known as unknown as LoadedKind<Steps>;
    const kernel = this.addKernel(kind.kernel);
    const loaded: LoadedKind<Steps> = { kind, kernel, steps: untrapped(kind.steps(kernel, this.#agent), LINE_STEPS) };
    this.#byCode.set(kind.code, loaded as unknown as LoadedKind);
    // A recovery that this agent could not finish before may be waiting for this kind.
    this.#agent.pendingSeen = 0;
    this.#agent.finishPending();
    return loaded;
  }

  /**
   * Adds the steps of a package's kernel to the agent's kernel. Throws `MisuseError` if another package has a step with
   * the name of one of them.
   */
  addKernel<Steps extends object>(source: KernelSource<Steps>): Kernel & Steps {
    const { kernel } = this.#agent;
    if (this.#bind === undefined || this.#added.has(source.id)) return kernel as Kernel & Steps;
    const steps = this.#bind(source);
    for (const name of Object.keys(steps)) {
      if (name in kernel)
        throw new MisuseError(
          `${source.entry} cannot be loaded: another package has a step named ${name}. Nothing was changed.`,
        );
    }
    this.#added.add(source.id);
    return Object.assign(kernel, steps);
  }

  /** Merges tombstones in the chains that only kinds walk. Returns the number of visited elements and blocks. */
  compact(): number {
    let visits = 0;
    for (const { steps } of this.#byCode.values()) visits += steps.compact?.() ?? 0;
    return visits;
  }
}
