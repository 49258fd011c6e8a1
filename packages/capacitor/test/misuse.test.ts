import { describe } from 'vitest';
import { misuseTable, wrong, type Bench, type Row } from '../../core/test/support/misuse-table.ts';
import { Capacitor, LanedCapacitor, type Turnstile } from '../src/index.ts';
import { gateRows, passingRows, STATES, type AnyGate, type State } from './misuse/gates.ts';
import { CAPACITOR, LANED, TURNSTILE } from './misuse/kinds.ts';

const MOST = 2 ** 31;

/** The values that a number of a kind must not have, and the errors for them. */
const LIMITS: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ['0', 0, 'RangeError', 'bypassLimit must be a whole number from 1 to 2147483647: received 0'],
  ['-1', -1, 'RangeError', 'received -1'],
  ['1.5', 1.5, 'RangeError', 'received 1.5'],
  ['NaN', Number.NaN, 'RangeError', 'received NaN'],
  ['Infinity', Infinity, 'RangeError', 'received Infinity'],
  ['2 ** 31', MOST, 'RangeError', `received ${MOST}`],
  ['"10"', '10', 'TypeError', 'bypassLimit must be a number: received "10"'],
  ['"adaptive"', 'adaptive', 'TypeError', 'received "adaptive"'],
  ['10n', 10n, 'TypeError', 'received 10n'],
  ['null', null, 'TypeError', 'received null'],
  ['{}', {}, 'TypeError', 'received an object of type Object'],
];

const LANES: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ...[0, 1, -2, 2.5, Number.NaN, 65, 128].map(
    (value) =>
      [`${value}`, value, 'RangeError', `lanes must be a whole number from 2 to 64: received ${value}`] as const,
  ),
  ...[3, 6, 63].map(
    (value) => [`${value}`, value, 'RangeError', `lanes must be a power of two: received ${value}`] as const,
  ),
  ['64', 64, 'RangeError', 'lanes must not be more than bypassLimit, 32: received 64'],
  ['"4"', '4', 'TypeError', 'lanes must be a number: received "4"'],
  ['null', null, 'TypeError', 'lanes must be a number: received null'],
  ['undefined', undefined, 'TypeError', 'lanes must be a number: received undefined'],
];

function creationRows<P extends AnyGate>(
  option: string,
  values: typeof LIMITS,
  make: (bench: Bench<P>, value: never) => unknown,
): Row<P, State>[] {
  return values.map(([written, value, error, says]) => ({
    call: `create({ ${option}: ${written} })`,
    state: 'open',
    make: (bench) => make(bench, wrong(value)),
    error,
    says,
  }));
}

describe('Capacitor', () => {
  misuseTable<Capacitor, State>(CAPACITOR, STATES, [
    ...gateRows(CAPACITOR),
    ...passingRows<Capacitor>(),
    ...creationRows<Capacitor>('bypassLimit', LIMITS, ({ arena }, bypassLimit) =>
      Capacitor.create({ arena, bypassLimit }),
    ),
  ]);
});

describe('LanedCapacitor', () => {
  type Options = Parameters<typeof LanedCapacitor.create>[0];
  const rows = (
    option: string,
    values: typeof LIMITS,
    options: (value: never) => Options,
  ): Row<LanedCapacitor, State>[] =>
    creationRows<LanedCapacitor>(option, values, ({ arena }, value) =>
      LanedCapacitor.create({ arena, ...options(value) }),
    );

  misuseTable<LanedCapacitor, State>(LANED, STATES, [
    ...gateRows(LANED),
    ...rows('lanes: 2, bypassLimit', LIMITS, (bypassLimit) => ({ lanes: 2, bypassLimit })),
    ...rows('bypassLimit: 32, lanes', LANES, (lanes) => ({ bypassLimit: 32, lanes })),
    {
      call: 'LanedCapacitor.from(the address of a lane)',
      state: 'open',
      make: ({ ours }) => LanedCapacitor.from({ ...ours.handle, address: ours.handle.address + 128 }),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ]);
});

describe('Turnstile', () => {
  misuseTable<Turnstile, State>(TURNSTILE, STATES, [...gateRows(TURNSTILE), ...passingRows<Turnstile>()]);
});
