// One connection to the server.
//
// A message of several statements uses the simple protocol, which has neither parameters nor prepared statements. So
// nothing outlives a transaction, and a pooler may give each transaction another server process.

import { messageOf } from '@sluice/core/calls';
import { Interrupted, PLATFORM } from '@sluice/remote/internal';
import type { Query, Rows } from '../store/step-context.ts';
import type { OpenClient, PostgresClient } from './client.ts';
import { stateOf } from './failures.ts';

/** Values as the server sends them, whatever parsers the program has set. */
const AS_TEXT = { getTypeParser: () => (value: string) => value };

export interface ConnectionOptions {
  readonly open: OpenClient;
  /** The time after which a server that answers nothing is given up, in ms. */
  readonly patienceMs: number;
  readonly onNotification: (channel: string, payload: string) => void;
  /** Called once, when the connection has ended. */
  readonly onEnd: (connection: Connection) => void;
}

export class Connection {
  readonly #client: PostgresClient;
  readonly #options: ConnectionOptions;
  #ended = false;

  private constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#client = options.open();
    this.#client.on('notification', ({ channel, payload = '' }) => options.onNotification(channel, payload));
    // Without a listener of errors, an error would end the process.
    this.#client.on('error', () => this.#end());
    this.#client.on('end', () => this.#end());
  }

  /** Connects. Rejects with the client's error. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(options);
    try {
      const connecting = connection.#client.connect();
      connection.#client.unref?.();
      await connecting;
      return connection;
    } catch (failure) {
      connection.close();
      throw failure;
    }
  }

  /** The server process, as it said at the start. */
  get processId(): number | null {
    return this.#client.processID;
  }

  /** Sends statements in one message, and resolves with the rows of each. */
  readonly query: Query = async (sql) => {
    if (this.#ended) throw new Interrupted('the connection to the Postgres server has ended');
    const timer = PLATFORM.after(this.#options.patienceMs, () => this.#end(), false);
    try {
      const answer = await this.#client.query({ text: sql, rowMode: 'array', types: AS_TEXT });
      const results = Array.isArray(answer) ? answer : [answer];
      return results.map(({ rows }): Rows => rows);
    } catch (cause) {
      // Without a state it is no answer of the server: the connection broke.
      throw stateOf(cause) === undefined ? new Interrupted(messageOf(cause), { cause }) : cause;
    } finally {
      timer?.stop();
    }
  };

  /** Ends the transaction in which a statement has failed. */
  async rollBack(): Promise<void> {
    try {
      await this.query('ROLLBACK');
    } catch {
      this.#end();
    }
  }

  /** Ends the connection, and everything that waits for an answer. */
  close(): void {
    this.#ended = true;
    this.#client.end().catch(() => undefined);
  }

  #end(): void {
    if (this.#ended) return;
    this.close();
    this.#options.onEnd(this);
  }
}
