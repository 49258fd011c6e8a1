import type { Bench, Prepare, Row } from '../../../../core/test/support/misuse-table.ts';
import type { Member } from '../support/members.ts';
import { PERMITS } from './kinds.ts';

/**
 * `open`: 2 of 3 permits are free, max is 5. `busy`: none is free, and one async wait of this agent waits. `contested`:
 * the wait is of another agent.
 */
export type State = 'open' | 'busy' | 'contested' | 'closed' | 'freed';

export type MemberRow = Row<Member, State>;

/** Takes that many permits, one by one. */
function take({ ours }: Bench<Member>, permits: number): void {
  for (let taken = 0; taken < permits; taken++) ours.acquire();
}

function waits(bench: Bench<Member>, waiter: Member): () => Promise<void> {
  take(bench, PERMITS);
  const wait = waiter.acquireAsync();
  return async () => {
    bench.ours.release();
    await wait;
  };
}

export const STATES: Readonly<Record<State, Prepare<Member>>> = {
  open: (bench) => {
    take(bench, 1);
    return () => undefined;
  },
  busy: (bench) => waits(bench, bench.ours),
  contested: (bench) => waits(bench, bench.theirs),
  closed: (bench) => {
    take(bench, 1);
    bench.ours.close();
    return () => undefined;
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};
