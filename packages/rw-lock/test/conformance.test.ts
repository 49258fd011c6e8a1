import { conformsEverywhere } from '../../core/test/support/owned-lock/places.ts';
import { RwLock } from '../src/index.ts';
import './support/kinds.ts';

const PAIRS = [
  ['RwLock.writer against another writer', 'writer', 'writer', {}],
  ['RwLock.writer against a reader', 'writer', 'reader', {}],
  ['RwLock.reader against a writer', 'reader', 'writer', { shared: true }],
] as const;

for (const order of ['fifo', 'turns'] as const) {
  for (const [name, ours, theirs, traits] of PAIRS) {
    conformsEverywhere(
      order === 'fifo' ? name : `${name}, 'turns'`,
      (options, open) => {
        const lock = RwLock.create({ ...options, order });
        return { lock: lock[ours], rival: open(lock.handle, (handle) => RwLock.from(handle))[theirs] };
      },
      {
        owned: true,
        ...(order === 'turns' && ours === 'writer' && theirs === 'writer' ? { barging: true, fifo: true } : {}),
        ...traits,
      },
    );
  }
}
