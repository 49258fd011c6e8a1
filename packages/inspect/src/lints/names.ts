// The names of the lints, what each is called in warnings, and what the program wants of each.

import { MisuseError } from '@sluice/core';
import { show } from '@sluice/core/calls';
import { warnProcess } from '../process/process-warning.ts';

/** The lints. */
export type LintName =
  | 'held-across-await'
  | 'blocks-main'
  | 'unwatched-death'
  | 'never-released'
  | 'polling-timeouts'
  | 'writer-starved'
  | 'stale-grant';

/** `'allow'`: it is not told. `'warn'`: a process warning. `'deny'`: an uncaught `MisuseError`. */
export type LintLevel = 'allow' | 'warn' | 'deny';

/** The codes of the warnings. */
export const LINT_CODES: Readonly<Record<LintName, string>> = {
  'held-across-await': 'SLUICE_HELD_ACROSS_AWAIT',
  'blocks-main': 'SLUICE_BLOCKS_MAIN',
  'unwatched-death': 'SLUICE_UNWATCHED',
  'never-released': 'SLUICE_NEVER_RELEASED',
  'polling-timeouts': 'SLUICE_POLLING_TIMEOUTS',
  'writer-starved': 'SLUICE_WRITER_STARVED',
  'stale-grant': 'SLUICE_STALE_GRANT',
};

export const LINT_NAMES = /* @__PURE__ */ Object.keys(LINT_CODES) as readonly LintName[];
const LEVELS: readonly unknown[] = ['allow', 'warn', 'deny'];

/** For example `SLUICE_LINTS=blocks-main=allow,unwatched-death=deny`. */
const VARIABLE = 'SLUICE_LINTS';

export type LintLevels = Record<LintName, LintLevel>;

interface Platform {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

/**
 * Returns the level of each lint: from `passed`, else from SLUICE_LINTS, else `'warn'`.
 *
 * @throws {TypeError} For a name or a level that is none.
 */
export function levelsIn(passed: unknown = {}): LintLevels {
  const levels = Object.fromEntries(LINT_NAMES.map((name) => [name, 'warn'])) as LintLevels;
  const text = (globalThis as Platform).process?.env?.[VARIABLE] ?? '';
  const parts = text.split(',').filter((part) => part.trim() !== '');
  setLevels(
    levels,
    VARIABLE,
    parts.map((part) => part.split('=').map((word) => word.trim())),
  );
  if (typeof passed !== 'object' || passed === null)
    throw new TypeError(`levels must be an object with a level for each name: received ${show(passed)}`);
  setLevels(levels, 'levels', Object.entries(passed));
  return levels;
}

function setLevels(levels: LintLevels, where: string, entries: Iterable<readonly unknown[]>): void {
  for (const [name, level] of entries) {
    if (!LINT_NAMES.includes(name as LintName))
      throw new TypeError(`${where}: no lint has the name ${show(name)}. The names are ${LINT_NAMES.join(', ')}.`);
    if (!LEVELS.includes(level))
      throw new TypeError(
        `${where}: the level of ${String(name)} must be 'allow', 'warn' or 'deny': received ${show(level)}`,
      );
    levels[name as LintName] = level as LintLevel;
  }
}

/** Emits a finding as its level says. Never throws: its callers are in the middle of a call of the program. */
export function emit(level: LintLevel, name: LintName, text: string): void {
  if (level === 'allow') return;
  if (level === 'deny') {
    queueMicrotask(() => {
      throw new MisuseError(`Lint ${name}: ${text}`);
    });
    return;
  }
  warnProcess(LINT_CODES[name], text);
}

/** Emits a finding while the thread ends: no warning and no error is told any more. `'deny'` fails the process. */
export function emitAtExit(level: LintLevel, name: LintName, text: string): void {
  if (level === 'allow') return;
  const { process } = globalThis as { readonly process?: { exitCode?: number | string | null | undefined } };
  if (level === 'deny' && process !== undefined) process.exitCode = 1;
  console.error(`[${LINT_CODES[name]}] ${level === 'deny' ? 'MisuseError' : 'SluiceWarning'}: ${text}`);
}

/** The warnings that are given once in a thread, by whichever copy of this package. */
export interface Given {
  unwatched: boolean;
  blocked: boolean;
}

const KEY = /* @__PURE__ */ Symbol.for('@sluice/inspect warnings that were given');

export function warningsGiven(): Given {
  const found = Reflect.get(globalThis, KEY) as Given | undefined;
  if (found !== undefined) return found;
  const given: Given = { unwatched: false, blocked: false };
  Reflect.defineProperty(globalThis, KEY, { value: given, configurable: true });
  return given;
}
