// A wait that is too old, as data and as text.

import { plural, duration } from '@sluice/core/calls';
import type { SeenWait } from './waits.ts';
import type { SnapshotIndex } from '../report/snapshot-index.ts';
import { waitText } from '../report/wait-text.ts';
import { forText } from '../report/wording.ts';

/** A wait that is older than a limit. */
export interface StuckWait {
  readonly agent: number;
  /** How messages name the agent, such as "agent 3 (thread 5, resizer)". */
  readonly title: string;
  readonly how: 'blocking' | 'async';
  /** The primitive. A condition, such as that of an address wait, has the address 0. */
  readonly waitsFor: { readonly kind: string; readonly name: string; readonly address: number };
  /** ms since 1970, when the wait began. */
  readonly since: number;
  /** ms since then. */
  readonly age: number;
}

export function describeWait({ agent, how, block, since }: SeenWait, index: SnapshotIndex, now: number): StuckWait {
  const { kind, name, address } = index.block(block);
  return { agent, title: index.agent(agent), how, waitsFor: { kind, name, address }, since, age: now - since };
}

/** The most waits that the text lists. The report below it has all of them. */
const MAX_LISTED = 6;

const MAIN_THREAD =
  '  The main thread blocks: until its wait ends, its timers, sockets and signals stand still. Await there instead, as with acquireAsync or lockAsync.';

/** Returns the lines that come before the report: the waits that have become too old. */
export function stuckLines(stuck: readonly SeenWait[], index: SnapshotIndex, after: number, now: number): string[] {
  const oldest = [...stuck].sort((a, b) => a.since - b.since).slice(0, MAX_LISTED);
  const more = stuck.length - oldest.length;
  const blocksMain = stuck.some(({ agent, how }) => how === 'blocking' && index.agents.get(agent)?.thread === 0);
  return [
    `${plural(stuck.length, 'wait')} ${stuck.length === 1 ? 'is' : 'are'} older than ${duration(after)}.`,
    ...oldest.map((wait) => `  ${index.agent(wait.agent)} ${waitText(index, wait)}${forText(now - wait.since)}`),
    ...(more > 0 ? [`  and ${plural(more, 'other')}`] : []),
    ...(blocksMain ? [MAIN_THREAD] : []),
  ];
}
