// The subscriptions of an engine's sessions: to notifications, or to mail.
//
// Through a pooler of transactions there is no LISTEN. Then a session has a row for its messages, and the engine looks
// into the rows of its sessions at an interval, while they hold something or wait for something. The interval is short
// against a lease, and a session that has nothing costs nothing.

import type { Listener } from '@sluice/remote/internal';
import { identifier, literals } from '../sql/quote.ts';
import { channelOf } from '../store/changes.ts';
import type { StepContext, Query } from '../store/step-context.ts';

/** A heartbeat without entries: operation, session, generation, lease. */
const BEAT_WORDS = 4;
/** Answers after which a session holds or waits for something. */
const BUSY: readonly string[] = ['granted', 'waiting', 'acts'];

interface Subscription {
  readonly onMessage: (text: string) => void;
  readonly onReady: () => void;
}

export class Mailbox {
  readonly #subscriptions = new Map<string, Subscription>();
  /** The sessions that hold something or wait for something, as far as their steps say. */
  readonly #busy = new Set<string>();

  get sessions(): string[] {
    return [...this.#subscriptions.keys()];
  }

  /** The sessions that may get messages. */
  get busy(): string[] {
    return [...this.#busy].filter((session) => this.#subscriptions.has(session));
  }

  add(session: string, onMessage: (text: string) => void, onReady: () => void): Listener {
    const subscription: Subscription = { onMessage, onReady };
    this.#subscriptions.set(session, subscription);
    return {
      close: () => {
        // A session subscribes anew before it gives up the old subscription.
        if (this.#subscriptions.get(session) !== subscription) return;
        this.#subscriptions.delete(session);
        this.#busy.delete(session);
      },
    };
  }

  /** Learns from a step whether its session may get messages. */
  note(step: readonly (string | number)[], reply: readonly string[]): void {
    const [operation, session] = [step[0], String(step[1])];
    if (operation === 'beat') {
      // Its entries are everything that the session holds and waits for.
      if (step.length > BEAT_WORDS) this.#busy.add(session);
      else this.#busy.delete(session);
    } else if (reply[0] !== undefined && BUSY.includes(reply[0])) {
      this.#busy.add(session);
    }
  }

  /** Calls `onReady` of all sessions: messages may have been lost before. */
  ready(): void {
    for (const { onReady } of [...this.#subscriptions.values()]) queueMicrotask(onReady);
  }

  /** Takes in a notification. Another program may have sent it. */
  notified(channel: string, payload: string): void {
    for (const [session, { onMessage }] of [...this.#subscriptions]) {
      if (channelOf(session) === channel) for (const text of textsIn(payload)) onMessage(text);
    }
  }

  /** Takes in the mail of sessions. */
  async fetch(query: Query, { tables, namespace }: StepContext): Promise<void> {
    const { busy } = this;
    if (busy.length === 0) return;
    const wanted = `namespace = ${namespace} AND session IN (${literals(busy)}) AND mail <> ''`;
    const [rows = []] = await query(
      `UPDATE ${tables.sessions} AS s SET mail = '' FROM (SELECT session, mail FROM ${tables.sessions} WHERE ${wanted} ORDER BY session FOR UPDATE) AS old WHERE s.namespace = ${namespace} AND s.session = old.session RETURNING s.session, old.mail`,
    );
    for (const [session, mail] of rows) {
      const subscription = this.#subscriptions.get(session ?? '');
      for (const line of (mail ?? '').split('\n')) for (const text of textsIn(line)) subscription?.onMessage(text);
    }
  }
}

/** The statements with which the sessions listen. */
export function listenTo(sessions: readonly string[]): string {
  return sessions.map((session) => `LISTEN ${identifier(channelOf(session))}`).join('; ');
}

function textsIn(payload: string): string[] {
  if (payload === '') return [];
  try {
    const texts: unknown = JSON.parse(payload);
    return Array.isArray(texts) ? texts.filter((text) => typeof text === 'string') : [];
  } catch {
    return [];
  }
}
