// The page: says why it cannot run, or builds the scenes.

import { h } from './dom.ts';
import { obstacle } from './isolation.ts';
import { wayBack } from './pages.ts';
import { Scene } from './scene.ts';
import { SCENES } from './scenes.ts';

async function main(): Promise<void> {
  const host = document.querySelector('#scenes');
  document.querySelector('#back')?.replaceChildren(...wayBack());
  if (host === null) throw new Error('The page has no place for scenes.');
  const reason = await obstacle();
  if (reason !== undefined) {
    host.replaceChildren(
      h(
        'section',
        { class: 'obstacle', role: 'alert' },
        h('h2', {}, 'This page needs shared memory'),
        h('p', {}, reason.why),
        h('p', {}, reason.what),
      ),
    );
    return;
  }
  const scenes = SCENES.map((spec, index) => new Scene(spec, index + 1));
  host.replaceChildren(...scenes.map(({ element }) => element));
  const list = document.querySelector('#contents');
  list?.replaceChildren(...SCENES.map(({ id, title }) => h('li', {}, h('a', { href: `#${id}` }, title))));
  const draw = (): void => scenes.forEach((scene) => scene.draw());
  draw();
  let timer: ReturnType<typeof setTimeout> | undefined;
  addEventListener('resize', () => {
    clearTimeout(timer);
    timer = setTimeout(draw, 100);
  });
  document.documentElement.dataset['ready'] = 'yes';
}

void main();
