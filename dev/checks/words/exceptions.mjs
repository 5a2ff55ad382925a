/** The files that the check of words does not read, or reads in part, with the reason for each. */

/** Text that a program writes. */
export const generated = ['bench/results.md'];

/**
 * Files whose long lines are data. Their phrases are checked.
 * @type {readonly string[]}
 */
export const longLines = [];

/** The phrases are data here. */
export const quotesPhrases = ['dev/checks/words/phrases.mjs', 'dev/checks/words/words.test.ts'];
