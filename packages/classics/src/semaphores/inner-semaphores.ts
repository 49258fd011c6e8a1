// The semaphores that can be inside another one: behind a box office, or as lanes.

import { FLAGS } from '@sluice/core/format';
import { show } from '@sluice/core/calls';
import type { LineState } from '@sluice/core/internal';
import { watchTokens } from './address-semaphore.ts';
import { waitInChain } from './chain-semaphore.ts';
import { FLAG_ARRAY, FLAG_CHAINED, FLAG_GLOBAL, FLAG_MONITORED, FLAG_PLACED, FLAG_TOKENS } from './kernel/layout.ts';
import { FamilyLine } from './family-line.ts';
import { coreLine, type TicketWaits, type WaitFor } from './ticket-waits.ts';
import type { AgentLine } from './agent-line.ts';
import { waitAtPlace } from './location-semaphore.ts';
import { waitAtMonitor } from './monitor-semaphore.ts';
import { watchGrant } from './ticket-semaphore.ts';
import { watchUpdates } from './waiting-array-semaphore.ts';

/** The kind of a semaphore: core's, or a member of the family. */
export type SchemeName = 'semaphore' | 'ticket' | 'waiting-array' | 'chain' | 'monitor' | 'location' | 'address';

interface Scheme {
  readonly flag: number;
  readonly waitFor?: WaitFor;
}

const SCHEMES: ReadonlyMap<SchemeName, Scheme> = new Map<SchemeName, Scheme>([
  ['semaphore', { flag: 0 }],
  ['ticket', { flag: FLAG_GLOBAL, waitFor: watchGrant }],
  ['waiting-array', { flag: FLAG_ARRAY, waitFor: watchUpdates }],
  ['chain', { flag: FLAG_CHAINED, waitFor: waitInChain }],
  ['monitor', { flag: FLAG_MONITORED, waitFor: waitAtMonitor }],
  ['location', { flag: FLAG_PLACED, waitFor: waitAtPlace }],
  ['address', { flag: FLAG_TOKENS, waitFor: watchTokens }],
]);

/** Whether a post to this kind wakes only one waiter. */
export function wakesOne(name: SchemeName): boolean {
  return name !== 'ticket' && name !== 'waiting-array';
}

/** Returns the FLAG_* of a kind, 0 for the core's semaphore. Throws `TypeError`, `RangeError`. */
export function flagOf(option: string, name: unknown): number {
  if (typeof name !== 'string') throw new TypeError(`${option} must be a string: received ${show(name)}`);
  const scheme = SCHEMES.get(name as SchemeName);
  if (scheme === undefined)
    throw new RangeError(`${option} must be one of ${[...SCHEMES.keys()].join(', ')}: received ${show(name)}`);
  return scheme.flag;
}

/** Returns the kind of the semaphore at a line. */
export function schemeAt({ context, line }: Omit<AgentLine, 'policy'>): SchemeName {
  const flags = context.words.get32(line + FLAGS);
  const found = [...SCHEMES].find(([, { flag }]) => (flags & flag) !== 0);
  return found?.[0] ?? 'semaphore';
}

/** Returns the line through which this agent waits there. */
export function lineAt(agentLine: AgentLine, lineState: LineState): TicketWaits {
  const waitFor = SCHEMES.get(schemeAt(agentLine))?.waitFor;
  return waitFor === undefined ? coreLine(agentLine, lineState) : new FamilyLine(agentLine, lineState, waitFor);
}
