import { expect, test } from 'vitest';
import { StayAwake } from '../src/platform/stay-awake.ts';

test('a thread never stays awake on a machine with one core', () => {
  expect(new StayAwake(1).mayBegin(0)).toBe(false);
  expect(new StayAwake(2).mayBegin(0)).toBe(true);
});

test('a thread that stayed awake in vain four times pauses for 10 ms, and for 20 ms after the next time in vain', () => {
  const thread = new StayAwake(2);
  for (let n = 0; n < 3; n++) thread.noteInVain(0);
  expect(thread.mayBegin(0)).toBe(true);
  thread.noteInVain(0);
  expect(thread.mayBegin(9.9)).toBe(false);
  expect(thread.mayBegin(10)).toBe(true);
  thread.noteInVain(10);
  expect(thread.mayBegin(29.9)).toBe(false);
  expect(thread.mayBegin(30)).toBe(true);
});

test('work that came while the thread was awake earns one more time in vain, at most four', () => {
  const thread = new StayAwake(2);
  for (let n = 0; n < 4; n++) thread.noteInVain(0);
  for (let n = 0; n < 10; n++) thread.noteFound();
  for (let n = 0; n < 3; n++) thread.noteInVain(10);
  expect(thread.mayBegin(10)).toBe(true);
  thread.noteInVain(10);
  expect(thread.mayBegin(10)).toBe(false);
});

test('a gap of half a ms between two looks means that the core was lost, and a shorter one does not', () => {
  const thread = new StayAwake(2);
  thread.noteLooks(100, 100.4);
  expect(thread.mayBegin(100.4)).toBe(true);
  thread.noteLooks(101, 101.5);
  expect(thread.mayBegin(111.4)).toBe(false);
  expect(thread.mayBegin(111.5)).toBe(true);
});

test('a core that is lost again soon doubles the pause, up to 160 ms, until the core stays free', () => {
  const thread = new StayAwake(2);
  const pauses: number[] = [];
  let now = 1000;
  for (let n = 0; n < 6; n++) {
    thread.noteLooks(now - 1, now);
    const lost = now;
    while (!thread.mayBegin(now)) now += 1;
    pauses.push(now - lost);
    now += 1;
  }
  expect(pauses).toEqual([10, 20, 40, 80, 160, 160]);
  now += 4 * 160;
  thread.noteLooks(now - 1, now);
  expect(thread.mayBegin(now + 9)).toBe(false);
  expect(thread.mayBegin(now + 10)).toBe(true);
});

test('a time in vain neither shortens nor lengthens the pause after a lost core', () => {
  const thread = new StayAwake(2);
  thread.noteLooks(0, 1);
  thread.noteLooks(2, 3);
  for (let n = 0; n < 4; n++) thread.noteInVain(3);
  expect(thread.mayBegin(22.9)).toBe(false);
  expect(thread.mayBegin(23)).toBe(true);
});

test('a gap that is seen by the last look of a time in vain begins one pause, not two', () => {
  const thread = new StayAwake(2);
  for (let n = 0; n < 3; n++) thread.noteInVain(0);
  thread.noteLooks(100, 101);
  thread.noteInVain(101);
  expect(thread.mayBegin(110.9)).toBe(false);
  expect(thread.mayBegin(111)).toBe(true);
});
