// The place of histories in the model's memory, behind a buffer's world, and the calls that record them.

import type { Kind, Operation, Outcome } from '@sluice/linear';
import type { Words } from '@sluice/model';
import { BYTES, lastPlaceAt } from './buffer-places.ts';
import type { BufferActor, BufferBody, Values } from './buffer-world.ts';

const MAX_AGENTS = 4;
const MAX_CALLS = 5;
const MAX_VALUES = 3;
/**
 * The record of a call: begin, end, kind, outcome, place in the queue (0: it was not queued), number of values, values.
 */
const CALL_BYTES = 4 * (6 + MAX_VALUES);

const CLOCK = BYTES;
const callAt = (agent: number, call: number): number => CLOCK + 4 + (agent * MAX_CALLS + call) * CALL_BYTES;
export const HISTORY_BYTES = callAt(MAX_AGENTS, 0);

const KINDS: readonly Kind[] = ['push', 'pop', 'close'];
const OUTCOMES: readonly Outcome[] = ['done', 'refused', 'closed'];

/** The result of a call: the values that it pushed or took. For a failed push, the values that it had. */
interface Answer<T> {
  readonly result: T;
  readonly outcome: Outcome;
  readonly values: readonly number[];
}

class Tape {
  readonly #actor: BufferActor;
  #calls = 0;

  constructor(actor: BufferActor) {
    this.#actor = actor;
  }

  call<T>(kind: Kind, offered: readonly number[], call: () => Answer<T>): T {
    const { core, ctx } = this.#actor;
    const { words } = ctx;
    const at = callAt(ctx.index, this.#calls++);
    ctx.assert(this.#calls <= MAX_CALLS, 'more calls than there is space for');
    const end = (outcome: Outcome, values: readonly number[]): void => {
      const ended = words.add32(CLOCK, 1) + 1;
      const record = [
        ended,
        KINDS.indexOf(kind),
        OUTCOMES.indexOf(outcome),
        words.get32(lastPlaceAt(ctx.index)),
        values.length,
        ...values,
      ];
      for (const [word, value] of record.entries()) words.put32(at + 4 + 4 * word, value);
    };
    words.put32(lastPlaceAt(ctx.index), 0);
    words.put32(at, words.add32(CLOCK, 1) + 1);
    let answer: Answer<T>;
    try {
      answer = call();
    } catch (error) {
      if (core.hasCode(error, 'SLUICE_CLOSED')) end('closed', offered);
      throw error;
    }
    end(answer.outcome, answer.values);
    return answer.result;
  }
}

/** The same calls, each with a record. */
function taping(actor: BufferActor): Values {
  const { buffer } = actor;
  const tape = new Tape(actor);
  const put = (value: number, push: () => boolean): boolean =>
    tape.call('push', [value], () => {
      const result = push();
      return { result, outcome: result ? 'done' : 'refused', values: [value] };
    });
  const take = (pop: () => number | undefined): number | undefined =>
    tape.call('pop', [], () => {
      const result = pop();
      return result === undefined
        ? { result, outcome: 'refused', values: [] }
        : { result, outcome: 'done', values: [result] };
    });
  const calls: Partial<Values> = {
    get length() {
      return buffer.length;
    },
    push: (value) => void put(value, () => (buffer.push(value), true)),
    tryPush: (value, timeoutMs) => put(value, () => buffer.tryPush(value, timeoutMs)),
    pop: () => take(() => buffer.pop()) as number,
    tryPop: (timeoutMs) => take(() => buffer.tryPop(timeoutMs)),
    pushMany: (values) =>
      tape.call('push', Array.from(values), () => {
        const result = buffer.pushMany(values);
        return { result, outcome: 'done', values: Array.from(values).slice(0, result) };
      }),
    popMany: (most) =>
      tape.call('pop', [], () => {
        const result = buffer.popMany(most);
        return { result, outcome: 'done', values: result };
      }),
    close: () =>
      tape.call('close', [], () => {
        buffer.close();
        return { result: undefined, outcome: 'done', values: [] };
      }),
  };
  return calls as Values;
}

export const recorded =
  (body: BufferBody): BufferBody =>
  (actor) =>
    body({ ...actor, buffer: taping(actor) });

/** Returns the agents' records. */
export function historyOf(words: Words): Operation[] {
  const operations: Operation[] = [];
  for (let agent = 0; agent < MAX_AGENTS; agent++) {
    for (let call = 0; call < MAX_CALLS; call++) {
      const at = callAt(agent, call);
      const [began = 0, ended = 0, kind = 0, outcome = 0, place = 0, count = 0] = [0, 1, 2, 3, 4, 5].map((word) =>
        words.get32(at + 4 * word),
      );
      if (began === 0) continue;
      const values = Array.from({ length: count }, (_, index) => words.get32(at + 24 + 4 * index));
      const [kindName = 'close', outcomeName = 'done'] = [KINDS[kind], OUTCOMES[outcome]];
      const inLine = place === 0 ? {} : { place };
      operations.push({ kind: kindName, outcome: outcomeName, values, began, ended, ...inLine, by: `agent ${agent}` });
    }
  }
  return operations;
}
