import { runJob } from './src/lib/jobs.mjs';
const [,, reps='3', sizes='16,64', ways='plain,seq-lock,snapshot', node] = process.argv;
const runtime = node ? { path: node, name: node, execPath: node } : undefined;
const med = (a)=>[...a].sort((x,y)=>x-y)[a.length>>1];
for (const byteLength of sizes.split(',').map(Number)) {
  const res = {};
  for (let r=0;r<+reps;r++) for (const way of ways.split(',')) {
    const out = await runJob('seq-lock', { way, byteLength, readers: 1, writers: 0, seconds: 0.3, warmUpSeconds: 0.2 }, { timeoutMs: 30000 });
    (res[way] ??= []).push(1e9/out.readsPerSecond);
  }
  console.log(byteLength, Object.entries(res).map(([w,a])=>`${w} ${med(a).toFixed(1)} ns (${a.map(x=>x.toFixed(1)).join(' ')}) x${med(a.map((x,i)=>x/res.plain[i])).toFixed(2)}`).join(' | '));
}
