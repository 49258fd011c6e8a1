// All waits of an arena, with what distinguishes each from the agent's other waits.

import { BLOCK_TAG } from '@sluice/core/format';
import { allWaiting, blockOf, blocks, sleepersOnConditions, type Reader } from '@sluice/core/report';

/** A wait of an agent. */
export interface SeenWait {
  /** The same at each look for as long as the agent waits. A later wait of the agent has another one. */
  readonly key: string;
  readonly agent: number;
  readonly how: 'blocking' | 'async';
  /** The block of the primitive, or 0 for a condition. */
  readonly block: number;
  /** ms since 1970. */
  readonly since: number;
}

/** Returns all waits, blocking and async, in lines and on conditions. */
export function waitsIn(reader: Reader): SeenWait[] {
  const { words } = reader;
  const waits = [...allWaiting(reader)].map(({ agent, address, tag, ticket, kind, since }): SeenWait => {
    const key = `${agent} ${address} ${tag} ${ticket} ${since}`;
    return { key, agent, how: kind, block: blockOf(words, address), since };
  });
  // At some semaphores, a blocking waiter sleeps on a condition with an element other than the one that is in line.
  const blocked = new Set(waits.filter(({ how }) => how === 'blocking').map(({ agent }) => agent));
  let byTag: ReadonlyMap<number, number> | undefined;
  for (const { agent, kind, tag, permits, since } of sleepersOnConditions(words)) {
    if (kind === 'blocking' && blocked.has(agent)) continue;
    byTag ??= new Map([...blocks(words)].map((block) => [words.load32(block + BLOCK_TAG), block]));
    const block = permits === 0 ? 0 : (byTag.get(tag) ?? 0);
    waits.push({ key: `${agent} condition ${tag} ${permits} ${since}`, agent, how: kind, block, since });
  }
  return waits;
}
