// The fields of `inspect` for a gate.

import type { Holder, Waiter } from '@sluice/core';
import { LIMIT, type LineAddress } from '@sluice/core/format';
import { readName, type BlockRef } from '@sluice/core/internal';
import {
  allHoldings,
  holdersOnce,
  ownerOrReceiver,
  reportLine,
  withoutPermits,
  titleOfAgent,
  type LineReport,
} from '@sluice/core/report';
import { TALLY } from '../kernel/layout.ts';

export interface CapacitorReport {
  readonly kind: 'capacitor';
  readonly name: string;
  /** The bypass limit B: the number of agents that the next platoon admits. */
  readonly bypassLimit: number;
  /** The number of departures until it opens. */
  readonly departuresLeft: number;
  /** The number of agents that it still admits before then. 0: it is closed. */
  readonly open: number;
  /** The agents inside, and how many times each is inside. */
  readonly inside: readonly (Omit<Holder, 'permits'> & { readonly times: number })[];
  /** The waiters, in the order in which they will enter. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** The number of cancelled waits whose places are still in line. They delay no other waiter. */
  readonly abandoned: number;
}

export function reportCapacitor(
  { context, address, tag }: BlockRef,
  { waiters, abandoned }: LineReport,
): CapacitorReport {
  const { words, kernel } = context;
  return {
    kind: 'capacitor',
    name: readName(words, address),
    bypassLimit: words.load32(address + LIMIT),
    departuresLeft: words.load32(address + TALLY),
    open: Math.max(0, kernel.balance(address)),
    inside: holdersOnce(
      context,
      [...allHoldings(context)].filter((held) => held.address === address && held.tag === tag),
    ).map(timesInside),
    waiters: waiters.map(withoutPermits),
    abandoned,
  };
}

export function timesInside({ permits, ...holder }: Holder): CapacitorReport['inside'][number] {
  return { ...holder, times: permits };
}

export interface LanedCapacitorReport {
  readonly kind: 'laned-capacitor';
  readonly name: string;
  readonly bypassLimit: number;
  /** The number of departures until it opens. */
  readonly departuresLeft: number;
  readonly inside: CapacitorReport['inside'];
  /**
   * For each lane, the number of agents that it still admits, and its waiters in the order in which they will enter.
   */
  readonly lanes: readonly Pick<CapacitorReport, 'open' | 'waiters' | 'abandoned'>[];
}

export function reportLanes(ref: BlockRef, lanes: readonly LineAddress[]): LanedCapacitorReport {
  const { context, tag } = ref;
  const { bypassLimit, departuresLeft, inside, name } = reportCapacitor(ref, { waiters: [], abandoned: 0 });
  return {
    kind: 'laned-capacitor',
    name,
    bypassLimit,
    departuresLeft,
    inside,
    lanes: lanes.map((lane) => {
      const { waiters, abandoned } = reportLine(context, lane, tag);
      return {
        open: Math.max(0, context.kernel.balance(lane)),
        waiters: waiters.map(withoutPermits),
        abandoned,
      };
    }),
  };
}

export interface TurnstileReport {
  readonly kind: 'turnstile';
  readonly name: string;
  /** The bypass limit B: how many times an agent enters during one turn, on average. */
  readonly bypassLimit: number;
  /** The id of the agent that is inside or being admitted, or 0 if there is none. */
  readonly agentInside: number;
  /** How messages name it, such as "agent 3 (thread 5, resizer)". Absent if there is none. */
  readonly insideTitle?: string;
  /** The waiters, in the order in which they will enter. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** The number of cancelled waits whose places are still in line. They delay no other waiter. */
  readonly abandoned: number;
}

export function reportTurnstile(
  { context: { words }, address }: BlockRef,
  { waiters, abandoned }: LineReport,
): TurnstileReport {
  const agentInside = ownerOrReceiver(words, address);
  return {
    kind: 'turnstile',
    name: readName(words, address),
    bypassLimit: words.load32(address + LIMIT),
    agentInside,
    ...(agentInside !== 0 && { insideTitle: titleOfAgent(words, agentInside) }),
    waiters: waiters.map(withoutPermits),
    abandoned,
  };
}

export interface SemaphoreCapacitorReport extends Omit<CapacitorReport, 'kind' | 'abandoned'> {
  readonly kind: 'semaphore-capacitor';
}

/** The report of lanes in random order. Each lane is a capacitor. */
export interface RandomLanesReport {
  readonly kind: 'random-lanes';
  readonly name: string;
  readonly bypassLimit: number;
  readonly lanes: readonly CapacitorReport[];
}

export type GateReport =
  | CapacitorReport
  | LanedCapacitorReport
  | RandomLanesReport
  | SemaphoreCapacitorReport
  | TurnstileReport;

export interface CapacitorLockReport {
  readonly kind: 'capacitor-lock';
  readonly gate: GateReport;
  /** The number of this agent's holdings of the lock that came through the capacitor. */
  readonly through: number;
  /** The number of its holdings that went around the capacitor. */
  readonly around: number;
}

/** Returns the fields that `console.log` shows for a gate. */
export function gateFields(report: GateReport): Readonly<Record<string, unknown>> {
  const { name, bypassLimit } = report;
  if (report.kind === 'turnstile')
    return { name, bypassLimit, agentInside: report.agentInside, waiting: report.waiters.length };
  const parts: readonly Pick<CapacitorReport, 'waiters'>[] = 'lanes' in report ? report.lanes : [report];
  const waiting = parts.reduce((sum, { waiters }) => sum + waiters.length, 0);
  const inside = report.kind === 'random-lanes' ? report.lanes.flatMap((lane) => lane.inside) : report.inside;
  return { name, bypassLimit, inside: inside.length, waiting };
}
