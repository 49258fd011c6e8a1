// Tests unread output of a worker, on streams that the test reads.
import { Writable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { UnreadOutput } from '../src/platform/unread-output.ts';

/** The timers of waits. The test ends them, not time. */
const timers = vi.hoisted(() => new Set<() => void>());
vi.mock('../src/platform/timers.ts', () => ({
  setTimeout: (end: () => void) => {
    timers.add(end);
    return end;
  },
  clearTimeout: (end: () => void) => timers.delete(end),
}));

function endTimers(): void {
  for (const end of [...timers]) if (timers.delete(end)) end();
}

/** A stream whose `read` takes one piece at each call, as the pool's thread does. */
class Stream extends Writable {
  readonly pieces: string[] = [];
  #taken: (() => void) | undefined;

  override _write(chunk: Buffer, _encoding: string, taken: () => void): void {
    this.pieces.push(chunk.toString());
    this.#taken = taken;
  }

  read(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }
}

function setUp(): {
  readonly out: Stream;
  readonly err: Stream;
  readonly output: UnreadOutput;
  readonly events: string[];
} {
  const [out, err, events] = [new Stream(), new Stream(), [] as string[]];
  const output = new UnreadOutput(
    ['stdout', 'stderr'],
    { onLate: () => events.push('late'), onRead: () => events.push('read') },
    { stdout: out, stderr: err },
  );
  return { out, err, output, events };
}

const turns = async (): Promise<void> => {
  for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
};

test('nothing is unread before the worker prints', () => expect(setUp().output.isUnread).toBe(false));

test.each(['out', 'err'] as const)('output is unread until each piece has been read (%s)', async (name) => {
  const { output, events, ...streams } = setUp();
  const stream = streams[name];
  stream.write('one');
  stream.write('two');
  expect(output.isUnread).toBe(true);
  let isRead = false;
  const read = output.untilRead().then(() => (isRead = true));
  stream.read();
  await turns();
  expect(isRead).toBe(false);
  for (let pieces = 0; pieces < 2; pieces++) {
    stream.read();
    await turns();
  }
  await read;
  expect(output.isUnread).toBe(false);
  expect(stream.pieces).toEqual(['one', 'two', '']);
  expect(events).toEqual([]);
});

// Fails if a wait for unread output ends only with the read. Then a worker never runs the task for which the pool's
// thread waits.
test('a wait without a read ends with its timer, and later waits end at once until everything was read', async () => {
  const { out, output, events } = setUp();
  out.write('one');
  const first = output.untilRead();
  endTimers();
  await first;
  expect(events).toEqual(['late']);
  out.write('two');
  await output.untilRead();
  expect(events).toEqual(['late']);
  while (!events.includes('read')) {
    out.read();
    await turns();
  }
  expect(output.isUnread).toBe(false);
  expect(events).toEqual(['late', 'read']);
  out.write('three');
  const read = output.untilRead().then(() => events.push('all'));
  await turns();
  while (!events.includes('all')) {
    out.read();
    await turns();
  }
  await read;
});

test('several waits that end without a read report it once', async () => {
  const { out, output, events } = setUp();
  out.write('one');
  const both = Promise.all([output.untilRead(), output.untilRead()]);
  endTimers();
  await both;
  expect(events).toEqual(['late']);
});

// Fails if the wait calls the stream's own `write`. Then the end of the task is late, and the output stays late for
// ever.
test('a task that captures its output by its own `write` does not keep earlier output unread', async () => {
  const { out, output, events } = setUp();
  out.write('one');
  const captured: unknown[] = [];
  out.write = (piece: unknown) => captured.push(piece) > 0;
  const read = output.untilRead();
  for (let pieces = 0; pieces < 2; pieces++) {
    out.read();
    await turns();
  }
  await read;
  expect([output.isUnread, events, captured, out.pieces]).toEqual([false, [], [], ['one', '']]);
});

test.each<readonly [what: string, change: (stream: Stream) => void]>([
  ['corked', (stream) => stream.cork()],
  ['ended', (stream) => stream.end()],
  ['destroyed', (stream) => stream.destroy()],
])('a worker does not wait for output in a stream that a task has %s', (_, change) => {
  const { out, output } = setUp();
  out.write('one');
  change(out);
  expect(output.isUnread).toBe(false);
});

test('a worker does not wait for streams that the program reads itself', () => {
  const [out, err] = [new Stream(), new Stream()];
  const output = new UnreadOutput(
    [],
    { onLate: () => undefined, onRead: () => undefined },
    { stdout: out, stderr: err },
  );
  out.write('one');
  expect(output.isUnread).toBe(false);
});
