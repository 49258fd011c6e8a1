// The columns of both tables.

import { duration } from '../../drawing/svg.ts';
import type { AgentFrame, PrimitiveFrame } from '../frame.ts';
import { byId } from './dom.ts';
import { SortableTable } from './sortable-table.ts';

/** The time of the frame that is shown, in ms since 1970. Ages are those at that moment. */
export interface PageClock {
  now: number;
}

export function primitivesTable(onChoose: (text: string) => void): SortableTable<PrimitiveFrame> {
  const longest = ({ waiters }: PrimitiveFrame): number => Math.max(-1, ...waiters.map(({ ms }) => ms ?? 0));
  return new SortableTable<PrimitiveFrame>(byId('primitives', HTMLTableElement), {
    keyOf: ({ address }) => address,
    classOf: ({ cycle }) => (cycle === '' ? '' : 'deadlock'),
    choice: (row) => `Filter by ${nameOf(row)}`,
    onChoose: (row) => onChoose(nameOf(row)),
    columns: [
      { title: 'Primitive', by: nameOf, text: nameOf },
      { title: 'Kind', by: ({ kind }) => kind, text: ({ kind }) => kind },
      { title: 'Inside', isNumber: true, by: insideOf, text: (row) => String(insideOf(row)) },
      { title: 'In line', isNumber: true, by: inLineOf, text: (row) => String(inLineOf(row)) },
      {
        title: 'Longest wait',
        isNumber: true,
        by: longest,
        text: (row) => (row.waiters.length === 0 ? '–' : duration(longest(row))),
      },
      { title: 'State', by: stateOf, text: stateOf },
    ],
  });
}

/** As in the drawing. A primitive without a name has its address. */
export function nameOf({ name, kind, address }: PrimitiveFrame): string {
  return name === '' ? `${kind} at ${address}` : name;
}

const insideOf = ({ holders, moreHolders }: PrimitiveFrame): number => holders.length + moreHolders;
const inLineOf = ({ waiters, moreWaiters }: PrimitiveFrame): number => waiters.length + moreWaiters;

export function isUsed(row: PrimitiveFrame): boolean {
  return insideOf(row) + inLineOf(row) > 0;
}

function stateOf({ cycle, closed, turn, platoon, holders }: PrimitiveFrame): string {
  const states = [
    ...(cycle === '' ? [] : [cycle === 'certain' ? 'deadlock' : 'possible deadlock']),
    ...(closed ? ['closed'] : []),
    ...(holders.some(({ isDead }) => isDead) ? ['dead holder'] : []),
    ...(turn === undefined ? [] : [turn.of === 0 ? 'in turns' : `turn of #${turn.of}`]),
    ...(platoon === undefined ? [] : [`platoons of ${platoon.limit}, ${platoon.left} to leave`]),
  ];
  return states.length === 0 ? '–' : states.join(', ');
}

export function agentsTable(clock: PageClock, onChoose: (text: string) => void): SortableTable<AgentFrame> {
  const waited = ({ since }: AgentFrame): number => (since === undefined ? -1 : Math.max(0, clock.now - since));
  return new SortableTable<AgentFrame>(byId('agents', HTMLTableElement), {
    keyOf: ({ agent }) => agent,
    classOf: ({ life, isStuck }) => (life === 'dead' ? 'dead' : isStuck ? 'deadlock' : ''),
    choice: ({ agent }) => `Filter by #${agent}`,
    onChoose: ({ agent }) => onChoose(`#${agent}`),
    columns: [
      {
        title: 'Agent',
        by: ({ agent }) => agent,
        text: ({ agent, title }) => title.replace(/^agent \d+/, `#${agent}`),
      },
      { title: 'Life', by: ({ life }) => life, text: ({ life }) => life },
      { title: 'Waits', isNumber: true, by: waited, text: (row) => (waited(row) < 0 ? '–' : duration(waited(row))) },
      { title: 'For', isWide: true, by: ({ waits }) => waits, text: ({ waits }) => (waits === '' ? '–' : waits) },
      { title: 'Holds', isWide: true, by: ({ holds }) => holds, text: ({ holds }) => (holds === '' ? '–' : holds) },
      { title: 'Wake-ups', isNumber: true, by: ({ wakeUps }) => wakeUps, text: ({ wakeUps }) => String(wakeUps) },
      {
        title: 'Joined',
        isNumber: true,
        by: ({ joined }) => clock.now - joined,
        text: ({ joined }) => `${duration(Math.max(0, clock.now - joined))} ago`,
      },
      {
        title: 'OS thread',
        isNumber: true,
        by: ({ osThread }) => osThread ?? -1,
        text: ({ osThread }) => (osThread === undefined ? '–' : String(osThread)),
      },
    ],
  });
}
