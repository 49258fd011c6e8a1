// @ts-check
// Whether a title has a finite verb, outside of its relative clauses. English has no rule by which a script tells a
// verb from a noun, so the verbs are a list. A title with a new verb is refused until the verb is here.

/** Verbs that titles of tests use. */
const VERBS = `
  abort accept acquire add admit agree allocate allow announce answer appear apply arrive ask assign await become
  begin belong blame block book break bring buffer call cancel carry catch cause change check claim clean clear clone
  close collapse collect come compare compete compile complete compute connect consume contain continue contradict
  convert copy cost count cover crash create cross cut deal decide declare decline decode decrease defer delay delete
  deliver depart depend describe destroy detach die differ disappear discard distinguish distribute do draw drop eat
  elapse emerge emit empty encode end enter equal evict exceed exchange exclude exit expect expire explain export
  extend fail fall fill find finish fire fit flow follow forbid forget free get give go grant grow guard hand hang
  happen have help hide hold ignore import include increase index inherit inspect install interrupt invoke join keep
  kill know lack lag last lay lead leak learn leave let lie lift limit link list listen live load lock log look loop
  lose make mark match mean measure meet mention merge miss move name narrow need notice notify occur offer omit open
  order outlive overlap overtake owe own pack park pass pause pay pick place play point poison pop post precede
  predict prefer prevent print probe produce promise protect publish pull push put queue raise reach read receive
  recognize recover reduce refer refill refuse register reject release rely remain remove rename renew repair repeat
  replace report represent request require reset resize resolve respect restart restore return reuse run say scale see
  select send separate serve set settle share shed show shrink shut skip sleep slow spare spawn spend spin split stand
  start state stay step stop store stream succeed suffice sum supply support survive swap take tell test throw time
  transfer trap travel treat trip trust try turn unlock unpack unpark update use vanish wait wake warn watch widen win
  work wrap write yield
`;

/** Forms that do not follow from the list. */
const IRREGULAR = `
  is are was were has have had does do did can cannot may must will would should could might shall
  ate became began came died fell gave goes held kept knew left lost made met ran said saw sent slept stood told took
  went woke wrote
`;

/** After one of these, a word of the list is a noun (the wait), or an infinitive (to wait). */
const BEFORE_NOUN =
  /^(?:an?|the|of|in|no|by|with|for|to|at|its|their|every|between|into|over|under|against|as|than|own|same|last|next|many|more|fewer|two|three|four|several)$/;
/** They begin a relative clause, which has a verb of its own. */
const RELATIVE = /^(?:that|which|whose|who)$/;
/** After a relative pronoun, one of these begins the subject of the clause. Any other word there is its verb. */
const SUBJECT =
  /^(?:an?|the|no|another|each|every|its|their|it|they|this|these|all|both|only|other|one|two|several|agents|threads|name)$/;

/** @param {string} text */
const wordsOf = (text) => text.trim().split(/\s+/);

/** @param {string} verb */
function withS(verb) {
  if (/(?:s|x|z|ch|sh|o)$/.test(verb)) return `${verb}es`;
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
}

const NEVER_NOUNS = new Set(wordsOf(IRREGULAR));
const MAYBE_NOUNS = new Set(wordsOf(VERBS).flatMap((verb) => [verb, withS(verb)]));

/**
 * @param {string} word
 * @param {string} before the word before it
 */
function isVerb(word, before) {
  if (NEVER_NOUNS.has(word) || (RELATIVE.test(before) && !SUBJECT.test(word))) return true;
  return MAYBE_NOUNS.has(word) && !BEFORE_NOUN.test(before);
}

/**
 * Whether a title has a finite verb outside of its relative clauses. A placeholder may stand for the verb.
 * @param {string} title
 */
export function hasVerb(title) {
  if (/%[a-zA-Z]|\$\{|\$\w/.test(title)) return true;
  const text = title.replaceAll(/`[^`]*`|[\w.]+\([^)]*\)/g, 'name').toLowerCase();
  let clauses = 0;
  let before = '';
  for (const word of text.match(/[a-z']+/g) ?? []) {
    if (RELATIVE.test(word)) clauses += 1;
    else if (isVerb(word, before)) {
      if (clauses === 0) return true;
      clauses -= 1;
    } else if (clauses > 0 && word.endsWith('ed') && !BEFORE_NOUN.test(before)) clauses -= 1;
    before = word;
  }
  return false;
}
