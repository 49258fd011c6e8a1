// One suite for all members. If a member lacks a capability, the suite tests what it does instead.

import { exceptQuick } from '@sluice/harness';
import { semaphoreSuite, type SemaphoreSuiteOptions } from '@sluice/conformance';
import { Arena } from '@sluice/core';
import {
  LightweightSemaphore,
  LocationSemaphore,
  MultilaneSemaphore,
  WaitingArraySemaphore,
  type SchemeName,
} from '../../src/index.ts';
import { PrioritySemaphore, ResizableSemaphore } from '../../../semaphores/src/index.ts';
import { COMPOSITE, INNER, ONE_LINE, type MemberClass } from './support/members.ts';
import { engineNamed } from '../../../core/test/support/engines.ts';
import './support/kinds.ts';

const ENGINES = ['wasm', 'js'] as const;
/** The inner semaphores: these with both engines, the others with one. A quick run takes each with one. */
const THOROUGH: readonly SchemeName[] = exceptQuick('semaphore', 'chain', 'address');

type Options = Parameters<(typeof COMPOSITE)[0]['create']>[1];

function suite(
  name: string,
  Member: MemberClass,
  engine: (typeof ENGINES)[number],
  given: Options,
  more: SemaphoreSuiteOptions,
): void {
  const { fifo, weighted } = Member.capabilities;
  const options = { fifo, weighted, ...more };
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64 });
  semaphoreSuite(`${name} (${engine})`, (permits) => Member.create(permits, { arena, ...given }), options);
}

for (const engine of ENGINES) {
  for (const Member of ONE_LINE) suite(Member.name, Member, engine, {}, {});
  suite(
    'WaitingArraySemaphore, conservative',
    WaitingArraySemaphore,
    engine,
    { conservative: true, longTermThreshold: 2 } as Options,
    {},
  );
  suite(
    'WaitingArraySemaphore, slots of one waiter',
    WaitingArraySemaphore,
    engine,
    { slots: 'waiter', hash: 'pairs' } as Options,
    {},
  );
  suite('LocationSemaphore, conservative', LocationSemaphore, engine, { conservative: true } as Options, {});
  for (const hash of exceptQuick('pairs', 'mixed', 'product', 'pages', 'gray'))
    suite(`WaitingArraySemaphore, hash '${hash}'`, WaitingArraySemaphore, engine, { hash } as Options, {});
  // All waiters have the same priority here: the lowest, or a higher one, which uses another level than the first.
  for (const priority of [5, ...exceptQuick(0)]) {
    suite(`PrioritySemaphore of priority ${priority}`, PrioritySemaphore, engine, { priority } as Options, {
      barging: false,
      overtakes: false,
      triesSeveral: true,
    });
  }
  const resizable = Arena.create({ engine: engineNamed(engine), maxPages: 64 });
  semaphoreSuite(`ResizableSemaphore (${engine})`, (permits) =>
    ResizableSemaphore.create(permits, { arena: resizable }),
  );
  for (const [index, inner] of INNER.entries()) {
    if (!THOROUGH.includes(inner) && engine !== ENGINES[index % 2]) continue;
    for (const Member of COMPOSITE) {
      // A single agent neither spins nor meets another agent at a lane, so the order is kept. But a lane may be one of
      // tokens.
      const overtakes = Member === MultilaneSemaphore && inner === 'address';
      const options = { barging: false, overtakes, triesSeveral: Member === LightweightSemaphore };
      suite(`${Member.name} over ${inner}`, Member, engine, { inner }, options);
    }
  }
}
