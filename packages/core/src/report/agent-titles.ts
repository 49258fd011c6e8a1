// The titles of the agents in one report.

import { identityOf } from '../agent/identity.ts';
import type { AgentAddress } from '../kernel/addresses.ts';
import { AGENT_LEFT, AGENT_STATE, HEADER_AGENT_POOL, OWNER } from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';
import { records } from '../memory/records.ts';
import { agentTitle } from './agent-names.ts';

/** Names agents as messages do. Reads the records of all agents once, when it names the first one. */
export class AgentTitles {
  readonly #words: Words;
  readonly #titles = new Map<number, string>();
  #records: ReadonlyMap<number, AgentAddress> | undefined;

  constructor(words: Words) {
    this.#words = words;
  }

  /** Returns a title such as "agent 3 (thread 5, resizer)", and "agent 3" for an agent that has left. */
  of(agent: number): string {
    const known = this.#titles.get(agent);
    if (known !== undefined) return known;
    const title = this.#look(agent);
    this.#titles.set(agent, title);
    return title;
  }

  #look(agent: number): string {
    const words = this.#words;
    this.#records ??= recordsIn(words);
    const record = this.#records.get(agent);
    if (record === undefined) return agentTitle(agent, { name: '' });
    const identity = identityOf(words, record);
    // The agent may have left meanwhile, and the record may have the name of the next one.
    return agentTitle(agent, words.load32(record + OWNER) === agent ? identity : { name: '' });
  }
}

function recordsIn(words: Words): Map<number, AgentAddress> {
  const all = new Map<number, AgentAddress>();
  for (const { record, owner } of records(words, HEADER_AGENT_POOL))
    if (owner !== 0 && words.load32(record + AGENT_STATE) !== AGENT_LEFT) all.set(owner, record);
  return all;
}

/** Returns the title of one agent. */
export function titleOfAgent(words: Words, agent: number): string {
  return new AgentTitles(words).of(agent);
}
