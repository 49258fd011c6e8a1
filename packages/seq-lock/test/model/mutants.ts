// Mutants of the source. Each must be caught by the case that it names.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const LATE = 'three writes and two attempts';
const ROUND = 'the sequence goes round during an attempt';
const FREED = 'freed during an attempt';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a reader checks the sequence before it copies',
    in: 'Sequence.tryLoad',
    find: 'loadRun(words, this.#copyOf(version), into);',
    replace: 'const passed = (words.load32(this.#sequence) - version) >>> 0; loadRun(words, this.#copyOf(version), into);',
    also: { in: 'Sequence.tryLoad', find: 'const passed = (words.load32(this.#sequence) - version) >>> 0;', replace: '' },
    caughtBy: LATE,
  },
  { name: 'a reader does not check the sequence', in: 'Sequence.tryLoad', find: 'passed < REUSED', replace: 'passed >= 0', caughtBy: LATE },
  { name: 'a reader accepts a copy that is being written again', in: 'Sequence.tryLoad', find: 'passed < REUSED', replace: 'passed <= REUSED', caughtBy: LATE },
  { name: 'a reader gives up at the first sign of a write', in: 'Sequence.tryLoad', find: 'passed < REUSED', replace: 'passed === 0', caughtBy: 'a write does not make a read fail' },
  { name: 'a reader copies what is being written', in: 'Sequence.tryLoad', find: 'this.#copyOf(version)', replace: 'this.#copyOf(version + 2)', caughtBy: 'a write and a read' },
  { name: 'a writer writes to the copy that readers use', in: 'Sequence.replace', find: 'this.#copyOf(next)', replace: 'this.#copyOf(version)', caughtBy: 'a write and a read' },
  { name: 'the sequence is raised before the data', in: 'Sequence.replace', find: 'storeRun(words, this.#copyOf(next), from);', replace: 'words.store32(this.#sequence, next); storeRun(words, this.#copyOf(next), from);', caughtBy: 'a write and a read' },
  { name: 'a writer does not say that it begins', in: 'Sequence.replace', find: 'if (found === version) words.store32(this.#sequence, version + 1);', replace: '', caughtBy: LATE },
  {
    name: 'a writer says that it begins after it has begun',
    in: 'Sequence.replace',
    find: 'if (found === version) words.store32(this.#sequence, version + 1);\n    storeRun(words, this.#copyOf(next), from);',
    replace: 'storeRun(words, this.#copyOf(next), from); if (found === version) words.store32(this.#sequence, version + 1);',
    caughtBy: LATE,
  },
  { name: 'an update begins from the copy that is not whole', in: 'Sequence.load', find: 'this.#copyOf(this.#words.load32(this.#sequence))', replace: 'this.#copyOf(this.#words.load32(this.#sequence) + 2)', caughtBy: 'two writers' },
  { name: 'the era never increases', in: 'Sequence.replace', find: 'if (next << 1 === 0) words.add32(this.#era, 1);', replace: '', caughtBy: ROUND },
  { name: 'the era increases once in a round', in: 'Sequence.replace', find: 'next << 1 === 0', replace: 'next === 0', caughtBy: ROUND },
  { name: 'a reader does not compare the era', in: 'Sequence.tryLoad', find: 'words.load32(this.#era) === era', replace: 'era === era', caughtBy: ROUND },
  { name: 'a reader does not look at the tag', in: 'Sequence.tryLoad', find: 'words.load32(this.#tagAt) === this.#block.tag', replace: 'era === era', caughtBy: FREED },
  {
    name: 'a reader looks at the tag first',
    in: 'Sequence.tryLoad',
    find: 'const era = words.load32(this.#era);',
    replace: 'if (words.load32(this.#tagAt) !== this.#block.tag) return false; const era = words.load32(this.#era);',
    also: { in: 'Sequence.tryLoad', find: 'words.load32(this.#tagAt) === this.#block.tag', replace: 'era === era' },
    caughtBy: FREED,
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  { name: 'what a dead writer had begun counts as written', in: 'Sequence.replace', find: 'found & -2', replace: '(found + 1) & -2', caughtBy: 'death of a writer' },
  { name: 'a writer counts on from an odd sequence', in: 'Sequence.replace', find: 'found & -2', replace: 'found', caughtBy: 'death of a writer' },
  { name: 'a writer that follows a dead one does not mark the mutex', in: 'Writers.#settle', find: 'this.health.markConsistent();', replace: 'this.health.isDoubtful;', caughtBy: 'death of a writer' },
  { name: 'a writer that follows a dead one ignores its notice', in: 'Writers.lock', find: 'this.#settle();', replace: '', caughtBy: 'death of a writer' },
];
