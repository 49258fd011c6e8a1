// What the schedules try.

import type { Plan } from './schedule.ts';

const LOSSES = { breakCommands: 1, breakChannels: 1, loseMessage: 3, copyMessage: 2, ghost: 4 } as const;

/** A permit in 100 ms. */
const RATE = { permits: 10, interval: 1000, burst: 4 } as const;

export const PLANS: readonly Plan[] = [
  { name: 'one permit, lost connections and messages', processes: 3, tasks: 2, rounds: 3, permits: 1, faults: LOSSES, givesUp: 30 },
  { name: 'weights, lost connections and messages', processes: 3, tasks: 2, rounds: 3, permits: 3, weights: true, faults: LOSSES, givesUp: 30 },
  { name: 'deaths', processes: 4, tasks: 2, rounds: 3, permits: 2, weights: true, faults: { ...LOSSES, kill: 1 }, givesUp: 20 },
  { name: 'pauses', processes: 3, tasks: 2, rounds: 3, permits: 1, faults: { pause: 2, loseMessage: 2, kill: 0.3 }, givesUp: 20 },
  { name: 'answers that come after the caller gave up', processes: 3, tasks: 3, rounds: 4, permits: 1, faults: { pause: 8 }, givesUp: 80 },
  { name: 'a server clock that jumps', processes: 3, tasks: 2, rounds: 4, permits: 1, faults: { clock: 3 } },
  { name: 'local hand-overs', processes: 3, tasks: 3, rounds: 3, permits: 1, options: { bypass: 2 }, faults: { ...LOSSES, kill: 0.5 }, givesUp: 30 },
  { name: 'idle permits stay', processes: 3, tasks: 3, rounds: 3, permits: 2, options: { bypass: 2, linger: 500 }, faults: { ...LOSSES, kill: 0.5 }, givesUp: 30 },
  { name: 'connections that break all the time', processes: 2, tasks: 2, rounds: 3, permits: 2, faults: { breakCommands: 6, ghost: 6 }, givesUp: 20 },
  { name: 'one permit, little contention', processes: 2, tasks: 1, rounds: 8, permits: 1, thinks: 600, faults: LOSSES, givesUp: 10 },
  { name: 'a server clock that jumps, little contention', processes: 2, tasks: 1, rounds: 8, permits: 1, thinks: 600, faults: { clock: 3 } },
  { name: 'free permits, connections that break all the time', processes: 2, tasks: 4, rounds: 4, permits: 8, thinks: 10, faults: { breakCommands: 10, ghost: 10 }, givesUp: 40 },
  { name: 'a failover that loses the last calls', processes: 3, tasks: 2, rounds: 3, permits: 2, weights: true, faults: { copy: 3, failover: 1, loseMessage: 1 } },
  { name: 'keys, lost connections and messages', processes: 3, tasks: 2, rounds: 4, permits: 1, keys: 2, faults: LOSSES, givesUp: 40 },
  { name: 'keys, deaths', processes: 4, tasks: 2, rounds: 3, permits: 1, keys: 2, faults: { ...LOSSES, kill: 1 }, givesUp: 20 },
  { name: 'keys, a failover that loses the last calls', processes: 3, tasks: 2, rounds: 3, permits: 1, keys: 2, faults: { copy: 3, failover: 1, loseMessage: 1 } },
  { name: 'a once, lost connections and messages', processes: 3, tasks: 2, rounds: 1, permits: 1, once: 'once', faults: LOSSES },
  { name: 'a once, connections that break all the time', processes: 2, tasks: 2, rounds: 1, permits: 1, once: 'once', faults: { breakCommands: 6, ghost: 6 } },
  { name: 'a once, deaths', processes: 4, tasks: 2, rounds: 1, permits: 1, once: 'once', faults: { ...LOSSES, kill: 1 } },
  { name: 'a once, pauses', processes: 3, tasks: 2, rounds: 1, permits: 1, once: 'once', faults: { pause: 3, loseMessage: 2 } },
  { name: 'a lazy, lost connections and messages', processes: 3, tasks: 2, rounds: 1, permits: 1, once: 'lazy', faults: LOSSES },
  { name: 'a lazy, connections that break all the time', processes: 2, tasks: 2, rounds: 1, permits: 1, once: 'lazy', faults: { breakCommands: 6, ghost: 6 } },
  { name: 'a lazy, deaths and pauses', processes: 4, tasks: 2, rounds: 1, permits: 1, once: 'lazy', faults: { ...LOSSES, kill: 1, pause: 2 } },
  { name: 'a rate, lost connections and messages', processes: 3, tasks: 2, rounds: 4, permits: 0, rate: RATE, faults: LOSSES, givesUp: 30 },
  { name: 'a rate, connections that break all the time', processes: 2, tasks: 3, rounds: 4, permits: 0, rate: RATE, faults: { breakCommands: 6, ghost: 6 } },
  { name: 'a rate, deaths', processes: 4, tasks: 2, rounds: 4, permits: 0, rate: RATE, faults: { ...LOSSES, kill: 1 }, givesUp: 20 },
  { name: 'a rate, pauses', processes: 3, tasks: 2, rounds: 4, permits: 0, rate: RATE, faults: { pause: 4, loseMessage: 2 }, givesUp: 30 },
  { name: 'a rate, a server clock that jumps', processes: 3, tasks: 2, rounds: 4, permits: 0, rate: RATE, faults: { clock: 3 } },
  { name: 'a server without memory', processes: 3, tasks: 2, rounds: 4, permits: 2, weights: true, faults: { full: 5 }, givesUp: 20 },
  { name: 'a server without memory, lost connections and messages', processes: 3, tasks: 2, rounds: 4, permits: 2, faults: { full: 5, breakCommands: 1, breakChannels: 1, loseMessage: 3, ghost: 4 }, givesUp: 20 },
  { name: 'a server without memory, keys', processes: 3, tasks: 2, rounds: 4, permits: 1, keys: 2, faults: { full: 5 }, givesUp: 20 },
  { name: 'a server that cannot save', processes: 3, tasks: 2, rounds: 4, permits: 2, weights: true, faults: { unsaved: 3 }, givesUp: 20 },
  { name: 'a server that cannot save, connections that break', processes: 3, tasks: 2, rounds: 4, permits: 1, faults: { unsaved: 3, breakCommands: 3, ghost: 3 }, givesUp: 20 },
  { name: 'a signal', processes: 3, tasks: 2, rounds: 4, permits: 0, signal: true, faults: { ...LOSSES, breakCommands: 3 } },
];
