// @ts-check
export { findProgram, findServer } from './find.mjs';
export { freePort, Server, startServer } from './server.mjs';
export { proxyTo } from './proxy.mjs';
