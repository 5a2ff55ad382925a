import { describe, expect, it } from 'vitest';
import { dated, withSection } from './resultsPage.js';

const PAGE = '# Results\n\nOn a machine.\n\n## One\n\n1\n\n### Detail\n\n2\n\n## Two\n\n3\n';

describe('the page of results', () => {
  it('gets a section in place of its former one, with its details', () => {
    expect(withSection(PAGE, '\n## One\n\nnew $& 1\n')).toBe(
      '# Results\n\nOn a machine.\n\n## One\n\nnew $& 1\n\n## Two\n\n3\n',
    );
    expect(withSection(PAGE, '\n## Two\n\nnew\n')).toBe(PAGE.replace('3\n', 'new\n'));
  });

  it('gets a section that it lacks at its end', () => {
    expect(withSection(PAGE, '\n## On\n\nnew\n')).toBe(`${PAGE}\n## On\n\nnew\n`);
  });

  it('has the day of each section', () => {
    expect(dated('\n## Two\n\n3\n', '2026-01-02')).toBe('\n## Two\n\nMeasured on 2026-01-02.\n\n3\n');
  });
});
