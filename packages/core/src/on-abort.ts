// One listener for all who wait for the same signal: platforms warn of a leak where a signal has more than ten.

type Act = () => void;

/** As long as anybody waits, who keeps the signal, too. A map that holds it weakly costs more than all else of a listener. */
const watched = new Map<AbortSignal, readonly [acts: Set<Act>, fire: Act]>();

/** Calls `act`, a function of the caller's own, when the signal is aborted, until `offAbort`. Throws what the signal throws. */
export function onAbort(signal: AbortSignal | undefined, act: Act): void {
  if (signal === undefined) return;
  const [acts] = watched.get(signal) ?? watch(signal);
  acts.add(act);
}

export function offAbort(signal: AbortSignal | undefined, act: Act): void {
  const [acts, fire] = (signal && watched.get(signal)) ?? [];
  if (signal === undefined || fire === undefined || !acts?.delete(act) || acts.size > 0) return;
  watched.delete(signal);
  signal.removeEventListener('abort', fire);
}

function watch(signal: AbortSignal): readonly [Set<Act>, Act] {
  const acts = new Set<Act>();
  const both = [acts, () => acts.forEach((act) => act())] as const;
  signal.addEventListener('abort', both[1]);
  watched.set(signal, both);
  return both;
}
