// The agents and the blocks of a snapshot, by their ids and addresses, and how reports name them.

import type { AgentReport, ArenaReport } from '@sluice/core';
import { plural, printable } from '@sluice/core/calls';
import { tagAt } from '@sluice/core/internal';
import { arenaId, readWaits, reportArena, type Onlooker, type ReadWaits } from '@sluice/core/report';
import { CALLED, placeTable } from '../tables/place-table.ts';
import type { Named } from './wording.ts';

export class SnapshotIndex {
  readonly #words: Onlooker['words'];
  readonly #places = placeTable();
  /** The waits and holdings of the snapshot. */
  readonly read: ReadWaits;
  readonly report: ArenaReport;
  readonly agents: ReadonlyMap<number, AgentReport>;
  /** The agents whose threads have ended. */
  readonly dead: ReadonlySet<number>;
  readonly #blocks: ReadonlyMap<number, Named>;

  constructor(onlooker: Onlooker) {
    // The kernel of the reading thread is in no text.
    this.#words = onlooker.words;
    this.read = readWaits(onlooker);
    this.report = reportArena(onlooker, arenaId(onlooker.words), 'wasm', this.read);
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

  /** " (created at worker.mjs:12)", or '' if the place is not known. */
  created(block: number): string {
    const place = this.#places?.createdAt(this.report.id, block, this.#tag(block)) ?? '';
    return place === '' ? '' : ` (created at ${printable(innermost(place))})`;
  }

  /** ", acquired at resize (worker.mjs:12)", or '' if the place is not known. `isWhole`: with the caller. */
  acquired(agent: number, block: number, isWhole = false): string {
    const place = this.#places?.usedAt(this.report.id, agent, 'holds', block, this.#tag(block)) ?? '';
    return place === '' ? '' : `, acquired at ${printable(isWhole ? place : innermost(place))}`;
  }

  /** " at worker.mjs:12", or '' if the place is not known. `isWhole`: with the caller. */
  waited(agent: number, block: number, isWhole = false): string {
    const place = this.#places?.usedAt(this.report.id, agent, 'waits', block, this.#tag(block)) ?? '';
    return place === '' ? '' : ` at ${printable(isWhole ? place : innermost(place))}`;
  }

  #tag(block: number): number {
    return block === 0 ? 0 : tagAt(this.#words, block);
  }

  /** The primitive of a block. Address 0 stands for a condition, which is at no primitive. */
  block(address: number): Named {
    if (address === 0) return { kind: 'condition', name: '', address };
    return this.#blocks.get(address) ?? { kind: 'primitive', name: '', address };
  }
}

/** The place without its caller. */
function innermost(place: string): string {
  const at = place.indexOf(CALLED);
  return at < 0 ? place : place.slice(0, at);
}
