// @ts-check
// Titles of tests: a title states a subject, what it does, and the condition. Vitest prints the titles of the
// `describe` calls around it first, so a title may leave its subject to them. It does not finish their noun, and it has
// an outcome. A `describe` is no part of a sentence that its tests finish.
import ts from 'typescript';
import { hasVerb } from './verbs.mjs';

/** A title that begins with one of these finishes the noun of the `describe` around it. */
const FINISHES = /^(?:that|whose|which|who|of|and|or)\b/;
/** A title that begins with one of these is a condition. The outcome follows a comma or a colon. */
const CONDITION = /^(?:while|when|if|unless|until|because|although|whether)\b(?!\()/;
const OUTCOME = /[,:] /;
/** Verbs without their subject. */
const VERB =
  /^(?:accepts|admits|allows|are|begins|blocks|cannot|closes|counts|does|do|ends|fails|finds|gives|has|have|is|keeps|leaves|lets|loses|makes|may|must|never|passes|refuses|rejects|releases|reports|resolves|returns|runs|sends|serves|settles|shows|stays|starts|stops|takes|tells|throws|unlocks|waits (?:if|for|until|when|while)|wakes|was|yields)\b/;

/** A `describe` that ends so is the beginning of a sentence. One that begins with a verb is the end of one. */
const OPEN = /(?:\b(?:that|which|whose|who|explains?)|:)$/;
const PREDICATE = /^(?:is|are|was|were|has|have)\b/;

/**
 * The names of the calls around a node, from `test.each(rows)(title, …)` to the outermost `describe`.
 * @param {ts.Expression} callee
 */
function nameOf(callee) {
  let base = callee;
  while (ts.isCallExpression(base) || ts.isPropertyAccessExpression(base) || ts.isTaggedTemplateExpression(base))
    base = ts.isTaggedTemplateExpression(base) ? base.tag : base.expression;
  return ts.isIdentifier(base) ? base.text : '';
}

/** @param {ts.Node} node */
const isDescribed = (node) =>
  ts.findAncestor(node.parent, (outer) => ts.isCallExpression(outer) && nameOf(outer.expression) === 'describe') !==
  undefined;

/**
 * Titles of a test file without a subject, a verb or an outcome, and open titles of a `describe`.
 * @param {string} name of the file
 * @param {string} source
 * @returns {string[]}
 */
export function titleProblems(name, source) {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  /** @type {string[]} */
  const problems = [];
  /** @param {ts.Node} node */
  function visit(node) {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node) || node.arguments.length < 2) return;
    const kind = nameOf(node.expression);
    const [first] = node.arguments;
    if ((kind !== 'test' && kind !== 'it' && kind !== 'describe') || first === undefined) return;
    if (!ts.isStringLiteralLike(first) && !ts.isTemplateExpression(first)) return;
    const title = ts.isTemplateExpression(first) ? first.getText().slice(1, -1) : first.text;
    const where = `${name}:${file.getLineAndCharacterOfPosition(first.getStart()).line + 1}: '${title}'`;
    if (kind === 'describe') {
      if (OPEN.test(title)) problems.push(`${where} is a sentence that its tests finish`);
      else if (PREDICATE.test(title)) problems.push(`${where} has no subject`);
    } else if (FINISHES.test(title)) problems.push(`${where} finishes the noun of its describe: name the subject`);
    else if (CONDITION.test(title) && !OUTCOME.test(title)) problems.push(`${where} has no outcome`);
    // `it` is the subject of its title.
    else if (kind === 'test' && VERB.test(title) && !isDescribed(node)) problems.push(`${where} has no subject`);
    else if (!hasVerb(title)) problems.push(`${where} has no finite verb that verbs.mjs knows`);
  }
  visit(file);
  return problems;
}
