// How reports name primitives and agents, and what they say about a wait.

import type { AgentReport, ArenaReport } from '@sluice/core';
import { plural, duration, printable } from '@sluice/core/calls';
import type { WaitEnd } from '@sluice/core/internal';
import { arenaId, reportArena, type Onlooker } from '@sluice/core/report';
import type { ReadWait } from './read-graph.ts';

/** A primitive as a report names it. */
export interface Named {
  readonly kind: string;
  readonly name: string;
  readonly address: number;
}

/** "lock 'accounts'", "semaphore at address 4096". A wait on a condition is at no primitive. */
export function nameOf({ kind, name, address }: Named): string {
  if (address === 0) return `a ${kind}`;
  return name === '' ? `${kind} at address ${address}` : `${kind} '${printable(name)}'`;
}

/** The agents and the blocks of a snapshot, by their ids and addresses. */
export class Index {
  readonly report: ArenaReport;
  readonly agents: ReadonlyMap<number, AgentReport>;
  /** The agents whose threads have ended. */
  readonly dead: ReadonlySet<number>;
  readonly #blocks: ReadonlyMap<number, Named>;

  constructor(onlooker: Onlooker) {
    // The kernel of the reading thread is in no text.
    this.report = reportArena(onlooker, arenaId(onlooker.words), 'wasm');
    this.agents = new Map(this.report.agents.map((agent) => [agent.agent, agent]));
    this.dead = new Set(this.report.agents.filter(({ life }) => life === 'dead').map(({ agent }) => agent));
    this.#blocks = new Map(this.report.blocks.map((block) => [block.address, block]));
  }

  /** The title of an agent. An agent may have joined after the snapshot. */
  agent(id: number): string {
    return this.agents.get(id)?.title ?? `agent ${id}`;
  }

  /** "agent 3 (thread 5, resizer), agent 4 (thread 6, resizer) and 9 others". */
  agentList(ids: readonly number[], most = 2): string {
    const named = ids.slice(0, ids.length === most + 1 ? most + 1 : most).map((id) => this.agent(id));
    const more = ids.length - named.length;
    const last = more > 0 ? plural(more, 'other') : named.pop();
    return named.length === 0 ? (last ?? 'no agent') : `${named.join(', ')} and ${last}`;
  }

  /** The primitive of a block. Address 0 stands for a condition, which is at no primitive. */
  block(address: number): Named {
    if (address === 0) return { kind: 'condition', name: '', address };
    return this.#blocks.get(address) ?? { kind: 'primitive', name: '', address };
  }
}

/** "waits for lock 'b'", "awaits room in buffer 'jobs'". */
export function waitText(
  index: Index,
  { how, end, block }: Pick<ReadWait, 'how' | 'block'> & { readonly end?: WaitEnd | undefined },
): string {
  const what = nameOf(index.block(block));
  return `${how === 'async' ? 'awaits' : 'waits for'} ${(end?.what ?? '') === '' ? what : `${end?.what} in ${what}`}`;
}

/** " for 2.1 s". */
export function forText(ms: number): string {
  return ` for ${duration(ms)}`;
}
