// A schedule as numbered lines of text.

import * as op from './operation.ts';
import type { Scenario } from './types.ts';

const EVENTS: readonly string[] = ['runs', 'times out', 'wakes for no reason', 'is killed asleep'];

export class Trace {
  readonly lines: string[] = [];
  readonly #scenario: Scenario;
  readonly #fates: number;
  readonly #width: number;
  #count = 0;

  constructor(scenario: Scenario, fates: number) {
    this.#scenario = scenario;
    this.#fates = fates;
    this.#width = Math.max(...scenario.agents.map(({ name }) => name.length));
  }

  operation(agent: number, operation: op.Operation, result: op.Value | string): void {
    this.#number(agent, this.#describe(operation, result));
  }

  event(agent: number, what: number, address: number): void {
    this.#number(agent, `${EVENTS[what] ?? ''} on ${this.#word(address)}`);
  }

  remark(agent: number, text: string): void {
    this.lines.push(`     ${this.#name(agent)}  ${text}`);
  }

  #number(agent: number, text: string): void {
    this.#count += 1;
    this.lines.push(`${String(this.#count).padStart(3)}. ${this.#name(agent)}  ${text}`);
  }

  #name(agent: number): string {
    return (this.#scenario.agents[agent]?.name ?? '').padEnd(this.#width);
  }

  #word(address: number): string {
    return this.#scenario.label?.(address) ?? `0x${address.toString(16)}`;
  }

  #describe({ kind, address, first, second, label }: op.Operation, result: op.Value | string): string {
    const name = op.NAMES[kind] ?? '';
    const word = this.#word(address);
    switch (kind) {
      case op.STORE32:
      case op.PUT32:
      case op.STORE64:
      case op.PUT64:
        return `${name}(${word}, ${first})`;
      case op.ADD32:
      case op.ADD64:
      case op.EXCHANGE32:
        return `${name}(${word}, ${first}) = ${result}`;
      case op.CAS32:
      case op.CAS64: {
        const took =
          kind === op.CAS32
            ? result === (Number(first) | 0)
            : BigInt.asUintN(64, BigInt(result)) === BigInt.asUintN(64, BigInt(first));
        return `${name}(${word}, ${first} -> ${second}) = ${result} ${took ? 'ok' : 'failed'}`;
      }
      case op.DEAD:
      case op.WAIT_FOR_DEATH: {
        const other = this.#scenario.agents[(address - this.#fates) >> 2]?.name ?? '';
        return `${name}(${other}) = ${result === op.IS_DEAD}`;
      }
      case op.FINISH:
        return 'returns';
      case op.DIE:
        return 'is dead';
      case op.WAIT:
        return `wait(${word}, ${first}${second === 1 ? ', timed' : ''}) = ${result}`;
      case op.NOTIFY:
        return `notify(${word}, ${first === Infinity ? 'all' : first}) = ${result}`;
      case op.CHOOSE:
        return `choose(${first}${label === '' ? '' : `, ${label}`}) = ${result}`;
      case op.STEP:
        return `is killed before [${label}]`;
      case op.RESUME:
        return `is killed before it is awake on ${word}`;
      default:
        return `${name}(${word}) = ${result}`;
    }
  }
}
