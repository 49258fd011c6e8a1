// Wrong calls on capacitors and turnstiles, the same for all of them.

import type { PrimitiveHandle } from '@sluice/core';
import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import {
  wrong,
  type Bench,
  type Kind,
  type Prepare,
  type Primitive,
  type Row,
} from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import { Capacitor, LanedCapacitor, Turnstile } from '../../src/index.ts';

export type AnyGate = (Capacitor | LanedCapacitor | Turnstile) & Primitive;

/**
 * `full`: other agents are inside. `awaited`: also, this agent has an async wait. `beside`: gates of the other kinds
 * exist.
 */
export type State = 'open' | 'inside' | 'full' | 'awaited' | 'freed' | 'beside';

/** The gates of other kinds. */
let others: readonly AnyGate[] = [];

function fill(gate: AnyGate): () => void {
  gate.arrive();
  gate.arrive();
  return () => {
    gate.depart();
    gate.depart();
  };
}

export const STATES: Readonly<Record<State, Prepare<AnyGate>>> = {
  open: () => () => undefined,
  inside: ({ ours }) => {
    ours.arrive();
    return () => ours.depart();
  },
  full: ({ theirs }) => fill(theirs),
  awaited: ({ ours, theirs }) => {
    const empty = fill(theirs);
    const wait = ours.arriveAsync();
    return async () => {
      empty();
      await wait;
      ours.depart();
    };
  },
  beside: ({ arena }) => {
    others = [Capacitor.create({ arena }), LanedCapacitor.create({ arena, lanes: 2 }), Turnstile.create({ arena })];
    return () => others.forEach((gate) => gate.free());
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const WAITS: Waits<AnyGate> = {
  timeouts: [['tryArrive(%)', (gate, timeout) => gate.tryArrive(timeout)]],
  options: [['arriveAsync(%)', (gate, options) => gate.arriveAsync(options)]],
};

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const NOT_INSIDE = { ...MISUSE, says: 'is not inside; it has departed as often as it arrived.' };
const IN_USE = { ...MISUSE, says: 'is in use and cannot be freed' };
const STUCK = { error: 'DeadlockError', code: 'SLUICE_DEADLOCK', says: 'behind 1 async wait of its own' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'could not be entered within' } as const;
const FREED = { ...MISUSE, says: 'was freed and cannot be used any more.' };

type Uses<P> = readonly (readonly [call: string, use: (gate: P) => unknown])[];

const DEPART: Uses<AnyGate> = [['depart()', (gate) => gate.depart()]];
const FREE: Uses<AnyGate> = [['free()', (gate) => gate.free()]];
const BLOCKING: Uses<AnyGate> = [
  ['arrive()', (gate) => gate.arrive()],
  ['tryArrive(Infinity)', (gate) => gate.tryArrive(Infinity)],
];
const OTHERS: Uses<AnyGate> = [
  ['tryArrive()', (gate) => gate.tryArrive()],
  ['tryArrive(5)', (gate) => gate.tryArrive(5)],
  ['arriveAsync()', (gate) => gate.arriveAsync()],
  ['arriveAsync({ timeout: 0 })', (gate) => gate.arriveAsync({ timeout: 0 })],
  ['name', (gate) => gate.name],
  ['bypassLimit', (gate) => gate.bypassLimit],
  ['inspect()', (gate) => gate.inspect()],
];

export function gateRows<P extends AnyGate>(kind: Kind<P>): Row<P, State>[] {
  const rows = (
    state: State,
    rest: Pick<Row<P, State>, 'error' | 'code' | 'says'>,
    uses: Uses<AnyGate>,
  ): Row<P, State>[] => refusedRows(state, rest, uses);
  const theirs = (call: string, make: (bench: Bench<P>) => unknown): Row<P, State> => {
    return { call, state: 'inside', make, ...NOT_INSIDE };
  };
  return [
    ...creationRows<P, State>(kind, 'open'),
    ...waitRows<P, State>(WAITS, ['open', 'full']),
    ...(['open', 'full', 'awaited'] as const).flatMap((state) => rows(state, NOT_INSIDE, DEPART)),
    theirs('depart() by another agent', ({ theirs }) => theirs.depart()),
    ...(['inside', 'full', 'awaited'] as const).flatMap((state) => rows(state, IN_USE, FREE)),
    { ...theirs('free() by another agent', ({ theirs }) => theirs.free()), ...IN_USE },
    ...rows('full', LATE, [['arriveAsync({ timeout: 0 })', (gate) => gate.arriveAsync({ timeout: 0 })]]),
    ...otherKindRows(kind),
    ...rows('freed', FREED, [...BLOCKING, ...OTHERS, ...FREE, ...DEPART]),
    {
      call: `${kind.what}.from(the handle of a freed gate)`,
      state: 'freed',
      make: ({ ours }) => kind.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ];
}

/** Gates at which a cancelled wait leaves no place in the queue. */
export function passingRows<P extends AnyGate>(): Row<P, State>[] {
  return [
    ...refusedRows<P, State>('awaited', STUCK, BLOCKING),
    ...refusedRows<P, State>('full', LATE, [
      ['arriveAsync({ timeout: 1 })', (gate) => gate.arriveAsync({ timeout: 1 })],
    ]),
  ];
}

/** Handles and addresses of the other kinds of gate, which from() must not accept. */
function otherKindRows<P extends AnyGate>(kind: Kind<P>): Row<P, State>[] {
  const { what } = kind;
  const refused = { state: 'beside', error: 'HandleError', code: 'SLUICE_HANDLE' } as const;
  const [plain, laned, turnstile] = ['Capacitor', 'LanedCapacitor', 'Turnstile'];
  return [plain, laned, turnstile].flatMap((other, index) => {
    if (other === what) return [];
    const handleOf = (): Pick<PrimitiveHandle<string>, 'address' | 'tag'> =>
      others[index]?.handle ?? { address: 0, tag: 0 };
    return [
      {
        ...refused,
        call: `${what}.from(the handle of a ${other})`,
        make: () => kind.from(wrong(handleOf())),
        says: 'received kind "sluice.',
      },
      {
        ...refused,
        call: `${what}.from(the address of a ${other})`,
        make: ({ ours }: Bench<P>) => kind.from({ ...ours.handle, address: handleOf().address, tag: handleOf().tag }),
        says: 'holds another kind',
      },
    ];
  });
}
