import { conformsEverywhere } from '../../core/test/support/owned-lock/places.ts';
import { RwLock } from '../src/index.ts';
import './support/kinds.ts';

const PAIRS = [
  ['RwLock.writer against another writer', 'writer', 'writer', {}],
  ['RwLock.writer against a reader', 'writer', 'reader', {}],
  ['RwLock.reader against a writer', 'reader', 'writer', { shared: true }],
] as const;

for (const [name, ours, theirs, traits] of PAIRS) {
  conformsEverywhere(
    name,
    (options, open) => {
      const lock = RwLock.create(options);
      return { lock: lock[ours], rival: open(lock.handle, (handle) => RwLock.from(handle))[theirs] };
    },
    { owned: true, ...traits },
  );
}
