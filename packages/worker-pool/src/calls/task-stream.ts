// `stream`: runs a task for each input, and gives out the outputs one by one.
//
// Each input that was read has a place until its output leaves. `#line` has the places in the order in which their
// outputs leave:
//
//   ordered      a place enters the line when its input is read
//   unordered    a place enters the line when its task has ended
//
// The first place leaves when its outcome is known and a call of `next` waits. `#last` is what calls of `next` get when
// no place is left: the failure of the inputs, or the end.

import { offAbort, onAbort, reasonOf } from '@sluice/core/calls';
import { InputSource, type Inputs } from '../api/inputs.ts';
import { setImmediate } from '../platform/timers.ts';

/**
 * The outputs of `WorkerPool.stream`, for one `for await` loop. The first call of `next` starts the stream: before it, no
 * input is read and no task runs.
 */
export interface TaskStream<Output> extends AsyncIterableIterator<Output> {
  /**
   * Resolves with the next output, or with the end. Several calls may wait; they are served in their order.
   *
   * Rejects with the error of a task or of the inputs, with `signal.reason`, or with the pool's error if the pool ends
   * before the inputs do. After that the stream has ended.
   */
  next(): Promise<IteratorResult<Output, undefined>>;
  /**
   * Ends the stream: cancels its tasks, closes the inputs, and ends the calls of `next` that wait. `for await` calls it
   * when the loop is left.
   *
   * Resolves when `return` of the inputs has resolved, and rejects with a failure of it. If a read of the inputs is
   * pending, it resolves without waiting, because that read may never end.
   */
  return(): Promise<IteratorResult<Output, undefined>>;
  [Symbol.asyncIterator](): TaskStream<Output>;
  /** Ends the stream, as `return` does. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A task that was started for a stream. */
export interface StartedTask {
  readonly promise: Promise<unknown>;
  /** Rejects the task, unless it has settled. */
  cancel(reason: unknown): void;
}

/** The part of a pool that a stream uses. */
export interface StreamHost {
  /** Throws if the pool accepts no more tasks. */
  check(): void;
  /** Starts a task. Throws if the pool accepts no more tasks. */
  start(input: unknown): StartedTask;
  /** See `MapHost`. */
  onEnd(listener: (reason: unknown) => void): () => void;
}

/** The settings of a stream that are not those of its tasks. */
export interface StreamLimits {
  readonly ordered: boolean;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

type Outcome =
  | { readonly kind: 'output'; readonly value: unknown }
  | { readonly kind: 'failure'; readonly why: unknown }
  | { readonly kind: 'end' };

interface Place {
  task: StartedTask | undefined;
  outcome: Outcome | undefined;
}

interface Taker<Output> {
  readonly resolve: (step: IteratorResult<Output, undefined>) => void;
  readonly reject: (why: unknown) => void;
}

const END: Outcome = { kind: 'end' };

export class Outputs<Output> implements TaskStream<Output> {
  readonly #inputs: Inputs<unknown>;
  readonly #host: StreamHost;
  readonly #limits: StreamLimits;
  #source: InputSource<unknown> | undefined;
  #line: Place[] = [];
  /** The places whose tasks have not ended. */
  readonly #running = new Set<Place>();
  /** Calls of `next` that wait. */
  readonly #takers: Taker<Output>[] = [];
  #hasBegun = false;
  #isReading = false;
  /** No further input is read. */
  #isComplete = false;
  #last: Outcome = END;
  /** The reason why the pool accepts no more tasks. */
  #poolEnd: { readonly why: unknown } | undefined;
  /** Removes the listeners. */
  #forget = (): void => undefined;

  constructor(inputs: Inputs<unknown>, host: StreamHost, limits: StreamLimits) {
    this.#inputs = inputs;
    this.#host = host;
    this.#limits = limits;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Output, undefined>> {
    return new Promise((resolve, reject) => {
      this.#takers.push({ resolve, reject });
      this.#begin();
      this.#advance();
    });
  }

  async return(): Promise<IteratorResult<Output, undefined>> {
    const isReading = this.#isReading;
    this.#hasBegun = true;
    const left = this.#drop(END);
    this.#deliver();
    if (!isReading) await left;
    return { done: true, value: undefined };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /** Inputs that were read, and whose outputs have not left. */
  get #open(): number {
    return this.#line.length + (this.#limits.ordered ? 0 : this.#running.size);
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    try {
      this.#host.check();
      this.#source = new InputSource(this.#inputs);
      this.#listen();
    } catch (failure) {
      void this.#drop({ kind: 'failure', why: failure });
    }
  }

  #listen(): void {
    const { signal } = this.#limits;
    const abort = (): void => this.#abort(reasonOf(signal));
    onAbort(signal, abort);
    const forgetEnd = this.#host.onEnd((why) => this.#handlePoolEnd(why));
    this.#forget = () => {
      offAbort(signal, abort);
      forgetEnd();
    };
  }

  #advance(): void {
    this.#deliver();
    void this.#read();
  }

  /** Gives outcomes to the calls that wait. */
  #deliver(): void {
    for (;;) {
      const [taker] = this.#takers;
      const outcome = this.#nextOutcome();
      if (taker === undefined || outcome === undefined) return;
      this.#takers.shift();
      this.#line.shift();
      if (outcome.kind === 'output') {
        taker.resolve({ done: false, value: outcome.value as Output });
        continue;
      }
      void this.#drop(END);
      if (outcome.kind === 'failure') taker.reject(outcome.why);
      else taker.resolve({ done: true, value: undefined });
    }
  }

  #nextOutcome(): Outcome | undefined {
    const [first] = this.#line;
    if (first !== undefined) return first.outcome;
    return this.#isComplete && this.#running.size === 0 ? this.#last : undefined;
  }

  /** Reads inputs and starts their tasks while there are places. */
  async #read(): Promise<void> {
    if (this.#isReading || this.#source === undefined) return;
    this.#isReading = true;
    while (!this.#isComplete && this.#open < this.#limits.concurrency) {
      if (this.#poolEnd !== undefined) this.#expectEnd(this.#poolEnd.why);
      try {
        const step = await this.#source.next();
        // The stream may have ended meanwhile. Then the input is dropped.
        if (this.#hasCompleted()) break;
        if (step.done === true) this.#isComplete = true;
        else this.#start(step.value);
      } catch (failure) {
        this.#failInputs(failure);
      }
    }
    this.#isReading = false;
    this.#deliver();
  }

  /** A call, because the compiler takes a field that it has checked for unchanged. */
  #hasCompleted(): boolean {
    return this.#isComplete;
  }

  #start(input: unknown): void {
    const task = this.#host.start(input);
    // The input's own code, which a clone may call, may have ended the stream.
    if (this.#hasCompleted()) {
      task.promise.catch(() => undefined);
      task.cancel(endOfStream());
      return;
    }
    const place: Place = { task, outcome: undefined };
    this.#running.add(place);
    if (this.#limits.ordered) this.#line.push(place);
    task.promise.then(
      (value) => this.#settle(place, { kind: 'output', value }),
      (why: unknown) => this.#settle(place, { kind: 'failure', why }),
    );
  }

  #settle(place: Place, outcome: Outcome): void {
    // A place that was cancelled has left.
    if (!this.#running.delete(place)) return;
    place.task = undefined;
    place.outcome = outcome;
    if (!this.#limits.ordered) this.#line.push(place);
    if (outcome.kind === 'failure') this.#endBehind(place);
    this.#advance();
  }

  /** A task has failed: what would leave after its place is cancelled, and what leaves before it goes on. */
  #endBehind(place: Place): void {
    this.#line.length = this.#line.indexOf(place) + 1;
    const before = new Set(this.#line);
    void this.#complete();
    this.#cancel((each) => !before.has(each));
  }

  /** The inputs give no further input. Their failure leaves after the outputs of the earlier inputs. */
  #failInputs(why: unknown): void {
    if (this.#isComplete) return;
    this.#last = { kind: 'failure', why };
    void this.#complete();
    this.#deliver();
  }

  #abort(why: unknown): void {
    void this.#drop({ kind: 'failure', why });
    this.#deliver();
  }

  #handlePoolEnd(why: unknown): void {
    this.#poolEnd = { why };
    if (this.#isReading) this.#expectEnd(why);
  }

  /** The pool takes no further input. Inputs that end within this turn still count as complete. */
  #expectEnd(why: unknown): void {
    setImmediate(() => {
      if (this.#isReading) this.#failInputs(why);
    });
  }

  /** Ends the stream without the outputs that have not left. Resolves as `InputSource.leave` does. */
  #drop(last: Outcome): Promise<void> {
    this.#last = last;
    this.#line = [];
    this.#forget();
    const left = this.#complete();
    this.#cancel(() => true);
    return left;
  }

  #complete(): Promise<void> {
    this.#isComplete = true;
    const left = this.#source?.leave() ?? Promise.resolve();
    // `return` reports the failure. After a failure of a task or an abort, that failure decides.
    left.catch(() => undefined);
    return left;
  }

  /** The newest first. Otherwise a slot that becomes free would start a task that is cancelled next. */
  #cancel(isChosen: (place: Place) => boolean): void {
    for (const place of [...this.#running].reverse()) {
      if (!isChosen(place)) continue;
      this.#running.delete(place);
      place.task?.cancel(endOfStream());
    }
  }
}

function endOfStream(): DOMException {
  return new DOMException('The stream of this task has ended.', 'AbortError');
}
