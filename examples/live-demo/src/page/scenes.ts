// The scenes, in the order of the page.

import { BufferProgram, RATES, rateText } from './buffer.ts';
import { ContestProgram, PACES, paceText } from './contest.ts';
import { KilledProgram, MOVES, moveText } from './killed.ts';
import { MEALS, mealText, PhilosophersProgram } from './philosophers.ts';
import type { Control, SceneSpec } from './scene.ts';

const workers = (value: number, max = 8, min = 2): Control => ({
  key: 'workers',
  label: 'Workers',
  min,
  max,
  value,
  text: String,
  restarts: true,
});
const pace = (value: number): Control => ({
  key: 'pace',
  label: 'Time inside',
  min: 0,
  max: PACES.length - 1,
  value,
  text: paceText,
});

export const SCENES: readonly SceneSpec[] = [
  {
    id: 'fair',
    page: 'primitives/core',
    title: 'Fair against unfair',
    look: 'Compare the bars: the semaphore serves workers in the order in which they came, and the spin lock serves any worker that is there when it is free.',
    unit: 'passes',
    controls: [workers(4), pace(3)],
    program: () =>
      new ContestProgram(
        [
          { lock: 'semaphore', title: 'Semaphore', about: 'One permit, handed to the longest waiter.' },
          { lock: 'spin', title: 'Spin lock', about: 'Compare and swap until it succeeds.' },
        ],
        4,
      ),
  },
  {
    id: 'turns',
    page: 'primitives/mutex',
    title: 'Turns',
    look: 'Compare passes per second with the smallest share: turns give equal shares at the throughput of an unfair mutex, and strict order pays for a hand-off at each pass.',
    unit: 'passes',
    controls: [workers(4), pace(0)],
    program: () =>
      new ContestProgram(
        [
          { lock: 'turns', title: 'Mutex', about: 'The default: turns of half a millisecond.' },
          { lock: 'fifo', title: "Mutex, order: 'fifo'", about: 'Strict order: a hand-off for each pass.' },
          { lock: 'futex', title: 'Textbook mutex', about: 'Three states and a futex, in no order.' },
        ],
        4,
      ),
  },
  {
    id: 'capacitor',
    page: 'primitives/capacitor',
    title: 'A capacitor over an unfair lock',
    look: 'Compare the shares: both panels use the same test-and-set lock, and in the second one a capacitor decides which workers may compete for it.',
    unit: 'passes',
    controls: [workers(4), pace(2)],
    program: () =>
      new ContestProgram(
        [
          { lock: 'tts', title: 'TtsLock', about: 'Bare: the first thread that is awake gets it.' },
          { lock: 'capacitor', title: 'CapacitorLock', about: 'The same lock behind a capacitor.' },
        ],
        4,
      ),
  },
  {
    id: 'philosophers',
    page: 'examples/dining-philosophers',
    title: 'Dining philosophers',
    look: 'Watch the forks: a philosopher eats with two, waits while a neighbour holds one of them, and the meals stay nearly equal.',
    unit: 'meals',
    controls: [
      workers(5, 8, 3),
      { key: 'meal', label: 'A meal takes', min: 0, max: MEALS.length - 1, value: 4, text: mealText },
    ],
    program: () => new PhilosophersProgram(5),
  },
  {
    id: 'buffer',
    page: 'primitives/bounded-buffer',
    title: 'A buffer under back-pressure',
    look: 'Make the producers faster than the consumers: the buffer fills, and then each producer waits in line until a consumer has made room.',
    unit: 'values taken',
    controls: [
      { key: 'producers', label: 'Producers', min: 1, max: 4, value: 3, text: String, restarts: true },
      { key: 'push', label: 'Each pushes', min: 0, max: RATES.length - 1, value: 3, text: rateText },
      { key: 'consumers', label: 'Consumers', min: 1, max: 4, value: 2, text: String, restarts: true },
      { key: 'pop', label: 'Each takes', min: 0, max: RATES.length - 1, value: 2, text: rateText },
    ],
    program: () => new BufferProgram(),
  },
  {
    id: 'killed',
    page: 'recipes/resume-after-crash',
    title: 'A worker killed in the middle',
    look: 'Terminate the owner between its two writes: the watch finds it dead, the next waiter gets the mutex with a notice and repairs the accounts.',
    unit: 'moves',
    controls: [
      workers(4),
      { key: 'move', label: 'A move takes', min: 0, max: MOVES.length - 1, value: 2, text: moveText },
    ],
    program: () => new KilledProgram(4),
  },
];
