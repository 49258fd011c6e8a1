// What `inspect` tells of a capacitor.

import type { Holder, Waiter } from '@sluice/core';
import { allHoldings, holdersOnce, LEASE, LIMIT, ownerOrReceiver, readName, reportLine, TALLY, type LineReport, type Place } from '@sluice/core/internal';

export interface CapacitorReport {
  readonly kind: 'capacitor';
  readonly name: string;
  /** B: how many the next platoon lets in. */
  readonly bypassLimit: number;
  /** Departures still to come before it opens. */
  readonly departuresLeft: number;
  /** How many more it lets in before that; 0: it is closed. */
  readonly open: number;
  /** The agents inside, and how often each. */
  readonly inside: readonly { readonly agent: number; readonly times: number; readonly since?: number }[];
  /** In the order in which they will be let in. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** Waiters that gave up and whose places are still in line; they delay nobody. */
  readonly abandoned: number;
}

export function reportCapacitor({ context: { words, kernel }, address, tag }: Place, { waiters, abandoned }: LineReport): CapacitorReport {
  return {
    kind: 'capacitor',
    name: readName(words, address),
    bypassLimit: words.load32(address + LIMIT),
    departuresLeft: words.load32(address + TALLY),
    open: Math.max(0, kernel.balance(address)),
    inside: holdersOnce([...allHoldings(words)].filter((held) => held.address === address && held.tag === tag)).map(timesInside),
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
  /** Departures still to come before it opens. */
  readonly departuresLeft: number;
  readonly inside: CapacitorReport['inside'];
  /** Of each lane: how many more it lets in, and who waits, in the order in which they will be let in. */
  readonly lanes: readonly Pick<CapacitorReport, 'open' | 'waiters' | 'abandoned'>[];
}

export function reportLanes(place: Place, lanes: readonly number[]): LanedCapacitorReport {
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
  /** B: how often an agent may go in during one turn. */
  readonly bypassLimit: number;
  /** The agent whose turn it is; 0 = nobody's. */
  readonly turn: number;
  /** Whether it is out and means to come back. */
  readonly away: boolean;
  /** In the order in which they will be let in. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** Waiters that gave up and whose places are still in line; they delay nobody. */
  readonly abandoned: number;
}

export function reportTurnstile({ context: { words }, address }: Place, { waiters, abandoned }: LineReport): TurnstileReport {
  return {
    kind: 'turnstile',
    name: readName(words, address),
    bypassLimit: words.load32(address + LIMIT),
    turn: ownerOrReceiver(words, address),
    away: words.load32(address + LEASE) !== 0,
    waiters: waiters.map(({ agent, kind, since }) => ({ agent, kind, since })),
    abandoned,
  };
}

/** Of lanes in random order: each is a capacitor. */
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
  /** How often this agent holds the lock and came through the capacitor. */
  readonly through: number;
  /** And how often it came around it. */
  readonly around: number;
}

/** What a console shows of a gate. */
export function gateFields(report: GateReport): Readonly<Record<string, unknown>> {
  const { name, bypassLimit } = report;
  if (report.kind === 'turnstile') return { name, bypassLimit, turn: report.turn, waiting: report.waiters.length };
  const parts: readonly Pick<CapacitorReport, 'waiters'>[] = 'lanes' in report ? report.lanes : [report];
  const waiting = parts.reduce((sum, { waiters }) => sum + waiters.length, 0);
  const inside = report.kind === 'random-lanes' ? report.lanes.flatMap((lane) => lane.inside) : report.inside;
  return { name, bypassLimit, inside: inside.length, waiting };
}
