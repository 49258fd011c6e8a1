// Finds dead agents by probing all agents from time to time, where no event reports a worker's end. There is one poller
// for each arena of a realm, however many watches there are, because each probe uses up a token.

import { setRef } from '../platform/keep-alive.ts';
import { AGENT_ARMED, HEADER_AGENT_POOL } from '../kernel/layout.ts';
import { ownTimers } from '../platform/own-timers.ts';
import { ARMED_WAITS } from '../agent/liveness-probe.ts';
import { isLeftToOthers } from './pending.ts';
import { records } from '../memory/records.ts';
import { hasLeft, recoverAll, tidy } from './claim-dead-agent.ts';
import type { ReclaimReport } from './reclaim-report.ts';
import type { AgentContext } from '../agent/agent-context.ts';

/** Time between two probes of an agent that turns its event loop, in ms. */
const ASK_MS = 50;
/**
 * The factor by which each gap grows while the agent's event loop is blocked. With it, a death is noticed late by at
 * most two fifths of the time for which the loop was blocked, and the agent's tokens last for an hour and a half.
 */
const GROWTH = 1.4;

type Listener = (report: ReclaimReport) => void;

interface Turn {
  readonly at: number;
  readonly gap: number;
}

const livenessPollers = new WeakMap<AgentContext, LivenessPoller>();

export function livenessPollerOf(context: AgentContext): LivenessPoller {
  const known = livenessPollers.get(context) ?? new LivenessPoller(context);
  livenessPollers.set(context, known);
  return known;
}

class LivenessPoller {
  readonly #context: AgentContext;
  readonly #listeners = new Set<Listener>();
  /** For each agent, the time of its next probe, and the gap since the last one. */
  #asked = new Map<number, Turn>();
  #timer: unknown;

  constructor(context: AgentContext) {
    this.#context = context;
  }

  /** Probes as long as there are listeners. Call the returned function to remove this listener. */
  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#timer ??= this.#schedule();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      ownTimers.cancel(this.#timer);
      this.#timer = undefined;
    };
  }

  #schedule(): unknown {
    const timer = ownTimers.after(() => {
      this.#timer = this.#schedule();
      for (const report of this.#askAll()) {
        // A listener may remove other listeners. It may also add some, for the worker that replaces the dead one. These
        // receive only later deaths.
        for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener(report);
      }
    }, ASK_MS);
    setRef(timer, false);
    return timer;
  }

  #askAll(): ReclaimReport[] {
    const { words, id } = this.#context;
    const found: ReclaimReport[] = [];
    const turns = new Map<number, Turn>();
    for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
      if (owner === 0 || owner === id || hasLeft(this.#context, record) || isLeftToOthers(this.#context, record, owner))
        continue;
      const turn = this.#turn(record, owner);
      turns.set(owner, turn.next);
      if (turn.due) found.push(...recoverAll(this.#context, record, owner, false).reports);
    }
    this.#asked = turns;
    tidy(this.#context);
    return found;
  }

  #turn(record: number, agent: number): { readonly due: boolean; readonly next: Turn } {
    const now = this.#context.parking.now();
    const last = this.#asked.get(agent);
    // All its waits are armed, so it has turned its event loop since the last probe.
    const rested = this.#context.words.load32(record + AGENT_ARMED) >= ARMED_WAITS;
    if (last !== undefined && !rested && now < last.at) return { due: false, next: last };
    // An agent that sleeps or computes for long is probed less and less often, so that its tokens last.
    const gap = last === undefined || rested ? ASK_MS : GROWTH * last.gap;
    return { due: true, next: { at: now + gap, gap } };
  }
}
