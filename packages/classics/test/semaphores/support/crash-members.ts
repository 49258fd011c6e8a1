// Operations of the victim at a core semaphore, run at a member of the family instead.

import type { Act, Operation, SemaphoreKind, Stage } from '../../../../core/test/support/crash-stage.ts';
import { turn } from '../../../../core/test/support/turn.ts';
import {
  ChainSemaphore,
  LocationSemaphore,
  MonitorSemaphore,
  TicketSemaphore,
  WaitingArraySemaphore,
  type FamilyOptions,
} from '../../../src/index.ts';
import type { MemberClass } from './members.ts';

/** Its posts have no bound, and a walk follows each of them. */
const CONSERVATIVE = variantOf(LocationSemaphore, { conservative: true });

export const TICKETED: readonly MemberClass[] = [
  TicketSemaphore,
  WaitingArraySemaphore,
  ChainSemaphore,
  MonitorSemaphore,
  LocationSemaphore,
  variantOf(WaitingArraySemaphore, { slots: 'waiter', hash: 'pairs' }),
  CONSERVATIVE,
];

/** A member that is created with these options. */
function variantOf<Options extends FamilyOptions>(
  Member: MemberClass & { create(permits: number, options?: Options): unknown },
  given: Omit<Options, keyof FamilyOptions>,
): MemberClass {
  return {
    name: `${Member.name} ${JSON.stringify(given)}`,
    capabilities: Member.capabilities,
    create: (permits, options) => Member.create(permits, { ...options, ...given }),
    from: (handle, options) => Member.from(handle, options),
  };
}

/** The operations at every member that has what they need. */
export function atMembers(operations: readonly Operation[]): readonly Operation[] {
  return TICKETED.flatMap((Member) =>
    operations
      .filter(({ needs }) => needs === undefined || Member !== CONSERVATIVE)
      .map((each) => atMember(each, Member)),
  );
}

/** The calls are the same. The classes differ in their private parts. */
function atMember(operation: Operation, Member: MemberClass): Operation {
  return {
    ...operation,
    name: `${operation.name} (${Member.name})`,
    semaphores: Member as unknown as SemaphoreKind,
    cascades: true,
    prepare: async (stage) => {
      const act = await operation.prepare(stage);
      return () => asLongAsItLives(stage, act);
    },
  };
}

/** A promise of a dead agent may stay pending. */
function asLongAsItLives({ life }: Stage, act: Act): unknown {
  const done = act();
  if (!(done instanceof Promise)) return done;
  let over = false;
  const end = done.finally(() => (over = true));
  end.catch(() => undefined);
  const death = async (): Promise<void> => {
    while (!over && !life.isDead) await turn();
    await turn();
  };
  return Promise.race([end, death()]);
}
