// The worker's side: it blocks while there is no task.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Arena, Region } from '@sluice/core';

export function serve(run) {
  self.onmessage = async ({ data: { place, ...handles } }) => {
    const taken = Region.from(handles.taken).int32;
    // Written before the task leaves the buffer: if this worker dies at any moment, the page knows what it had.
    const onTake = () => Atomics.store(taken, place, tasks.popped + 1);
    const tasks = BoundedBuffer.from(handles.tasks, { onTake });
    const answers = BoundedBuffer.from(handles.answers);
    for (const input of tasks) {
      const number = taken[place];
      try {
        answers.push({ number, output: await run(input) });
      } catch ({ name, message, stack }) {
        answers.push({ number, failure: { name, message, stack } });
      }
    }
    Arena.default().leave();
    self.close();
  };
}
