// Statistics as a table of text.

import { checkInteger, checkOptions, plural } from '@sluice/core/calls';
import { placeText, type Place } from '../observe/call-place.ts';
import { averageOf, percentileOf, type DurationData } from './durations.ts';
import type { PlaceStatistics, PrimitiveStatistics, StatisticsReport } from './report.ts';

export interface StatisticsTableOptions {
  /** The most primitives that the table lists. Default 20. */
  readonly lines?: number;
}

const OPTIONS: readonly (keyof StatisticsTableOptions)[] = ['lines'];
const MAX_LINES = 1_000_000;
/** The most places that the table names of a primitive, for its waits and for its holds. */
const TOP = 4;

const HEAD = ['', 'calls', 'waited', 'min', 'avg', 'p50', 'p99', 'max', 'total'] as const;

/**
 * Returns statistics as a table, the primitive with the longest total wait first: a line of its waits, a line of its
 * sampled holds, the four places of each that take the most time, and the longest hold.
 *
 * The text is for people: it may change with every version.
 *
 * @throws {RangeError} If an option is out of range.
 * @throws {TypeError} If an option has the wrong type or is unknown.
 */
export function formatStatistics(report: StatisticsReport, options: StatisticsTableOptions = {}): string {
  checkOptions(options, OPTIONS);
  const most = checkInteger('lines', options.lines ?? 20, 1, MAX_LINES);
  const { primitives, sample, duration } = report;
  if (primitives.length === 0) return 'No calls of locks or semaphores.';
  const shown = primitives.slice(0, most);
  const rows = shown.flatMap(rowsOf);
  const widths = HEAD.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  const more = primitives.length - shown.length;
  return [
    `Statistics of ${(duration / 1000).toFixed(1)} s. Times in ms. ${sample === 1 ? 'Every call' : `1 of ${sample} calls`} was sampled.`,
    line(HEAD),
    ...shown.flatMap((primitive, at) => [
      ...rows.slice(2 * at, 2 * at + 2).map(line),
      ...placeLines('waits at', primitive.waitPlaces, primitive.waits.total > 0),
      ...placeLines('held from', primitive.holdPlaces, true),
      ...longestLine(primitive),
    ]),
    ...(more > 0 ? [`and ${plural(more, 'more primitive')}`] : []),
  ].join('\n');
}

function rowsOf({ primitive, acquisitions, contentions, waits, holds }: PrimitiveStatistics): string[][] {
  return [
    [`${primitive}: waits`, whole(acquisitions), whole(contentions), ...times(waits)],
    [`${' '.repeat(primitive.length)}  holds`, whole(holds.count), '', ...times(holds)],
  ];
}

function times(durations: DurationData): string[] {
  if (durations.count === 0) return ['-', '-', '-', '-', '-', '-'];
  const { min, max, total } = durations;
  return [min, averageOf(durations), percentileOf(durations, 0.5), percentileOf(durations, 0.99), max, total].map(
    msText,
  );
}

function whole(count: number): string {
  return count.toLocaleString('en-US');
}

/** Three digits, from 0.001 ms on. */
function msText(ms: number): string {
  if (ms >= 100) return ms.toFixed(0);
  return ms >= 1 ? ms.toPrecision(3) : ms.toFixed(3);
}

function placeLines(what: string, places: readonly PlaceStatistics[], has: boolean): string[] {
  if (!has || places.length === 0) return [];
  const all = places.reduce((sum, { total }) => sum + total, 0);
  return places.slice(0, TOP).map(({ stack: [place], total, count }) => {
    const share = all === 0 ? '' : `, ${Math.round((100 * total) / all)} %`;
    return `    ${what} ${withinText(place)}: about ${plural(count, 'time')}${share}`;
  });
}

function longestLine({ longest }: PrimitiveStatistics): string[] {
  if (longest === undefined) return [];
  return [`    longest hold ${msText(longest.ms)} ms, from ${withinText(longest.place)}, by ${longest.holder}`];
}

/** The function, if it is known, and the file and the line. */
function withinText(place: Place | undefined): string {
  if (place === undefined || place.file === '') return 'an unknown place';
  return place.within === '' ? placeText(place) : `${place.within} (${placeText(place)})`;
}
