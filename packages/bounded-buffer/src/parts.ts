// What readers and writers in place, streams and `selectAsync` need of a buffer.

import type { Words } from '@sluice/core/internal';
import { IN_PLACE } from './kernel/layout.ts';
import type { Side } from './side.ts';
import type { Store } from './store.ts';
import type { Taking } from './taking.ts';

export interface Parts {
  readonly store: Store<unknown>;
  /** The producers' and the consumers'. */
  readonly sides: readonly [Side, Side];
  readonly taking: Taking;
  readonly words: Pick<Words, 'put32'>;
  /** What is written for a value. Throws as `push`. */
  readonly pack: (value: never) => unknown;
}

/**
 * For the owner of a side's lock. `open` true: from now on the walks of its other calls at the buffer do not free the
 * lock. Call it with false before the commit.
 */
export function keepLock({ words }: Pick<Parts, 'words'>, side: Side, open: boolean): void {
  words.put32(side.address + IN_PLACE, open ? 1 : 0);
}
