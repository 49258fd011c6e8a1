// The worker's side: it blocks while there is no task.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Region } from '@sluice/core';

export function serve(run) {
  self.onmessage = async ({ data: { place, ...handles } }) => {
    const { arena, int32: notes } = Region.from(handles.notes);
    Atomics.store(notes, 2 * place + 1, arena.agentId);
    // Written before the task leaves the buffer: if this worker dies at any moment, the page knows what it had.
    const onTake = () => Atomics.store(notes, 2 * place, tasks.popped + 1);
    const tasks = BoundedBuffer.from(handles.tasks, { onTake });
    const answers = BoundedBuffer.from(handles.answers);
    for (const input of tasks) {
      const number = notes[2 * place];
      try {
        answers.push({ number, output: await run(input) });
      } catch ({ name, message, stack }) {
        answers.push({ number, failure: { name, message, stack } });
      }
    }
    arena.leave();
    self.close();
  };
}
