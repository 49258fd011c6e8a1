// The conformance suite of all locks, with each engine and with one and many buckets.

import { lockSuite } from '@sluice/conformance';
import { Arena } from '../../../src/index.ts';
import { engineNamed } from '../engines.ts';
import { openAs, secondAgent } from '../second-agent.ts';
import type { OwnedLockKind, TestedLockOptions } from './kind.ts';

type CreatePair = Parameters<typeof lockSuite>[1];
type Handle = { readonly arena: string };

/** Opens a handle as the rival's agent. */
export type OpenAsRival = <H extends Handle, T>(handle: H, open: (handle: H) => T) => T;

const PLACES = [
  { engine: 'wasm', buckets: 256, policy: {} },
  { engine: 'wasm', buckets: 1, policy: { spinMicros: 0 } },
  { engine: 'js', buckets: 256, policy: {} },
  { engine: 'js', buckets: 1, policy: {} },
] as const;

/** `create`: a free lock and its rival of another agent. */
export function conformsEverywhere(
  name: string,
  create: (options: TestedLockOptions, open: OpenAsRival) => ReturnType<CreatePair>,
  options: Parameters<typeof lockSuite>[2],
): void {
  for (const { engine, buckets, policy } of PLACES) {
    const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { buckets } });
    const other = secondAgent(arena);
    const open: OpenAsRival = (handle, openHandle) => openAs(other, handle, openHandle);
    lockSuite(`${name} (${engine}, buckets: ${buckets})`, () => create({ arena, policy }, open), options);
  }
}

export function conforms(kind: OwnedLockKind): void {
  const create = (options: TestedLockOptions, open: OpenAsRival): ReturnType<CreatePair> => {
    const lock = kind.create(options);
    return { lock, rival: open(lock.handle, (handle) => kind.from(handle)) };
  };
  const { order, isReentrant } = kind;
  conformsEverywhere(kind.what, create, {
    owned: true,
    reentrant: isReentrant,
    fifo: order === 'first',
    barging: order === 'any',
  });
}
