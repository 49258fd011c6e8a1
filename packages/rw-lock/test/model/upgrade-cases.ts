// Scenarios of upgradeable readers. Only writers change the two words. So a reader finds them equal, and when an
// upgradeable reader writes, they still have the values that it read.

import type { Options } from '@sluice/model';
import { reclaim, visit } from '../../../core/test/model/office-bodies.ts';
import { TREASURE } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { READS, WRITES, type RwCore } from './rw-world.ts';
import { upgradeCase, type UpgradeActor, type UpgradeBody, type UpgradePlan } from './upgrade-world.ts';
import { UPGRADE_MUTANTS } from './upgrade-mutants.ts';

const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };

const value = ({ ctx }: UpgradeActor): number => ctx.words.load32(TREASURE);

function look(actor: UpgradeActor): number {
  const { ctx } = actor;
  const seen = value(actor);
  ctx.assert(ctx.words.load32(TREASURE + 4) === seen, 'a reader found the words half changed');
  return seen;
}

/** Changes both words, as a writer. */
function change(actor: UpgradeActor, to: number): void {
  const { words } = actor.ctx;
  words.store32(TREASURE, to);
  words.store32(TREASURE + 4, to);
}

const read: UpgradeBody = (actor) => {
  const { reader } = actor.lock;
  reader.lock();
  look(actor);
  visit(actor, READS);
  reader.unlock();
};

const write: UpgradeBody = (actor) => {
  const { writer } = actor.lock;
  writer.lock();
  change(actor, look(actor) + 1);
  visit(actor, WRITES);
  writer.unlock();
};

/** Reads, upgrades, and writes a value computed from the value that it read. */
function upgradeAndWrite(actor: UpgradeActor, seen: number): void {
  actor.ctx.assert(
    value(actor) === seen,
    `an agent read ${seen}, and another agent wrote before the upgrade of the first`,
  );
  change(actor, seen + 1);
  visit(actor, WRITES);
}

const upgrade: UpgradeBody = (actor) => {
  const { upgradeable } = actor.lock;
  upgradeable.lock();
  const seen = look(actor);
  upgradeable.upgrade();
  upgradeAndWrite(actor, seen);
  upgradeable.unlock();
};

/** Writes, then downgrades to an upgradeable reader and reads the written value. */
const upgradeAndDowngrade: UpgradeBody = (actor) => {
  const {
    lock: { upgradeable },
  } = actor;
  upgradeable.lock();
  const seen = look(actor);
  upgradeable.upgrade();
  upgradeAndWrite(actor, seen);
  upgradeable.downgrade();
  actor.ctx.assert(look(actor) > 0, 'no agent wrote');
  visit(actor, READS);
  upgradeable.unlock();
};

/** May time out at any moment of its upgrade, and then continues to read. */
const tryUpgrade: UpgradeBody = (actor) => {
  const {
    lock: { upgradeable },
  } = actor;
  if (!upgradeable.tryLock(1)) return;
  const seen = look(actor);
  if (upgradeable.tryUpgrade(1)) upgradeAndWrite(actor, seen);
  else actor.ctx.assert(look(actor) === seen, 'another agent wrote during an upgrade that failed');
  upgradeable.unlock();
};

const tryWrite: UpgradeBody = (actor) => {
  const { writer } = actor.lock;
  if (!writer.tryLock(1)) return;
  change(actor, look(actor) + 1);
  writer.unlock();
};

const readUpgradeably: UpgradeBody = (actor) => {
  const {
    lock: { upgradeable },
  } = actor;
  upgradeable.lock();
  look(actor);
  visit(actor, READS);
  upgradeable.unlock();
};

/** While an upgradeable reader holds the lock, a plain reader enters at once. */
const glance: UpgradeBody = (actor) => {
  if (!actor.lock.reader.tryLock()) return;
  look(actor);
  actor.lock.reader.unlock();
};

/** Checks that each agent holds the sides that it believes to hold. */
const sound =
  (body: UpgradeBody): UpgradeBody =>
  (actor) => {
    try {
      body(actor);
    } catch (error) {
      actor.ctx.assert(!actor.core.hasCode(error, 'SLUICE_MISUSE'), `refused: ${String(error)}`);
      throw error;
    }
  };

export function upgradeCases(core: RwCore): Case[] {
  const make = (name: string, bodies: readonly UpgradeBody[], options: Options, plan: UpgradePlan = {}): Case =>
    upgradeCase(core, name, bodies.map(sound), options, plan);
  return [
    make('upgrade beside a reader', [upgrade, read], TWO_PREEMPTIONS),
    make('upgrade beside a writer', [upgrade, write], TWO_PREEMPTIONS),
    make('two upgrades', [upgrade, upgrade], TWO_PREEMPTIONS),
    make('two upgradeable readers', [readUpgradeably, readUpgradeably], TWO_PREEMPTIONS),
    make('upgrade and downgrade beside a reader', [upgradeAndDowngrade, read], TWO_PREEMPTIONS),
    make('upgrade, a reader and a writer', [upgrade, read, write], TWO_PREEMPTIONS),
    make('two upgrades and a reader', [upgrade, upgradeAndDowngrade, read], TWO_PREEMPTIONS),
    make('an upgrade that may time out beside a writer', [tryUpgrade, write], TWO_PREEMPTIONS),
    make('an upgrade that may time out beside a reader', [tryUpgrade, read], TWO_PREEMPTIONS),
    make('an upgrade that may time out, a reader and a writer', [tryUpgrade, read, write], TWO_PREEMPTIONS),
    make('a writer that may time out beside an upgrade', [upgrade, tryWrite], TWO_PREEMPTIONS),
    make('a writer that may time out behind a reader', [tryWrite, read, write], TWO_PREEMPTIONS),
    make('an agent tries without waiting beside an upgrade', [upgrade, glance, glance], TWO_PREEMPTIONS),
  ];
}

/** A death may leave the words half changed. Then the next writer is told, and repairs them. */
const writeOrRepair: UpgradeBody = (actor) => {
  const {
    core,
    lock: { writer },
  } = actor;
  try {
    writer.lock();
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
    change(actor, value(actor) + 1);
    writer.markConsistent();
    writer.unlock();
    return;
  }
  change(actor, look(actor) + 1);
  writer.unlock();
};

const refusedOr =
  (body: UpgradeBody): UpgradeBody =>
  (actor) => {
    try {
      body(actor);
    } catch (error) {
      if (!actor.core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
    }
  };

const writeAfter: UpgradeBody = (actor) => {
  reclaim(0)(actor);
  writeOrRepair(actor);
};

export function upgradeDeathCases(core: RwCore): Case[] {
  const make = (name: string, bodies: readonly UpgradeBody[], options: Options, plan: UpgradePlan = {}): Case =>
    upgradeCase(core, name, bodies, options, { mayCrash: [0], ...plan });
  return [
    make('an upgrading agent may die', [upgrade, writeAfter], TWO_PREEMPTIONS),
    make('an upgrading agent beside a reader may die', [upgrade, writeAfter, refusedOr(read)], ONE_PREEMPTION),
    make('an agent that upgrades and downgrades may die', [upgradeAndDowngrade, writeAfter], TWO_PREEMPTIONS),
    make('an agent whose upgrade may time out may die', [tryUpgrade, writeAfter, refusedOr(read)], ONE_PREEMPTION),
    make(
      'a writer before an upgrade may die',
      [
        write,
        (actor) => {
          reclaim(0)(actor);
          refusedOr(upgrade)(actor);
          writeOrRepair(actor);
        },
      ],
      TWO_PREEMPTIONS,
    ),
    make(
      'a reader may die while an upgrade waits for it',
      [read, (actor) => refusedOr(upgrade)(actor), reclaim(0)],
      ONE_PREEMPTION,
    ),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'upgradeable', entry: ENTRY, cases: upgradeCases, mutants: UPGRADE_MUTANTS },
  { name: 'upgradeable death', entry: ENTRY, cases: upgradeDeathCases },
];
