/** Writes docs/errors.md from the catalogue of errors. */
import { ERROR_MESSAGE, ERROR_STATUS } from '@gatehouse/contract';
import { CODE_ALIASES, ERROR_CATALOGUE } from '@gatehouse/contract/openapi';

const HEAD = `# Errors

With this page you find the cause of an error of the REST API, and what to do about it.
Each error has a code, and each code has one status.
The OpenAPI document contains the same catalogue for programs:

\`\`\`sh
curl -s http://127.0.0.1:8080/openapi.json | node -p 'JSON.parse(fs.readFileSync(0))["x-errorCodes"].CONFLICT'
\`\`\`

[The API](api.md#errors) describes the forms of the body, and which of them each area uses.
The OpenAPI document states the codes of each operation by status.

This page is written from \`packages/contract/src/errorCatalogue.ts\` by \`npm run openapi\`.
`;

/** @param {[string, import('@gatehouse/contract/openapi').ErrorEntry]} entry */
function writeEntry([code, { cause, fix }]) {
  const known = /** @type {import('@gatehouse/contract').ErrorCode} */ (code);
  const lines = [
    `## ${code}`,
    `Status ${ERROR_STATUS[known]}: ${ERROR_MESSAGE[known]}.`,
    `**Cause.** ${cause}`,
    `**Fix.** ${fix}`,
  ];
  return lines.map(breakSentences).join('\n\n');
}

/**
 * One sentence per line.
 * @param {string} text
 */
function breakSentences(text) {
  return text.replaceAll(/(?<=[a-z`)])\. (?=[A-Z`])/g, '.\n');
}

/** The page, with one section for each code. */
export function writeErrorPage() {
  const entries = Object.entries(ERROR_CATALOGUE).map((entry) => writeEntry(entry));
  const aliases = Object.entries(CODE_ALIASES).map(
    ([alias, { code, area }]) =>
      `- \`${alias}\`: [\`${code}\`](#${code.toLowerCase()}), in the area of ${area}.`,
  );
  const names = ['## Other names', 'Some areas use other names for a code:', aliases.join('\n')].join('\n\n');
  return `${[HEAD.trimEnd(), ...entries, names].join('\n\n')}\n`;
}
