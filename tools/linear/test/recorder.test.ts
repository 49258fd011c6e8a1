import { expect, test } from 'vitest';
import { logBytes, operationsOf, Recorder, type Taping } from '../src/index.ts';

function tape(operations: number, clock = new SharedArrayBuffer(4)): Taping {
  return { clock, log: new SharedArrayBuffer(logBytes(operations)) };
}

test('the recorder returns what was recorded, with one clock for all agents', () => {
  const one = tape(3);
  const other = tape(1, one.clock);
  const [recorder, second] = [new Recorder(one), new Recorder(other)];
  const push = recorder.begin('push', [1, 2, 3]);
  const pop = second.begin('pop', [], 4);
  recorder.end(push, 'done', [1, 2]);
  second.end(pop, 'done', [1]);
  recorder.end(recorder.begin('push', [9]), 'refused');
  expect(operationsOf(one.log, 'one')).toEqual([
    { kind: 'push', outcome: 'done', values: [1, 2], began: 1, ended: 3, most: 1, by: 'one' },
    { kind: 'push', outcome: 'refused', values: [9], began: 5, ended: 6, most: 1, by: 'one' },
  ]);
  expect(operationsOf(other.log, 'other')).toEqual([
    { kind: 'pop', outcome: 'done', values: [1], began: 2, ended: 4, most: 4, by: 'other' },
  ]);
  expect(recorder.left).toBe(1);
});

test('an operation without an end is pending: a push with its values, a pop with the number that it may have taken', () => {
  const taping = tape(2);
  const recorder = new Recorder(taping);
  recorder.begin('push', [5, 6]);
  recorder.begin('pop', [], 3);
  expect(operationsOf(taping.log, 'dead')).toEqual([
    { kind: 'push', outcome: 'pending', values: [5, 6], began: 1, ended: Infinity, most: 1, by: 'dead' },
    { kind: 'pop', outcome: 'pending', values: [], began: 2, ended: Infinity, most: 3, by: 'dead' },
  ]);
});

test('a full log throws', () => {
  const recorder = new Recorder(tape(1));
  recorder.begin('close');
  expect(() => recorder.begin('close')).toThrow('The log is full.');
});
