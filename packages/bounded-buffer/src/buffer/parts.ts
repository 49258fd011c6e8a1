// The parts of a buffer for readers and writers in place, streams and `selectAsync`.

import type { Words } from '@sluice/core/internal';
import { IN_PLACE } from '../kernel/layout.ts';
import type { Side } from '../sides/side.ts';
import type { ValueStore } from '../values/store.ts';
import type { ConsumerSide } from '../sides/consumer-side.ts';

export interface BufferParts {
  readonly store: ValueStore<unknown>;
  /** The sides of the producers and of the consumers. */
  readonly sides: readonly [Side, Side];
  readonly taking: ConsumerSide;
  readonly words: Pick<Words, 'put32'>;
  /** Returns the stored form of a value. Throws the errors of `push`. */
  readonly pack: (value: never) => unknown;
}

/**
 * Keeps the lock of a side for its owner. While `open` is true, the walks of the owner's other calls at the buffer do
 * not free the lock. Call it with false before the commit.
 */
export function keepLock({ words }: Pick<BufferParts, 'words'>, side: Side, open: boolean): void {
  words.put32(side.address + IN_PLACE, open ? 1 : 0);
}
