// A worker: it may block.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Region } from '@sluice/core';
import { Mutex } from '@sluice/mutex';

self.onmessage = ({ data }) => {
  const numbers = BoundedBuffer.from(data.numbers);
  const mutex = Mutex.from(data.mutex);
  const results = Region.from(data.results).int32;
  let taken = 0;
  for (const n of numbers) {
    mutex.run(() => {
      const [total, count] = results;
      pause(); // the other worker could write here, if there were no lock
      results[0] = total + n;
      results[1] = count + 1;
    });
    taken += 1;
  }
  self.postMessage(taken);
};

function pause() {
  const end = performance.now() + 0.05;
  while (performance.now() < end);
}
