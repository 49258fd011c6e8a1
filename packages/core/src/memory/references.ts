// References of agents to primitives. The memory of a freed primitive is reused only when no agent refers to it.
//
// The platform may stop a thread in the middle of a step. Then the step begins before a primitive is freed, and ends
// long afterwards. So the tag that the step checked does not protect its writes. A reference does: while it exists, the
// block stays in the list of retired blocks.
//
//   stub      AGENT_STUB with a ticket                                  ends with `adopt`, `withdraw`, `poll`
//   element   LINE of an element that has an owner and is not FREE       ends with FREE, or in the pool
//   word      AGENT_POST_LINE, AGENT_DUTY, the kind's AGENT_POST_LINE   ends when the walk has come to it
//   hazard    AGENT_HAZARD, for the length of one step                  (kernel/hazard.ts)
//
// INVARIANT. A new reference to a primitive that was taken out of use comes from an older one only: stub to element,
// element to word. Create the new reference before dropping the old one. If that is impossible, keep the hazard word
// set in between. The scan visits stubs, elements and words in this order, and the hazard words after each. So it
// cannot miss a reference that moves.

import {
  AGENT_DUTY,
  AGENT_HAZARD,
  AGENT_POST_LINE,
  AGENT_STUB,
  GATE,
  HEADER_AGENT_POOL,
  HEADER_ELEMENT_POOL,
  KIND_AREA,
  OWNER,
  LINE,
} from '../kernel/layout.ts';
import { FREE, QUEUED } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import { records } from './records.ts';
import type { ElementAddress } from '../kernel/addresses.ts';
import { asElement } from '../kernel/addresses.ts';

const NAMING = [AGENT_POST_LINE, AGENT_DUTY, KIND_AREA + AGENT_POST_LINE] as const;

/**
 * Returns all addresses that agents refer to, in ascending order. Call it after the blocks in question were taken out
 * of use.
 */
export function references(words: Words): readonly number[] {
  const found = new Set<number>();
  noteStubs(words, found);
  noteHazards(words, found);
  noteElements(words, found);
  noteHazards(words, found);
  noteWords(words, found);
  noteHazards(words, found);
  found.delete(0);
  return [...found].sort((a, b) => a - b);
}

/** Whether one of the addresses `found`, in ascending order, lies in these bytes. */
export function isReferred(found: readonly number[], block: number, bytes: number): boolean {
  let [from, to] = [0, found.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((found[middle] ?? 0) < block) from = middle + 1;
    else to = middle;
  }
  return (found[from] ?? Infinity) < block + bytes;
}

function noteStubs(words: Words, found: Set<number>): void {
  for (const { record } of records(words, HEADER_AGENT_POOL)) noteWait(words, asElement(record + AGENT_STUB), found);
}

function noteElements(words: Words, found: Set<number>): void {
  for (const { record } of records(words, HEADER_ELEMENT_POOL)) noteWait(words, record, found);
}

function noteWait(words: Words, element: ElementAddress, found: Set<number>): void {
  const gate = words.load32(element + GATE);
  // A living agent's stub has no owner word. A dead agent's stub that became a tombstone has one.
  if (gate === QUEUED || (gate !== FREE && words.load32(element + OWNER) !== 0))
    found.add(words.load32(element + LINE));
}

function noteHazards(words: Words, found: Set<number>): void {
  for (const { record } of records(words, HEADER_AGENT_POOL)) found.add(words.load32(record + AGENT_HAZARD));
}

function noteWords(words: Words, found: Set<number>): void {
  for (const { record } of records(words, HEADER_AGENT_POOL)) {
    for (const word of NAMING) found.add(words.load32(record + word));
  }
}
