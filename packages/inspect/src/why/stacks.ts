// The stacks of threads that do not turn their event loops, by Node's inspector.
//
// A thread that sleeps in Atomics.wait, also in WebAssembly, or runs in a loop, handles the engine's interrupts. So a
// debugger can pause it, read its stack, and let it go on: the wait goes on with what is left of its timeout, and a
// notify meanwhile ends it. The main thread passes the messages of the others on, also while it sleeps. A thread in a
// call of the operating system handles no interrupts, and has no stack here.

import { Session } from 'node:inspector';
import { setTimeout as after } from 'node:timers/promises';

/** A frame of a stack. */
export interface StackFrame {
  readonly name: string;
  readonly url: string;
  /** From 1. */
  readonly line: number;
}

/** The state of a thread that was paused. */
export interface Stack {
  /** Without those of Node.js and of this package. */
  readonly frames: readonly StackFrame[];
  /** Of a thread in Atomics.wait: the value of its word now, the engine's id of the buffer, and its length in bytes. */
  readonly word?: { readonly now: number; readonly buffer: number; readonly bytes: number };
}

/** What `stacksOf` has found. */
export interface Stacks {
  /** By Node's ids of the threads; 0 is the main thread. */
  readonly of: ReadonlyMap<number, Stack>;
  /** The ids of all workers of the process, or `undefined` if the inspector did not tell. */
  readonly workers: readonly number[] | undefined;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

interface CallFrame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly location: { readonly scriptId: string; readonly lineNumber: number };
}

interface Evaluated {
  readonly result?: { readonly value?: unknown; readonly objectId?: string };
}

/** The files of this package that a thread of the program runs. */
const OWN = /[\\/]dist[\\/]why\.c?js$/;

/** The time in ms that threads have which may be in a call of the operating system. */
const PATIENCE_MS = 2000;
/** The time in ms that threads have which certainly handle interrupts. A busy machine may need it. */
const LONG_PATIENCE_MS = 10_000;

/**
 * Reads the stacks of these threads, as far as they can be had in time. `sure`: those that certainly handle interrupts.
 * `own`: the calling thread's id.
 */
export async function stacksOf(threads: ReadonlySet<number>, sure: ReadonlySet<number>, own: number): Promise<Stacks> {
  const of = new Map<number, Stack>();
  const session = new Session();
  try {
    session.connectToMainThread();
  } catch {
    return { of, workers: undefined };
  }
  const reader = new StackReader(session, threads, own, of);
  const ended = new AbortController();
  const pause = (ms: number): Promise<unknown> => after(ms, undefined, { signal: ended.signal });
  const late = async (): Promise<void> => {
    await pause(PATIENCE_MS);
    const isMissing = reader.workers === undefined || [...sure].some((id) => !of.has(id));
    // Without the main thread, no message reaches the others.
    const canHave = !threads.has(0) || sure.has(0);
    if (isMissing && canHave) await pause(LONG_PATIENCE_MS - PATIENCE_MS);
  };
  try {
    await Promise.race([reader.read(), late()]);
  } finally {
    ended.abort();
    // Lets every thread go on that is paused, or that would have been.
    session.disconnect();
  }
  return { of: new Map(of), workers: reader.workers };
}

class StackReader {
  readonly #session: Session;
  readonly #threads: ReadonlySet<number>;
  readonly #own: number;
  readonly #found: Map<number, Stack>;
  /** The threads other than the main thread, by their sessions. */
  readonly #targets = new Map<string, Target>();
  readonly #ids: number[] = [];
  #isComplete = false;

  constructor(session: Session, threads: ReadonlySet<number>, own: number, found: Map<number, Stack>) {
    this.#session = session;
    this.#threads = threads;
    this.#own = own;
    this.#found = found;
  }

  get workers(): readonly number[] | undefined {
    return this.#isComplete ? this.#ids : undefined;
  }

  async read(): Promise<void> {
    const main = new Target((message) => {
      this.#post(message.method, message.params, (result) => main.answered(message.id, result));
    });
    const looks: Promise<void>[] = [];
    this.#session.on('inspectorNotification', (message) => {
      const { method, params = {} } = message as unknown as Message;
      if (method === 'NodeWorker.attachedToWorker') looks.push(...this.#attached(params));
      else if (method === 'NodeWorker.receivedMessageFromWorker')
        this.#targets.get(String(params['sessionId']))?.received(JSON.parse(String(params['message'])) as Message);
      else main.received({ ...(method !== undefined && { method }), params });
    });
    await new Promise<void>((resolve) => {
      this.#post('NodeWorker.enable', { waitForDebuggerOnStart: false }, () => resolve());
    });
    this.#isComplete = true;
    // The main thread passes on what is for the others, so it is paused when they have answered.
    await Promise.all(looks);
    if (this.#threads.has(0)) await this.#look(0, main);
  }

  #attached(params: Readonly<Record<string, unknown>>): Promise<void>[] {
    const { title } = params['workerInfo'] as { readonly title: string };
    const thread = Number(/\d+/.exec(title)?.[0]);
    if (thread === this.#own) return [];
    this.#ids.push(thread);
    const sessionId = String(params['sessionId']);
    const target = new Target((message) => {
      this.#post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify(message) }, () => undefined);
    });
    this.#targets.set(sessionId, target);
    return this.#threads.has(thread) ? [this.#look(thread, target)] : [];
  }

  async #look(thread: number, target: Target): Promise<void> {
    const stack = await target.stack();
    this.#found.set(thread, stack);
  }

  #post(method: string, params: object, done: (result: Message['result']) => void): void {
    type Post = (method: string, params: object, callback: (failure: unknown, result: unknown) => void) => void;
    (this.#session.post.bind(this.#session) as Post)(method, params, (_, result) =>
      done((result ?? {}) as NonNullable<Message['result']>),
    );
  }
}

/** One thread, as a debugger sees it. */
class Target {
  readonly #send: (message: { readonly id: number; readonly method: string; readonly params: object }) => void;
  readonly #answers = new Map<number, (result: Readonly<Record<string, unknown>>) => void>();
  readonly #urls = new Map<string, string>();
  #id = 0;
  #paused: ((frames: readonly CallFrame[]) => void) | undefined;

  constructor(send: (message: { readonly id: number; readonly method: string; readonly params: object }) => void) {
    this.#send = send;
  }

  answered(id: number, result: Readonly<Record<string, unknown>> = {}): void {
    this.#answers.get(id)?.(result);
    this.#answers.delete(id);
  }

  received({ id, method, params = {}, result }: Message): void {
    if (id !== undefined) this.answered(id, result);
    else if (method === 'Debugger.scriptParsed') this.#urls.set(String(params['scriptId']), String(params['url']));
    else if (method === 'Debugger.paused') this.#paused?.(params['callFrames'] as readonly CallFrame[]);
  }

  async stack(): Promise<Stack> {
    const paused = new Promise<readonly CallFrame[]>((resolve) => {
      this.#paused = resolve;
    });
    await this.#ask('Debugger.enable');
    await this.#ask('Debugger.pause');
    const frames = await paused;
    try {
      return await this.#describe(frames);
    } finally {
      await this.#ask('Debugger.resume');
      await this.#ask('Debugger.disable');
    }
  }

  async #describe(callFrames: readonly CallFrame[]): Promise<Stack> {
    const all = callFrames.map(({ callFrameId, functionName, location }) => {
      const url = this.#urls.get(location.scriptId) ?? '';
      return { callFrameId, name: functionName, url, line: location.lineNumber + 1 };
    });
    const frames = all
      .filter(({ url }) => !url.startsWith('node:') && !OWN.test(url))
      .map(({ name, url, line }): StackFrame => ({ name, url, line }));
    const wait = all.find(({ name, url }) => name === 'wait' && OWN.test(url));
    if (wait === undefined) return { frames };
    const evaluate = (expression: string, returnByValue: boolean): Promise<Evaluated> =>
      this.#ask('Debugger.evaluateOnCallFrame', {
        callFrameId: wait.callFrameId,
        expression,
        returnByValue,
        silent: true,
      });
    const { result } = await evaluate('[Number(Atomics.load(array, index)), array.buffer.byteLength]', true);
    if (!Array.isArray(result?.value)) return { frames };
    const [now, bytes] = result.value as [number, number];
    const { result: object } = await evaluate('array.buffer', false);
    const { internalProperties } = (await this.#ask('Runtime.getProperties', {
      objectId: object?.objectId,
      ownProperties: true,
    })) as {
      readonly internalProperties?: readonly { readonly name: string; readonly value?: { readonly value?: unknown } }[];
    };
    const id = internalProperties?.find(({ name }) => name === '[[ArrayBufferData]]')?.value?.value;
    return { frames, word: { now, bytes, buffer: Number(id ?? 0) } };
  }

  #ask(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    this.#id += 1;
    const id = this.#id;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.#send({ id, method, params });
    });
  }
}
