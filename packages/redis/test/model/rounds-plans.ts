// What the schedules of latches and barriers try.

import type { RoundsPlan } from './rounds-schedule.ts';

const LOSSES = { breakCommands: 1, breakChannels: 1, loseMessage: 3, copyMessage: 2, ghost: 4 } as const;

export const ROUNDS_PLANS: readonly RoundsPlan[] = [
  { name: 'a barrier, lost connections and messages', kind: 'barrier', processes: 3, tasks: 2, rounds: 4, faults: LOSSES },
  { name: 'a barrier whose parties give up', kind: 'barrier', processes: 3, tasks: 2, rounds: 4, faults: LOSSES, givesUp: 15 },
  { name: 'a barrier with actions', kind: 'barrier', processes: 3, tasks: 2, rounds: 4, acts: 70, faults: LOSSES, givesUp: 8 },
  { name: 'a barrier, connections that break all the time', kind: 'barrier', processes: 3, tasks: 1, rounds: 4, acts: 30, faults: { breakCommands: 6, ghost: 6 } },
  { name: 'a barrier, deaths', kind: 'barrier', processes: 4, tasks: 1, rounds: 5, owned: true, acts: 30, faults: { ...LOSSES, kill: 0.7 }, givesUp: 8 },
  { name: 'a barrier, pauses', kind: 'barrier', processes: 3, tasks: 1, rounds: 5, owned: true, acts: 30, faults: { pause: 2, loseMessage: 2, kill: 0.3 }, givesUp: 8 },
  { name: 'a barrier, a server clock that jumps', kind: 'barrier', processes: 3, tasks: 1, rounds: 6, owned: true, faults: { clock: 3 } },
  { name: 'a latch, lost connections and messages', kind: 'latch', processes: 3, tasks: 2, rounds: 4, faults: LOSSES, givesUp: 30 },
  { name: 'a latch, connections that break all the time', kind: 'latch', processes: 2, tasks: 2, rounds: 4, faults: { breakCommands: 6, ghost: 6 }, givesUp: 20 },
  { name: 'a latch, deaths', kind: 'latch', processes: 4, tasks: 1, rounds: 1, owned: true, faults: { ...LOSSES, kill: 2 }, givesUp: 30 },
  { name: 'a latch, pauses', kind: 'latch', processes: 3, tasks: 1, rounds: 1, owned: true, faults: { pause: 6, loseMessage: 2 }, givesUp: 30 },
];
