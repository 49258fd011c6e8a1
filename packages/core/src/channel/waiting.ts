// What a wait on a condition is for: noted in its element, for reports.

import { records } from '../arena/pool.ts';
import type { AgentContext } from '../arena/agent-context.ts';
import { GATE, HEADER_ELEMENT_POOL, MODE, MODE_ASYNC, SINCE, TO } from '../kernel/layout.ts';
import { SLEEPING, FREE, LISTED, ON_WORD, WATCHING } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { Waiter } from '../semaphore/report.ts';

/** What a wait is for. */
export interface Claim {
  /** Of the semaphore. */
  readonly tag: number;
  /** 0: there is a ticket that says how many. */
  readonly permits: number;
}

/** In `TO`, in place of a number of permits. */
const FOR_NO_PERMITS = -1;

/** An agent that sleeps until a condition holds. */
export interface ConditionRecord extends Waiter {
  /** Of the semaphore whose permits it waits for; 0: it waits for none. */
  readonly tag: number;
}

/** Notes what a wait is for: `TO` says nothing else on a condition. */
export function noteClaim({ words, parking }: AgentContext, element: number, claim: Claim | undefined): void {
  words.put32(element + TO, claim?.permits ?? FOR_NO_PERMITS);
  words.put32(element + TO + 4, claim?.tag ?? 0);
  if (claim?.permits !== 0) words.put64(element + SINCE, BigInt(parking.date()));
}

/** Shows an async wait to other agents, in an element that is woken for nothing. `keep` it after `unlist`. Throws `ArenaFullError`. */
export function list(context: AgentContext, claim: Claim): number {
  const element = context.takeElement();
  context.words.put32(element + MODE, MODE_ASYNC);
  noteClaim(context, element, claim);
  // Last: what reports read is there.
  context.words.store32(element + GATE, LISTED);
  return element;
}

export function unlist(context: AgentContext, element: number): void {
  context.words.store32(element + GATE, FREE);
  context.keep(element);
}

/** All that wait for permits of the semaphore with that tag and have no tickets. */
export function waitersWithoutTicket(words: Words, tag: number): Waiter[] {
  return [...conditions(words, isAwaited)]
    .filter((record) => record.tag === tag && record.permits > 0)
    .map(({ agent, permits, kind, since }) => ({ agent, permits, kind, since }))
    .sort((a, b) => a.since - b.since);
}

/** All that sleep on a condition; but a blocking one may stand in line for permits besides. */
export function sleepersOnConditions(words: Words): ConditionRecord[] {
  return [...conditions(words, isAsleep)]
    .filter(({ permits }) => permits !== 0)
    .map((record) => ({ ...record, permits: Math.max(0, record.permits) }));
}

function isAwaited(gate: number): boolean {
  return gate === WATCHING || isAsleep(gate);
}

/** Not WATCHING: at a location an agent may have left its element behind. */
function isAsleep(gate: number): boolean {
  return gate === SLEEPING || gate === ON_WORD || gate === LISTED;
}

function* conditions(words: Words, has: (gate: number) => boolean): Generator<ConditionRecord> {
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (owner === 0 || !has(words.load32(record + GATE))) continue;
    yield {
      agent: owner,
      permits: words.get32(record + TO),
      tag: words.get32(record + TO + 4),
      kind: words.get32(record + MODE) === MODE_ASYNC ? 'async' : 'blocking',
      since: Number(words.get64(record + SINCE)),
    };
  }
}
