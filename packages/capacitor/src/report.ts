// What `inspect` reports for a gate.

import type { Holder, Waiter } from '@sluice/core';
import {
  allHoldings,
  holdersOnce,
  LIMIT,
  ownerOrReceiver,
  readName,
  reportLine,
  type LineReport,
  type Place,
  type LineAddress,
} from '@sluice/core/internal';
import { TALLY } from './kernel/layout.ts';

export interface CapacitorReport {
  readonly kind: 'capacitor';
  readonly name: string;
  /** B: how many agents the next platoon lets in. */
  readonly bypassLimit: number;
  /** How many departures remain before it opens. */
  readonly departuresLeft: number;
  /** How many more agents it lets in before then; 0: it is closed. */
  readonly open: number;
  /** The agents inside, and how many times each is inside. */
  readonly inside: readonly { readonly agent: number; readonly times: number; readonly since?: number }[];
  /** In the order in which they will enter. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** Waiters that cancelled and whose places are still in the queue; they delay no other waiter. */
  readonly abandoned: number;
}

export function reportCapacitor(
  { context: { words, kernel }, address, tag }: Place,
  { waiters, abandoned }: LineReport,
): CapacitorReport {
  return {
    kind: 'capacitor',
    name: readName(words, address),
    bypassLimit: words.load32(address + LIMIT),
    departuresLeft: words.load32(address + TALLY),
    open: Math.max(0, kernel.balance(address)),
    inside: holdersOnce([...allHoldings(words)].filter((held) => held.address === address && held.tag === tag)).map(
      timesInside,
    ),
    waiters: waiters.map(({ agent, kind, since }) => ({ agent, kind, since })),
    abandoned,
  };
}

function timesInside({ agent, permits, since }: Holder): CapacitorReport['inside'][number] {
  return since === undefined ? { agent, times: permits } : { agent, times: permits, since };
}

export interface LanedCapacitorReport {
  readonly kind: 'laned-capacitor';
  readonly name: string;
  readonly bypassLimit: number;
  /** How many departures remain before it opens. */
  readonly departuresLeft: number;
  readonly inside: CapacitorReport['inside'];
  /** For each lane: how many more agents it lets in, and its waiters in the order in which they will enter. */
  readonly lanes: readonly Pick<CapacitorReport, 'open' | 'waiters' | 'abandoned'>[];
}

export function reportLanes(place: Place, lanes: readonly LineAddress[]): LanedCapacitorReport {
  const { context, tag } = place;
  const { bypassLimit, departuresLeft, inside, name } = reportCapacitor(place, { waiters: [], abandoned: 0 });
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
        waiters: waiters.map(({ agent, kind, since }) => ({ agent, kind, since })),
        abandoned,
      };
    }),
  };
}

export interface TurnstileReport {
  readonly kind: 'turnstile';
  readonly name: string;
  /** B: how often an agent enters during one turn, on average. */
  readonly bypassLimit: number;
  /** The id of the agent that is inside, or that is being let in; 0: none. */
  readonly agentInside: number;
  /** In the order in which they will enter. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** Waiters that cancelled and whose places are still in the queue; they delay no other waiter. */
  readonly abandoned: number;
}

export function reportTurnstile(
  { context: { words }, address }: Place,
  { waiters, abandoned }: LineReport,
): TurnstileReport {
  return {
    kind: 'turnstile',
    name: readName(words, address),
    bypassLimit: words.load32(address + LIMIT),
    agentInside: ownerOrReceiver(words, address),
    waiters: waiters.map(({ agent, kind, since }) => ({ agent, kind, since })),
    abandoned,
  };
}

/** For lanes in random order; each lane is a capacitor. */
export interface RandomLanesReport {
  readonly kind: 'random-lanes';
  readonly name: string;
  readonly bypassLimit: number;
  readonly lanes: readonly CapacitorReport[];
}

export type GateReport = CapacitorReport | LanedCapacitorReport | RandomLanesReport | TurnstileReport;

export interface CapacitorLockReport {
  readonly kind: 'capacitor-lock';
  readonly gate: GateReport;
  /** How many of this agent's holdings of the lock came through the capacitor. */
  readonly through: number;
  /** How many of them went around it. */
  readonly around: number;
}

/** What a console prints for a gate. */
export function gateFields(report: GateReport): Readonly<Record<string, unknown>> {
  const { name, bypassLimit } = report;
  if (report.kind === 'turnstile')
    return { name, bypassLimit, agentInside: report.agentInside, waiting: report.waiters.length };
  const parts: readonly Pick<CapacitorReport, 'waiters'>[] = 'lanes' in report ? report.lanes : [report];
  const waiting = parts.reduce((sum, { waiters }) => sum + waiters.length, 0);
  const inside = report.kind === 'random-lanes' ? report.lanes.flatMap((lane) => lane.inside) : report.inside;
  return { name, bypassLimit, inside: inside.length, waiting };
}
