// What looks wrong, in words. A screen reader speaks when the findings change, and not when only their ages do.

import { byId, make, say } from './dom.ts';

const NONE = 'Nothing: no deadlock, no dead agent.';

export function showFindings(findings: readonly (readonly string[])[]): void {
  const place = byId('findings', HTMLDivElement);
  const heads = findings.map(([head = '']) => head);
  say(byId('heads', HTMLParagraphElement), heads.length === 0 ? NONE : heads.join(' '));
  if (findings.length === 0) {
    if (place.firstElementChild?.className !== 'fine') place.replaceChildren(make('p', 'fine', NONE));
    return;
  }
  const shape = findings.map((lines) => lines.length).join();
  if (place.dataset['shape'] !== shape || place.firstElementChild?.className === 'fine') {
    place.dataset['shape'] = shape;
    place.replaceChildren(
      ...findings.map((lines) => {
        const list = make('ul');
        list.append(...lines.slice(1).map(() => make('li')));
        const finding = make('div');
        finding.append(make('strong'), list);
        return finding;
      }),
    );
  }
  findings.forEach(([head = '', ...lines], index) => {
    const finding = place.children[index];
    if (finding === undefined) return;
    finding.className = /^(Possible d|D)eadlock/.test(head) ? 'finding deadlock' : 'finding';
    const [title, list] = finding.children;
    if (title !== undefined) say(title, head);
    lines.forEach((line, at) => {
      const item = list?.children[at];
      if (item !== undefined) say(item, line.trim());
    });
  });
}
