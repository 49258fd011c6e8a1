// The ledger entries of other agents, by primitive.
//
// Each agent counts in its record (AGENT_ENTRIES) the entries that it has opened. While the counts of all other agents
// stay the same, an index of their entries is complete. So an agent that frees thousands of primitives reads the
// ledgers once, not once for each primitive.

import { AGENT_ENTRIES, ENTRY_LINE, ENTRY_TAG, HEADER_AGENT_POOL } from '../kernel/layout.ts';
import type { AgentAddress, EntryAddress, LineAddress } from '../kernel/addresses.ts';
import type { Words } from '../kernel/words.ts';
import { entriesBut, records } from '../memory/records.ts';

/** An agent that may have entries, and the number of entries that it had opened when the index was built. */
interface Opened {
  readonly owner: number;
  readonly count: number;
}

const NONE: readonly EntryAddress[] = [];

export class OtherEntries {
  readonly #words: Words;
  readonly #id: number;
  #opened = new Map<AgentAddress, Opened>();
  readonly #byTag = new Map<number, EntryAddress[]>();

  /** `id` is the agent whose own entries are left out. */
  constructor(words: Words, id: number) {
    this.#words = words;
    this.#id = id;
  }

  /** Returns the entries that other agents have for a primitive. */
  of(line: LineAddress, tag: number): readonly EntryAddress[] {
    const words = this.#words;
    if (!this.#isComplete()) this.#build();
    // An entry that was closed since then may belong to another primitive by now.
    return (this.#byTag.get(tag) ?? NONE).filter(
      (entry) => words.get32(entry + ENTRY_TAG) === tag && words.get32(entry + ENTRY_LINE) === line,
    );
  }

  #isComplete(): boolean {
    const words = this.#words;
    for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
      if (owner === 0 || owner === this.#id) continue;
      const known = this.#opened.get(record);
      const count = words.load32(record + AGENT_ENTRIES);
      if (known?.owner !== owner ? count !== 0 : known.count !== count) return false;
    }
    return true;
  }

  #build(): void {
    const words = this.#words;
    // Read the counts first: an entry that is opened meanwhile makes the index incomplete.
    this.#opened = new Map();
    for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
      if (owner !== 0 && owner !== this.#id)
        this.#opened.set(record, { owner, count: words.load32(record + AGENT_ENTRIES) });
    }
    this.#byTag.clear();
    for (const entry of entriesBut(words, this.#id)) {
      const tag = words.get32(entry + ENTRY_TAG);
      if (tag === 0) continue;
      const known = this.#byTag.get(tag);
      if (known === undefined) this.#byTag.set(tag, [entry]);
      else known.push(entry);
    }
  }
}
