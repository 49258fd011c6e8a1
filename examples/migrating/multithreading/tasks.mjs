import { Mutex, Region } from 'sluice';

/** @param {{ lock: import('sluice').MutexHandle, sum: import('sluice').RegionHandle }} handles */
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
