// @ts-check
export { findPooler, findProgram, findServer } from './find.mjs';
export { Pooler, startPooler } from './pooler.mjs';
export { freePort, Server, startServer, startStandby } from './server.mjs';
