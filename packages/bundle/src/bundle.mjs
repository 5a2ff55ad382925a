#!/usr/bin/env node
// @ts-check
/**
 * `gatehouse-bundle main.js mesh.js`, in a workspace: puts each of these programs, which the compiler wrote to `dist`, into one file
 * of the same name in `dist/bundle`, with what it imports. What two of them share is in a third. Node loads one file in half of the
 * processor's time that it needs for the nine hundred modules of a service.
 */
import path from 'node:path';
import { rolldown } from 'rolldown';

/** They read files that lie beside them. */
const EXTERNAL = [/^@0q\/embedded-mongodb/, /^@electric-sql\/pglite/, /^@polyglot-sql\/sdk/, /^libpg-query/];

const outputFolder = path.resolve('dist/bundle');

/** A module keeps its own place, by which it finds its worker threads and its neighbours: the file that it is put into lies elsewhere. */
const keepPlaces = {
  name: 'keep-places',
  transform: {
    filter: { code: 'import.meta.url' },
    /**
     * @param {string} code
     * @param {string} id the module's file
     */
    handler(code, id) {
      const place = path.relative(outputFolder, id).replaceAll(path.sep, '/');
      return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
    },
  },
};

const programs = process.argv.slice(2);
const bundle = await rolldown({
  input: Object.fromEntries(programs.map((program) => [path.parse(program).name, `./dist/${program}`])),
  platform: 'node',
  external: EXTERNAL,
  plugins: [keepPlaces],
});
await bundle.write({ dir: outputFolder, format: 'esm', cleanDir: true });
await bundle.close();
