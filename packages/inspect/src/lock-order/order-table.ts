// The table of orders in a `SharedArrayBuffer`, which a program hands from thread to thread.

import { SharedTable, tableWords } from '../tables/shared-table.ts';
import { SharedTableMemory } from '../tables/shared-table-memory.ts';

const MAGIC = 0x5e1d_0de5;
const VERSION = 2;

const SHAPE = { firsts: 1024, locks: 16_384, probes: 64, entries: 2048, entryWords: 256, nested: 512 };

/** The words of MAGIC and VERSION, before the table. */
const HEADER = 2;
const BYTES = (HEADER + tableWords(SHAPE)) * 4;

export class OrderTable extends SharedTable {
  readonly memory: SharedArrayBuffer;

  constructor(memory = new SharedArrayBuffer(BYTES)) {
    super(new SharedTableMemory(memory), SHAPE, HEADER);
    this.memory = memory;
    const words = new Int32Array(memory, 0, HEADER);
    if (words[0] !== 0) return;
    words[0] = MAGIC;
    words[1] = VERSION;
  }

  /** Whether the memory is a table of this version. */
  static is(memory: SharedArrayBuffer): boolean {
    if (memory.byteLength !== BYTES) return false;
    const [magic, version] = new Int32Array(memory, 0, HEADER);
    return magic === MAGIC && version === VERSION;
  }
}
