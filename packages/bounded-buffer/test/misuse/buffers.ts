// Wrong calls on a bounded buffer.

import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import { wrong, type Kind, type Prepare, type Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import { BoundedBuffer } from '../../src/index.ts';

export type Numbers = BoundedBuffer<number>;

export const BUFFER: Kind<Numbers> = {
  what: 'BoundedBuffer',
  Class: BoundedBuffer,
  create: (options) =>
    BoundedBuffer.create(
      typeof options === 'object' && (options as object | null) !== null
        ? { codec: 'int32', capacity: 2, ...options }
        : wrong(options),
    ),
  from: (handle, options) => BoundedBuffer.from<number>(handle, options),
};

/** `starved`, `crowded`: this agent has an async wait for a value, or for room. */
export type State = 'empty' | 'full' | 'starved' | 'crowded' | 'closed' | 'freed';

export const STATES: Readonly<Record<State, Prepare<Numbers>>> = {
  empty: () => () => undefined,
  full: ({ theirs }) => {
    theirs.pushMany([1, 2]);
    return () => undefined;
  },
  starved: ({ ours, theirs }) => {
    const wait = ours.popAsync();
    return () => {
      theirs.push(1);
      return wait;
    };
  },
  crowded: ({ ours, theirs }) => {
    theirs.pushMany([1, 2]);
    const wait = ours.pushAsync(3);
    return () => {
      theirs.pop();
      return wait;
    };
  },
  closed: ({ theirs }) => {
    theirs.close();
    return () => undefined;
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const WAITS: Waits<Numbers> = {
  timeouts: [
    ['tryPush(7, %)', (buffer, timeout) => buffer.tryPush(7, timeout)],
    ['tryPop(%)', (buffer, timeout) => buffer.tryPop(timeout)],
    ['tryPushMany([7], %)', (buffer, timeout) => buffer.tryPushMany([7], timeout)],
    ['tryPopMany(1, %)', (buffer, timeout) => buffer.tryPopMany(1, timeout)],
  ],
  options: [
    ['pushAsync(7, %)', (buffer, options) => buffer.pushAsync(7, options)],
    ['popAsync(%)', (buffer, options) => buffer.popAsync(options)],
    ['pushManyAsync([7], %)', (buffer, options) => buffer.pushManyAsync([7], options)],
    ['popManyAsync(1, %)', (buffer, options) => buffer.popManyAsync(1, options)],
  ],
};

type Uses = readonly (readonly [call: string, use: (buffer: Numbers) => unknown])[];

const PUSHES: Uses = [
  ['push(7)', (buffer) => buffer.push(7)],
  ['pushMany([7])', (buffer) => buffer.pushMany([7])],
  ['tryPush(7, Infinity)', (buffer) => buffer.tryPush(7, Infinity)],
  ['tryPushMany([7], Infinity)', (buffer) => buffer.tryPushMany([7], Infinity)],
];
const POPS: Uses = [
  ['pop()', (buffer) => buffer.pop()],
  ['popMany()', (buffer) => buffer.popMany()],
  ['tryPop(Infinity)', (buffer) => buffer.tryPop(Infinity)],
  ['tryPopMany(1, Infinity)', (buffer) => buffer.tryPopMany(1, Infinity)],
  ['for (… of buffer)', (buffer) => [...buffer]],
];
const ASYNC: Uses = [
  ['pushAsync(7)', (buffer) => buffer.pushAsync(7)],
  ['pushManyAsync([7, 8])', (buffer) => buffer.pushManyAsync([7, 8])],
  ['popAsync()', (buffer) => buffer.popAsync()],
  ['popManyAsync()', (buffer) => buffer.popManyAsync()],
  ['popAsync({ timeout: 3 })', (buffer) => buffer.popAsync({ timeout: 3 })],
];
const TRIES: Uses = [
  ['tryPush(7)', (buffer) => buffer.tryPush(7)],
  ['tryPush(7, 3)', (buffer) => buffer.tryPush(7, 3)],
  ['tryPop()', (buffer) => buffer.tryPop()],
  ['tryPop(3)', (buffer) => buffer.tryPop(3)],
  ['tryPushMany([7])', (buffer) => buffer.tryPushMany([7])],
  ['tryPopMany()', (buffer) => buffer.tryPopMany()],
];
const REST: Uses = [
  ['name', (buffer) => buffer.name],
  ['close()', (buffer) => buffer.close()],
  ['inspect()', (buffer) => buffer.inspect()],
  ['free()', (buffer) => buffer.free()],
];

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const STUCK = { error: 'DeadlockError', code: 'SLUICE_DEADLOCK', says: 'behind 1 async' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT' } as const;
const CLOSED = { error: 'ClosedError', code: 'SLUICE_CLOSED', says: 'is closed' } as const;
const IN_USE = { ...MISUSE, says: 'is in use and cannot be freed' };
const FREED = { ...MISUSE, says: "The buffer 'bench' was freed and cannot be used any more." };

/** Every form of push, with a value that an int32 buffer does not take. */
const putting = (value: unknown): Uses => {
  const shown = typeof value === 'string' ? `'${value}'` : String(value);
  return [
    [`push(${shown})`, (buffer) => buffer.push(wrong(value))],
    [`tryPush(${shown})`, (buffer) => buffer.tryPush(wrong(value))],
    [`pushAsync(${shown})`, (buffer) => buffer.pushAsync(wrong(value))],
    [`pushMany([7, ${shown}])`, (buffer) => buffer.pushMany([7, wrong(value)])],
    [`tryPushMany([7, ${shown}])`, (buffer) => buffer.tryPushMany([7, wrong(value)])],
    [`pushManyAsync([7, ${shown}])`, (buffer) => buffer.pushManyAsync([7, wrong(value)])],
  ];
};

export function bufferRows(): Row<Numbers, State>[] {
  return [
    ...creationRows<Numbers, State>(BUFFER, 'empty'),
    ...waitRows<Numbers, State>(WAITS, ['empty']),
    ...refusedRows(
      'empty',
      {
        error: 'TypeError',
        says: `BoundedBuffer 'bench': a value must be a number, received "7". Nothing was changed.`,
      },
      putting('7'),
    ),
    ...refusedRows(
      'full',
      {
        error: 'RangeError',
        says: "BoundedBuffer 'bench': a value must be a whole number from -2^31 to 2^31 - 1, received 0.5.",
      },
      putting(0.5),
    ),
    ...refusedRows(
      'empty',
      {
        error: 'TypeError',
        says: "BoundedBuffer 'bench': the values must be an array, received 7. Nothing was changed.",
      },
      [
        ['pushMany(7)', (buffer: Numbers) => buffer.pushMany(wrong(7))],
        ['tryPushMany(7)', (buffer: Numbers) => buffer.tryPushMany(wrong(7))],
        ['pushManyAsync(7)', (buffer: Numbers) => buffer.pushManyAsync(wrong(7))],
      ],
    ),
    ...refusedRows('starved', STUCK, POPS),
    ...refusedRows('crowded', STUCK, PUSHES),
    ...refusedRows('starved', IN_USE, [['free()', (buffer: Numbers) => buffer.free()]]),
    ...refusedRows('crowded', IN_USE, [['free()', (buffer: Numbers) => buffer.free()]]),
    ...refusedRows('full', { ...LATE, says: 'had no room within' }, [
      ['pushAsync(7, { timeout: 0 })', (buffer: Numbers) => buffer.pushAsync(7, { timeout: 0 })],
      ['pushManyAsync([7], { timeout: 1 })', (buffer: Numbers) => buffer.pushManyAsync([7], { timeout: 1 })],
    ]),
    ...refusedRows('empty', { ...LATE, says: 'had no value within' }, [
      ['popAsync({ timeout: 0 })', (buffer: Numbers) => buffer.popAsync({ timeout: 0 })],
      ['popManyAsync(2, { timeout: 1 })', (buffer: Numbers) => buffer.popManyAsync(2, { timeout: 1 })],
    ]),
    ...refusedRows('closed', CLOSED, [...PUSHES, ...POPS.slice(0, 4), ...ASYNC, ...TRIES]),
    ...refusedRows('freed', FREED, [...PUSHES, ...POPS, ...ASYNC, ...TRIES, ...REST]),
    {
      call: 'BoundedBuffer.from(the handle of a freed buffer)',
      state: 'freed',
      make: ({ ours }) => BUFFER.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
    ...[128, 256, 384, 512].map((offset): Row<Numbers, State> => {
      return {
        call: `BoundedBuffer.from(the address of a line inside: + ${offset})`,
        state: 'empty',
        make: ({ ours }) => BUFFER.from({ ...ours.handle, address: ours.handle.address + offset }),
        error: 'HandleError',
        code: 'SLUICE_HANDLE',
        says: 'what it led to was freed',
      };
    }),
  ];
}
