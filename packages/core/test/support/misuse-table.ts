// A table of wrong calls on the primitives of other packages, like misuse/row.ts for the semaphore.

import { expect, test } from 'vitest';
import { Arena, Region, Semaphore, type PrimitiveHandle, type SluiceErrorCode } from '../../src/index.ts';
import { officeAt } from './at-rest.ts';
import { openAs, secondAgent } from './second-agent.ts';
import { withoutAges } from './without-ages.ts';

export interface Primitive {
  readonly handle: PrimitiveHandle<string>;
  inspect(): unknown;
  free(): void;
}

/** A class of primitives. */
export interface Kind<P extends Primitive> {
  /** Its name. */
  readonly what: string;
  readonly Class: object;
  create(options?: object): P;
  from(handle: P['handle'], options?: object): P;
}

/** One primitive as seen by two agents, and others that it may be mistaken for. */
export interface Bench<P extends Primitive> {
  readonly arena: Arena;
  readonly ours: P;
  readonly theirs: P;
  readonly region: Region;
  readonly sem: Semaphore;
}

export interface Row<P extends Primitive, State extends string> {
  /** The source text of the call. */
  readonly call: string;
  readonly state: State;
  readonly make: (bench: Bench<P>) => unknown;
  /** The error's name. */
  readonly error: string;
  readonly code?: SluiceErrorCode;
  /** A part of the message. */
  readonly says: string;
}

/** Brings the primitive of a bench into a state. Returns a function that restores the state. */
export type Prepare<P extends Primitive> = (bench: Bench<P>) => () => unknown;

/** Returns a value as any type, to pass a wrong type that TypeScript would refuse. */
export function wrong(value: unknown): never {
  return value as never;
}

class Workshop {
  readonly arena = Arena.create({ maxPages: 16, policy: { buckets: 16 } });
  readonly other = secondAgent(this.arena);
  readonly region = Region.create(64, { arena: this.arena });
  readonly sem = Semaphore.create(1, { arena: this.arena });

  constructor() {
    // The heap ends behind the first page, so that a memory of one page is truncated.
    Region.create(65_536, { arena: this.arena });
  }

  bench<P extends Primitive>(kind: Kind<P>): Bench<P> {
    const ours = kind.create({ arena: this.arena, name: 'bench' });
    const theirs = openAs(this.other, ours.handle, (handle) => kind.from(handle));
    const { arena, region, sem } = this;
    return { arena, ours, theirs, region, sem };
  }

  /** From now on the agents keep some elements, so that every row begins and ends with the same number. */
  async warmUp(): Promise<void> {
    for (const arena of [this.arena, this.other]) {
      const sem = Semaphore.create(0, { arena });
      const waits = [1, 2, 3].map(() => sem.acquireAsync());
      sem.release(3);
      await Promise.all(waits);
      sem.free();
    }
  }
}

/** Returns all visible state, for a comparison before and after a call. */
function look<P extends Primitive>({ arena, ours, theirs }: Bench<P>): unknown {
  const { agents, elements, ...rest } = arena.inspect();
  // It does not matter how many elements are kept and how many are free.
  const { total, waiting, abandoned } = elements;
  const lineState = agents.map(({ agent, holds, waits }) => ({ agent, holds, waits }));
  const reports = [ours, theirs].map((primitive) => {
    try {
      return primitive.inspect();
    } catch (freed) {
      return (freed as Error).message;
    }
  });
  return { lineState, total, waiting, abandoned, ...rest, office: officeAt(arena, ours.handle.address), reports };
}

async function errorOf(make: () => unknown): Promise<unknown> {
  try {
    await make();
  } catch (failure) {
    return failure;
  }
  throw new Error('The call did not fail.');
}

/** Declares a test for each row. */
export function misuseTable<P extends Primitive, State extends string>(
  kind: Kind<P>,
  states: Readonly<Record<State, Prepare<P>>>,
  rows: readonly Row<P, State>[],
): void {
  const workshop = new Workshop();

  test.each(rows.map((row) => [row.call, row.state, row.error, row] as const))(
    `%s of a ${kind.what} that is %s throws a %s and changes nothing`,
    async (_call, state, error, { make, code, says }) => {
      await workshop.warmUp();
      const bench = workshop.bench(kind);
      const takeDown = states[state](bench);
      const before = look(bench);
      const failure = await errorOf(() => make(bench));
      expect(failure).toMatchObject(code === undefined ? { name: error } : { name: error, code });
      expect((failure as Error).message).toContain(says);
      expect(withoutAges(look(bench))).toEqual(withoutAges(before));
      await takeDown();
      if (state !== 'freed') bench.ours.free();
    },
  );

  test(`no row of the ${kind.what} is listed twice`, () => {
    const names = rows.map(({ call, state }) => `${call} ${state}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
}
