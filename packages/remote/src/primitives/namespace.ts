// The interface of a space for the primitives that it creates.

import type { RemotePrimitive } from '../line/remote-primitive.ts';
import type { RemoteReport } from '../report/report.ts';
import type { Session } from '../session/session.ts';

export interface Namespace {
  /** Resolves with the session whose lease runs. Opens one if the last session was lost. */
  session(): Promise<Session>;
  look(line: RemotePrimitive): Promise<RemoteReport>;
  shut(line: RemotePrimitive): Promise<void>;
  resize(line: RemotePrimitive, permits: number): Promise<void>;
}
