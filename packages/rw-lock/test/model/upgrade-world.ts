// A read-write lock with upgradeable readers in a world. Like rw-world.ts, with the seat in a third line.

import type { Words } from '@sluice/model';
import {
  BLOCK_LINE,
  CAPACITY,
  FLAG_OWNED,
  FLAG_RECOVERY,
  FLAG_SHARED,
  GRANT,
  KIND_SEMAPHORE,
  OFFICE,
  TICKET,
} from '../../../core/src/kernel/layout.ts';
import { OfficeWorld, type OfficeSetup, type Plan, type ShadowUser } from '../../../core/test/model/office-world.ts';
import { entryAt, semaphoreAddress } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { FLAG_SEAT } from '../../src/kernel/layout.ts';
import { officeOf, type RwCore } from './rw-world.ts';
import type * as Entry from './entry.ts';

export interface UpgradeActor extends ShadowUser {
  readonly lock: Entry.RwLock;
}
export type UpgradeBody = (actor: UpgradeActor) => unknown;
export type UpgradePlan = Partial<Omit<OfficeSetup & Plan<UpgradeActor>, 'before'>>;

const SEAT_LINE = 2;
const SEAT = semaphoreAddress(SEAT_LINE);

/** Checks that at most one agent has the seat. */
function checkSeat(words: Words, agents: number): string | undefined {
  const all = [...Array(agents).keys()];
  const seated = all.filter((agent) => words.get64(entryAt(agent, SEAT_LINE)) > 0n);
  return seated.length > 1 ? `agents ${seated.join(' and ')} have the seat` : undefined;
}

class UpgradeWorld extends OfficeWorld<UpgradeActor> {
  constructor(core: RwCore, setup: OfficeSetup) {
    const plain = officeOf(core, 'fifo');
    const office = {
      ...plain,
      lineKinds: [core.WRITERS.code, KIND_SEMAPHORE],
      flags: [FLAG_SHARED | FLAG_OWNED | FLAG_RECOVERY | FLAG_SEAT, FLAG_OWNED | FLAG_RECOVERY, FLAG_RECOVERY],
      invariant: (words: Words, agents: number) => plain.invariant(words, agents) ?? checkSeat(words, agents),
    };
    super(core, office, setup, (shadowUser) => ({
      ...shadowUser,
      lock: core.rwLockAt(shadowUser.ref, shadowUser.policy),
    }));
  }

  /** Checks that at the end the seat has a permit and the other lines have none. */
  override checkRest(words: Words): string | undefined {
    const lock = semaphoreAddress(0);
    const free = [lock, lock + BLOCK_LINE, SEAT].map(
      (line) => words.load64(line + GRANT) - words.load64(line + TICKET),
    );
    if (free.join() !== '0,0,1') return `the lines end with ${free.join(', ')} permits`;
    const word = words.load64(lock + OFFICE);
    return word === 0n || this.office.mayEndWith?.(word, words) === true
      ? this.checkGates(words)
      : `the box office ends with ${word}`;
  }
}

export function upgradeCase(
  core: RwCore,
  name: string,
  bodies: readonly UpgradeBody[],
  options: Case['options'],
  plan: UpgradePlan = {},
): Case {
  const before = (words: Words): void => {
    words.put64(SEAT + GRANT, 1n);
    words.put64(SEAT + CAPACITY, 1n);
  };
  return new UpgradeWorld(core, { agents: bodies.length, ...plan }).case({ name, bodies, options, ...plan, before });
}
