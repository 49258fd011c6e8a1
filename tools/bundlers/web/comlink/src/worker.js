import { Region } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { expose } from 'comlink';

let mutex;
let results;

expose({
  open(handles) {
    mutex = Mutex.from(handles.mutex);
    results = Region.from(handles.results).int32;
  },
  add(numbers) {
    for (const n of numbers) {
      mutex.run(() => {
        const [total, count] = results;
        pause(); // the other worker could write here, if there were no lock
        results[0] = total + n;
        results[1] = count + 1;
      });
    }
    return numbers.length;
  },
});

function pause() {
  const end = performance.now() + 0.05;
  while (performance.now() < end);
}
