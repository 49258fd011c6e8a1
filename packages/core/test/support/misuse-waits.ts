// Wrong waits, common to all primitives.

import type { WaitOptions } from '../../src/index.ts';
import { wrong, type Primitive, type Row } from './misuse-table.ts';

/** Calls that take a timeout, wait options or a callback. `%` stands for it. */
export interface Waits<P> {
  readonly timeouts: readonly (readonly [call: string, use: (primitive: P, timeout: number) => unknown])[];
  readonly options: readonly (readonly [call: string, use: (primitive: P, options: WaitOptions) => unknown])[];
  readonly bodies?: readonly (readonly [call: string, use: (primitive: P, body: () => void) => unknown])[];
}

const TIMEOUTS: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ['NaN', Number.NaN, 'RangeError', 'The timeout must be 0 ms or more: received NaN'],
  ['-1', -1, 'RangeError', 'The timeout must be 0 ms or more: received -1'],
  ['-Infinity', -Infinity, 'RangeError', 'received -Infinity'],
  ['"5"', '5', 'TypeError', 'The timeout must be a number: received "5"'],
  ['5n', 5n, 'TypeError', 'The timeout must be a number: received 5n'],
  ['null', null, 'TypeError', 'received null'],
  ['{}', {}, 'TypeError', 'received an object of type Object'],
];

const OPTIONS: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ...TIMEOUTS.map(([written, timeout, ...rest]) => [`{ timeout: ${written} }`, { timeout }, ...rest] as const),
  ['7', 7, 'TypeError', 'The options must be an object such as { timeout: 7 }: received 7'],
  ['null', null, 'TypeError', 'The options must be an object: received null'],
  ['"soon"', 'soon', 'TypeError', 'received "soon"'],
  [
    '{ signal: {} }',
    { signal: {} },
    'TypeError',
    'The signal must be an AbortSignal: received an object of type Object',
  ],
  ['{ signal: null }', { signal: null }, 'TypeError', 'The signal must be an AbortSignal: received null'],
  ['{ ref: 1 }', { ref: 1 }, 'TypeError', 'ref must be a boolean: received 1'],
  ['{ signal: AbortSignal.abort() }', { signal: AbortSignal.abort() }, 'AbortError', 'aborted'],
  [
    '{ signal: AbortSignal.abort(new Error("mine")) }',
    { signal: AbortSignal.abort(new Error('mine')) },
    'Error',
    'mine',
  ],
];

const BODIES: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ['"body"', 'body', 'TypeError', 'The callback must be a function: received "body"'],
  ['', undefined, 'TypeError', 'The callback must be a function: received undefined'],
  ['{}', {}, 'TypeError', 'The callback must be a function: received an object of type Object'],
];

/** Calls that are wrong in every state. */
export function waitRows<P extends Primitive, State extends string>(
  waits: Waits<P>,
  states: readonly State[],
): Row<P, State>[] {
  const rows = (
    calls: readonly (readonly [call: string, use: (primitive: P, value: never) => unknown])[],
    values: typeof TIMEOUTS,
  ): Row<P, State>[] =>
    states.flatMap((state) =>
      calls.flatMap(([call, use]) =>
        values.map(([written, value, error, says]) => {
          return { call: call.replace('%', written), state, make: ({ ours }) => use(ours, wrong(value)), error, says };
        }),
      ),
    );
  return [...rows(waits.timeouts, TIMEOUTS), ...rows(waits.options, OPTIONS), ...rows(waits.bodies ?? [], BODIES)];
}

/** Calls that must throw in that state. */
export function refusedRows<P extends Primitive, State extends string>(
  state: State,
  rest: Pick<Row<P, State>, 'error' | 'code' | 'says'>,
  uses: readonly (readonly [call: string, use: (primitive: P) => unknown])[],
): Row<P, State>[] {
  return uses.map(([call, use]) => ({ call, state, make: ({ ours }) => use(ours), ...rest }));
}
