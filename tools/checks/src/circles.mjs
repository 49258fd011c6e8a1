// @ts-check
// Circles of files that import each other, imports of types included: a file in a circle cannot be read, tested or
// moved without the others.
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

/** @typedef {{ file: string, text: string }} Source */

/**
 * The files that each file imports by a relative path.
 * @param {readonly Source[]} sources
 * @returns {Map<string, string[]>}
 */
export function importsOf(sources) {
  const known = new Set(sources.map(({ file }) => file));
  return new Map(
    sources.map(({ file, text }) => [
      file,
      ts
        .preProcessFile(text, true, true)
        .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
        .map(({ fileName }) => resolve(dirname(file), fileName))
        .filter((target) => known.has(target)),
    ]),
  );
}

/**
 * The circles of a graph: its strongly connected components of two files or more, largest first, each sorted (Tarjan).
 * @param {ReadonlyMap<string, readonly string[]>} graph
 * @returns {string[][]}
 */
export function circlesOf(graph) {
  /** @type {Map<string, { index: number, low: number, open: boolean }>} */
  const visited = new Map();
  /** @type {string[]} */
  const stack = [];
  /** @type {string[][]} */
  const circles = [];

  /** @param {string} node */
  const visit = (node) => {
    const own = { index: visited.size, low: visited.size, open: true };
    visited.set(node, own);
    stack.push(node);
    for (const target of graph.get(node) ?? []) {
      const seen = visited.get(target);
      if (seen === undefined) own.low = Math.min(own.low, visit(target).low);
      else if (seen.open) own.low = Math.min(own.low, seen.index);
    }
    if (own.low === own.index) {
      const circle = stack.splice(stack.indexOf(node));
      for (const member of circle) /** @type {{ open: boolean }} */ (visited.get(member)).open = false;
      if (circle.length > 1) circles.push(circle.sort());
    }
    return own;
  };

  for (const node of graph.keys()) if (!visited.has(node)) visit(node);
  return circles.sort((one, other) => other.length - one.length);
}
