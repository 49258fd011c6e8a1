import { Region } from '@sluice/core';
import { Mutex } from '@sluice/mutex';

/** @param {{ lock: import('@sluice/mutex').MutexHandle, sum: import('@sluice/core').RegionHandle }} handles */
export default function add(handles) {
  const lock = Mutex.from(handles.lock);
  const sum = Region.from(handles.sum).int32;
  for (let n = 0; n < 500; n++) {
    lock.run(() => {
      sum[0] = (sum[0] ?? 0) + 1;
    });
  }
  return 500;
}
