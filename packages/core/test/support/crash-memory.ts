// Operations of the victim: joining, memory and handles. Waits are in crash-lines.ts, releases in crash-releases.ts.

import { Region, Semaphore } from '../../src/index.ts';
import { records } from '../../src/memory/records.ts';
import { HEADER_AGENT_POOL, HEADER_AGENTS } from '../../src/kernel/layout.ts';
import { refused, type Operation, type Stage } from './crash-stage.ts';

/** Takes every free agent record, each for a separate agent that does nothing else. */
function fillAgents({ world, living, bystanders }: Stage): void {
  for (const { record, owner } of records(world.words, HEADER_AGENT_POOL)) {
    if (owner !== 0) continue;
    const id = world.words.add32(HEADER_AGENTS, 1) + 1;
    living.context.kernel.claimRecord(record, id, 0);
    bystanders.push(id);
  }
}

function create(
  name: string,
  options: { recovery?: boolean; name?: string },
  before: (stage: Stage) => void = () => undefined,
): Operation {
  return {
    name: `creates a semaphore ${name}`,
    prepare(stage) {
      before(stage);
      return () => Semaphore.create(2, { arena: stage.victim.arena, ...options });
    },
  };
}

function open(name: string, before: number, freed = false): Operation {
  return {
    name: `opens a handle ${name}`,
    world: { pages: 4 },
    ...(before > 7 ? { large: true } : {}),
    prepare(stage) {
      for (let count = 0; count < before; count++) {
        const { ours, theirs } = stage.semaphore(1);
        if (!freed) continue;
        theirs.acquire();
        ours.sem.free();
      }
      const shadowUser = stage.shadowUser(1);
      return () => stage.open(shadowUser).acquire();
    },
  };
}

export const memoryOperations: readonly Operation[] = [
  { name: 'joins', joins: true, prepare: (stage) => () => stage.joinVictim() },
  {
    name: 'joins where the pool of agents has to grow',
    joins: true,
    prepare(stage) {
      fillAgents(stage);
      return () => stage.joinVictim();
    },
  },
  {
    name: 'joins in a block that was freed',
    joins: true,
    prepare(stage) {
      fillAgents(stage);
      Region.create(3968, { arena: stage.living.arena }).free();
      return () => stage.joinVictim();
    },
  },
  create('before there is any ledger', { name: 'new' }),
  create('where there are ledgers', {}, (stage) => stage.semaphore(1)),
  create('without a record of holders', { recovery: false }),
  create('in a block that was freed', {}, ({ living }) => Semaphore.create(1, { arena: living.arena }).free()),
  open('before it has a ledger entry', 0),
  open('with the last entry of its ledger', 6),
  open('with all entries of its ledger in use', 7),
  open('when entries of freed semaphores become available', 64, true),
  {
    name: 'creates a region',
    prepare: (stage) => () => Region.create(1000, { arena: stage.victim.arena, name: 'bytes' }),
  },
  {
    name: 'creates a region without room for it',
    prepare: (stage) => () => refused('SLUICE_ARENA_FULL', () => Region.create(100_000, { arena: stage.victim.arena })),
  },
  {
    name: 'frees a region',
    prepare(stage) {
      const region = Region.create(1000, { arena: stage.living.arena });
      return () => stage.openRegion(region).free();
    },
  },
  {
    name: 'frees a semaphore',
    prepare(stage) {
      const { ours, theirs } = stage.semaphore(3);
      ours.take();
      theirs.acquire();
      return () => theirs.free();
    },
  },
  {
    name: 'frees a closed semaphore',
    prepare(stage) {
      const { ours, theirs } = stage.semaphore(0);
      ours.wait(1, 2);
      ours.sem.close();
      return () => theirs.free();
    },
  },
  {
    name: 'probes the other agents',
    prepare: (stage) => () => stage.victim.arena.reclaimDead(),
  },
];
