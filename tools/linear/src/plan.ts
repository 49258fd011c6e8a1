// The order in which the search goes: from one response to the next.

import { stepsOf, type History, type Life, type Step } from './steps.ts';

export interface Plan {
  readonly history: History;
  /** All but those that are pending, by their ends. */
  readonly responses: readonly Step[];
  /** Those going on when that response comes, itself among them. */
  readonly open: readonly (readonly Step[])[];
  /** Whether nothing was going on just before what `open` tells began: what is in at that time is known, but for its order. */
  readonly quiet: readonly boolean[];
  /** Pushes that have to be placed before it can be closed. */
  readonly pushes: number;
}

export function planOf(history: History): Plan {
  const steps = stepsOf(history);
  const responses = steps.filter(({ isPending }) => !isPending).toSorted((a, b) => a.ended - b.ended);
  const open: Step[][] = [];
  const quiet: boolean[] = [];
  let [begun, before, going] = [0, -Infinity, [] as Step[]];
  for (const { ended } of responses) {
    going = going.filter((step) => step.ended >= ended);
    for (let step = steps[begun]; step !== undefined && step.began < ended; step = steps[(begun += 1)]) {
      if (step.ended >= ended) going.push(step);
    }
    open.push(going);
    quiet.push(going.every(({ began }) => began > before));
    before = ended;
  }
  return { history, responses, open, quiet, pushes: steps.filter(hasToBeIn).length };
}

export function hasToBeIn({ operation: { kind, outcome }, needed }: Step): boolean {
  return kind === 'push' && (outcome === 'done' || (outcome === 'pending' && needed > 0));
}

/** Whether the one had to be in the queue before the other. */
export function isOrdered(a: Life, b: Life): boolean {
  return a.push === b.push || a.push.ended < b.push.began || a.leftBy < b.leftFrom || a.leftBy < b.push.began;
}
