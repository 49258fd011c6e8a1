// One agent. Its body runs again from the start, up to the first scheduling point that its log does not answer.

import { ASLEEP, BRANCHING, KILLED, READY, RETURNED, type AgentState } from './agent-state.ts';
import { CHOOSE, DIE, FINISH, IS_DEAD, RESUME, STEP, type Operation } from './operation.ts';
import { Recall } from './recall.ts';
import { Seam } from './seam.ts';
import type { Session } from './session.ts';
import type { AgentSpec, Context } from './types.ts';

const plain = (kind: number, address: number, first = 0): Operation => ({ kind, address, first, second: 0, label: '' });

export class Agent {
  readonly name: string;
  readonly seam: Seam;
  readonly #session: Session;
  readonly #spec: AgentSpec;
  readonly #context: Context;
  readonly #fate: number;
  readonly #recall = new Recall();
  #sharing = 0;
  #forgets = 0;

  constructor(session: Session, spec: AgentSpec, index: number, mayCrash: boolean) {
    this.name = spec.name;
    this.seam = new Seam(session, index);
    this.#session = session;
    this.#spec = spec;
    this.#fate = session.fates + 4 * index;
    this.#context = this.#makeContext(index, mayCrash);
  }

  /** Runs the body up to the next scheduling point. */
  run(): AgentState {
    const session = this.#session;
    const { log } = this.seam;
    if (!session.recalls || session.trace !== undefined) return this.#runBody(false);
    if (this.#sharing !== session.sharing.version) this.#recall.clear();
    this.#sharing = session.sharing.version;
    const mayDie = session.deathsLeft > 0;
    let stride = this.#recall.find(log.hashA, log.hashB, mayDie);
    while (stride !== undefined) {
      if (this.seam.retrace(stride)) {
        stride.isAhead = false;
        const { status, operation, watch, outcome } = stride.state;
        return { status, length: log.length, operation, watch, outcome };
      }
      stride = this.#recall.find(log.hashA, log.hashB, mayDie);
    }
    const { hashA: a, hashB: b } = log;
    const state = this.#runBody(true);
    const { deeds, ahead } = this.seam;
    if (deeds === undefined || session.failure !== undefined) return state;
    this.#recall.keep({ a, b, mayDie, deeds, state, isAhead: false });
    for (const { operation, outcome, ...stretch } of ahead.stretches)
      this.#recall.keep({ ...stretch, mayDie, state: this.#before(operation, outcome), isAhead: true });
    return state;
  }

  #runBody(goesOn: boolean): AgentState {
    const { seam } = this;
    this.#forgets = 0;
    seam.begin(goesOn);
    let outcome: unknown;
    try {
      outcome = this.#spec.body(this.#context);
    } catch (error) {
      if (seam.ahead.isOn) seam.stopped = true;
      if (!seam.stopped) {
        const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.#session.fail('error', `${this.name} threw ${message}`);
      }
    }
    if (seam.ahead.isOn) seam.end(outcome);
    return seam.stopped ? this.#before(seam.pending, undefined) : this.#before(undefined, outcome);
  }

  /** Returns the state before an operation, or before the end of the agent. */
  #before(next: Operation | undefined, outcome: unknown): AgentState {
    const operation = next ?? plain(FINISH, this.#fate);
    const { log, watch } = this.seam;
    const isBranching = operation.kind === CHOOSE || operation.kind === STEP;
    return { status: isBranching ? BRANCHING : READY, length: log.length, operation, watch, outcome };
  }

  asleep(state: AgentState): AgentState {
    return { ...state, status: ASLEEP, watch: undefined };
  }

  /** Returns the state of a notified agent. If the agent is killed before it runs, the notification is lost. */
  woken(state: AgentState): AgentState {
    return { ...state, status: BRANCHING, operation: { ...state.operation, kind: RESUME, first: 2 } };
  }

  /** Returns the state of an agent whose only remaining operation is its death. */
  doomed(state: AgentState): AgentState {
    return { ...state, status: READY, operation: plain(DIE, this.#fate), watch: undefined };
  }

  ended(state: AgentState): AgentState {
    return { ...state, status: state.operation.kind === DIE ? KILLED : RETURNED };
  }

  #makeContext(index: number, mayCrash: boolean): Context {
    const { seam } = this;
    return {
      index,
      name: this.name,
      words: seam,
      parking: seam,
      choose: (n, label = '') => {
        if (!Number.isInteger(n) || n < 1) seam.fail('error', `choose needs 1 branch or more: received ${n}`);
        return n === 1 ? 0 : seam.branch(CHOOSE, n, label);
      },
      note: (text) => {
        if (seam.isFresh) this.#session.trace?.remark(index, text);
      },
      assert: (condition, message) => {
        if (!condition) seam.fail('assertion', message);
      },
      step: (name) => {
        if (seam.isFresh) this.#session.trace?.remark(index, `[${name}]`);
        if (mayCrash) seam.branch(STEP, 2, name);
      },
      dead: (agent) => seam.fate(agent) === IS_DEAD,
      waitForDeath: (agent) => seam.waitForDeath(agent) === IS_DEAD,
      pause: () => {
        seam.endRound(false);
      },
      until: (condition) => {
        seam.beginRound();
        while (!condition()) seam.endRound(true);
      },
      forget: (...summary) => {
        this.#forgets += 1;
        seam.forget(this.#forgets, summary);
      },
    };
  }
}
