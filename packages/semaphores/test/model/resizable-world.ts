// A resizable semaphore in a world.

import { STUCK, type Options, type Words } from '@sluice/model';
import { CAPACITY, ENTRY_HELD, FLAG_RECOVERY, GRANT, TICKET } from '../../../core/src/kernel/layout.ts';
import {
  OfficeWorld,
  type Office,
  type OfficeSetup,
  type Plan,
  type ShadowUser,
} from '../../../core/test/model/office-world.ts';
import { entryAt, semaphoreAddress } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { BALANCE, FLAG_WATCH } from '../../src/kernel/layout.ts';
import type * as Entry from './entry.ts';

export type ResizableCore = typeof Entry;
export interface ResizableActor extends ShadowUser {
  readonly sem: Entry.ResizableSemaphore;
}
export type ResizableBody = (actor: ResizableActor) => unknown;

export const HOME = semaphoreAddress(0);
export const OFFICE = semaphoreAddress(1);

export interface ResizablePlan extends Partial<Omit<OfficeSetup & Plan<ResizableActor>, 'before'>> {
  /** The number of permits at the start. A negative number is a debt. Default: 0. */
  readonly permits?: number;
  /** The maximum number of permits that may be held. Default: `permits`, or 0. */
  readonly most?: number;
  /**
   * The number of free permits at the end. A negative number is a debt; `null` means any number. Default: `permits`.
   */
  readonly ends?: number | null;
  /** The size at the end. Default: `permits`; `null`: any. */
  readonly size?: number | null;
  /** Where TICKET and GRANT begin. Default 0. */
  readonly start?: bigint;
}

export const balanceAt = (words: Words): number => Number(words.load64(OFFICE + BALANCE) >> 32n);
export const lackAt = (words: Words): number => Number(BigInt.asUintN(32, words.load64(OFFICE + BALANCE)));

class ResizableWorld extends OfficeWorld<ResizableActor> {
  readonly #ends: number | null;
  readonly #size: number | null;

  constructor(core: ResizableCore, setup: OfficeSetup, most: number, ends: number | null, size: number | null) {
    super(core, officeOf(core, most), setup, (shadowUser) => ({
      ...shadowUser,
      sem: Reflect.construct(core.ResizableSemaphore, [
        { ref: shadowUser.ref, policy: shadowUser.policy },
      ]) as Entry.ResizableSemaphore,
    }));
    this.#ends = ends;
    this.#size = size;
  }

  override checkRest(words: Words): string | undefined {
    const [grant, ticket, lack] = [words.load64(HOME + GRANT), words.load64(HOME + TICKET), lackAt(words)];
    if (grant !== ticket) return `the line ends with grant ${grant} and ticket ${ticket}`;
    if (lack !== 0) return `no agent waits, and the line lacks ${lack} permits`;
    const size = Number(words.load64(HOME + CAPACITY));
    if (this.#ends !== null && balanceAt(words) !== this.#ends)
      return `the balance ends as ${balanceAt(words)}, expected ${this.#ends}`;
    if (this.#size !== null && size !== this.#size) return `the size ends as ${size}, expected ${this.#size}`;
    return this.checkGathered(words);
  }
}

const officeOf = (core: ResizableCore, most: number): Office => ({
  kind: core.RESIZABLE.code,
  load: (context) => context.load(core.RESIZABLE).steps,
  flags: [FLAG_RECOVERY, FLAG_WATCH],
  lineKinds: [core.RESIZABLE.code],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: (words, agents) => {
    if (balanceAt(words) > 0 && lackAt(words) > 0) return 'a permit is free while a waiter lacks one';
    const held = heldBy(words, agents);
    return held > most ? `${held} permits are held, but at most ${most} existed` : undefined;
  },
});

function heldBy(words: Words, agents: number): number {
  let held = 0;
  for (let agent = 0; agent < agents; agent++) held += Number(words.get64(entryAt(agent, 0) + ENTRY_HELD));
  return held;
}

/** Checks that exactly these agents still wait, and that the line is consistent. */
export const allStuck =
  (...agents: readonly number[]) =>
  (_: Words, outcomes: readonly unknown[]): string | undefined => {
    const found = [...outcomes.keys()].filter((index) => outcomes[index] === STUCK);
    return String(found) === String(agents) ? undefined : `agents ${String(found)} wait, expected ${String(agents)}`;
  };

/** Makes a case of its agents and the state of the semaphore at the start. */
export function resizableCase(
  core: ResizableCore,
  name: string,
  bodies: readonly ResizableBody[],
  options: Options,
  plan: ResizablePlan = {},
): Case {
  const { permits = 0, most = Math.max(0, permits), ends = permits, size = permits, start = 0n, ...more } = plan;
  const before = (words: Words): void => {
    words.put64(HOME + TICKET, start);
    words.put64(HOME + GRANT, start);
    words.put64(HOME + CAPACITY, BigInt(permits));
    words.put64(OFFICE + BALANCE, BigInt(permits) << 32n);
  };
  return new ResizableWorld(core, { agents: bodies.length, ...more }, most, ends, size).case({
    name,
    bodies,
    options,
    ...more,
    before,
  });
}
