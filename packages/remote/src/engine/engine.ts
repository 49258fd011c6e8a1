// What runs the steps of sessions. Everything else of this package is the same for every engine.
//
// A step is a named operation with arguments. The engine runs it as a whole: no other step of the namespace runs in
// between. The operations, their arguments and their answers are listed beside the script of @sluice/redis, and
// beside the steps in TypeScript (../steps). Every engine implements the same operations.
//
// 1. Steps of one session run in the order in which they were sent, unless the connection broke in between.
// 2. A step is idempotent by its session and its number. So a session sends a step again if it got no answer.
// 3. The engine answers `gone` for a session that it has ended, and `stale` for a step with an older generation than
//    it has seen.
// 4. The engine ends a session whose lease was not renewed in time by the engine's clock. It may end a session earlier
//    only if the process of that session is dead.
// 5. A message is a hint. An engine may lose it, deliver it twice, or deliver it late.

import type { RemoteStep } from './protocol.ts';

/** A subscription of one session to its messages. */
export interface Listener {
  close(): void;
}

/**
 * The engine gave no answer, or will answer later. It is unknown whether it ran the step.
 */
export class Interrupted extends Error {}

/** One namespace of an engine, as one process sees it. */
export interface RemoteEngine {
  /** The version of the data that its steps store. */
  readonly format: string;
  /** The time after which a step that was interrupted is sent again, in ms. */
  readonly retryMs: number;
  /**
   * Runs one step. `ref`: whether the call keeps the process alive. Rejects with `Interrupted`, or with an
   * `EngineError` if the engine refuses the step. Then nothing changed.
   */
  run(step: RemoteStep, ref: boolean): Promise<string[]>;
  /**
   * Delivers the messages for a session. `onReady` is called each time that messages may have been lost before and
   * will arrive from now on.
   */
  listen(session: string, onMessage: (message: string) => void, onReady: () => void): Promise<Listener>;
  /** Creates the error for a namespace whose data has another version. */
  otherFormat(there: string): Error;
  /** Creates the error of a session that could not be opened. */
  unreachable(cause: unknown): Error;
  /** Closes the connections. */
  close(): void;
}
