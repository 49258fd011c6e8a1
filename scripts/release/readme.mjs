// @ts-check
// A README as the registry shows it: the pages around it are not in the tarball, so its links name them at the origin.
import { posix } from 'node:path';
import { withLocalLinks } from '../../tools/checks/src/markdown.mjs';

/**
 * @typedef {object} Published
 * @property {string} origin
 * @property {string} tag of the release, so that a link shows the page as it was then
 * @property {string} directory of the package in the repository, with slashes
 * @property {(path: string) => 'file' | 'folder' | undefined} kindOf what a path of the repository is
 * @property {(path: string) => boolean} isPacked whether the tarball has a path of the package
 */

/**
 * @param {string} target
 * @param {Published} published
 */
function absolute(target, { origin, tag, directory, kindOf, isPacked }) {
  const [path = '', ...anchor] = target.split('#');
  if (path === '' || isPacked(posix.normalize(decodeURI(path)))) return target;
  const inRepository = posix.join(directory, decodeURI(path)).replace(/\/$/, '');
  const kind = kindOf(inRepository);
  if (kind === undefined || inRepository.startsWith('..'))
    throw new Error(`${directory}/README.md: link to ${target}: no such file`);
  const view = kind === 'folder' ? 'tree' : /\.(svg|png|jpe?g|gif|webp)$/i.test(path) ? 'raw' : 'blob';
  const url = `${origin}/${view}/${tag}/${encodeURI(inRepository)}`;
  return anchor.length === 0 ? url : `${url}#${anchor.join('#')}`;
}

/**
 * @param {string} text
 * @param {Published} published
 */
export const publishedReadme = (text, published) => withLocalLinks(text, (target) => absolute(target, published));
