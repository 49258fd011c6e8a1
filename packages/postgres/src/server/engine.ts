// The engine of a space over Postgres. Its steps run in this process, on rows that a transaction locks and loads.
//
// 1. Everything uses one connection, in turn. Steps that are called while a transaction runs are the next transaction,
//    together: the more a process has to do, the more steps share the two messages of one.
// 2. A connection that breaks, or a transaction that fails for a reason that passes, interrupts its steps. Their
//    sessions send them again.
// 3. After each new connection sessions ask for what they may have missed: `onReady`.

import { hasCode } from '@sluice/core';
import { keepAlive, letGo, messageOf } from '@sluice/core/calls';
import { Interrupted, PLATFORM, RETRY_MS, type Listener, type RemoteEngine } from '@sluice/remote/internal';
import { shapeOf, type ShapedStep } from '@sluice/remote/steps';
import { contextOf, type StepContext } from '../store/step-context.ts';
import { runSteps } from '../store/run-steps.ts';
import { FORMAT } from '../store/stored-texts.ts';
import type { OpenClient } from './client.ts';
import { Connection } from './connection.ts';
import { PostgresError } from './errors.ts';
import { lacksTables, stepFailure } from './failures.ts';
import { listenTo, Mailbox } from './mailbox.ts';
import { createTables, prepare } from './prepare-connection.ts';

/** The greatest number of steps in one transaction: others wait for its end. */
const MOST_STEPS = 64;
/** A server that answers nothing is given up after a third of a lease, but not before this many ms. */
const LEAST_PATIENCE_MS = 1000;
/** The server ends a transaction whose process has stopped after a tenth of a lease, within these bounds in ms. */
const LEAST_IDLE_MS = 50;
const MOST_IDLE_MS = 1000;
/** The longest pause between two attempts to connect, in ms. */
const LONGEST_PAUSE_MS = 1000;

export interface EngineSettings {
  readonly open: OpenClient;
  readonly namespace: string;
  readonly schema: string;
  readonly lease: number;
  /** Whether to LISTEN. Undefined: if the connection leads to one server process. */
  readonly listen: boolean | undefined;
  /** How often busy sessions look for mail, in ms. */
  readonly pollMs: number;
}

interface Call {
  readonly words: readonly (string | number)[];
  readonly step: ShapedStep;
  readonly resolve: (reply: string[]) => void;
  readonly reject: (reason: Error) => void;
}

export class PostgresEngine implements RemoteEngine {
  readonly format = FORMAT;
  readonly retryMs = RETRY_MS;
  readonly #settings: EngineSettings;
  readonly #patienceMs: number;
  readonly #owner = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  readonly #mailbox = new Mailbox();
  #context: StepContext;
  #connection: Connection | undefined;
  /** Settles when everything before has used the connection. */
  #turn: Promise<unknown> = Promise.resolve();
  #calls: Call[] = [];
  #scheduled = false;
  #polling = false;
  #failures = 0;
  #closed = false;

  private constructor(settings: EngineSettings) {
    this.#settings = settings;
    this.#patienceMs = Math.max(LEAST_PATIENCE_MS, settings.lease / 3);
    this.#context = this.#contextWith(false);
  }

  /** Connects, and creates the tables if they are missing. Rejects with `PostgresError` or `UnsupportedError`. */
  static async open(settings: EngineSettings): Promise<PostgresEngine> {
    const engine = new PostgresEngine(settings);
    try {
      await engine.#alone(() => Promise.resolve());
      return engine;
    } catch (failure) {
      engine.close();
      const { cause = failure } = failure as Error;
      throw hasCode(cause, 'SLUICE_POSTGRES') || hasCode(cause, 'SLUICE_UNSUPPORTED')
        ? cause
        : engine.unreachable(cause);
    }
  }

  async run(words: readonly (string | number)[], ref: boolean): Promise<string[]> {
    const step = shapeOf(words);
    if (typeof step === 'string') throw new PostgresError(`The call was refused: ${step}.`);
    if (ref) keepAlive();
    try {
      const reply = await new Promise<string[]>((resolve, reject) => {
        this.#calls.push({ words, step, resolve, reject });
        this.#schedule();
      });
      this.#mailbox.note(words, reply);
      this.#poll();
      return reply;
    } finally {
      if (ref) letGo();
    }
  }

  async listen(session: string, onMessage: (text: string) => void, onReady: () => void): Promise<Listener> {
    const listener = this.#mailbox.add(session, onMessage, onReady);
    try {
      await this.#alone(async ({ query }) => {
        if (!this.#context.polls) await query(listenTo([session]));
      });
    } catch (failure) {
      const reason = stepFailure(failure);
      if (!(reason instanceof Interrupted)) {
        listener.close();
        throw reason;
      }
      // The next connection listens for all sessions.
      this.#comeBack();
    }
    return listener;
  }

  otherFormat(there: string): PostgresError {
    return new PostgresError(
      `The namespace is in use by another version of @sluice/postgres (format ${there}; this is ${FORMAT}). Use another namespace, or the same version everywhere.`,
    );
  }

  unreachable(cause: unknown): PostgresError {
    return new PostgresError(
      `No connection to the Postgres server: ${messageOf(cause)}. Check that it runs and can be reached, and that its user may connect.`,
      { cause },
    );
  }

  close(): void {
    this.#closed = true;
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Whether the sessions look for their mail, because the connection cannot LISTEN. */
  get polls(): boolean {
    return this.#context.polls;
  }

  /** Uses the connection, after everything that has asked for it before. */
  #alone<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    const result = this.#turn.then(async () => use(await this.#connected()));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Runs the calls when the connection is free. */
  #schedule(): void {
    if (this.#scheduled || this.#calls.length === 0) return;
    this.#scheduled = true;
    let calls: Call[] = [];
    const take = (): void => {
      this.#scheduled = false;
      calls = this.#calls.splice(0, MOST_STEPS);
      this.#schedule();
    };
    this.#alone((connection) => {
      take();
      return this.#runAll(connection, calls);
    }).then(
      (replies) => {
        for (const [i, { resolve }] of calls.entries()) resolve(replies[i] ?? []);
      },
      (failure: unknown) => {
        // There is no connection.
        if (calls.length === 0) take();
        const reason = stepFailure(failure);
        for (const { reject } of calls) reject(reason);
      },
    );
  }

  async #runAll(connection: Connection, calls: readonly Call[]): Promise<string[][]> {
    try {
      const steps = calls.map(({ step }) => step);
      return (await runSteps(connection.query, this.#context, steps)).replies;
    } catch (failure) {
      await connection.rollBack();
      // Another user has removed them. All holds are lost, and the sessions learn it.
      if (lacksTables(failure)) await createTables(connection.query, this.#settings.schema);
      throw failure;
    }
  }

  /** Rejects with `Interrupted`, also if the server that answered is a standby: another one may soon be the primary. */
  async #connected(): Promise<Connection> {
    try {
      return this.#connection ?? (await this.#connect());
    } catch (cause) {
      throw cause instanceof Interrupted ? cause : new Interrupted(messageOf(cause), { cause });
    }
  }

  async #connect(): Promise<Connection> {
    if (this.#closed) throw new Interrupted('the space is closed');
    const { open, schema, listen } = this.#settings;
    const connection = await Connection.open({
      open,
      patienceMs: this.#patienceMs,
      onNotification: (channel, payload) => this.#mailbox.notified(channel, payload),
      onEnd: (ended) => this.#lost(ended),
    });
    try {
      const leadsToOne = await prepare(connection, schema);
      this.#context = this.#contextWith(!(listen ?? leadsToOne));
      const { sessions } = this.#mailbox;
      if (!this.#context.polls && sessions.length > 0) await connection.query(listenTo(sessions));
    } catch (failure) {
      connection.close();
      throw failure;
    }
    if (this.#isClosed()) {
      connection.close();
      throw new Interrupted('the space is closed');
    }
    this.#connection = connection;
    this.#failures = 0;
    this.#mailbox.ready();
    return connection;
  }

  /** The space may have been closed during a pause. */
  #isClosed(): boolean {
    return this.#closed;
  }

  #lost(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#comeBack();
  }

  /** Connects again, so that waiters hear of their grants. */
  #comeBack(): void {
    if (this.#closed || this.#connection !== undefined || this.#mailbox.sessions.length === 0) return;
    const pause = Math.min(RETRY_MS * 2 ** this.#failures, LONGEST_PAUSE_MS, this.#settings.lease / 3);
    const again = (): void => {
      this.#alone(() => Promise.resolve()).catch(() => {
        this.#failures++;
        this.#comeBack();
      });
    };
    PLATFORM.after(pause, again, false);
  }

  #poll(): void {
    if (this.#polling || this.#closed || !this.#context.polls || this.#mailbox.busy.length === 0) return;
    this.#polling = true;
    const look = (): void => {
      this.#alone(({ query }) => this.#mailbox.fetch(query, this.#context))
        // What it misses is found by the next look, or by a heartbeat.
        .catch(() => undefined)
        .finally(() => {
          this.#polling = false;
          this.#poll();
        });
    };
    PLATFORM.after(this.#settings.pollMs, look, false);
  }

  #contextWith(polls: boolean): StepContext {
    const { schema, namespace, lease } = this.#settings;
    return contextOf(schema, namespace, {
      owner: this.#owner,
      polls,
      lockMs: Math.ceil(this.#patienceMs),
      idleMs: Math.ceil(Math.min(MOST_IDLE_MS, Math.max(LEAST_IDLE_MS, lease / 10))),
    });
  }
}
