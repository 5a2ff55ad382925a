// @ts-check
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The text of packages that name this license without its text. */
const MIT_TEXT = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

/** The folder of the package that contains a module; undefined for our own modules. */
const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/**
 * The licenses of the packages that contain these modules: each text once, below the packages that have it.
 * @param {readonly string[]} modules absolute paths
 */
export async function writeNotices(modules) {
  const folders = new Set(modules.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[0] ?? []));
  /** @type {Map<string, string[]>} */
  const packages = new Map();
  for (const folder of [...folders].toSorted()) {
    const { title, text } = await readLicense(folder);
    packages.set(text, [...(packages.get(text) ?? []), title]);
  }
  const sections = [...packages].map(([text, titles]) => `${titles.join('\n')}\n\n${text}\n`);
  return sections.join(`\n${'-'.repeat(80)}\n\n`);
}

/** @param {string} folder */
async function readLicense(folder) {
  const { name, version, license, author } = JSON.parse(
    await readFile(path.join(folder, 'package.json'), 'utf8'),
  );
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const title = `${name} ${version} (${license})`;
  if (file !== undefined) return { title, text: (await readFile(path.join(folder, file), 'utf8')).trim() };
  if (license !== 'MIT') throw new Error(`${title} has no text of its license`);
  const holder = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
  return { title, text: `MIT License\n\nCopyright ${holder}\n\n${MIT_TEXT}` };
}
