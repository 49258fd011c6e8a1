// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves nothing.
// Files are named from the core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the last reader does not let the writer in',
    file: 'kernel/rw-lock.ts',
    find: 'return readersOf(office) === count && writersOf(office) > 0 ? admitWriter(lock, agent) : IDLE;',
    replace: 'return IDLE;',
    caughtBy: 'a writer and a reader',
  },
  {
    name: 'every reader that leaves lets the writer in',
    file: 'kernel/rw-lock.ts',
    find: 'return readersOf(office) === count && writersOf(office) > 0 ? admitWriter(lock, agent) : IDLE;',
    replace: 'return writersOf(office) > 0 ? admitWriter(lock, agent) : IDLE;',
    caughtBy: 'a writer and two readers',
  },
  {
    name: 'a writer that leaves prefers the next writer and forgets the readers',
    file: 'kernel/rw-lock.ts',
    find:
      '  if (waiting > 0) return admitReaders(lock, agent, waiting);\n' +
      '  return writers > 1 ? admitWriter(lock, agent) : IDLE;',
    replace:
      '  if (writers > 1) return admitWriter(lock, agent);\n  return waiting > 0 ? admitReaders(lock, agent, waiting) : IDLE;',
    caughtBy: 'two writers and a reader',
  },
  {
    name: 'a writer that leaves forgets the next writer',
    file: 'kernel/rw-lock.ts',
    find: 'return writers > 1 ? admitWriter(lock, agent) : IDLE;',
    replace: 'return IDLE;',
    caughtBy: 'two writers',
  },
  {
    name: 'readers are let in one too few',
    file: 'kernel/rw-lock.ts',
    find: 'return announce(lock, agent, add64(lock + GRANT, wide(count)), count);',
    replace: 'return announce(lock, agent, add64(lock + GRANT, wide(1)), 1);',
    caughtBy: 'a batch of readers',
  },
  {
    name: 'readers that are let in are announced in one bucket',
    file: 'kernel/rw-lock.ts',
    find: 'return announce(lock, agent, add64(lock + GRANT, wide(count)), count);',
    replace: 'return announce(lock, agent, add64(lock + GRANT, wide(count)), 1);',
    caughtBy: 'a batch of readers in two buckets, one leaves',
  },
  {
    name: 'a reader comes in beside a writer',
    file: 'kernel/rw-lock.ts',
    find: '  if (writersOf(office) === 0) {\n    if (cas64',
    replace: '  if (writersOf(office) <= 1) {\n    if (cas64',
    caughtBy: 'a writer and a reader',
  },
  {
    name: 'a downgrade forgets the readers that wait',
    file: 'kernel/rw-lock.ts',
    find: 'return waiting > 0 ? admitReaders(lock, agent, waiting) : IDLE;',
    replace: 'return IDLE;',
    caughtBy: 'a downgrade and a reader',
  },
  {
    name: 'a downgrade lets the next writer in',
    file: 'kernel/rw-lock.ts',
    find: 'return waiting > 0 ? admitReaders(lock, agent, waiting) : IDLE;',
    replace: 'return writersOf(office) > 1 ? admitWriter(lock, agent) : IDLE;',
    caughtBy: 'a downgrade and a writer',
  },
  {
    name: 'a waiting writer that gives up lets no reader in',
    file: 'kernel/rw-lock.ts',
    find: '  if (waiting > 0) admitReaders(lock, agent, waiting);\n',
    replace: '',
    caughtBy: 'a waiting writer leaves with a reader behind it',
  },
  {
    name: 'a waiting writer that gives up lets readers in though another writer waits',
    file: 'kernel/rw-lock.ts',
    find:
      '  if (writers > 1) return cas64(lock + OFFICE, office, minus(office, shifted(1, WRITERS_AT))) === office ' +
      '? OUT : RACED;\n',
    replace: '',
    caughtBy: 'the first of two waiting writers leaves',
  },
  {
    name: 'a writer that gives up does not see that it is its turn',
    file: 'kernel/rw-lock.ts',
    find: '  if (readers === 0 && writers === 1) return TAKEN;\n',
    replace: '',
    caughtBy: 'two writers, one may give up',
  },
  {
    name: 'a reader that gives up does not see that it is let in',
    file: 'kernel/rw-lock.ts',
    find: 'if (waitingOf(office) === 0) return TAKEN;',
    replace: 'if (waitingOf(office) === 0) return OUT;',
    caughtBy: 'a writer, and a reader that may give up',
  },
  {
    name: 'a permit that reaches one that left goes no further',
    file: 'kernel/leave.ts',
    find: '  announce(sem, agent, add64(sem + GRANT, wide(1)), 1);\n',
    replace: '',
    caughtBy: 'the first of two waiting writers leaves',
  },
  {
    name: 'who takes a promised permit does not note it',
    file: 'kernel/leave.ts',
    find: '  occupy(sem, id, entry);\n',
    replace: '',
    caughtBy: 'two waiting writers leave',
  },
  {
    name: 'a writer that leaves wakes the readers’ line alone',
    file: '../../rw-lock/src/writer.ts',
    find: '    writers.wake(left);\n',
    replace: '',
    caughtBy: 'two writers',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'nobody is told that the writer died',
    file: 'kernel/recover.ts',
    find: 'if (get64(entry + ENTRY_SINCE) !== wide(NEVER_KNEW)) orphan(lock);',
    replace: '',
    caughtBy: 'death of a writer before a writer',
  },
  {
    name: 'a dead agent that never knew counts as a writer',
    file: 'kernel/recover.ts',
    find: 'else if ((flags & FLAG_WRITERS) !== 0) put64(entry + ENTRY_SINCE, wide(NEVER_KNEW));',
    replace: 'else if ((flags & FLAG_WRITERS) !== 0) return left;',
    caughtBy: 'death of a writer that may give up',
  },
  {
    name: 'a lock without a writer does not say that there is notice',
    file: 'kernel/rw-lock.ts',
    find: 'return load32(lock + HEALTH) === CONSISTENT ? 0 : 1;',
    replace: 'return 0;',
    caughtBy: 'death of a writer before a reader',
  },
  {
    name: 'a dead reader leaves once, however often it reads',
    file: 'kernel/recover.ts',
    find: 'leaveReaders(sem, agent, held);',
    replace: 'leaveReaders(sem, agent, 1);',
    caughtBy: 'death of one that reads twice',
  },
  {
    name: 'a reader that never knew stays',
    file: 'kernel/recover.ts',
    find: '  leaveReaders(lock, agent, 1);\n',
    replace: '',
    caughtBy: 'death of one of a batch of readers',
  },
  {
    name: 'a reader that is refused stays',
    file: '../../rw-lock/src/reader.ts',
    find: '    this.unlock();\n    throw new OwnerDiedError(',
    replace: '    throw new OwnerDiedError(',
    caughtBy: 'death of a writer before a reader',
  },
  {
    name: 'a dead writer is taken out of the ledger after the others are let in',
    file: 'kernel/rw-lock.ts',
    find:
      '  put64(entry, wide(0));\n' +
      '  if (cas64(lock + OFFICE, office, status(waiting, writers - 1, noticeToLeave(lock))) !== office) {',
    replace: '  if (cas64(lock + OFFICE, office, status(waiting, writers - 1, noticeToLeave(lock))) !== office) {',
    caughtBy: 'death of a reclaimer while others wait',
  },
];
