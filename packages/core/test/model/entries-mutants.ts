// Mutants of the index of other agents' ledger entries: each changes one line.

import type { Mutant } from './mutants.ts';

const OPENS = 'an agent opens a primitive while another agent searches for its holders';
const COUNTS =
  'for (const { record, owner } of records(words, HEADER_AGENT_POOL)) { if (owner !== 0 && owner !== this.#id) this.#opened.set(record, { owner, count: words.load32(record + AGENT_ENTRIES) }); }';
const ENTRIES =
  'for (const entry of entriesBut(words, this.#id)) { const tag = words.get32(entry + ENTRY_TAG); if (tag === 0) continue; const known = this.#byTag.get(tag); if (known === undefined) this.#byTag.set(tag, [entry]); else known.push(entry); }';

export const ENTRIES_MUTANTS: readonly Mutant[] = [
  {
    name: 'an agent counts an entry before the entry has its tag',
    in: 'LineStates.#openEntry',
    find: 'words.put32(entry + ENTRY_TAG, tag); const count = this.#context.agent + AGENT_ENTRIES; words.store32(count, (words.get32(count) + 1) | 0);',
    replace:
      'const count = this.#context.agent + AGENT_ENTRIES; words.store32(count, (words.get32(count) + 1) | 0); words.put32(entry + ENTRY_TAG, tag);',
    caughtBy: OPENS,
  },
  {
    name: 'an agent does not count its entries',
    in: 'LineStates.#openEntry',
    find: 'words.store32(count, (words.get32(count) + 1) | 0);',
    replace: 'words.get32(count);',
    caughtBy: 'an agent opens a primitive after a search',
  },
  {
    name: 'the index records the counts after it was built instead of before',
    in: 'OtherEntries.#build',
    find: `${COUNTS} this.#byTag.clear(); ${ENTRIES}`,
    replace: `this.#byTag.clear(); ${ENTRIES} ${COUNTS}`,
    caughtBy: 'an agent opens two primitives while another agent searches for the holders of both',
  },
  {
    name: 'an index counts as complete forever',
    in: 'OtherEntries.#isComplete',
    find: 'known?.owner !== owner ? count !== 0 : known.count !== count',
    replace: 'known === undefined && count !== 0',
    caughtBy: 'an agent opens another primitive between two searches',
  },
  {
    name: 'an index counts as complete although an agent joined later',
    in: 'OtherEntries.#isComplete',
    find: 'known?.owner !== owner ? count !== 0 : known.count !== count',
    replace: 'known !== undefined && known.count !== count',
    caughtBy: 'an agent joins and opens a primitive after a search',
  },
  {
    name: 'an index keeps old entries when it is built again',
    in: 'OtherEntries.#build',
    find: 'this.#byTag.clear();',
    replace: '',
    caughtBy: 'an agent opens another primitive between two searches',
  },
  {
    name: 'the index keeps only one entry for each primitive',
    in: 'OtherEntries.#build',
    find: 'known.push(entry)',
    replace: 'known[0] = entry',
    caughtBy: 'two agents open a primitive while another agent searches for its holders',
  },
  {
    name: 'the index contains the entries of its own agent',
    in: 'OtherEntries.#build',
    find: 'entriesBut(words, this.#id)',
    replace: 'entriesBut(words, 0)',
    caughtBy: 'an agent that holds a permit itself searches for holders',
  },
  {
    name: 'a search ignores the entry of its own agent',
    in: 'AgentContext.entriesOf',
    find: 'own === 0 ? others : [own, ...others]',
    replace: 'own === 0 ? others : [...others]',
    caughtBy: 'an agent that holds a permit itself searches for holders',
  },
];
