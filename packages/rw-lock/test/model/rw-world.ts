// A read-write lock in a world, and its invariant: either one writer holds it alone, or readers hold it.

import type { Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { FLAG_OWNED, FLAG_RECOVERY, FLAG_SHARED, FLAG_TURNS, HEALTH, OFFICE } from '../../../core/src/kernel/layout.ts';
import { ORPHANED } from '../../../core/src/kernel/states.ts';
import {
  OfficeWorld,
  putToSleep,
  type Office,
  type OfficeSetup,
  type ShadowUser,
} from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt, holdsAt, insideAt, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import { HOLDS, type Rules } from '../../../core/test/model/witness.ts';
import { ASLEEP, DUE, FREE_FLAG, SUCCESSOR } from '../../src/kernel/layout.ts';
import type { RwLockOrder } from '../../src/rw-lock.ts';
import type { RwKernel } from '../../src/kinds.ts';
import type * as Entry from './entry.ts';
import type { EntryAddress } from '../../../core/src/kernel/addresses.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';

export type RwCore = typeof Entry;
export interface RwActor extends ShadowUser {
  readonly lock: Entry.RwLock;
  /** How writers wait; the steps of the readers' line are `line`. */
  readonly writers: ReturnType<typeof Entry.writersTraits>;
}
export type RwSetup = OfficeSetup & { readonly order?: RwLockOrder };
export type RwBody = (actor: RwActor) => unknown;

export const LOCK = semaphoreAddress(0);
export const TAG = tagOf(0);
/** The lines, and the weights with which the invariant counts a reader and a writer. */
export const READERS = 0;
export const WRITERS = 1;
export const READS = 1;
export const WRITES = 100;

/** The steps by which an agent becomes a writer and stops being one. What readers hold is in their ledgers. */
const RULES: Rules = {
  gains: (step) => ['lockWriter', 'enqueueWriter', 'pollWriter', 'cancelWriterWait'].includes(step),
  loses: (step) => ['unlockWriter', 'handOverWriter', 'downgradeWriter'].includes(step),
  releasesForDeadOwner: (step) => step === 'restoreReader' || step === 'restoreWriter',
};

const FIELD = 0x1fffffn;
const WRITERS_FIELD = 0x1ffffn;

export const titled = (name: string, order: RwLockOrder): string => (order === 'fifo' ? name : `turns, ${name}`);

function invariant(words: Words, agents: number): string | undefined {
  const all = [...Array(agents).keys()];
  const sum = (count: (agent: number) => number): number => all.reduce((total, agent) => total + count(agent), 0);
  const [reading, writing] = [READERS, WRITERS].map((line) =>
    sum((agent) => Number(words.get64(entryAt(agent, line)))),
  ) as [number, number];
  if (writing > 1 || (writing > 0 && reading > 0))
    return `${writing} agents write and ${reading} read, by their ledgers`;
  const unnoted = all.find(
    (agent) => words.get32(holdsAt(agent)) === HOLDS && words.get64(entryAt(agent, WRITERS)) !== 1n,
  );
  if (unnoted !== undefined) return `agent ${unnoted} writes, and its ledger does not say so`;
  const inside = sum((agent) => words.get32(insideAt(agent)));
  if (inside > WRITES) return 'a writer is not alone';
  const office = words.get64(LOCK + OFFICE);
  const fields = [office & FIELD, (office >> 21n) & FIELD, (office >> 42n) & WRITERS_FIELD].map(Number) as [
    number,
    number,
    number,
  ];
  if (fields.some((field) => field > agents)) return `the box office counts ${fields.join(', ')}`;
  return checkFlags(fields, Number(BigInt.asIntN(32, office >> 32n)));
}

/** The invariants 4 and 5 of the box office, as far as the word shows them. */
function checkFlags([readers, , writers]: readonly [number, number, number], flags: number): string | undefined {
  const [isFree, hasSuccessor, isAsleep, isDue] = [FREE_FLAG, SUCCESSOR, ASLEEP, DUE].map(
    (flag) => (flags & flag) !== 0,
  );
  if (hasSuccessor !== true)
    return isFree === true || isAsleep === true || isDue === true
      ? 'OFFICE has flags of a successor, and there is no successor'
      : undefined;
  if (readers > 0 && (isFree !== true || isDue !== true))
    return 'readers hold the lock, and OFFICE does not say that the successor is next';
  if (readers === 0 && isFree === true && isDue !== true && isAsleep === true)
    return 'the lock is free in a turn, and the successor sleeps';
  return writers < (readers === 0 && isFree !== true ? 2 : 1) ? 'a successor that is not counted' : undefined;
}

export const officeOf = ({ RW_LOCK, WRITERS: { code } }: RwCore, order: RwLockOrder): Office => ({
  kind: RW_LOCK.code,
  lineKinds: [code],
  load: (context) => context.load(RW_LOCK).steps,
  flags: [FLAG_SHARED | FLAG_OWNED | FLAG_RECOVERY | (order === 'turns' ? FLAG_TURNS : 0), FLAG_OWNED | FLAG_RECOVERY],
  rules: RULES,
  invariant,
  // A writer died, and no agent arrived after it.
  mayEndWith: (office, words) => office === -(2n ** 63n) && words.load32(LOCK + HEALTH) === ORPHANED,
});

export function rwWorld(core: RwCore, { order = 'fifo', ...setup }: RwSetup): OfficeWorld<RwActor> {
  return new OfficeWorld(core, officeOf(core, order), setup, (plain) => {
    const { ctx: bare, ref, policy } = plain;
    const lock = core.rwLockAt(ref, policy);
    // An agent remembers its turn beyond the points at which its body forgets its state.
    const remembered = (): readonly number[] =>
      (lock as unknown as { readonly turn?: { readonly summary: readonly number[] } }).turn?.summary ?? [];
    const ctx = Object.create(bare, {
      forget: { value: (...summary: number[]) => bare.forget(...summary, ...remembered()) },
    }) as typeof bare;
    return {
      ...plain,
      ctx,
      lock,
      writers: core.writersTraits(ref),
    };
  });
}

/** The ledger entry of this agent for the lock. */
export const entryOf = ({ ctx }: ShadowUser, line: number): EntryAddress => entryAt(ctx.index, line);

type Start = 'reads' | 'writes' | 'waits to read' | 'waits to write' | 'comes later';

/** The state of each agent at the start. A waiter is asleep. */
export const start =
  (...starts: readonly Start[]) =>
  (words: Words, steps: Kernel): void => {
    const kernel = steps as RwKernel;
    for (const [agent, what] of starts.entries()) {
      const [reads, writes, record] = [entryAt(agent, READERS), entryAt(agent, WRITERS), agentAt(agent)];
      if (what === 'reads') kernel.lockReader(LOCK, TAG, reads);
      if (what === 'writes') {
        kernel.lockWriter(LOCK, TAG, agent + 1, writes);
        words.put32(holdsAt(agent), HOLDS);
      }
      if (what === 'waits to read')
        putToSleep(words, kernel, agent, asElement(kernel.enqueueReader(LOCK, TAG, record, reads, 1)));
      if (what === 'waits to write')
        putToSleep(words, kernel, agent, asElement(kernel.enqueueWriter(LOCK, TAG, record, writes, 1, 0)));
    }
  };
