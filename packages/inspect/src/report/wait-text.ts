// What reports say about a wait.

import type { WaitEnd } from '@sluice/core/internal';
import type { ReadWait } from './read-graph.ts';
import type { SnapshotIndex } from './snapshot-index.ts';
import { nameOf } from './wording.ts';

/** "waits for lock 'b'", "awaits room in buffer 'jobs' at worker.mjs:12". */
export function waitText(
  index: SnapshotIndex,
  {
    agent,
    how,
    end,
    block,
    isUpgrade,
  }: Pick<ReadWait, 'agent' | 'how' | 'block' | 'isUpgrade'> & { readonly end?: WaitEnd | undefined },
): string {
  const name = nameOf(index.block(block));
  const what = isUpgrade === true ? `the upgrade of ${name} from reading to writing` : name;
  return `${how === 'async' ? 'awaits' : 'waits for'} ${(end?.what ?? '') === '' ? what : `${end?.what} in ${what}`}${index.waited(agent, block)}`;
}
