// The page: asks for a frame, draws it, and asks for the next one.

import { svgOf } from '../../drawing/svg.ts';
import type { ArenaFrame, Frame, PrimitiveFrame } from '../frame.ts';
import { Filter } from '../filter.ts';
import { byId, say } from './dom.ts';
import { showFindings } from './findings.ts';
import { agentsTable, isUsed, primitivesTable, type PageClock } from './tables.ts';

/** The most gates that are drawn. */
const MAX_GATES = 60;
/** ms between two attempts, if the program does not answer. */
const RETRY_MS = 1000;
const COLOURS = 8;

const [pause, step] = [byId('pause', HTMLButtonElement), byId('step', HTMLButtonElement)];
const filter = byId('filter', HTMLInputElement);
const used = byId('used', HTMLInputElement);
const gates = byId('gates', HTMLDivElement);
const arenas = byId('arenas', HTMLLabelElement);
const choice = arenas.querySelector('select') ?? document.createElement('select');

const clock: PageClock = { now: 0 };
const primitives = primitivesTable(filterBy);
const agents = agentsTable(clock, filterBy);
primitives.onSort = draw;

let shown: Frame | undefined;
let isPaused = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let isAsking = false;

type State = 'live' | 'paused' | 'lost';
const STATES: Readonly<Record<State, string>> = {
  live: 'Live',
  paused: 'Paused',
  lost: 'The program does not answer: it has ended, or its view was stopped',
};

function tell(state: State): void {
  document.body.dataset['state'] = state;
  say(byId('state', HTMLParagraphElement), STATES[state]);
}

async function ask(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  clearTimeout(timer);
  const began = performance.now();
  let wait = RETRY_MS;
  try {
    const query = new URLSearchParams({ arena: choice.value, filter: filter.value });
    const response = await fetch(`frame?${query.toString()}`);
    if (!response.ok) throw new Error(response.statusText);
    shown = (await response.json()) as Frame;
    wait = Math.max(0, shown.every - (performance.now() - began));
    draw();
    tell(isPaused ? 'paused' : 'live');
  } catch (failure) {
    tell('lost');
    if (!(failure instanceof TypeError)) console.warn(failure);
  }
  isAsking = false;
  if (!isPaused && !document.hidden) timer = setTimeout(() => void ask(), wait);
}

function draw(): void {
  if (shown === undefined) return;
  const { program, arena, failure = '' } = shown;
  say(byId('program', HTMLParagraphElement), arena === undefined ? program : `${program}, ${about(arena)}`);
  const alert = byId('failure', HTMLParagraphElement);
  alert.hidden = arena !== undefined;
  say(
    alert,
    arena === undefined
      ? failure === ''
        ? 'No thread has opened an arena yet.'
        : `The arena cannot be read: ${failure}`
      : '',
  );
  chooseFrom(shown.arenas, arena?.id);
  if (arena === undefined) return;
  clock.now = arena.now;
  const accepts = new Filter(filter.value);
  const rows = arena.primitives.filter((row) => accepts.primitive(row) && (!used.checked || isUsed(row)));
  const agentRows = arena.agents.filter((row) => accepts.agent(row));
  showFindings(arena.findings);
  drawGates(primitives.sorted(rows), arena);
  primitives.show(rows);
  agents.show(agentRows);
  say(byId('count-primitives', HTMLSpanElement), countText(rows.length, arena.counts.primitives));
  say(byId('count-agents', HTMLSpanElement), countText(agentRows.length, arena.counts.agents));
}

function about({ counts, pages, maxPages, id }: ArenaFrame): string {
  return `arena ${id}: ${some(counts.agents, 'agent')}, ${some(counts.waits, 'wait')}, ${pages} of ${maxPages} pages`;
}

const some = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const countText = (some: number, all: number): string => (some === all ? `${all}` : `${some} of ${all}`);

/** Deadlocks first: they are what a reader looks for. */
function drawGates(rows: readonly PrimitiveFrame[], arena: ArenaFrame): void {
  const titles = new Map(arena.agents.map(({ agent, title }) => [agent, title]));
  const ordered = [...rows.filter(({ cycle }) => cycle !== ''), ...rows.filter(({ cycle }) => cycle === '')];
  gates.innerHTML = svgOf(ordered.slice(0, MAX_GATES), {
    width: gates.clientWidth,
    columns: 4,
    label: (agent) => `#${agent}`,
    title: (agent) => titles.get(agent) ?? '',
    colour: (agent) => `var(--c${((agent - 1) % COLOURS) + 1})`,
  });
  const more = ordered.length - MAX_GATES;
  say(byId('more-gates', HTMLParagraphElement), more > 0 ? `${more} more: use the filter.` : '');
}

function chooseFrom(ids: readonly string[], current: string | undefined): void {
  arenas.hidden = ids.length < 2;
  if ([...choice.options].map(({ value }) => value).join() !== ids.join())
    choice.replaceChildren(...ids.map((id, n) => new Option(`${n + 1}: ${id}`, id, false, id === choice.value)));
  if (current !== undefined && !ids.includes(choice.value)) choice.value = current;
}

function setPaused(to: boolean): void {
  isPaused = to;
  pause.setAttribute('aria-pressed', String(to));
  if (to) {
    clearTimeout(timer);
    tell('paused');
  } else void ask();
}

function stepOnce(): void {
  setPaused(true);
  void ask();
}

function filterBy(text: string): void {
  filter.value = filter.value === text ? '' : text;
  draw();
  if (isPaused) return;
  void ask();
}

pause.addEventListener('click', () => setPaused(!isPaused));
step.addEventListener('click', stepOnce);
filter.addEventListener('input', draw);
used.addEventListener('change', draw);
choice.addEventListener('change', () => void ask());
addEventListener('resize', draw);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !isPaused) void ask();
});
document.addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (key === 'Escape' && filter.value !== '') filterBy(filter.value);
  const isTyping = target instanceof HTMLInputElement && target.type === 'search';
  if (ctrlKey || metaKey || altKey || isTyping || target instanceof HTMLSelectElement) return;
  if (key === 'p') setPaused(!isPaused);
  else if (key === 's') stepOnce();
  else if (key === '/') filter.focus();
  else return;
  event.preventDefault();
});

void ask();
