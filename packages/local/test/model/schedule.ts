// Random schedules of the model.

import { World, type Process, type Protocol } from './world.ts';

export interface Plan {
  readonly name: string;
  readonly processes: number;
  /** Of 1000 steps: how many kill a process, and how many give up a server that lives. */
  readonly kills: number;
  readonly suspects: number;
  /** How long the schedule may leave a process alone: 0 never, else the greatest number of steps. */
  readonly stops: number;
}

export const PLANS: readonly Plan[] = [
  { name: 'deaths', processes: 4, kills: 12, suspects: 0, stops: 0 },
  { name: 'servers that are given up while they live', processes: 3, kills: 0, suspects: 30, stops: 0 },
  { name: 'stopped processes', processes: 3, kills: 0, suspects: 40, stops: 60 },
  { name: 'all of them', processes: 5, kills: 8, suspects: 30, stops: 40 },
];

/** A generator of pseudo-random numbers (mulberry32). */
function generator(seed: number): (below: number) => number {
  let a = seed;
  return (below) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const FAULTY = 400;
const MOST = 40_000;

/** Runs one schedule. Returns what is wrong, or ''. */
export function schedule(protocol: Protocol, plan: Plan, seed: number): string {
  const below = generator(seed);
  const world = new World(protocol, plan.processes);
  const stopped = new Map<Process, number>();
  for (let i = 0; ; i++) {
    if (world.wrong !== '') return `step ${i}: ${world.wrong}`;
    const living = world.processes.filter(({ alive }) => alive);
    if (living.every(({ isDone }) => isDone)) return '';
    if (i > MOST) return `stuck: ${living.map(({ owner, turns }) => `${owner} ${turns}`).join(', ')}`;
    const process = living[below(living.length)] as Process;
    const fault = i < FAULTY ? below(1000) : 1000;
    // One process lives to the end.
    if (fault < plan.kills && living.length > 1) process.kill();
    else if (fault < plan.kills + plan.suspects) process.suspect();
    else if (plan.stops > 0 && fault < plan.kills + plan.suspects + 20) stopped.set(process, i + below(plan.stops));
    else if ((stopped.get(process) ?? 0) <= i) process.step();
  }
}
