// @ts-check
/**
 * Bundles the page of the API reference into `dist/site`: our code, Scalar and its dependencies, Scalar's
 * style sheet, and the licenses of the packages that the bundle contains.
 */
import { copyFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { recordInputs } from '@gatehouse/bundle/inputs';
import { rolldown } from 'rolldown';
import { writeNotices } from '@gatehouse/bundle/notices';

const SITE = 'dist/site';

/**
 * CodeMirror inserts its rules into a style element, which the content security policy rejects, and uses
 * `adoptedStyleSheets`, which the policy allows, only in shadow roots. Every browser has them for documents.
 */
const adoptStyleSheets = {
  name: 'adopt-style-sheets',
  transform: {
    filter: { id: /\/style-mod\// },
    /** @param {string} code */
    handler(code) {
      const adopted = code.replace('!root.head && root.adoptedStyleSheets', 'root.adoptedStyleSheets');
      if (adopted === code) throw new Error('style-mod no longer contains the condition to replace');
      return adopted;
    },
  },
};

/** The chat with Scalar's servers is switched off: its code is not delivered either. */
const omitChat = {
  name: 'omit-chat',
  load: {
    filter: { id: /\/AgentScalarDrawer\.vue\.js$/ },
    handler: () => 'export default {};',
  },
};

const bundle = await rolldown({
  input: 'dist/main.js',
  platform: 'browser',
  plugins: [adoptStyleSheets, omitChat],
  transform: {
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
  },
});
const { output } = await bundle.write({
  dir: SITE,
  format: 'esm',
  cleanDir: true,
  minify: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
});
await bundle.close();
const style = fileURLToPath(import.meta.resolve('@scalar/api-reference/style.css'));
await copyFile(style, `${SITE}/scalar.css`);
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
await writeFile(`${SITE}/THIRD-PARTY-NOTICES.txt`, await writeNotices([...modules, style]));
await recordInputs('dist/inputs.json', [...modules, style, import.meta.filename]);
