// Mutants of the source. Each must be caught by the case that it names.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const LATE = 'three writes and two attempts';
const ROUND = 'the sequence goes round during an attempt';
const FREED = 'freed during an attempt';
const LONG_LATE = 'a long value: three writes and two attempts';
const LONG_ROUND = 'a long value: the sequence goes round during an attempt';

/** The same mistakes of a reader, in the step that reads a short value and in the loop that reads a long one. */
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
    name: 'a reader does not check the sequence',
    in: 'loadShortSeqLock',
    find: 'if (passed < 0 || passed >= REUSED) return RACED;',
    replace: '',
    caughtBy: LATE,
  },
  {
    name: 'a reader accepts a copy that is being written again',
    in: 'loadShortSeqLock',
    find: 'passed >= REUSED',
    replace: 'passed > REUSED',
    caughtBy: LATE,
  },
  {
    name: 'a reader gives up at the first sign of a write',
    in: 'loadShortSeqLock',
    find: 'passed >= REUSED',
    replace: 'passed !== 0',
    caughtBy: 'a write does not make a read fail',
  },
  {
    name: 'a reader copies what is being written',
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
    name: 'a reader does not look at the tag again',
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
    name: 'a reader of a long value does not check the sequence',
    in: 'Sequence.#tryLoadLong',
    find: 'passed < REUSED',
    replace: 'passed >= 0',
    caughtBy: LONG_LATE,
  },
  {
    name: 'a reader of a long value accepts a copy that is being written again',
    in: 'Sequence.#tryLoadLong',
    find: 'passed < REUSED',
    replace: 'passed <= REUSED',
    caughtBy: LONG_LATE,
  },
  {
    name: 'a reader of a long value gives up at the first sign of a write',
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
    name: 'a reader of a long value does not look at the tag again',
    in: 'Sequence.#tryLoadLong',
    find: ' && words.load32(this.#tagAt) === this.#block.tag',
    replace: '',
    caughtBy: 'a long value: freed during an attempt',
  },
  {
    name: 'each part of a long value is the first',
    in: 'Sequence.#copy',
    find: 'from + 4 * at',
    replace: 'from',
    caughtBy: 'a long value: two writers',
  },
];

const SNAPSHOT = 'a write and a snapshot';
const SNAPSHOT_ROUND = 'the sequence goes round between two looks of a snapshot';

const SNAPSHOTS: readonly Mutant[] = [
  {
    name: 'a snapshot is always the newest value',
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
    name: 'a snapshot looks at the era before the sequence',
    in: 'seqLockChangedSince',
    find: 'const passed = (load32(data + VALUE_SEQUENCE) >>> 1) ^ version;',
    replace: 'const words = load32(data + ERA); const passed = (load32(data + VALUE_SEQUENCE) >>> 1) ^ version;',
    also: { in: 'seqLockChangedSince', find: 'load32(data + ERA) ^ era', replace: 'words ^ era' },
    caughtBy: 'the sequence goes round during a look of a snapshot',
  },
  {
    name: 'a snapshot does not look at the tag',
    in: 'seqLockChangedSince',
    find: 'load32(tagAt) ^ tag',
    replace: '0',
    caughtBy: 'freed before a look',
  },
  {
    name: 'a snapshot notes the version after its copy',
    in: 'SeqSnapshot.#copy',
    find: 'this.#version = version === NONE ? readContended(sequence, this.#writers, this.#words) : version;',
    replace:
      'if (version === NONE) readContended(sequence, this.#writers, this.#words); this.#version = sequence.version;',
    caughtBy: SNAPSHOT,
  },
  {
    name: 'a snapshot does not note its version',
    in: 'SeqSnapshot.#copy',
    find: 'this.#version = version === NONE ? readContended(sequence, this.#writers, this.#words) : version;',
    replace: 'if (version === NONE) readContended(sequence, this.#writers, this.#words);',
    caughtBy: SNAPSHOT,
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...READERS,
  ...SNAPSHOTS,
  {
    name: 'a writer writes to the copy that readers use',
    in: 'Sequence.replace',
    find: 'this.#copyOf(next)',
    replace: 'this.#copyOf(version)',
    caughtBy: 'a write and a read',
  },
  {
    name: 'the sequence is raised before the data',
    in: 'Sequence.replace',
    find: 'storeRun(words, this.#copyOf(next), from);',
    replace: 'words.store32(this.#sequence, next); storeRun(words, this.#copyOf(next), from);',
    caughtBy: 'a write and a read',
  },
  {
    name: 'a writer does not say that it begins',
    in: 'Sequence.replace',
    find: 'if (found === version) words.store32(this.#sequence, version + 1);',
    replace: '',
    caughtBy: LATE,
  },
  {
    name: 'a writer says that it begins after it has begun',
    in: 'Sequence.replace',
    find: 'if (found === version) words.store32(this.#sequence, version + 1);\n    storeRun(words, this.#copyOf(next), from);',
    replace:
      'storeRun(words, this.#copyOf(next), from); if (found === version) words.store32(this.#sequence, version + 1);',
    caughtBy: LATE,
  },
  {
    name: 'an update begins from the copy that is not whole',
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
    name: 'the era increases once in a round',
    in: 'Sequence.replace',
    find: 'next << 1 === 0',
    replace: 'next === 0',
    caughtBy: ROUND,
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'what a dead writer had begun counts as written',
    in: 'Sequence.replace',
    find: 'found & -2',
    replace: '(found + 1) & -2',
    caughtBy: 'death of a writer',
  },
  {
    name: 'a writer counts on from an odd sequence',
    in: 'Sequence.replace',
    find: 'found & -2',
    replace: 'found',
    caughtBy: 'death of a writer',
  },
  {
    name: 'a writer that follows a dead one does not mark the mutex',
    in: 'Writers.#settle',
    find: 'this.health.markConsistent();',
    replace: 'this.health.isDoubtful;',
    caughtBy: 'death of a writer',
  },
  {
    name: 'a writer that follows a dead one ignores its notice',
    in: 'Writers.lock',
    find: 'this.#settle();',
    replace: '',
    caughtBy: 'death of a writer',
  },
];
