// A transition consists of an agent and an event for it. It is represented by one of 32 bits.

/**
 * The events. An agent that is awake performs its operation or takes a branch (RUN). For a sleeping agent, one of the
 * other three events happens.
 */
export const RUN = 0;
export const TIME_OUT = 1;
export const WAKE = 2;
export const KILL = 3;

export const MAX_AGENTS = 8;

export const transitionOf = (agent: number, what: number): number => agent * 4 + what;
export const agentOf = (transition: number): number => transition >> 2;
export const whatOf = (transition: number): number => transition & 3;
export const bitOf = (agent: number, what: number): number => 1 << transitionOf(agent, what);
