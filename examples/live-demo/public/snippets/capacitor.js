// page.js
import { CapacitorLock, TtsLock } from 'sluice';
const inner = TtsLock.create();
const lock = CapacitorLock.create(inner, { name: 'capacitor' });
for (const worker of workers) worker.postMessage([lock.handle, inner.handle]);

// worker.js
import { CapacitorLock, TtsLock } from 'sluice';
onmessage = ({ data: [lock, inner] }) => {
  const fair = CapacitorLock.from(lock, TtsLock.from(inner));
  for (;;) fair.run(() => pass());
};
