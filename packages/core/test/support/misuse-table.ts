// A table of wrong calls on the primitives that stand on core, as misuse/row.ts for the semaphore.

import { expect, test } from 'vitest';
import { Arena, Region, Semaphore, type PrimitiveHandle, type SluiceErrorCode } from '../../src/index.ts';
import { officeAt } from './at-rest.ts';
import { openAs, secondAgent } from './second-agent.ts';

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

/** One primitive as two agents see it, and others that it may be taken for. */
export interface Bench<P extends Primitive> {
  readonly arena: Arena;
  readonly ours: P;
  readonly theirs: P;
  readonly region: Region;
  readonly sem: Semaphore;
}

export interface Row<P extends Primitive, State extends string> {
  /** The call, as one would write it. */
  readonly call: string;
  readonly state: State;
  readonly make: (bench: Bench<P>) => unknown;
  /** The error's name. */
  readonly error: string;
  readonly code?: SluiceErrorCode;
  /** A part of the message. */
  readonly says: string;
}

/** Brings the primitive of a bench into a state; the result takes it back. */
export type Prepare<P extends Primitive> = (bench: Bench<P>) => () => unknown;

/** A value of a wrong type where TypeScript would not let it through. */
export function wrong(value: unknown): never {
  return value as never;
}

class Workshop {
  readonly arena = Arena.create({ maxPages: 16, policy: { buckets: 16 } });
  readonly other = secondAgent(this.arena);
  readonly region = Region.create(64, { arena: this.arena });
  readonly sem = Semaphore.create(1, { arena: this.arena });

  constructor() {
    // The heap ends behind the first page, so that there is something to cut off.
    Region.create(65_536, { arena: this.arena });
  }

  bench<P extends Primitive>(kind: Kind<P>): Bench<P> {
    const ours = kind.create({ arena: this.arena, name: 'bench' });
    const theirs = openAs(this.other, ours.handle, (handle) => kind.from(handle));
    const { arena, region, sem } = this;
    return { arena, ours, theirs, region, sem };
  }

  /** Agents keep elements at hand from now on, so that every row begins and ends with the same. */
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

/** All that can be seen, to compare before and after. */
function look<P extends Primitive>({ arena, ours, theirs }: Bench<P>): unknown {
  const { agents, elements, ...rest } = arena.inspect();
  // How many are at hand and how many free is no matter.
  const { total, waiting, abandoned } = elements;
  const localState = agents.map(({ agent, holds, waits }) => ({ agent, holds, waits }));
  const reports = [ours, theirs].map((primitive) => {
    try {
      return primitive.inspect();
    } catch (freed) {
      return (freed as Error).message;
    }
  });
  return { localState, total, waiting, abandoned, ...rest, office: officeAt(arena, ours.handle.address), reports };
}

async function errorOf(make: () => unknown): Promise<unknown> {
  try {
    await make();
  } catch (failure) {
    return failure;
  }
  throw new Error('No error came where one was expected.');
}

/** Declares a test for each row. */
export function misuseTable<P extends Primitive, State extends string>(
  kind: Kind<P>,
  states: Readonly<Record<State, Prepare<P>>>,
  rows: readonly Row<P, State>[],
): void {
  const workshop = new Workshop();

  test.each(rows.map((row) => [row.call, row.state, row.error, row] as const))(
    `%s of a ${kind.what} that is %s is a %s and changes nothing`,
    async (_call, state, error, { make, code, says }) => {
      await workshop.warmUp();
      const bench = workshop.bench(kind);
      const takeDown = states[state](bench);
      const before = look(bench);
      const failure = await errorOf(() => make(bench));
      expect(failure).toMatchObject(code === undefined ? { name: error } : { name: error, code });
      expect((failure as Error).message).toContain(says);
      expect(look(bench)).toEqual(before);
      await takeDown();
      if (state !== 'freed') bench.ours.free();
    },
  );

  test(`no row of the ${kind.what} can be written twice`, () => {
    const names = rows.map(({ call, state }) => `${call} ${state}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
}
