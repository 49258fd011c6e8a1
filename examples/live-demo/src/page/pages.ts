// What the build gives the page: the code beside each scene, and where the documentation is.

import { h } from './dom.ts';

/** By the id of the scene. */
declare const SNIPPETS: Readonly<Record<string, string>>;
/** '' if the demo was built without the documentation. */
declare const PAGES: string;

/** The code of a scene. */
export function codeOf(scene: string, link: readonly Node[]): HTMLElement {
  const code = h('pre', { tabindex: '0', 'aria-label': 'Code' }, h('code', {}, SNIPPETS[scene] ?? ''));
  return h('aside', { class: 'code' }, h('h3', {}, 'In code'), code, ...link);
}

/** A link to a page of the documentation, if there is one. */
export function linkTo(page: string, title: string): readonly Node[] {
  if (PAGES === '') return [];
  return [h('p', {}, h('a', { href: `${PAGES}${page}.html` }, `More: ${title}`))];
}

/** The way back, for the head of the page. */
export function wayBack(): readonly Node[] {
  return PAGES === '' ? [] : [h('a', { href: PAGES }, '← The documentation')];
}
