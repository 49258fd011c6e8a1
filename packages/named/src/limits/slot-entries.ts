// The entries of the table of a keyed limit. Each is a semaphore with the key's data behind its line.

import { asBlock, BLOCK_LINE, FLAG_LAST, KIND_SEMAPHORE } from '@sluice/core/format';
import { createPermits, type AgentContext } from '@sluice/core/internal';
import type { EntryKind } from '../table/entry-blocks.ts';

/** Entries that are semaphores with that many permits. */
export class SlotEntries implements EntryKind {
  readonly code: number = KIND_SEMAPHORE;
  /** The slots of each key. 0 until the table is open. */
  concurrency = 0;

  readonly create: EntryKind['create'] = (arena, name, bytes, fill) => {
    const { concurrency } = this;
    // With `max`, a release of a slot that no call holds fails.
    const [ref] = createPermits(
      concurrency,
      { arena, name, max: concurrency },
      {
        lines: 1 + Math.ceil(bytes / BLOCK_LINE),
        flags: FLAG_LAST,
        fill: ({ address }) => fill(address + BLOCK_LINE),
      },
    );
    return ref.address;
  };

  isFree({ kernel }: AgentContext, entry: number): boolean {
    return kernel.balance(asBlock(entry)) === this.concurrency;
  }
}
