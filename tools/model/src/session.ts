// The state that the agents of one model share.

import { Memory } from './memory.ts';
import { Sharing } from './sharing.ts';
import type { Trace } from './trace.ts';
import { MAX_AGENTS } from './transition.ts';
import type { FailureKind, Options, Scenario, Verdict } from './types.ts';

export class Session {
  readonly memory: Memory;
  readonly sharing: Sharing;
  /** The end of the scenario's own memory. Behind it, from `fates` on, each agent has a word with its fate. */
  readonly bytes: number;
  readonly fates: number;
  readonly scheduleLocal: boolean;
  readonly recalls: boolean;
  deathsLeft: number;
  /** Present while a failing schedule is performed again to record its trace. */
  trace: Trace | undefined;
  failure: { kind: FailureKind; message: string } | undefined;
  /** Returns the number of agents that sleep at an address. */
  sleepersAt: (address: number) => number = () => 0;

  constructor(scenario: Scenario, options: Options) {
    const { agents, bytes, mayCrash = [], deaths = 1 } = scenario;
    if (agents.length > MAX_AGENTS)
      throw new RangeError(`a scenario has at most ${MAX_AGENTS} agents: received ${agents.length}`);
    this.bytes = bytes;
    this.fates = (bytes + 7) & ~7;
    this.memory = new Memory(this.fates + 4 * agents.length);
    this.sharing = new Sharing(this.memory.int32.length, options.reductions?.privateWords === false);
    this.scheduleLocal = options.scheduleLocal ?? false;
    this.recalls = options.reductions?.recall ?? true;
    this.deathsLeft = mayCrash.length > 0 ? deaths : 0;
  }

  /** Records a failure. Only the first failure counts. */
  fail(kind: FailureKind, message: string): void {
    this.failure ??= { kind, message };
  }

  judge(kind: FailureKind, what: string, check: () => Verdict | void): void {
    try {
      const verdict = check();
      if (verdict === false) this.fail(kind, `${what} does not hold`);
      else if (typeof verdict === 'string') this.fail(kind, verdict);
    } catch (error) {
      this.fail(kind, error instanceof Error ? error.message : String(error));
    }
  }
}
