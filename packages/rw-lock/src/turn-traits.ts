// A turn of writers at a read-write lock (core: turn.ts).

import { asLine, BLOCK_LINE, FLAG_TURNS, FLAGS } from '@sluice/core/format';
import {
  OwnTurn,
  turnChecks,
  type LineSteps,
  type TimedChecks,
  type BlockRef,
  type TurnTraits,
} from '@sluice/core/internal';
import { DUE, FREE_FLAG, MAX_READERS, SUCCESSOR } from './kernel/layout.ts';
import { WRITERS } from './kinds.ts';

type Spot = Pick<BlockRef, 'context' | 'address'>;

function isInTurns({ context, address }: Spot): boolean {
  return (context.words.get32(address + FLAGS) & FLAG_TURNS) !== 0;
}

function isFree(low: number, high: number): boolean {
  return (high & FREE_FLAG) !== 0 && (low & MAX_READERS) === 0;
}

function traitsAt({ address }: Spot): TurnTraits {
  return { successor: SUCCESSOR, due: DUE, isFree, line: asLine(address + BLOCK_LINE) };
}

/** Returns the turn as this agent sees it while it runs, or `undefined` with the order 'fifo'. */
export function turnAt(lock: Spot): OwnTurn | undefined {
  return isInTurns(lock) ? new OwnTurn(lock, traitsAt(lock)) : undefined;
}

export interface WaitsAsWriter {
  readonly recorded: true;
  readonly line: LineSteps;
  readonly timedChecks?: TimedChecks;
}

/** How writers wait. With the order 'turns' the successor ends the turn. */
export function writersTraits(lock: Spot): WaitsAsWriter {
  const { kernel, steps: line } = lock.context.load(WRITERS);
  if (isInTurns(lock))
    return {
      recorded: true,
      line,
      timedChecks: turnChecks(lock, traitsAt(lock), (element) => kernel.makeWriterDue(element)),
    };
  return { recorded: true, line: { ...line, park: kernel.park } };
}
