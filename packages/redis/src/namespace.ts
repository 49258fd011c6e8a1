// What a primitive asks of the space that made it.

import type { Line } from './line.ts';
import type { RemoteReport } from './report.ts';
import type { Session } from './session.ts';

export interface Namespace {
  /** The session whose lease runs; opens one if the last was lost. */
  session(): Promise<Session>;
  look(line: Line): Promise<RemoteReport>;
  shut(line: Line): Promise<void>;
  resize(line: Line, permits: number): Promise<void>;
}
