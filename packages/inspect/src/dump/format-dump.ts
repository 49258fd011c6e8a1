// The report of a dump.

import { SluiceError, UnsupportedError } from '@sluice/core';
import { checkOptions, messageOf } from '@sluice/core/calls';
import { AGENT_LIFE, HEADER_MAGIC, HEADER_TOP, LAYOUT_VERSION, MAGIC, OWNER } from '@sluice/core/format';
import { arenaId, PAGE_BYTES, type Onlooker } from '@sluice/core/report';
import { checkLines, REPORT_OPTIONS, reportText, type ReportOptions } from '../report/format-report.ts';
import { knownKind } from '../report/known-kinds.ts';
import { damaged, decodeDump, type Dump } from './dump-file.ts';
import { DumpWords } from './dump-words.ts';

/**
 * Returns the report of a dump that `dumpArena` has made, as `formatReport` returns it of an arena. Ages are those of the
 * moment of the dump.
 *
 * A dump that was truncated or changed leads to an error, also one that was made to harm the reader: the time is bounded
 * in proportion to its size.
 *
 * @param dump - The bytes of the file.
 * @throws {CorruptArenaError} If the bytes are no dump, or were changed since.
 * @throws {UnsupportedError} If the dump is of another version of Sluice.
 * @throws {RangeError} If an option is out of range.
 * @throws {TypeError} If `dump` is no `Uint8Array`, or an option has the wrong type or is unknown.
 */
export function formatDump(dump: Uint8Array, options: ReportOptions = {}): string {
  checkOptions(options, REPORT_OPTIONS);
  const lines = checkLines(options);
  const decoded = decodeDump(dump);
  const { facts } = decoded;
  if (facts.layout !== LAYOUT_VERSION)
    throw new UnsupportedError(
      `The dump has layout version ${facts.layout}, and this package reads ${LAYOUT_VERSION}: use the version of @sluice/inspect that wrote it.`,
    );
  try {
    const onlooker = onlookerOfDump(decoded);
    return `Dump of ${dateText(facts.date)}${facts.payload ? ', with values' : ''}\n\n${reportText(onlooker, lines)}`;
  } catch (failure) {
    // A report of damaged words may fail in any way.
    throw failure instanceof SluiceError ? failure : damaged(messageOf(failure));
  }
}

function dateText(date: number): string {
  return Math.abs(date) > 8.64e15 ? 'no date' : new Date(date).toISOString();
}

function onlookerOfDump({ facts, segments }: Dump): Onlooker {
  const bytes = facts.pages * PAGE_BYTES;
  const words = new DumpWords(segments, bytes);
  if (words.load32(HEADER_MAGIC) !== MAGIC || arenaId(words) !== facts.arena) throw damaged('it has no arena');
  if (words.load32(HEADER_TOP) > bytes) throw damaged('its arena is larger than its memory');
  const alive = new Set(facts.lives.filter(({ life }) => life === 'alive').map(({ agent }) => agent));
  // A probe of an agent: the dump has the answers that its writer got.
  const notify = (address: number): number => (alive.has(words.load32(address - AGENT_LIFE + OWNER)) ? 1 : 0);
  const { date } = facts;
  return { words, id: 0, heap: { bytes }, kindWith: knownKind, parking: { now: () => 0, date: () => date, notify } };
}
