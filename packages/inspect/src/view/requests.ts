// Decides which requests a view answers. Other users of this machine can send requests, too, and so can pages of any
// origin in the browser that shows the view.

import { createHash, timingSafeEqual } from 'node:crypto';

/** The parts of a request that are checked. Names of headers are in lower case. */
export interface AskedFor {
  readonly method: string;
  /** With a leading slash, and perhaps a query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface RefusedRequest {
  readonly status: number;
  readonly text: string;
}

/** Parts of a view below its token. */
export const PARTS = ['', 'page.js', 'style.css', 'frame'] as const;
export type Part = (typeof PARTS)[number];

export interface Accepted {
  readonly part: Part;
  readonly query: URLSearchParams;
}

/** No hostile DNS server can give these names another address. Any port is allowed, because a port may be forwarded. */
const HOST = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/i;

/** Returns the part of the view that is asked for, or why the request is refused. */
export function judge(asked: AskedFor, token: string): Accepted | RefusedRequest {
  const { method, url, headers } = asked;
  const host = headers['host'];
  if (typeof host !== 'string' || !HOST.test(host)) return { status: 421, text: 'This host is not served here.' };
  const origin = headers['origin'];
  if (origin !== undefined && origin !== `http://${host}`) return { status: 403, text: 'Another origin.' };
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'Only GET and HEAD.' };
  const length = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0'))
    return { status: 413, text: 'No request has a body.' };
  const [path, query = ''] = splitOnce(url, '?');
  const [, given = '', name] = /^\/([^/]*)(?:\/(.*))?$/.exec(path) ?? [];
  if (!isSame(given, token) || name === undefined)
    return { status: 404, text: 'Nothing is here. The URL of the view has a token.' };
  const part = PARTS.find((each) => each === name);
  if (part === undefined) return { status: 404, text: 'The view has no such part.' };
  if (!isOfOwnPage(headers, part)) return { status: 403, text: 'Another origin.' };
  return { part, query: new URLSearchParams(query) };
}

/** Current browsers say from where a request comes. A link of another page may only open the view. */
function isOfOwnPage(headers: AskedFor['headers'], part: Part): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return part === '' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

/** Compares in a time that does not tell how much of a token is right. */
function isSame(given: string, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
