import { RateLimiter } from '@sluice/limit';
const [perSecond, seconds] = [Number(process.argv[2]), 1];
const limiter = RateLimiter.create({ permits: perSecond, interval: 1000, burst: 1 });
const calls = perSecond * seconds; const times = [];
limiter.acquire();
const began = performance.now();
const all = Promise.all(Array.from({ length: calls }, () => limiter.acquireAsync().then(() => times.push(performance.now()))));
const made = performance.now() - began;
await all;
const took = performance.now() - began;
let lost = 0, n = 0, prev = began; const hist = {};
const turns = [];
for (const t of times) { const g = t - prev; const per = 1000 / perSecond; if (g > 5) { lost += g - 5; n++; } const k = g < 0.2 ? '<.2' : g < 1 ? '<1' : g < 2 ? '<2' : g < 5 ? '<5' : '>5'; hist[k] = (hist[k] ?? 0) + 1; prev = t; }
console.log(perSecond, 'share', (calls / took / perSecond * 1000).toFixed(3), 'made', made.toFixed(1), 'lost in gaps>5', lost.toFixed(1), n, JSON.stringify(hist));
