// The interface of a space for the primitives that it creates.

import type { RemotePrimitive } from '../line/remote-primitive.ts';
import type { OperationName } from '../engine/protocol.ts';
import type { RemoteReport } from '../report/report.ts';
import type { Session } from '../session/session.ts';

export interface Namespace {
  /** Resolves with the session whose lease runs. Opens one if the last session was lost. */
  session(): Promise<Session>;
  /**
   * Makes a call in the session whose lease runs. If that session had ended before the engine ran the call, makes it once
   * more in a new session.
   */
  inSession<T>(call: (session: Session) => Promise<T>): Promise<T>;
  /** Asks the engine for something that the call does not change, in a new session if the last one ends meanwhile. */
  ask(operation: OperationName, ...args: readonly (string | number)[]): Promise<readonly string[]>;
  look(line: RemotePrimitive): Promise<RemoteReport>;
  shut(line: RemotePrimitive): Promise<void>;
  resize(line: RemotePrimitive, permits: number): Promise<void>;
}
