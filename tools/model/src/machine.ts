// The model's state and its transitions. A transition consists of an agent and an event for it.

import { Agent } from './agent.ts';
import { ASLEEP, BRANCHING, KILLED, READY, RETURNED, type AgentState } from './agent-state.ts';
import { codeOf, type Removed } from './log.ts';
import type { Memory } from './memory.ts';
import * as op from './operation.ts';
import { plainWords } from './plain-words.ts';
import { Session } from './session.ts';
import type { Sharing } from './sharing.ts';
import { agentOf, bitOf, KILL, MAX_AGENTS, RUN, TIME_OUT, WAKE, whatOf } from './transition.ts';
import { DIED, STUCK, type Options, type Scenario, type WaitResult, type Words } from './types.ts';
import { isVain } from './watch.ts';

export interface Snapshot {
  states: AgentState[];
  sleepers: readonly number[];
  mark: number;
  rewound: number;
  deathsLeft: number;
  wakesLeft: number;
}

function copy(from: readonly AgentState[], into: AgentState[]): void {
  into.length = from.length;
  for (let index = 0; index < from.length; index += 1) into[index] = from[index] as AgentState;
}

export class Machine {
  readonly scenario: Scenario;
  readonly memory: Memory;
  readonly sharing: Sharing;
  readonly session: Session;
  readonly agents: readonly Agent[];
  states: AgentState[] = [];
  /** The sleeping agents, longest asleep first. A new array replaces it; no code changes it. */
  sleepers: readonly number[] = [];
  wakesLeft = 0;
  /** The words for checks at the end. Their accesses do not mark words as shared. */
  readonly checkingWords: Words;
  readonly #start: Snapshot;
  readonly #rewound: { agent: Agent; removed: Removed }[] = [];
  readonly #mayCrash: readonly number[];
  readonly #observer: Words;

  constructor(scenario: Scenario, options: Options) {
    this.scenario = scenario;
    this.session = new Session(scenario, options);
    const { memory, sharing } = this.session;
    this.memory = memory;
    this.sharing = sharing;
    this.#mayCrash = scenario.mayCrash ?? [];
    this.agents = scenario.agents.map(
      (spec, index) => new Agent(this.session, spec, index, this.#mayCrash.includes(index)),
    );
    this.#observer = plainWords(memory, scenario.bytes, (word) => sharing.touch(word, MAX_AGENTS));
    this.checkingWords = plainWords(memory, scenario.bytes);
    scenario.setup?.(this.checkingWords);
    this.session.sleepersAt = (address) => this.#sleepersAt(address).length;
    const spurious = options.spurious ?? 0;
    this.#start = {
      states: [],
      sleepers: [],
      mark: memory.mark,
      rewound: 0,
      deathsLeft: this.session.deathsLeft,
      wakesLeft: typeof spurious === 'number' ? spurious : spurious ? 1 : 0,
    };
  }

  /** Resets the model: each agent is before its first scheduling point. */
  reset(): void {
    this.restore(this.#start);
    for (const agent of this.agents) agent.seam.log.length = 0;
    this.session.failure = undefined;
    this.agents.forEach((_, index) => {
      this.#advance(index);
    });
    this.#dropWatches();
    this.#checkInvariant();
  }

  save(into: Snapshot): void {
    copy(this.states, into.states);
    into.sleepers = this.sleepers;
    into.mark = this.memory.mark;
    into.rewound = this.#rewound.length;
    into.deathsLeft = this.session.deathsLeft;
    into.wakesLeft = this.wakesLeft;
  }

  restore(from: Snapshot): void {
    this.memory.undo(from.mark);
    while (this.#rewound.length > from.rewound) {
      const last = this.#rewound.pop();
      last?.agent.seam.log.restore(last.removed);
    }
    copy(from.states, this.states);
    for (let index = 0; index < this.states.length; index += 1)
      this.agent(index).seam.log.length = this.state(index).length;
    this.sleepers = from.sleepers;
    this.session.deathsLeft = from.deathsLeft;
    this.wakesLeft = from.wakesLeft;
  }

  agent(index: number): Agent {
    return this.agents[index] as Agent;
  }

  state(index: number): AgentState {
    return this.states[index] as AgentState;
  }

  /**
   * Returns the first agent at a choice of its own, or -1. Such a choice commutes with every transition, so the search
   * explores it first.
   */
  branching(): number {
    for (let index = 0; index < this.states.length; index += 1) {
      if (this.state(index).status === BRANCHING) return index;
    }
    return -1;
  }

  /** Returns the number of branches of that choice. Death is not a branch when all deaths are used up. */
  branches(index: number): number {
    const { operation } = this.state(index);
    return operation.kind === op.CHOOSE ? Number(operation.first) : this.session.deathsLeft > 0 ? 2 : 1;
  }

  /** Returns the enabled transitions, as bits. */
  enabled(): number {
    let bits = 0;
    for (let index = 0; index < this.states.length; index += 1) {
      const { status } = this.state(index);
      if (status === READY && this.#canRun(index)) bits |= bitOf(index, RUN);
      if (status !== ASLEEP) continue;
      if (this.state(index).operation.second === 1) bits |= bitOf(index, TIME_OUT);
      if (this.wakesLeft > 0) bits |= bitOf(index, WAKE);
      if (this.session.deathsLeft > 0 && this.#mayCrash.includes(index)) bits |= bitOf(index, KILL);
    }
    return bits;
  }

  hasEnded(): boolean {
    return this.states.every(({ status }) => status === RETURNED || status === KILLED);
  }

  outcomes(): unknown[] {
    return this.states.map(({ status, outcome }) => (status === RETURNED ? outcome : status === KILLED ? DIED : STUCK));
  }

  perform(transition: number, branch: number): void {
    const index = agentOf(transition);
    const what = whatOf(transition);
    const before = this.memory.mark;
    if (what !== RUN) this.#wakeEarly(index, what);
    else if (this.state(index).status === BRANCHING) this.#take(index, branch);
    else this.#operate(index);
    this.#dropWatches();
    // The invariant depends only on the words, so an unchanged memory needs no check.
    if (this.memory.mark !== before) this.#checkInvariant();
  }

  /** Drops each watch with a changed word. If a later write restores the word, the watch stays dropped. */
  #dropWatches(): void {
    for (let index = 0; index < this.states.length; index += 1) {
      const state = this.state(index);
      if (state.watch === undefined || state.status === BRANCHING || isVain(state.watch, state.operation, this.memory))
        continue;
      this.states[index] = { ...state, watch: undefined };
    }
  }

  #canRun(index: number): boolean {
    const { operation, watch } = this.state(index);
    if (operation.kind === op.WAIT_FOR_DEATH) return this.memory.read32(operation.address) !== op.ALIVE;
    return watch === undefined;
  }

  /** Runs the agent up to its next scheduling point. */
  #advance(index: number): void {
    const agent = this.agent(index);
    this.states[index] = agent.run();
    if (agent.seam.removed.length > 0)
      for (const removed of agent.seam.removed.splice(0)) this.#rewound.push({ agent, removed });
    const { operation } = this.state(index);
    if (this.session.failure !== undefined) return;
    if (operation.kind === op.FINISH && !this.sharing.touch(operation.address >> 2, index)) this.#operate(index);
  }

  #operate(index: number): void {
    const agent = this.agent(index);
    const { log } = agent.seam;
    const operation = this.state(index).operation;
    const { kind, address, first, second } = operation;
    const before = this.memory.mark;
    const code = codeOf(kind, address);
    if (kind === op.WAIT) {
      const equal = this.memory.read32(address) === ((first as number) | 0);
      this.session.trace?.operation(index, operation, equal ? 'asleep' : 'not-equal');
      if (!equal) this.#answerWait(index, 'not-equal');
      else {
        this.states[index] = agent.asleep(this.state(index));
        this.sleepers = [...this.sleepers, index];
      }
    } else if (kind === op.NOTIFY) {
      this.#notify(index, operation);
    } else if (op.isWide(kind)) {
      const old = op.execute64(this.memory, kind, address, first as bigint, second as bigint);
      this.session.trace?.operation(index, operation, old);
      if (op.answers(kind)) log.append64(code, old, this.memory.mark === before);
      else log.append64(code, 0n, false);
      this.#advance(index);
    } else {
      const old = op.execute32(this.memory, kind, address, first as number, second as number);
      this.session.trace?.operation(index, operation, old);
      if (kind === op.FINISH || kind === op.DIE) {
        this.states[index] = agent.ended(this.state(index));
        return;
      }
      log.append32(code, op.answers(kind) ? old : 0, op.answers(kind) && this.memory.mark === before);
      this.#advance(index);
    }
  }

  #notify(index: number, operation: op.Operation): void {
    const { address, first } = operation;
    const woken = this.#sleepersAt(address).slice(0, Number(first));
    const names = woken.map((sleeper) => this.agent(sleeper).name);
    this.session.trace?.operation(index, operation, names.length > 0 ? `${names.length} (${names.join(', ')})` : 0);
    for (const sleeper of woken) this.#wake(sleeper);
    this.agent(index).seam.log.append32(codeOf(op.NOTIFY, address), woken.length, false);
    this.#advance(index);
  }

  #sleepersAt(address: number): number[] {
    return this.sleepers.filter((sleeper) => this.state(sleeper).operation.address === address);
  }

  #wake(index: number): void {
    this.sleepers = this.sleepers.filter((sleeper) => sleeper !== index);
    if (this.session.deathsLeft > 0 && this.#mayCrash.includes(index))
      this.states[index] = this.agent(index).woken(this.state(index));
    else this.#answerWait(index, 'ok');
  }

  #answerWait(index: number, answer: WaitResult): void {
    this.agent(index).seam.log.appendWait(codeOf(op.WAIT, this.state(index).operation.address), answer);
    this.#advance(index);
  }

  #wakeEarly(index: number, what: number): void {
    const address = this.state(index).operation.address;
    this.session.trace?.event(index, what, address);
    this.sleepers = this.sleepers.filter((sleeper) => sleeper !== index);
    if (what === KILL) this.#doom(index);
    else {
      if (what === WAKE) this.wakesLeft -= 1;
      this.#answerWait(index, what === WAKE ? 'ok' : 'timed-out');
    }
  }

  #take(index: number, branch: number): void {
    const { operation, watch } = this.state(index);
    if (operation.kind !== op.CHOOSE && branch === 1) {
      this.session.trace?.operation(index, operation, 'killed');
      this.#doom(index);
    } else if (operation.kind === op.RESUME) {
      this.#answerWait(index, 'ok');
    } else {
      if (operation.kind === op.CHOOSE) this.session.trace?.operation(index, operation, branch);
      // A step inside a spin loop is part of the round, so it does not end a round without effect.
      this.agent(index).seam.log.append32(codeOf(operation.kind, 0), branch, operation.kind === op.STEP);
      this.#advance(index);
      if (operation.kind === op.STEP && watch !== undefined)
        this.states[index] = { ...this.state(index), watch: this.state(index).watch ?? watch };
    }
  }

  #doom(index: number): void {
    this.session.deathsLeft -= 1;
    this.states[index] = this.agent(index).doomed(this.state(index));
    const { operation } = this.state(index);
    if (!this.sharing.touch(operation.address >> 2, index)) this.#operate(index);
  }

  #checkInvariant(): void {
    const { invariant } = this.scenario;
    if (invariant !== undefined) this.session.judge('invariant', 'the invariant', () => invariant(this.#observer));
  }
}
