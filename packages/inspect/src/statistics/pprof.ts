// Statistics as a profile in the format of pprof, which `go tool pprof` and speedscope read. The package pprof-format
// writes it. The program passes that package: this one depends on the core only.

import { checkObject, show } from '@sluice/core/calls';
import type { Place } from '../observe/call-place.ts';
import type { PlaceStatistics, StatisticsReport } from './report.ts';

/** The part of the package `pprof-format` that is used. */
export interface PprofFormat<Table extends { dedup(text: string): number }> {
  readonly StringTable: new () => Table;
  readonly Profile: new (data: ProfileData<Table>) => { encode(): Uint8Array };
}

interface ValueData {
  type: number;
  unit: number;
}

/** A profile, as `pprof-format` takes it. */
export interface ProfileData<Table> {
  stringTable: Table;
  sampleType: ValueData[];
  sample: { locationId: number[]; value: number[]; label: { key: number; str: number }[] }[];
  location: { id: number; line: { functionId: number; line: number }[] }[];
  function: { id: number; name: number; systemName: number; filename: number }[];
  timeNanos: bigint;
  durationNanos: bigint;
  periodType: ValueData;
  period: number;
}

const NS_PER_MS = 1e6;

/** The values of each profile, as Go's mutex profile names them: a number, and a time in nanoseconds. */
const VALUES = { wait: ['contentions', 'delay'], hold: ['holds', 'held'] } as const;

/**
 * Returns statistics as a profile in the format of pprof: where the program waits, or where it acquires what it holds.
 *
 * Write it to a file, and open that with `go tool pprof -http : waits.pb` or with speedscope.app. Numbers and times are
 * those of the sampled calls, times `sample`. Each sample has the label `primitive`, for `-tagfocus`.
 *
 * ```js
 * import * as pprof from 'pprof-format';
 *
 * writeFileSync('waits.pb', pprofOf(statistics.snapshot(), 'wait', pprof));
 * ```
 *
 * @param what - `'wait'` or `'hold'`.
 * @param format - The package `pprof-format`.
 * @throws {TypeError} If `what` is neither, or `format` is no object.
 */
export function pprofOf<Table extends { dedup(text: string): number }>(
  report: StatisticsReport,
  what: 'wait' | 'hold',
  format: PprofFormat<Table>,
): Uint8Array {
  checkObject(report);
  checkObject(format);
  if (!Object.hasOwn(VALUES, what))
    throw new TypeError(`pprofOf makes a profile of 'wait' or 'hold': received ${show(what)}`);
  const table = new format.StringTable();
  const text = (string: string): number => table.dedup(string);
  const locations = new Locations(text);
  const [count, time] = VALUES[what];
  const sample = report.primitives.flatMap(({ primitive, waitPlaces, holdPlaces }) =>
    (what === 'wait' ? waitPlaces : holdPlaces).map((place: PlaceStatistics) => ({
      locationId: locations.idsOf(place.stack),
      value: [Math.round(place.count), Math.round(place.total * NS_PER_MS)],
      label: [{ key: text('primitive'), str: text(primitive) }],
    })),
  );
  const [counted, timed] = [
    { type: text(count), unit: text('count') },
    { type: text(time), unit: text('nanoseconds') },
  ];
  return new format.Profile({
    stringTable: table,
    sampleType: [counted, timed],
    sample,
    location: locations.locations,
    function: locations.functions,
    timeNanos: 0n,
    durationNanos: BigInt(Math.round(report.duration * NS_PER_MS)),
    periodType: { ...counted },
    period: report.sample,
  }).encode();
}

/** Numbers the places and the functions of a profile, from 1 on. */
class Locations {
  readonly locations: ProfileData<never>['location'] = [];
  readonly functions: ProfileData<never>['function'] = [];
  readonly #text: (string: string) => number;
  readonly #locationIds = new Map<string, number>();
  readonly #functionIds = new Map<string, number>();

  constructor(text: (string: string) => number) {
    this.#text = text;
  }

  /** The ids of a stack's places. A stack that could not be read has one place. */
  idsOf(stack: readonly Place[]): number[] {
    return (stack.length === 0 ? [{ file: 'unknown', line: 0, within: '' }] : stack).map((place) => this.#idOf(place));
  }

  #idOf(place: Place): number {
    const key = `${place.file}:${place.line} ${place.within}`;
    const known = this.#locationIds.get(key);
    if (known !== undefined) return known;
    const id = this.locations.length + 1;
    this.locations.push({ id, line: [{ functionId: this.#functionOf(place), line: place.line }] });
    this.#locationIds.set(key, id);
    return id;
  }

  #functionOf({ file, within }: Place): number {
    const key = `${file} ${within}`;
    const known = this.#functionIds.get(key);
    if (known !== undefined) return known;
    const id = this.functions.length + 1;
    const name = this.#text(within === '' ? '(module)' : within);
    this.functions.push({ id, name, systemName: name, filename: this.#text(file) });
    this.#functionIds.set(key, id);
    return id;
  }
}
