// What the page gets ten times a second: an arena at one moment, within bounds that do not depend on its size.

import type { Row } from '../drawing/rows.ts';

export interface Frame {
  /** The id of the process, and the file of its program. */
  readonly program: string;
  /** The ids of the arenas, in the order in which they were opened. */
  readonly arenas: readonly string[];
  /** How soon the next frame is worth asking for, in ms. */
  readonly every: number;
  readonly arena?: ArenaFrame;
  /** Why the arena cannot be shown. */
  readonly failure?: string;
}

export interface ArenaFrame {
  readonly id: string;
  /** ms since 1970. */
  readonly now: number;
  readonly pages: number;
  readonly maxPages: number;
  /** Of the whole arena. */
  readonly counts: { readonly primitives: number; readonly agents: number; readonly waits: number };
  /** What looks wrong, as the report says it. The first line of each is the finding. */
  readonly findings: readonly (readonly string[])[];
  /** Those that match the filter: first those in a deadlock, then those in use. */
  readonly primitives: readonly PrimitiveFrame[];
  readonly agents: readonly AgentFrame[];
  /** How many match the filter. */
  readonly matches: { readonly primitives: number; readonly agents: number };
}

export type PrimitiveFrame = Row;

export interface AgentFrame {
  readonly agent: number;
  /** "agent 3 (thread 5, resizer)". */
  readonly title: string;
  readonly life: 'alive' | 'dead' | 'unknown';
  readonly runtime: string;
  readonly osThread?: number | undefined;
  readonly joined: number;
  readonly wakeUps: number;
  /** What it holds, and what it waits for, in words. */
  readonly holds: string;
  readonly waits: string;
  /** When its oldest wait began, in ms since 1970. */
  readonly since?: number | undefined;
  readonly isStuck: boolean;
}
