// Mutants of the transactions: each changes one line. The comparison with steps in memory, two processes that
// meet, or a clock that is put back must show it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const HISTORIES = 'random histories';
export const TWO_PROCESSES = 'two processes that meet at a mutex';
export const CLOCK_BACK = 'tokens after the clock was put back';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'steps do not lock the row of their namespace',
    in: 'load',
    file: 'store/load.ts',
    find: '`SELECT format, clock FROM ${context.tables.namespaces} WHERE namespace = ${context.namespace} FOR UPDATE`',
    replace: '`SELECT format, clock FROM ${context.tables.namespaces} WHERE namespace = ${context.namespace}`',
    caughtBy: TWO_PROCESSES,
  },
  {
    name: 'the rows are read as they were before the lock',
    in: 'load',
    file: 'store/load.ts',
    find: '`SELECT format, clock FROM ${context.tables.namespaces} WHERE namespace = ${context.namespace} FOR UPDATE`',
    replace:
      '`SELECT format, clock FROM ${context.tables.namespaces}, (SELECT count(*) FROM ${context.tables.primitives}) AS early WHERE namespace = ${context.namespace}`',
    caughtBy: TWO_PROCESSES,
  },
  {
    name: 'the end of a session loads nothing that it uses',
    in: 'add',
    file: 'store/needed-rows.ts',
    find: "operation === 'detach' || operation === 'mine'",
    replace: "operation === 'mine'",
    caughtBy: HISTORIES,
  },
  {
    name: 'the end of a lease loads nothing that its session uses',
    in: 'loadEnded',
    find: 'if (ended.size === 0) return ended;',
    replace: 'if (ended.size >= 0) return ended;',
    caughtBy: HISTORIES,
  },
  {
    name: 'a session that takes the place of an earlier one does not load what that one uses',
    in: 'add',
    file: 'store/needed-rows.ts',
    find: "operation === 'attach' && args[3] !== undefined",
    replace: "operation === 'attach' && args[3] === ''",
    caughtBy: HISTORIES,
  },
  {
    name: 'a heartbeat loads the first of its primitives only',
    in: 'add',
    file: 'store/needed-rows.ts',
    find: 'at += ENTRY',
    replace: 'at += 1000 * ENTRY',
    caughtBy: HISTORIES,
  },
  {
    name: 'the first use of a primitive is not written',
    in: 'primitiveChanges',
    find: 'begun.length > 0',
    replace: 'begun.length > 1',
    caughtBy: HISTORIES,
  },
  {
    name: 'a lease that was renewed is not written',
    in: 'sessionChanges',
    find: 'text === was',
    replace: 'was !== undefined',
    caughtBy: HISTORIES,
  },
  {
    name: 'a session that has ended stays',
    in: 'sessionChanges',
    find: 'ended.length > 0',
    replace: 'ended.length > 9',
    caughtBy: HISTORIES,
  },
  {
    name: 'a key that no session uses stays',
    in: 'primitiveChanges',
    find: 'gone.push(id)',
    replace: 'void id',
    caughtBy: HISTORIES,
  },
  {
    name: 'the greatest token is not stored',
    in: 'clockText',
    find: '[real, log, cap, first, token, bit(polled)]',
    replace: '[real, log, cap, first, 0, bit(polled)]',
    caughtBy: CLOCK_BACK,
  },
  {
    name: 'a rate forgets when its bucket is full',
    in: 'lineText',
    find: '[cap, free, every, starts, from, used, expires]',
    replace: '[cap, free, every, starts, 0, used, expires]',
    caughtBy: HISTORIES,
  },
  {
    name: 'a once that is done without a value is not done',
    in: 'lineIn',
    find: 'done ?? undefined',
    replace: '(done || undefined)',
    caughtBy: HISTORIES,
  },
  {
    name: 'a wait that has ended loses its record',
    in: 'roundText',
    find: '[...p.ended]',
    replace: '[...p.ended].slice(1)',
    caughtBy: HISTORIES,
  },
];
