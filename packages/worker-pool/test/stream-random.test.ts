// Random streams over tasks that end when the test says so, beside a loop that runs one task after the other: the same
// outputs in the same order, and the same error.

import { scale, Session, type Random } from '@sluice/harness';
import { expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { Outputs, type StartedTask } from '../src/calls/task-stream.ts';

const PLAYS = scale(400);

interface Plan {
  readonly inputs: readonly number[];
  /** The inputs whose tasks fail. */
  readonly failing: ReadonlySet<number>;
  /** The number of inputs after which the iterator throws; `Infinity`: never. */
  readonly throwsAfter: number;
  readonly ordered: boolean;
  readonly concurrency: number;
  /** Async inputs, one for each event. */
  readonly async: boolean;
  /** The number of outputs after which the loop is left; `Infinity`: never. */
  readonly leavesAfter: number;
  /** In percent for each event. */
  readonly abortChance: number;
}

interface Played {
  readonly outputs: readonly number[];
  readonly failure: unknown;
}

function planOf(random: Random): Plan {
  const inputs = Array.from({ length: random.below(14) }, (_, n) => n);
  const fails = random.chance(40);
  return {
    inputs,
    failing: new Set(inputs.filter(() => fails && random.chance(15))),
    throwsAfter: random.chance(20) ? random.below(14) : Infinity,
    ordered: random.chance(70),
    concurrency: random.between(1, 5),
    async: random.chance(50),
    leavesAfter: random.chance(20) ? random.between(1, 6) : Infinity,
    abortChance: random.chance(20) ? 5 : 0,
  };
}

/** The oracle: what one loop after the other does. */
function inALoop({ inputs, failing, throwsAfter, leavesAfter }: Plan): Played {
  const outputs: number[] = [];
  try {
    for (const input of inputs) {
      if (input >= throwsAfter) throw new RangeError('of the inputs');
      if (failing.has(input)) throw new Error(`of task ${input}`);
      outputs.push(10 * input);
      if (outputs.length === leavesAfter) break;
    }
    if (outputs.length < leavesAfter && throwsAfter <= inputs.length) throw new RangeError('of the inputs');
  } catch (failure) {
    return { outputs, failure };
  }
  return { outputs, failure: undefined };
}

/** A stream, its inputs and its tasks. Each of them goes on by one of `events`. */
class Scene {
  readonly #plan: Plan;
  readonly #abort = new AbortController();
  /** What ends each task. */
  readonly #tasks = new Map<number, () => void>();
  readonly #outputs: number[] = [];
  #giveInput: (() => void) | undefined;
  #goOn: (() => void) | undefined;
  /** How many inputs were read, and how many calls of `next` were made. */
  #read = 0;
  #calls = 0;
  returns = 0;
  hasEndedInputs = false;
  /** The first input whose task has failed. */
  #failed = Infinity;
  /** An input was read after that, or a task behind it was not cancelled. */
  wentOn = false;
  #isOver = false;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  get openTasks(): number {
    return this.#tasks.size;
  }

  get aborted(): boolean {
    return this.#abort.signal.aborted;
  }

  abort(): void {
    this.#abort.abort('enough');
  }

  /** Looks at the scene when all that follows from the last events has happened. */
  look(): void {
    const stays = (input: number): boolean => this.#plan.ordered && input < this.#failed;
    if (this.#failed < Infinity && [...this.#tasks.keys()].some((input) => !stays(input))) this.wentOn = true;
    this.#isOver = this.#failed < Infinity;
  }

  get events(): (() => void)[] {
    const events = [...this.#tasks.values()];
    const goOn = this.#goOn;
    if (goOn !== undefined) events.push(goOn);
    const giveInput = this.#giveInput;
    if (giveInput !== undefined) events.push(giveInput);
    return events;
  }

  async play(): Promise<Played> {
    const { ordered, concurrency, leavesAfter } = this.#plan;
    const host = {
      check: () => undefined,
      start: (input: unknown) => this.#start(input as number),
      onEnd: () => () => undefined,
    };
    const stream = new Outputs<number>(this.#inputs(), host, { ordered, concurrency, signal: this.#abort.signal });
    try {
      this.#calls = 1;
      for await (const output of stream) {
        this.#outputs.push(output);
        await new Promise<void>((resolve) => (this.#goOn = resolve));
        this.#goOn = undefined;
        if (this.#outputs.length === leavesAfter) break;
        this.#calls += 1;
      }
    } catch (failure) {
      return { outputs: this.#outputs, failure };
    }
    return { outputs: this.#outputs, failure: undefined };
  }

  #start(input: number): StartedTask {
    let cancel: () => void = () => undefined;
    const promise = new Promise<unknown>((resolve, reject) => {
      const end = (): void => {
        this.#tasks.delete(input);
        if (!this.#plan.failing.has(input)) {
          resolve(10 * input);
          return;
        }
        this.#failed = Math.min(this.#failed, input);
        reject(new Error(`of task ${input}`));
      };
      cancel = () => {
        if (this.#tasks.delete(input)) reject(new Error('cancelled'));
      };
      this.#tasks.set(input, end);
    });
    return { promise, cancel };
  }

  #inputs(): Iterable<number> | AsyncIterable<number> {
    const next = (): IteratorResult<number> => {
      if (this.#isOver) this.wentOn = true;
      return this.#next();
    };
    const leave = (): IteratorResult<number> => {
      this.returns += 1;
      return { done: true, value: undefined };
    };
    if (!this.#plan.async) return { [Symbol.iterator]: () => ({ next, return: leave }) };
    const nextLater = async (): Promise<IteratorResult<number>> => {
      if (this.#isOver) this.wentOn = true;
      await new Promise<void>((resolve) => (this.#giveInput = resolve));
      this.#giveInput = undefined;
      return this.#next();
    };
    return { [Symbol.asyncIterator]: () => ({ next: nextLater, return: () => Promise.resolve(leave()) }) };
  }

  #next(): IteratorResult<number> {
    const { inputs, throwsAfter, concurrency } = this.#plan;
    const n = this.#read;
    // A `next` that was under way when the stream ended does not count.
    if (this.returns === 0 && (n >= throwsAfter || n === inputs.length)) this.hasEndedInputs = true;
    if (n >= throwsAfter) throw new RangeError('of the inputs');
    if (n === inputs.length) return { done: true, value: undefined };
    this.#read += 1;
    // Each call of `next` takes at most one output.
    expect(this.#read).toBeLessThanOrEqual(this.#calls + concurrency);
    return { done: false, value: n };
  }
}

/** Plays events at random until the loop has ended. */
async function playOut(scene: Scene, plan: Plan, random: Random): Promise<Played> {
  let played: Played | undefined;
  const whole = scene.play().then((result) => (played = result));
  for (;;) {
    // All that follows from the last event happens in one turn.
    await turn();
    scene.look();
    if (played !== undefined) break;
    if (scene.events.length === 0) throw new Error(`The stream waits for nothing: ${JSON.stringify(plan)}`);
    if (!scene.aborted && random.chance(plan.abortChance)) scene.abort();
    else for (let some = random.between(1, 3); some > 0 && scene.events.length > 0; some--) random.pick(scene.events)();
  }
  await turn();
  return whole;
}

test('a stream gives what a loop gives that runs one task after the other', async () => {
  const session = new Session('streams');
  const { random } = session;
  const ends = { whole: 0, failed: 0, left: 0, aborted: 0 };
  for (let play = 0; play < PLAYS; play++) {
    const plan = planOf(random);
    const expected = inALoop(plan);
    const scene = new Scene(plan);
    const { outputs, failure } = await playOut(scene, plan, random);
    const what = JSON.stringify({ seed: session.seed, play, ...plan, failing: [...plan.failing] });
    const isAborted = scene.aborted && failure === 'enough';

    if (plan.ordered) expect(outputs, what).toEqual(expected.outputs.slice(0, isAborted ? outputs.length : undefined));
    else expect(new Set(outputs).size, what).toBe(outputs.length);
    if (!plan.ordered && expected.failure === undefined && plan.leavesAfter === Infinity && !isAborted)
      expect(
        outputs.toSorted((a, b) => a - b),
        what,
      ).toEqual(expected.outputs);
    if (!isAborted && plan.ordered) expect(failure, what).toEqual(expected.failure);
    if (!isAborted && !plan.ordered && plan.leavesAfter === Infinity)
      expect(failure === undefined, what).toBe(expected.failure === undefined);

    // Nothing is left. `return` was called once, or not at all if the inputs ended by themselves. If something else
    // ended the stream in that moment, either is right.
    expect(scene.openTasks, what).toBe(0);
    expect(scene.wentOn, what).toBe(false);
    const isWhole = failure === undefined && outputs.length < plan.leavesAfter;
    if (isWhole || !scene.hasEndedInputs) expect(scene.returns, what).toBe(isWhole ? 0 : 1);
    if (isAborted) ends.aborted += 1;
    else if (failure !== undefined) ends.failed += 1;
    else if (outputs.length === plan.leavesAfter) ends.left += 1;
    else ends.whole += 1;
  }
  session.done(PLAYS, JSON.stringify(ends));
});
