import { Arena, Semaphore } from '@sluice/core';
import { formatReport, findDeadlocks } from '@sluice/inspect';
import { Mutex } from '@sluice/mutex';
const [locks, n] = process.argv.slice(2).map(Number);
const arena = Arena.create({ maxPages: 1024 });
const ms=[]; for (let i=0;i<locks;i++){ const m=Mutex.create({arena,name:`m${i}`}); m.lock(); ms.push(m);}
const s = Semaphore.create(0, { arena, name: 'line' });
for (let i = 0; i < 10000; i++) void (locks ? ms[i%locks].lockAsync() : s.acquireAsync());
const cpu=()=>{const {user,system}=process.cpuUsage();return (user+system)/1000};
for (let i=0;i<n;i++){ const c=cpu(), b=performance.now(); formatReport(arena); const m=performance.now()-b, cc=cpu()-c; const d0=performance.now(), d1=cpu(); findDeadlocks(arena); console.log('report',m.toFixed(1),'cpu',cc.toFixed(1),'deadlocks',(performance.now()-d0).toFixed(1),'cpu',(cpu()-d1).toFixed(1)); }
process.exit(0);
