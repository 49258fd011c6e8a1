import type { Options, Words } from '@sluice/model';
import { ENTRY_HELD, OFFICE } from '../../../core/src/kernel/layout.ts';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import { OfficeWorld, type Office, type ShadowUser } from '../../../core/test/model/office-world.ts';
import { entryAt, semaphoreAddress, TREASURE } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/semaphore-cases.ts';
import type * as Entry from './entry.ts';

export type BatonCore = typeof Entry;
interface Actor extends ShadowUser {
  readonly baton: Entry.Baton;
}
type Body = (actor: Actor) => unknown;
const LINE = semaphoreAddress(0);

const officeOf = ({ BATON }: BatonCore): Office => ({
  kind: BATON.code,
  load: (context) => context.load(BATON).steps,
  flags: [0],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: (words, agents) => {
    const held = Array.from({ length: agents }, (_, agent) => Number(words.get64(entryAt(agent, 0) + ENTRY_HELD))).reduce((a, b) => a + b, 0);
    const lies = words.get32(LINE + OFFICE) === 1 ? 1 : 0;
    return held + lies > 1 ? `there are ${held + lies} batons` : undefined;
  },
  mayEndWith: (word) => word === 1n,
});

/** Takes it, adds 1 to a plain counter, passes it on. */
const turn: Body = ({ ctx, baton }) => {
  baton.wait();
  const before = ctx.words.load32(TREASURE);
  ctx.words.store32(TREASURE, before + 1);
  baton.pass(before + 1);
};
const tryTurn: Body = (actor) => {
  if (actor.baton.tryWait(1)) {
    actor.ctx.words.store32(TREASURE, actor.ctx.words.load32(TREASURE) + 1);
    actor.baton.pass(1);
  }
};

const make = (core: BatonCore, name: string, bodies: readonly Body[], options: Options, more: object = {}, turns?: number): Case =>
  new OfficeWorld<Actor>(core, officeOf(core), { agents: bodies.length }, (user) => ({ ...user, baton: core.batonAt(user.place, user.policy) })).case({
    name,
    bodies,
    options,
    before: (words: Words) => words.put32(LINE + OFFICE, 1),
    final: (words: Words) => {
      if (words.get32(LINE + OFFICE) !== 1) return 'the baton is lost';
      const seen = words.load32(TREASURE);
      return turns === undefined || seen === turns ? undefined : `${seen} turns`;
    },
    ...more,
  });

export const batonCases = (core: BatonCore): readonly Case[] => [
  make(core, 'two agents, a turn each', [turn, turn], {}, {}, 2),
  make(core, 'three agents', [turn, turn, turn], { preemptions: 2 }, {}, 3),
  make(core, 'a timeout', [turn, tryTurn], {}),
  make(core, 'a death', [turn, turn, reclaim(0)], { preemptions: 1 }, { mayCrash: [0] }),
];
