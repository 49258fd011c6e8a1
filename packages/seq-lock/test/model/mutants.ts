// Mutants of the seq-lock: each changes one line. The case that a mutant names must fail with it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const LATE = 'three writes and two attempts';
const ROUND = 'the sequence wraps during an attempt';
const FREED = 'the block is freed during an attempt';
const LONG_LATE = 'a long value: three writes and two attempts';
const LONG_ROUND = 'a long value: the sequence wraps during an attempt';

/** The same mutants of a reader, for the step that reads a short value and for the loop that reads a long value. */
const READERS: readonly Mutant[] = [
  {
    name: 'a reader checks the sequence before it copies',
    in: 'loadShortSeqLock',
    find: 'copyWords(',
    replace: 'const passed = (load32(data + VALUE_SEQUENCE) - version) | 0; copyWords(',
    also: {
      in: 'loadShortSeqLock',
      find: 'const passed = (load32(data + VALUE_SEQUENCE) - version) | 0;\n',
      replace: '',
    },
    caughtBy: LATE,
  },
  {
    name: 'a reader does not check the sequence after its copy',
    in: 'loadShortSeqLock',
    find: 'if (passed < 0 || passed >= REUSED) return RACED;',
    replace: '',
    caughtBy: LATE,
  },
  {
    name: 'a reader accepts a copy that is being overwritten',
    in: 'loadShortSeqLock',
    find: 'passed >= REUSED',
    replace: 'passed > REUSED',
    caughtBy: LATE,
  },
  {
    name: 'a reader fails at the first sign of a write',
    in: 'loadShortSeqLock',
    find: 'passed >= REUSED',
    replace: 'passed !== 0',
    caughtBy: 'a write does not make a read fail',
  },
  {
    name: 'a reader copies from the copy that is being written',
    in: 'loadShortSeqLock',
    find: '(version & 2) === 0',
    replace: '(version & 2) !== 0',
    caughtBy: 'a write and a read',
  },
  {
    name: 'a reader does not compare the era',
    in: 'loadShortSeqLock',
    find: 'load32(data + ERA) === era',
    replace: 'era === era',
    caughtBy: ROUND,
  },
  {
    name: 'a reader does not check the tag again',
    in: 'loadShortSeqLock',
    find: '&& load32(tagAt) === tag',
    replace: '',
    caughtBy: FREED,
  },
  {
    name: 'a reader of a long value checks the sequence before it copies',
    in: 'Sequence.#tryLoadLong',
    find: 'if (!this.#copy(version, into)) return NONE;',
    replace:
      'const passed = (words.load32(this.#sequence) - version) >>> 0; if (!this.#copy(version, into)) return NONE;',
    also: {
      in: 'Sequence.#tryLoadLong',
      find: 'const passed = (words.load32(this.#sequence) - version) >>> 0;\n',
      replace: '',
    },
    caughtBy: LONG_LATE,
  },
  {
    name: 'a reader of a long value does not check the sequence after its copy',
    in: 'Sequence.#tryLoadLong',
    find: 'passed < REUSED',
    replace: 'passed >= 0',
    caughtBy: LONG_LATE,
  },
  {
    name: 'a reader of a long value accepts a copy that is being overwritten',
    in: 'Sequence.#tryLoadLong',
    find: 'passed < REUSED',
    replace: 'passed <= REUSED',
    caughtBy: LONG_LATE,
  },
  {
    name: 'a reader of a long value fails at the first sign of a write',
    in: 'Sequence.#tryLoadLong',
    find: 'passed < REUSED',
    replace: 'passed === 0',
    caughtBy: 'a long value: a write does not make a read fail',
  },
  {
    name: 'a reader of a long value does not compare the era',
    in: 'Sequence.#tryLoadLong',
    find: 'words.load32(this.#era) === era',
    replace: 'era === era',
    caughtBy: LONG_ROUND,
  },
  {
    name: 'a reader of a long value does not check the tag again',
    in: 'Sequence.#tryLoadLong',
    find: ' && words.load32(this.#tagAt) === this.#block.tag',
    replace: '',
    caughtBy: 'a long value: the block is freed during an attempt',
  },
  {
    name: 'each part of a long value is read from its beginning',
    in: 'Sequence.#copy',
    find: 'from + 4 * at',
    replace: 'from',
    caughtBy: 'a long value: two writers',
  },
];

const SNAPSHOT = 'a write and a snapshot';
const SNAPSHOT_ROUND = 'the sequence wraps between two checks of a snapshot';

const SNAPSHOTS: readonly Mutant[] = [
  {
    name: 'isNewest of a snapshot is always true',
    in: 'seqLockChangedSince',
    find: 'load32(data + VALUE_SEQUENCE) >>> 1',
    replace: 'version',
    caughtBy: SNAPSHOT,
  },
  {
    name: 'a write that has begun makes a snapshot copy',
    in: 'seqLockChangedSince',
    find: '(load32(data + VALUE_SEQUENCE) >>> 1) ^ version',
    replace: 'load32(data + VALUE_SEQUENCE) ^ version << 1',
    caughtBy: SNAPSHOT,
  },
  {
    name: 'a snapshot does not compare the era',
    in: 'seqLockChangedSince',
    find: 'load32(data + ERA) ^ era',
    replace: '0',
    caughtBy: SNAPSHOT_ROUND,
  },
  {
    name: 'a snapshot reads the era before the sequence',
    in: 'seqLockChangedSince',
    find: 'const passed = (load32(data + VALUE_SEQUENCE) >>> 1) ^ version;',
    replace: 'const words = load32(data + ERA); const passed = (load32(data + VALUE_SEQUENCE) >>> 1) ^ version;',
    also: { in: 'seqLockChangedSince', find: 'load32(data + ERA) ^ era', replace: 'words ^ era' },
    caughtBy: 'the sequence wraps during a check of a snapshot',
  },
  {
    name: 'a snapshot does not check the tag',
    in: 'seqLockChangedSince',
    find: 'load32(tagAt) ^ tag',
    replace: '0',
    caughtBy: 'the block is freed before a check',
  },
  {
    name: 'a snapshot records the version after its copy',
    in: 'SeqSnapshot.#copy',
    find: 'this.#version = version === NONE ? readContended(sequence, this.#writers, this.#words) : version;',
    replace:
      'if (version === NONE) readContended(sequence, this.#writers, this.#words); this.#version = sequence.version;',
    caughtBy: SNAPSHOT,
  },
  {
    name: 'a snapshot does not record its version',
    in: 'SeqSnapshot.#copy',
    find: 'this.#version = version === NONE ? readContended(sequence, this.#writers, this.#words) : version;',
    replace: 'if (version === NONE) readContended(sequence, this.#writers, this.#words);',
    caughtBy: SNAPSHOT,
  },
];

const KEPT = 'a write and reads that keep the value';
const KEPT_ROUND = 'the sequence wraps between reads that keep the value';

const KEEPERS: readonly Mutant[] = [
  {
    name: 'a kept value is read without a check',
    in: 'KeptValue.tryLoad',
    find: '!this.#sequence.isNewest(version, this.#era)',
    replace: 'false',
    caughtBy: KEPT,
  },
  {
    name: 'a kept value has the version that the writers have now',
    in: 'KeptValue.#keep',
    find: 'this.#version = sequence.tryLoad(this.#words);',
    replace: 'sequence.tryLoad(this.#words); this.#version = sequence.version;',
    caughtBy: KEPT,
  },
  {
    name: 'the era of a kept value is read after the value',
    in: 'KeptValue.#keep',
    find: 'this.#version = sequence.tryLoad(this.#words);',
    replace: 'this.#version = sequence.tryLoad(this.#words); this.#era = sequence.era;',
    caughtBy: KEPT_ROUND,
  },
  {
    name: 'a kept value is of another block after its own was freed',
    in: 'seqLockChangedSince',
    find: 'load32(tagAt) ^ tag',
    replace: '0',
    caughtBy: 'the block is freed before a value that is kept is read',
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...READERS,
  ...SNAPSHOTS,
  ...KEEPERS,
  {
    name: 'a writer writes to the copy that readers use',
    in: 'Sequence.replace',
    find: 'this.#copyOf(next)',
    replace: 'this.#copyOf(version)',
    caughtBy: 'a write and a read',
  },
  {
    name: 'a writer increments the sequence before it writes the data',
    in: 'Sequence.replace',
    find: 'storeRun(words, this.#copyOf(next), from);',
    replace: 'words.store32(this.#sequence, next); storeRun(words, this.#copyOf(next), from);',
    caughtBy: 'a write and a read',
  },
  {
    name: 'a writer does not mark its beginning',
    in: 'Sequence.replace',
    find: 'if (found === version) words.store32(this.#sequence, version + 1);',
    replace: '',
    caughtBy: LATE,
  },
  {
    name: 'a writer marks its beginning after the first stores',
    in: 'Sequence.replace',
    find: 'if (found === version) words.store32(this.#sequence, version + 1);\n    storeRun(words, this.#copyOf(next), from);',
    replace:
      'storeRun(words, this.#copyOf(next), from); if (found === version) words.store32(this.#sequence, version + 1);',
    caughtBy: LATE,
  },
  {
    name: 'an update begins with the copy that is not whole',
    in: 'Sequence.load',
    find: 'this.#words.load32(this.#sequence)',
    replace: 'this.#words.load32(this.#sequence) + 2',
    caughtBy: 'two writers',
  },
  {
    name: 'the era never increases',
    in: 'Sequence.replace',
    find: 'if (next << 1 === 0) words.add32(this.#era, 1);',
    replace: '',
    caughtBy: ROUND,
  },
  {
    name: 'the era increases only once per round of the sequence',
    in: 'Sequence.replace',
    find: 'next << 1 === 0',
    replace: 'next === 0',
    caughtBy: ROUND,
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'the partial write of a dead writer counts as written',
    in: 'Sequence.replace',
    find: 'found & -2',
    replace: '(found + 1) & -2',
    caughtBy: 'a writer may die',
  },
  {
    name: 'a writer continues from an odd sequence',
    in: 'Sequence.replace',
    find: 'found & -2',
    replace: 'found',
    caughtBy: 'a writer may die',
  },
  {
    name: 'the writer after a dead one does not mark the mutex consistent',
    in: 'Writers.#settle',
    find: 'health.markConsistent();',
    replace: 'health.isDoubtful;',
    caughtBy: 'a writer may die',
  },
  {
    name: 'the writer after a dead one ignores the notice',
    in: 'Writers.lock',
    find: 'this.#settle();',
    replace: '',
    caughtBy: 'a writer may die',
  },
];
