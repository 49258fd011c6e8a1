import { contend, lockJobs, type LockKinds } from '../contend.ts';
import { equal, failure, type MainTools } from '../tools.ts';

const KINDS: LockKinds = {
  'Mutex in turns': {
    make: ({ Mutex }, arena) => ((lock) => ({ lock, handle: lock.handle }))(Mutex.create({ arena })),
    open: ({ Mutex }, handle) => ({ lock: Mutex.from(handle) }),
  },
  'Mutex in order': {
    make: ({ Mutex }, arena) => ((lock) => ({ lock, handle: lock.handle }))(Mutex.create({ arena, order: 'fifo' })),
    open: ({ Mutex }, handle) => ({ lock: Mutex.from(handle) }),
  },
  RecursiveMutex: {
    make: ({ RecursiveMutex }, arena) => ((lock) => ({ lock, handle: lock.handle }))(RecursiveMutex.create({ arena })),
    open: ({ RecursiveMutex }, handle) => ({ lock: RecursiveMutex.from(handle) }),
  },
};

export const jobs = lockJobs(KINDS);

export async function main(tools: MainTools): Promise<void> {
  await contend(tools, KINDS);
  const { sluice, arena, platform } = tools;
  const mutex = sluice.Mutex.create({ arena });
  if (!platform.mayBlock) await failure(() => mutex.lock(), 'SLUICE_MISUSE');
  equal([mutex.tryLock(), mutex.tryLock()], [true, false], 'trying');
  mutex.unlock();
  await failure(() => mutex.unlock(), 'SLUICE_MISUSE');
  const again = sluice.RecursiveMutex.create({ arena });
  equal([again.tryLock(), again.tryLock()], [true, true], 'locking twice');
  again.unlock();
  again.unlock();
}
