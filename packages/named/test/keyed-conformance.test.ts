// The conformance suite of all locks, for the lock of one key.

import { conformsEverywhere } from '../../core/test/support/owned-lock/places.ts';
import { KeyedMutex } from '../src/index.ts';
import './support/kinds.ts';

conformsEverywhere(
  'KeyedMutex.at',
  ({ arena }, open) => {
    const keyed = KeyedMutex.create({ arena });
    return { lock: keyed.at('key'), rival: open(keyed.handle, (handle) => KeyedMutex.from(handle)).at('key') };
  },
  { owned: true, reentrant: false, fifo: true, barging: false },
);
