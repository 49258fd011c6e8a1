// A barrier, a latch and an event count between workers that block and the main thread, which awaits.

import type { BarrierHandle, CountdownLatchHandle, EventCountHandle, RegionHandle, SequencerHandle } from 'sluice';
import { equal, failure, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

const PARTIES = 3;
const ROUNDS = 60;
const SUM = 1000;
/** The word after those of the parties: how often the action ran. */
const ACTIONS = PARTIES;

interface Meeting {
  readonly barrier: BarrierHandle;
  readonly cells: RegionHandle;
  readonly part: number;
}

interface Summing {
  readonly begin: CountdownLatchHandle;
  readonly end: CountdownLatchHandle;
  readonly sums: RegionHandle;
  readonly part: number;
}

/** The turns of workers, which a sequencer numbers and an event count grants. */
interface Turns {
  readonly tickets: SequencerHandle;
  readonly served: EventCountHandle;
  readonly cells: RegionHandle;
}

const TURNS = 50;

function open({ sluice }: Pick<Tools, 'sluice'>, { barrier, cells }: Meeting) {
  const { int32 } = sluice.Region.from(cells);
  return {
    int32,
    meeting: sluice.Barrier.from(barrier, { action: () => (int32[ACTIONS] = (int32[ACTIONS] ?? 0) + 1) }),
  };
}

const cellsOf = (int32: Int32Array): number[] => [...int32.subarray(0, PARTIES)];
const allAt = (round: number): number[] => Array.from({ length: PARTIES }, () => round);

export const jobs = {
  /** Returns how often it led. */
  meet(tools: WorkerTools, data: Meeting): number {
    const { int32, meeting } = open(tools, data);
    let led = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      int32[data.part] = round;
      led += Number(meeting.wait().leader);
      equal(cellsOf(int32), allAt(round), 'what all parties wrote');
      led += Number(meeting.wait().leader);
    }
    return led;
  },
  sum({ sluice }: WorkerTools, { begin, end, sums, part }: Summing): void {
    sluice.CountdownLatch.from(begin).wait();
    const { int32 } = sluice.Region.from(sums);
    for (let n = 1; n <= SUM; n++) int32[part] = (int32[part] ?? 0) + n;
    sluice.CountdownLatch.from(end).done();
  },
  /** Adds to a plain number, in its turns. */
  takeTurns({ sluice }: WorkerTools, { tickets, served, cells }: Turns): void {
    const { int32 } = sluice.Region.from(cells);
    const turns = sluice.Sequencer.from(tickets);
    const count = sluice.EventCount.from(served);
    for (let turn = 0; turn < TURNS; turn++) {
      count.await(turns.ticket());
      int32[0] = (int32[0] ?? 0) + 1;
      count.advance();
    }
  },
};

async function barriers(tools: MainTools): Promise<void> {
  const { sluice, arena, start } = tools;
  const barrier = sluice.Barrier.create(PARTIES, { arena });
  const cells = sluice.Region.create(4 * (PARTIES + 1), { arena });
  const data = (part: number): Meeting => ({ barrier: barrier.handle, cells: cells.handle, part });
  const workers = [1, 2].map((part) => start('meet', data(part)));
  const { int32, meeting } = open(tools, data(0));
  let led = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    int32[0] = round;
    led += Number((await meeting.waitAsync({ timeout: 30_000 })).leader);
    equal(cellsOf(int32), allAt(round), 'what all parties wrote, in the main thread');
    led += Number((await meeting.waitAsync({ timeout: 30_000 })).leader);
  }
  const others = (await Promise.all(workers.map(({ done }) => done))) as number[];
  equal(
    [others.reduce((sum, each) => sum + each, led), int32[ACTIONS], barrier.generation],
    [2 * ROUNDS, 2 * ROUNDS, 2 * ROUNDS],
    'leaders, actions and generations',
  );

  await failure(() => barrier.waitAsync({ timeout: 5 }), 'SLUICE_TIMEOUT');
  await failure(() => barrier.waitAsync(), 'SLUICE_BROKEN_BARRIER');
  barrier.mend();
  equal([barrier.broken, barrier.waiting, barrier.parties], [false, 0, PARTIES], 'after it was mended');
  barrier.free();
}

async function latches({ sluice, arena, start }: MainTools): Promise<void> {
  const parts = [0, 1, 2];
  const begin = sluice.CountdownLatch.create(1, { arena });
  const end = sluice.CountdownLatch.create(parts.length, { arena });
  const sums = sluice.Region.create(4 * parts.length, { arena });
  const workers = parts.map((part) =>
    start('sum', { begin: begin.handle, end: end.handle, sums: sums.handle, part } satisfies Summing),
  );
  begin.done();
  await end.waitAsync({ timeout: 30_000 });
  equal(
    [...sums.int32.subarray(0, 3)],
    parts.map(() => (SUM * (SUM + 1)) / 2),
    'the sums',
  );
  await Promise.all(workers.map(({ done }) => done));
}

async function turnsByTicket({ sluice, arena, start }: MainTools): Promise<void> {
  const tickets = sluice.Sequencer.create({ arena });
  const served = sluice.EventCount.create({ arena });
  const cells = sluice.Region.create(4, { arena });
  const data: Turns = { tickets: tickets.handle, served: served.handle, cells: cells.handle };
  const workers = [start('takeTurns', data), start('takeTurns', data)];
  await served.awaitAsync(2 * TURNS, { timeout: 30_000 });
  equal(
    [cells.int32[0], served.read(), tickets.ticket()],
    [2 * TURNS, 2 * TURNS, 2 * TURNS],
    'turns, count and ticket',
  );
  await Promise.all(workers.map(({ done }) => done));
  await failure(() => served.awaitAsync(2 * TURNS + 1, { timeout: 5 }), 'SLUICE_TIMEOUT');
}

export async function main(tools: MainTools): Promise<void> {
  await barriers(tools);
  await turnsByTicket(tools);
  await latches(tools);
}
