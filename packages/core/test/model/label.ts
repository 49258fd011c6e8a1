// Names of words for the traces of failing schedules.

import * as layout from '../../src/kernel/layout.ts';
import { placeOf } from './places.ts';

const SEMAPHORE_WORDS = new Map([
  [layout.BLOCK_TAG, 'tag'],
  [layout.TICKET, 'ticket'],
  [layout.GRANT, 'grant'],
  [layout.DEBT, 'debt'],
  [layout.LIMIT, 'limit'],
]);
const ELEMENT_WORDS = new Map([
  [layout.OWNER, 'owner'],
  [layout.GATE, 'gate'],
  [layout.NEXT, 'next'],
  [layout.UP, 'up'],
  [layout.AT, 'at'],
  [layout.COUNT, 'count'],
]);

export function label(address: number, { buckets }: { readonly buckets: number }): string {
  const { kind, index, offset } = placeOf(address);
  if (kind === 'semaphore') return `sem${index}.${SEMAPHORE_WORDS.get(offset) ?? offset}`;
  if (kind === 'element') return `element${index}.${ELEMENT_WORDS.get(offset) ?? offset}`;
  if (kind === 'header' && offset >= layout.BUCKETS && offset < layout.BUCKETS + (buckets << layout.BUCKET_SHIFT)) {
    return `bucket${(offset - layout.BUCKETS) >> layout.BUCKET_SHIFT}`;
  }
  return `${kind}${index}+${offset}`;
}
