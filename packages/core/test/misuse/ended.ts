import type { Semaphore } from '../../src/index.ts';
import { BENCH_NAME, type Row, type State } from './row.ts';

type Use = readonly [call: string, use: (sem: Semaphore) => unknown];

const taking: readonly Use[] = [
  ['acquire()', (sem) => sem.acquire()],
  ['acquire(2)', (sem) => sem.acquire(2)],
  ['tryAcquire()', (sem) => sem.tryAcquire()],
  ['tryAcquire(3, 5)', (sem) => sem.tryAcquire(3, 5)],
  ['acquireAsync()', (sem) => sem.acquireAsync()],
  ['acquireAsync(3, { timeout: 5 })', (sem) => sem.acquireAsync(3, { timeout: 5 })],
  ['acquireAsync(3, { timeout: 0 })', (sem) => sem.acquireAsync(3, { timeout: 0 })],
  ['drain()', (sem) => sem.drain()],
  ['hold()', (sem) => sem.hold()],
  ['tryHold()', (sem) => sem.tryHold()],
  ['holdAsync()', (sem) => sem.holdAsync()],
  ['run(body)', (sem) => sem.run(() => 0)],
  ['runAsync(body)', (sem) => sem.runAsync(() => 0)],
  ['asLock().lock()', (sem) => sem.asLock().lock()],
  ['asLock(2).tryLock()', (sem) => sem.asLock(2).tryLock()],
  ['asLock().lockAsync()', (sem) => sem.asLock().lockAsync()],
];

const others: readonly Use[] = [
  ['release()', (sem) => sem.release()],
  ['release(2)', (sem) => sem.release(2)],
  ['asLock().unlock()', (sem) => sem.asLock().unlock()],
  ['name', (sem) => sem.name],
  ['available', (sem) => sem.available],
  ['waiting', (sem) => sem.waiting],
  ['inspect()', (sem) => sem.inspect()],
  ['close()', (sem) => sem.close()],
  ['free()', (sem) => sem.free()],
];

function rows(uses: readonly Use[], state: State, rest: Pick<Row, 'error' | 'code' | 'says'>): Row[] {
  return uses.map(([call, use]) => ({ call, state, make: ({ sem }) => use(sem), ...rest }));
}

/** Every method of a semaphore that was closed, or freed. */
export const endedRows: readonly Row[] = [
  ...rows(taking, 'closed', {
    error: 'ClosedError',
    code: 'SLUICE_CLOSED',
    says: `Semaphore '${BENCH_NAME}' is closed. No permit was taken.`,
  }),
  ...rows([...taking, ...others], 'freed', {
    error: 'MisuseError',
    code: 'SLUICE_MISUSE',
    says: "The semaphore 'bench' was freed",
  }),
];
