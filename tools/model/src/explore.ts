// The entry. It explores a scenario and records the failing schedule, if there is one.

import type { Machine } from './machine.ts';
import { RandomWalk } from './random-walk.ts';
import { Search } from './search.ts';
import { Trace } from './trace.ts';
import type { Failure, Options, Result, Scenario } from './types.ts';

type Path = readonly (readonly [transition: number, branch: number])[];

const SIMPLE_PREEMPTIONS = 3;
const SIMPLIFY_MILLIS = 2000;

export function explore(scenario: Scenario, options: Options = {}): Result {
  const { random } = options;
  const explorer =
    random === undefined ? new Search(scenario, options) : new RandomWalk(scenario, { ...options, random });
  const path = explorer.run();
  const { machine, tally } = explorer;
  const result = {
    scenario: scenario.name,
    executions: tally.executions,
    merged: tally.merged,
    states: tally.states,
    operations: tally.operations,
    exhausted: path === undefined && !tally.limited && random === undefined,
    deadlocks: tally.deadlocks,
    preemptions: options.preemptions,
    millis: performance.now() - tally.startedAt,
  };
  if (path === undefined) return result;
  const failure = writeDown(machine, path);
  const simpler = (options.simplify ?? true) ? simplify(scenario, options, failure) : undefined;
  return { ...result, failure: simpler ?? failure };
}

/** Performs the failing schedule again and records its trace. */
function writeDown(machine: Machine, path: Path): Failure {
  const { session, scenario } = machine;
  const { kind, message } = session.failure ?? { kind: 'error', message: 'unknown' };
  const trace = new Trace(scenario, session.fates);
  session.trace = trace;
  machine.reset();
  for (const [transition, branch] of path) machine.perform(transition, branch);
  session.trace = undefined;
  return { kind, message, trace: trace.lines };
}

/** Returns a failure of the same kind with as few preemptions as possible. */
function simplify(scenario: Scenario, options: Options, found: Failure): Failure | undefined {
  const most = Math.min(SIMPLE_PREEMPTIONS, (options.preemptions ?? Infinity) - 1);
  for (let preemptions = 0; preemptions <= most; preemptions += 1) {
    const { random: _, ...rest } = options;
    const { failure } = explore(scenario, { ...rest, preemptions, maxMillis: SIMPLIFY_MILLIS, simplify: false });
    if (failure?.kind === found.kind) return failure;
  }
  return undefined;
}
