// Wrong calls on a broadcast and on its subscriptions.

import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import { wrong, type Kind, type Prepare, type Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import { Broadcast } from '../../src/index.ts';

export type NumberStream = Broadcast<number>;
/** `awaited`: a subscription of another agent waits. `closed`: without values. */
export type State = 'idle' | 'awaited' | 'closed' | 'freed';

export const STREAM: Kind<NumberStream> = {
  what: 'Broadcast',
  Class: Broadcast,
  create: (options) =>
    Broadcast.create(
      typeof options === 'object' && (options as object | null) !== null
        ? { codec: 'int32', capacity: 4, ...options }
        : wrong(options),
    ),
  from: (handle, options) => Broadcast.from<number>(handle, options),
};

export const STATES: Readonly<Record<State, Prepare<NumberStream>>> = {
  idle: () => () => undefined,
  awaited: ({ ours, theirs }) => {
    const wait = theirs.subscribe().nextAsync();
    return () => {
      ours.publish(8);
      return wait;
    };
  },
  closed: ({ ours }) => {
    ours.close();
    return () => undefined;
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const WAITS: Waits<NumberStream> = {
  timeouts: [
    ['subscribe().tryNext(%)', (stream, timeout) => stream.subscribe().tryNext(timeout)],
    ['tryPublish(1, %)', (stream, timeout) => stream.tryPublish(1, timeout)],
  ],
  options: [
    ['subscribe().nextAsync(%)', (stream, options) => stream.subscribe().nextAsync(options)],
    ['publishAsync(1, %)', (stream, options) => stream.publishAsync(1, options)],
  ],
};

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'published no value within' } as const;

type Uses = readonly (readonly [call: string, use: (stream: NumberStream) => unknown])[];
type StreamRow = Row<NumberStream, State>;

const FREE: Uses = [['free()', (stream) => stream.free()]];
const WAITING: Uses = [
  ['subscribe().next()', (stream) => stream.subscribe().next()],
  ['subscribe().tryNext()', (stream) => stream.subscribe().tryNext()],
  ['subscribe().tryNext(5)', (stream) => stream.subscribe().tryNext(5)],
  ['subscribe().nextAsync()', (stream) => stream.subscribe().nextAsync()],
  ['subscribe().nextAsync({ timeout: 5 })', (stream) => stream.subscribe().nextAsync({ timeout: 5 })],
];
const OTHERS: Uses = [
  ['publish(1)', (stream) => stream.publish(1)],
  ['tryPublish(1)', (stream) => stream.tryPublish(1)],
  ['publishAsync(1)', (stream) => stream.publishAsync(1)],
  ['subscribe()', (stream) => stream.subscribe()],
  ["subscribe({ from: 'oldest' })", (stream) => stream.subscribe({ from: 'oldest' })],
  ['capacity', (stream) => stream.capacity],
  ['published', (stream) => stream.published],
  ['closed', (stream) => stream.closed],
  ['close()', (stream) => stream.close()],
  ['waiting', (stream) => stream.waiting],
  ['name', (stream) => stream.name],
  ['inspect()', (stream) => stream.inspect()],
];

export function streamRows(): StreamRow[] {
  const rows = (state: State, rest: Pick<StreamRow, 'error' | 'code' | 'says'>, uses: Uses): StreamRow[] =>
    refusedRows(state, rest, uses);
  const made = (written: string, options: object, error: string, says: string): StreamRow => ({
    call: `Broadcast.create(${written})`,
    state: 'idle',
    make: ({ arena }) => Broadcast.create({ arena, ...options }),
    error,
    says,
  });
  const subscribed = (written: string, options: unknown, says: string): StreamRow => ({
    call: `subscribe(${written})`,
    state: 'idle',
    make: ({ ours }) => ours.subscribe(wrong(options)),
    error: 'TypeError',
    says,
  });
  return [
    ...creationRows<NumberStream, State>(STREAM, 'idle'),
    ...waitRows<NumberStream, State>(WAITS, ['idle', 'awaited']),
    made(
      '{ capacity: 0 }',
      { capacity: 0 },
      'RangeError',
      'capacity must be a whole number from 1 to 1048576: received 0',
    ),
    made('{ capacity: 1.5 }', { capacity: 1.5 }, 'RangeError', 'received 1.5'),
    made("{ capacity: '8' }", { capacity: '8' }, 'TypeError', 'capacity must be a number: received "8"'),
    made(
      '{ capacity: 2 ** 20 }',
      { capacity: 2 ** 20 },
      'RangeError',
      'All values together may have 268435456 bytes: received a capacity of 1048576 and values of 1024 bytes',
    ),
    made(
      "{ codec: 'text' }",
      { codec: 'text' },
      'TypeError',
      "The codec must be 'json', 'bytes', 'int32', 'float64' or an object: received \"text\"",
    ),
    made('{ codec: {} }', { codec: {} }, 'TypeError', 'A codec must have a name, encode and decode'),
    made(
      "{ overflow: 'drop' }",
      { overflow: 'drop' },
      'TypeError',
      "overflow must be 'lag' or 'wait': received \"drop\"",
    ),
    made(
      "{ overflow: 'wait', maxSubscriptions: 0 }",
      { overflow: 'wait', maxSubscriptions: 0 },
      'RangeError',
      'maxSubscriptions must be a whole number from 1 to 1024: received 0',
    ),
    made(
      "{ overflow: 'wait', maxSubscriptions: 1025 }",
      { overflow: 'wait', maxSubscriptions: 1025 },
      'RangeError',
      'received 1025',
    ),
    made(
      '{ maxSubscriptions: 4 }',
      { maxSubscriptions: 4 },
      'TypeError',
      "Only a broadcast with overflow: 'wait' has maxSubscriptions: received 4",
    ),
    made(
      '{ maxBytes: 0 }',
      { maxBytes: 0 },
      'RangeError',
      'maxBytes must be a whole number from 1 to 1048576: received 0',
    ),
    made(
      "{ codec: 'int32', maxBytes: 4 }",
      { codec: 'int32', maxBytes: 4 },
      'TypeError',
      'A broadcast of int32 has no maxBytes: received 4',
    ),
    subscribed('null', null, 'The options must be an object: received null'),
    subscribed("{ from: 'now' }", { from: 'now' }, "from must be 'next' or 'oldest': received \"now\""),
    subscribed('{ onLag: 1 }', { onLag: 1 }, 'The callback must be a function: received 1'),
    subscribed('{ onlag: f }', { onlag: () => undefined }, 'Unknown option "onlag": expected one of from, onLag'),
    ...rows('idle', { error: 'TypeError', says: 'a value must be a number, received "x"' }, [
      ['publish("x")', (stream) => stream.publish(wrong('x'))],
    ]),
    ...rows(
      'idle',
      { error: 'RangeError', says: 'a value must be a whole number from -2^31 to 2^31 - 1, received 0.5' },
      [['publish(0.5)', (stream) => stream.publish(0.5)]],
    ),
    ...(['idle', 'awaited'] as const).flatMap((state) =>
      rows(state, LATE, [
        ['subscribe().nextAsync({ timeout: 0 })', (stream) => stream.subscribe().nextAsync({ timeout: 0 })],
        ['subscribe().nextAsync({ timeout: 1 })', (stream) => stream.subscribe().nextAsync({ timeout: 1 })],
      ]),
    ),
    ...rows('awaited', { ...MISUSE, says: 'is in use and cannot be freed: 0 published, 1 waiter in line' }, FREE),
    ...rows(
      'closed',
      { error: 'ClosedError', code: 'SLUICE_CLOSED', says: "Broadcast 'bench' is closed. No value was taken." },
      WAITING,
    ),
    ...rows(
      'closed',
      {
        error: 'ClosedError',
        code: 'SLUICE_CLOSED',
        says: "Broadcast 'bench' is closed. The value was not published.",
      },
      [
        ['publish(1)', (stream) => stream.publish(1)],
        ['tryPublish(1)', (stream) => stream.tryPublish(1)],
        ['tryPublish(1, 5)', (stream) => stream.tryPublish(1, 5)],
        ['publishAsync(1)', (stream) => stream.publishAsync(1)],
      ],
    ),
    ...rows('freed', { ...MISUSE, says: "The broadcast 'bench' was freed and cannot be used any more." }, [
      ...OTHERS,
      ...FREE,
    ]),
    {
      call: 'Broadcast.from(the handle of a freed broadcast)',
      state: 'freed',
      make: ({ ours }) => Broadcast.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ];
}
