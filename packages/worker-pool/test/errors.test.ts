import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { failureOf, settled, WorkerPool } from './support/pool.ts';

const filename = fileURLToPath(new URL('jobs/errors.mjs', import.meta.url));

const pool = new WorkerPool({ filename, size: 1, bufferBytes: 1024 });
afterAll(() => pool.destroy());

/** Runs a failing task. Resolves with the error of the pool's rejection. */
function failing(name: string, input?: unknown): Promise<unknown> {
  return settled(failureOf(pool.run(input, { name })));
}

test('an error keeps its name, message, stack, cause and own properties', async () => {
  const failure = await failing('own');
  expect(failure).toBeInstanceOf(Error);
  expect(failure).toMatchObject({ name: 'OwnError', message: 'my own', code: 'OWN', details: { path: ['a', 1] } });
  expect((failure as Error).stack).toContain('errors.mjs');
  const { cause } = failure as Error;
  expect(cause).toBeInstanceOf(RangeError);
  expect(cause).toMatchObject({ message: 'deeper', cause: 'deepest' });
});

test('a property of an error that cannot be sent arrives as a description', async () =>
  expect(await failing('own')).toMatchObject({ uncloneable: expect.stringContaining('not cloneable') as string }));

test.each([TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError])(
  'a $name arrives as a $name',
  async (type) => {
    const failure = await failing('builtIn', type.name);
    expect(failure).toBeInstanceOf(type);
    expect(failure).toMatchObject({ message: `a ${type.name}` });
  },
);

test.each([[5], ['text'], [undefined], [null], [{ code: 5 }]])('a thrown %o arrives unchanged', async (thrown) =>
  expect(await failing('raw', thrown)).toStrictEqual(thrown),
);

test('a thrown value that cannot be sent arrives as a description', async () =>
  expect(await failing('rawFunction')).toContain('not cloneable'));

test('an error that is longer than the buffer arrives complete', async () =>
  expect(await failing('long', 5000)).toMatchObject({ message: 'x'.repeat(5000) }));

test('an AbortError keeps its name', async () =>
  expect(await failing('abortError')).toMatchObject({ name: 'AbortError' }));

// Fails if causes are followed without end, until the worker's stack is full.
test('an error that is its own cause arrives', async () =>
  expect(await failing('cyclic')).toMatchObject({ message: 'a circle' }));

// Fails if packing the failure throws, which ends the worker.
test.each(['strangeName', 'getter'])('an error that throws when it is read arrives (%s)', async (name) =>
  expect(await failing(name)).not.toHaveProperty('exitCode'),
);

// Fails if only enumerable properties are sent.
test('an AggregateError keeps its errors', async () =>
  expect(await failing('many')).toMatchObject({ errors: [{ message: 'one' }, { message: 'two' }] }));

// An assigned cause is enumerable. Fails if its plain clone overwrites the unpacked one.
test('a cause that was assigned keeps its name', async () =>
  expect(await failing('assignedCause')).toMatchObject({ cause: { name: 'OwnError', code: 'OWN' } }));

// Fails if a graph is walked as a tree: 2^40 errors.
test('an error that each of many layers contains twice arrives, and the next task runs', async () => {
  const failure = await failing('layers', 40);
  expect(failure).toBeInstanceOf(AggregateError);
  expect(failure).toMatchObject({ message: 'level 40', errors: [{ message: 'level 39' }, { message: 'level 39' }] });
  expect((failure as AggregateError).errors[0]).toBe((failure as AggregateError).errors[1]);
  expect(await failing('raw', 5)).toBe(5);
});

test('an AggregateError whose parts were removed keeps its message and class', async () => {
  const failure = await failing('unreadable');
  expect(failure).toBeInstanceOf(AggregateError);
  expect(failure).toMatchObject({ message: 'all failed' });
});

// Fails if each cause is packed within its error, which overflows the stack of the worker or of the pool's thread.
test('a long chain of causes arrives complete', async () => {
  let last = await failing('endlessCauses', 4000);
  for (let n = 4000; n > 0; n--) {
    expect((last as Error).message).toBe(`cause ${n}`);
    last = (last as Error).cause;
  }
  expect(last).toMatchObject({ message: 'cause 0' });
});

test('a thrown value that cannot be cloned arrives as a text that says so', async () =>
  expect(await failing('untellable')).toBe('(not cloneable) Error: hidden'));
