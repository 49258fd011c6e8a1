// A table of orders in the explorer's memory, with few entries. Each agent is a thread with a view of its own. A thread
// may die before each of its writes, and between two words of a text.

import { DIED, type Context, type Options, type Scenario, type Words } from '@sluice/model';
import type { Case } from '../../../core/test/model/case.ts';
import type { WordMemory } from '../../src/tables/shared-table-memory.ts';
import type * as Entry from './entry.ts';

export type TableCore = typeof Entry;

export interface TableActor {
  readonly ctx: Context;
  readonly core: TableCore;
  readonly table: Entry.SharedTable;
}
export type TableBody = (actor: TableActor) => unknown;

export interface Plan {
  readonly name: string;
  readonly shape?: Partial<Entry.TableShape>;
  readonly bodies: readonly TableBody[];
  readonly options: Options;
  readonly mayCrash?: readonly number[];
  /** Checks the table at the end. `table`: that of a thread that has read nothing yet. */
  readonly final?: (table: Entry.SharedTable, outcomes: readonly unknown[], words: Words) => string | undefined;
}

const SHAPE: Entry.TableShape = { firsts: 2, locks: 2, probes: 2, entries: 3, entryWords: 10, nested: 1 };
/** Words that the bodies use: flags, and counts. */
export const FLAG = 0;
export const REPORTS = 4;
const TABLE = 2;
/** Behind the table: an entry with a number that is too large lies here, not outside the memory. */
const SPARE = 2;

function memoryOf(words: Words, step: (name: string) => void = () => undefined): WordMemory {
  const addressOf = (word: number): number => word * 4;
  return {
    load: (word) => words.load32(addressOf(word)),
    store: (word, value) => {
      step('store');
      words.store32(addressOf(word), value);
    },
    add: (word, count) => {
      step('add');
      return words.add32(addressOf(word), count);
    },
    replace: (word, expected, value) => {
      step('replace');
      return words.cas32(addressOf(word), expected, value);
    },
    read: (word, length) => {
      const halves = new Int32Array((length + 3) >> 2);
      for (let at = 0; at < halves.length; at++) halves[at] = words.load32(addressOf(word + at));
      return new Uint8Array(halves.buffer).slice(0, length);
    },
    write: (word, bytes) => {
      const halves = new Int32Array((bytes.length + 3) >> 2);
      new Uint8Array(halves.buffer).set(bytes);
      halves.forEach((half, at) => {
        step('write');
        words.store32(addressOf(word + at), half);
      });
    },
  };
}

/** Reads the new entries. A text that is not whole is no JSON. */
export function readAll({ ctx, table }: Pick<TableActor, 'ctx' | 'table'>): unknown[] {
  const found: unknown[] = [];
  try {
    table.read((entry) => found.push(entry));
  } catch (failure) {
    ctx.assert(!(failure instanceof SyntaxError), 'a thread read an entry that was not whole');
    throw failure;
  }
  return found;
}

export function tableCase(core: TableCore, { name, shape, bodies, options, mayCrash = [], final }: Plan): Case {
  const sizes = { ...SHAPE, ...shape };
  const bytes = (TABLE + core.tableWords(sizes) + SPARE * sizes.entryWords) * 4;
  const scenario: Scenario = {
    name,
    bytes,
    agents: bodies.map((body, index) => ({
      name: `thread ${index}`,
      body: (ctx) => {
        const memory = memoryOf(ctx.words, (step) => ctx.step(step));
        return body({ ctx, core, table: new core.SharedTable(memory, sizes, TABLE) });
      },
    })),
    final: (words, outcomes) => final?.(new core.SharedTable(memoryOf(words), sizes, TABLE), outcomes, words),
    mayCrash,
    deaths: mayCrash.length,
  };
  return { scenario, options };
}

/** Returns the entries that a thread finds which has read nothing yet. */
export function entriesIn(table: Entry.SharedTable): unknown[] {
  const found: unknown[] = [];
  table.read((entry) => found.push(entry));
  return found;
}

export function livingOf(outcomes: readonly unknown[]): readonly unknown[] {
  return outcomes.filter((outcome) => outcome !== DIED);
}
