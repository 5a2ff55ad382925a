// @ts-check
import path from 'node:path';

/** Pages link to files of the repository that the site does not have: sources, their pages, manifests. */
const IS_PAGE = /\.md$/;
const IS_ELSEWHERE = /^(?:[a-z]+:|#|\/)/;

/**
 * @typedef {object} Site
 * @property {string} root the folder of the repository
 * @property {string | undefined} sourceUrl the address of its files
 * @property {(file: string) => boolean} exists
 * @property {(file: string) => boolean} isOfSite whether a page, by its path from the root, is part of it
 */

/**
 * A plugin of markdown-it. A link to a file that is no page of the site leads to the repository at
 * `sourceUrl`. Without that address it becomes text. A diagram of Mermaid becomes an element that the theme
 * draws.
 *
 * @param {import('markdown-it').default} markdown
 * @param {Site} site
 */
export function linkPages(markdown, { root, sourceUrl, exists, isOfSite }) {
  markdown.core.ruler.push('link-pages', ({ tokens, env }) => {
    const folder = path.dirname(path.relative(root, env.realPath ?? env.path));
    for (const { children } of tokens) {
      const links = (children ?? []).filter(({ type }) => type === 'link_open');
      for (const link of links) rewriteLink(link, folder);
      unlink(children ?? []);
    }
  });

  /**
   * @param {import('markdown-it').Token} link
   * @param {string} folder of the page, from the root
   */
  function rewriteLink(link, folder) {
    const href = link.attrGet('href') ?? '';
    if (IS_ELSEWHERE.test(href)) return;
    const [, place = '', rest = ''] = /^([^?#]*)(.*)$/.exec(href) ?? [];
    const file = path.posix.normalize(path.posix.join(folder, place));
    if (file === 'README.md') link.attrSet('href', `/${rest}`);
    if (IS_PAGE.test(file) && isOfSite(file)) return;
    if (!exists(path.join(root, file))) throw new Error(`${folder} links to ${file}, which does not exist`);
    link.attrSet('href', sourceUrl === undefined ? '' : `${sourceUrl}/${file}${rest}`);
  }

  const drawFence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() !== 'mermaid') return drawFence?.(tokens, index, ...rest) ?? '';
    return `<pre class="mermaid" v-pre>${markdown.utils.escapeHtml(token.content)}</pre>`;
  };
}

/**
 * Makes links without an address text.
 * @param {import('markdown-it').Token[]} tokens
 */
function unlink(tokens) {
  let isOpen = false;
  for (const token of tokens) {
    if (token.type === 'link_open') isOpen = token.attrGet('href') === '';
    if (isOpen && token.type.startsWith('link_')) {
      token.tag = 'span';
      token.attrs = null;
      isOpen = token.type !== 'link_close';
    }
  }
}
