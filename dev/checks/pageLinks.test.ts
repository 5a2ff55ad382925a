import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)));

const withoutCode = (text: string) => text.replaceAll(/^[ \t]*```[^]*?^[ \t]*```$/gm, '');

/** The anchors of a page, by the rule of GitHub. */
function anchorsOf(file: string): Set<string> {
  const text = withoutCode(readFileSync(path.join(root, file), 'utf8'));
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** What is wrong with the links of a page to other files of the repository. */
function findFaults(page: string): string[] {
  const text = withoutCode(readFileSync(path.join(root, page), 'utf8'));
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)];
  return links.flatMap(([, link, source]) => {
    const [place = '', anchor] = (link ?? source ?? '').split('#');
    if (/^[a-z]+:/.test(place)) return [];
    const file = place === '' ? page : path.join(path.dirname(page), place);
    if (!existsSync(path.join(root, file))) return [`${file} does not exist`];
    if (anchor === undefined || !file.endsWith('.md') || anchorsOf(file).has(anchor)) return [];
    return [`${file} has no heading #${anchor}`];
  });
}

describe('the links', () => {
  it.each(pages)('of %s lead to files and headings that exist', (page) => {
    expect(findFaults(page)).toEqual([]);
  });

  it('of the front page reach every page of docs, but for records of decisions', () => {
    const links = [...readFileSync(path.join(root, 'README.md'), 'utf8').matchAll(/\]\((docs\/[^)#]+)/g)];
    const linked = new Set(links.map(([, link]) => link));
    const own = pages.filter((page) => /^docs\/(?!decisions\/)/.test(page));
    expect(own.filter((page) => !linked.has(page))).toEqual([]);
  });
});
