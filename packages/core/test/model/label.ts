// Names of words for the traces of failing schedules.

import * as layout from '../../src/kernel/layout.ts';
import { holdsAt, insideAt, placeOf, PULSE } from './places.ts';

const SEMAPHORE_WORDS = new Map([
  [layout.BLOCK_TAG, 'tag'],
  [layout.TICKET, 'ticket'],
  [layout.GRANT, 'grant'],
  [layout.RELEASED_FOR_OTHERS, 'debt'],
  [layout.LIMIT, 'limit'],
  [layout.HEALTH, 'health'],
  [layout.OFFICE, 'office'],
]);
const ELEMENT_WORDS = new Map([
  [layout.OWNER, 'owner'],
  [layout.GATE, 'gate'],
  [layout.NEXT, 'next'],
  [layout.UP, 'up'],
  [layout.DRAWN, 'at'],
  [layout.COUNT, 'count'],
]);

const AGENT_WORDS = new Map([
  [layout.OWNER, 'owner'],
  [layout.AGENT_RECLAIMER, 'reclaimer'],
  [layout.AGENT_STATE, 'state'],
  [layout.AGENT_STUB + layout.OWNER, 'stub.owner'],
  [layout.AGENT_STUB + layout.GATE, 'stub.gate'],
]);

export function label(address: number, { buckets }: { readonly buckets: number }): string {
  const { kind, index, offset } = placeOf(address);
  if (kind === 'semaphore') return `sem${index}.${SEMAPHORE_WORDS.get(offset) ?? offset}`;
  if (kind === 'element') return `element${index}.${ELEMENT_WORDS.get(offset) ?? offset}`;
  if (kind === 'agent') return `agent${index}.${AGENT_WORDS.get(offset) ?? offset}`;
  if (address >= holdsAt(0)) return `holds${(address - holdsAt(0)) / 4}`;
  if (address >= insideAt(0)) return `inside${(address - insideAt(0)) / 4}`;
  if (address === PULSE) return 'pulse';
  if (kind === 'header' && offset >= layout.BUCKETS && offset < layout.BUCKETS + (buckets << layout.BUCKET_SHIFT)) {
    return `bucket${(offset - layout.BUCKETS) >> layout.BUCKET_SHIFT}`;
  }
  return `${kind}${index}+${offset}`;
}
