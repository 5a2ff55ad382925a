/** @typedef {{ pattern: RegExp, instead: string }} Phrase */

/**
 * The banned phrases, each with the terms to use instead. They apply to comments, documentation and the text
 * of string literals that have more than one word. See "Style" in CONTRIBUTING.md.
 * @type {readonly Phrase[]}
 */
export const phrases = [
  // Calls and their results.
  { pattern: /\bask(?:s|ed|ing|ers?)?\b(?! the assistant\b)/i, instead: 'request, query, call, prompt for' },
  { pattern: /\btell(?:s|ing)?\b(?! you how\b)|\btold\b/i, instead: 'report, notify, show, distinguish' },
  { pattern: /\b(?:say(?:s|ing)?|said)\b/i, instead: 'contain, report, state, specify' },
  { pattern: /\banswer(?:s|ed)? (?:with )?(?:a )?[2-5]\d\d\b/i, instead: 'return, respond with' },
  { pattern: /\blets? (?:\w+ )?in(?: no more)?$|\blets? in\b/i, instead: 'accept, authenticate' },
  // Parties.
  { pattern: /\bwho(?:ever|mever|so)\b/i, instead: 'the caller, the user who' },
  { pattern: /\bnobody\b|\bno-one\b/i, instead: 'no caller, no user, no process' },
  { pattern: /\b(?:some|any)body\b/i, instead: 'a caller, a user, another process' },
  { pattern: /\beverybody\b/i, instead: 'all callers, all users' },
  // States.
  {
    pattern: /\b(?:is|are|was|were|be|been|being|has|have|had) (?:long )?gone\b/i,
    instead: 'is deleted, has ended',
  },
  {
    pattern: /\b(?:is|are|was|were) there (?:twice|once|already|any more)\b/i,
    instead: 'is duplicated, exists',
  },
  { pattern: /(?<!\bthere )\b(?:is|are) no (?:tokens?|JSON|numbers?|ids?)\b/i, instead: 'is not a, invalid' },
  { pattern: /\b(?:one )?words? too many\b/i, instead: 'unexpected argument' },
  { pattern: /\bin vain\b/i, instead: 'without success, fails' },
  // Times and manners.
  { pattern: /\bof late\b/i, instead: 'recently' },
  { pattern: /\bas (?:it comes|they come)\b/i, instead: 'in order of arrival, unchanged' },
  { pattern: /\bby and by\b|\blittle by little\b/i, instead: 'gradually' },
  { pattern: /\ball the same\b/i, instead: 'nevertheless, equal' },
  { pattern: /\banew\b|\bonce more\b/i, instead: 'again' },
  { pattern: /\bby turns\b/i, instead: 'alternately' },
  { pattern: /\bnow and then\b/i, instead: 'occasionally' },
  { pattern: /\bfor the most part\b/i, instead: 'mostly' },
  {
    pattern: /\b(?:hither|thither|whence|whither|thereof|whereof|hence(?:forth)?)\b/i,
    instead: 'therefore, from, of',
  },
  { pattern: /\b(?:better|worth being|to be) looked at\b/i, instead: 'visible, shown' },
];

/**
 * Contractions, in comments and documentation. A string literal may contain one as data.
 * @type {Phrase}
 */
export const contractions = {
  pattern:
    /\b\w+n['’]t\b|\b(?:it|that|there|here|what|who|let|he|she)['’]s\b|\b\w+['’](?:re|ve|ll)\b|\bI['’]m\b/i,
  instead: 'the words in full',
};

/**
 * Former names and the term that replaced each.
 * @type {Readonly<Record<string, string>>}
 */
export const identifiers = {
  courtesy: 'withRepositoryLock',
  lastWords: 'errorTrailer',
  letterBoxes: 'deadLetterStores',
  departures: 'deletionCleanup',
  Asker: 'Requester',
  asker: 'requester',
  Surroundings: 'Dependencies',
  surroundings: 'dependencies',
  makeWay: 'lowPriority',
  askedOfImages: 'imageTests',
  keepAsking: 'poll, sendContinuously',
};
