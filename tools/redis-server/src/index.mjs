// @ts-check
export { ask } from './ask.mjs';
export { noClock, serverClock } from './clock.mjs';
export { Cluster, startCluster } from './cluster.mjs';
export { findProgram, findServer } from './find.mjs';
export { freePort, Server, startServer } from './server.mjs';
export { proxyTo } from './proxy.mjs';
export { startWatched } from './sentinel.mjs';
