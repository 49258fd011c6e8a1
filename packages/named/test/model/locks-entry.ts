// The entry of the models of a lock manager's requests. It is built with lowered `async` functions.

export * from '../../../core/test/model/async-entry.ts';
export { LockLines } from '../../src/web-locks/lock-lines.ts';
export { OpenRequest } from '../../src/web-locks/open-request.ts';
export { ALL, endLine, LINES } from '../../src/web-locks/request-queue.ts';
export { WaitingRequests } from '../../src/web-locks/waiting-requests.ts';
