// @ts-check
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';
import { linkPages } from './links.mjs';

/**
 * The site has the pages of the repository at their own paths, so that their relative links hold. The build
 * fails at a link to a page that does not exist.
 */

const root = path.resolve(import.meta.dirname, '../../..');

/** @param {string} file a page, from the root of the repository */
function titleOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  return /^# (.+)$/m.exec(text)?.[1] ?? file;
}

/**
 * A section of the sidebar. It fails for a page that does not exist.
 * @param {string} text
 * @param {readonly string[]} files from the root of the repository, without `.md`
 */
const section = (text, files) => ({
  text,
  collapsed: false,
  items: files.map((file) => ({ text: titleOf(`${file}.md`), link: `/${file}` })),
});

/**
 * The pages of a folder, the given ones first.
 * @param {string} folder
 * @param {readonly string[]} first
 */
function pagesOf(folder, first = []) {
  const names = readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -3))
    .toSorted();
  return [...new Set([...first, ...names])].map((name) => `${folder}/${name}`);
}

/** @param {...string} names */
const docs = (...names) => names.map((name) => `docs/${name}`);
const tutorials = pagesOf('docs/tutorials', ['safe-sql', 'share-with-a-customer', 'onboard-a-tenant']);
const guides = docs(
  'semantics',
  'connections',
  'policies',
  'validation',
  'migration',
  'version-control',
).concat(docs('audit', 'events', 'webhooks', 'console', 'sign-in', 'services'));
const reference = docs('api', 'errors', 'client', 'cli', 'versioning', 'glossary', 'faq', 'comparison');
const operations = docs('operations', 'containers', 'observability', 'security', 'faults', 'troubleshooting');
const project = [
  'docs/architecture',
  'bench/README',
  'bench/results',
  'CHANGELOG',
  'CONTRIBUTING',
  'SECURITY',
];
const decisions = pagesOf('docs/decisions');
const listed = [...tutorials, ...guides, ...reference, ...operations, ...project];
/** So that a new page is not forgotten. */
const others = pagesOf('docs').filter((file) => !listed.includes(file));

/** Folders of sources, whose pages describe these and are not part of the site. */
const SOURCES = ['apps', 'dev', 'infra', 'packages', 'scripts', 'tests'];
/** @param {string} file from the root of the repository */
const isOfSite = (file) => !SOURCES.includes(file.split('/', 1)[0] ?? '');

export default defineConfig({
  title: 'Gatehouse',
  description: 'The open, self-hosted management plane for analytics platforms',
  srcDir: root,
  srcExclude: [`{${SOURCES.join(',')}}/**`, '.*/**', '**/dist/**'],
  rewrites: { 'README.md': 'index.md' },
  outDir: path.resolve(import.meta.dirname, '../dist'),
  cacheDir: path.resolve(import.meta.dirname, '../node_modules/.vitepress'),
  markdown: {
    config(markdown) {
      const sourceUrl = process.env['SOURCE_URL'];
      markdown.use(linkPages, { root, sourceUrl, exists: existsSync, isOfSite });
    },
  },
  // Mermaid is loaded by the pages with diagrams alone.
  vite: { build: { chunkSizeWarningLimit: 3000 }, server: { fs: { allow: [root] } } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      section('Tutorials', tutorials),
      section('Guides', [...guides, ...others]),
      section('Reference', reference),
      section('Operations', operations),
      section('Project', project),
      section('Decisions', decisions),
    ],
  },
});
