// The suite of locks, for each kind of gate before each lock, and most combinations, with both engines.

import { oneIn } from '@sluice/harness';
import { lockSuite } from '@sluice/conformance';
import { Arena } from '@sluice/core';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import type { CapacitorLockOptions } from '../src/index.ts';
import { LIFO, MCS, MUTEX, RECIPROCATING, RECURSIVE, TICKET, TTS, type InnerKind } from './support/inner-kinds.ts';
import { stagedSuite, type CreateStaged } from './support/staged-suite.ts';
import { wrap } from './support/wrapped.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';

const ONE = { bypassLimit: 1 } as const;
const TEN = { bypassLimit: 10 } as const;
const HALF = { bypassLimit: 10, fraction: 0.5 } as const;
const AROUND = { bypassLimit: 10, fraction: 1 } as const;
const ADAPTIVE = { bypassLimit: 'adaptive' } as const;
const ORDERED = { bypassLimit: 4, lanes: 4 } as const;
const RANDOM = { bypassLimit: 5, lanes: { count: 2, order: 'random' } } as const;
const SKIPPING = { bypassLimit: 2, skipWhenUncontended: true } as const;

type Case = readonly [kind: InnerKind, options: CapacitorLockOptions, fifo: boolean];

const WASM: readonly Case[] = [
  [TTS, ONE, true],
  [TTS, ADAPTIVE, false],
  [TTS, SKIPPING, false],
  [TICKET, TEN, false],
  [TICKET, ORDERED, false],
  [MCS, ONE, true],
  [MCS, HALF, false],
  [MCS, SKIPPING, false],
  [LIFO, ONE, true],
  [LIFO, TEN, false],
  [LIFO, RANDOM, false],
  [RECIPROCATING, AROUND, false],
  [MCS, AROUND, true],
  [RECIPROCATING, ADAPTIVE, false],
  [RECIPROCATING, ORDERED, false],
  [MUTEX, TEN, false],
  [MUTEX, RANDOM, false],
  [MUTEX, ADAPTIVE, false],
  [RECURSIVE, ONE, true],
  [RECURSIVE, HALF, false],
  [RECURSIVE, ADAPTIVE, false],
];
const JS: readonly Case[] = [
  [TTS, TEN, false],
  [TICKET, ONE, true],
  [MCS, RANDOM, false],
  [LIFO, SKIPPING, false],
  [RECIPROCATING, HALF, false],
  [MUTEX, ORDERED, false],
  [RECURSIVE, SKIPPING, false],
];

for (const [engine, buckets, cases] of [
  ['wasm', 256, WASM],
  ['js', 1, JS],
] as const) {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { buckets } });
  const other = secondAgent(arena);
  for (const [kind, options, fifo] of oneIn(2, cases)) {
    const name = `${kind.name} behind ${JSON.stringify(options)} (${engine})`;
    const create: CreateStaged = () => {
      const { ours, theirs } = wrap(arena, other, kind, options);
      return { lock: ours, rival: theirs };
    };
    const { reentrant } = kind;
    // An agent that bypasses the capacitor takes the lock in one step.
    if (options === AROUND) lockSuite(name, create, { fifo, owned: true, reentrant });
    else stagedSuite(name, create, { fifo, reentrant, turns: options === ADAPTIVE });
  }
}
