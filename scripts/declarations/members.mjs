// @ts-check
// Which members of a class its declaration shows. Protected members are for subclasses: where there can be none, they
// tell a reader nothing.
import ts from 'typescript';

/**
 * @typedef {object} Access
 * @property {ReadonlySet<string>} offered what an entry of the package exports as a value
 * @property {ReadonlySet<string>} isPublic what an entry for users exports as a value
 *
 * @typedef {{ start: number, end: number, text: string, dropped: ts.Node[] }} Edit
 */

/** What a debugger or another package calls is not for users. */
const NOT_FOR_USERS = new Set(['[INSPECT]', '[LOCK_LINE]']);

/**
 * @param {ts.Node} node
 * @param {ts.SyntaxKind} kind
 */
export const hasModifier = (node, kind) =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some((modifier) => modifier.kind === kind);

/** @param {ts.Node} node */
const isProtected = (node) => hasModifier(node, ts.SyntaxKind.ProtectedKeyword);

/**
 * @param {ts.ClassDeclaration} node
 * @param {Access} access
 * @returns {Edit[]}
 */
export function editsOf({ name, members }, { offered, isPublic }) {
  const className = name?.text ?? '';
  const isSealed = members.some(
    (member) => ts.isConstructorDeclaration(member) && hasModifier(member, ts.SyntaxKind.PrivateKeyword),
  );
  const canBeExtended = offered.has(className) && !isSealed;

  const hidden = members.filter((member) => {
    const memberName = member.name?.getText() ?? '';
    return (
      NOT_FOR_USERS.has(memberName) || (!canBeExtended && !ts.isConstructorDeclaration(member) && isProtected(member))
    );
  });
  /** @type {Edit[]} */
  const edits = hidden.map((member) => ({ start: member.pos, end: member.end, text: '', dropped: [member] }));
  // Objects of other classes stay different from the class's.
  const [first] = hidden.filter(isProtected);
  const hasOwnName = members.some(
    ({ name: memberName }) => memberName !== undefined && ts.isPrivateIdentifier(memberName),
  );
  for (const edit of edits) if (edit.start === first?.pos && !hasOwnName) edit.text = '\n    #private;';

  for (const member of members) {
    if (ts.isConstructorDeclaration(member) && !canBeExtended && isProtected(member)) {
      edits.push({
        start: member.parameters.pos,
        end: member.parameters.end,
        text: '',
        dropped: [...member.parameters],
      });
    }
    // The subclasses' implementations are hidden, so the compiler must not ask for them.
    const isAbstract = (ts.getModifiers(/** @type {ts.MethodDeclaration} */ (member)) ?? []).find(
      ({ kind }) => kind === ts.SyntaxKind.AbstractKeyword,
    );
    if (isAbstract !== undefined && canBeExtended && !isPublic.has(className) && isProtected(member)) {
      edits.push({ start: isAbstract.pos, end: isAbstract.end, text: '', dropped: [] });
    }
  }
  return edits.sort((one, other) => other.start - one.start);
}

/**
 * @param {string} text
 * @param {number} start of the text in the file
 * @param {readonly Edit[]} edits the last one first
 */
export const edited = (text, start, edits) =>
  edits.reduce((rest, edit) => rest.slice(0, edit.start - start) + edit.text + rest.slice(edit.end - start), text);
