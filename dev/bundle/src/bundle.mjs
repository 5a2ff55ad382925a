#!/usr/bin/env node
// @ts-check
/**
 * `gatehouse-bundle main.js mesh.js`, in a workspace: bundles each of these programs, which the compiler
 * wrote to `dist`, with its imports into one file of the same name in `dist/bundle`. A third file contains
 * what two of them share. Loading one file takes half of the CPU time of loading the nine hundred modules of
 * a service.
 */
import path from 'node:path';
import { rolldown } from 'rolldown';
import { recordInputs } from './inputs.mjs';

/** They read files beside them. */
const EXTERNAL = [/^@0q\/embedded-mongodb/, /^@electric-sql\/pglite/, /^@polyglot-sql\/sdk/, /^libpg-query/];

const outputFolder = path.resolve('dist/bundle');

/**
 * A module keeps its own path, with which it finds its worker threads and its neighbours: the bundle is in
 * another folder.
 */
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

/**
 * tRPC is published with a helper in the place of `{ ...spread }`, which it calls several times in each
 * middleware of each call.
 * `Object.assign` does the same for its plain objects: a call in process takes a quarter of the time.
 */
const nativeSpread = {
  name: 'native-spread',
  transform: {
    filter: { id: /@trpc\/(client|server)\/dist/, code: '_objectSpread2' },
    /** @param {string} code */
    handler: (code) => code.replaceAll(/(?<!function )\b_objectSpread2\(/g, 'Object.assign('),
  },
};

const programs = process.argv.slice(2);
const bundle = await rolldown({
  input: Object.fromEntries(programs.map((program) => [path.parse(program).name, `./dist/${program}`])),
  platform: 'node',
  external: EXTERNAL,
  plugins: [keepPlaces, nativeSpread],
});
const { output } = await bundle.write({
  dir: outputFolder,
  format: 'esm',
  cleanDir: true,
  comments: { legal: true, jsdoc: false, annotation: false },
  // V8 keeps the source of a program, in two bytes per character if one of them is not Latin-1.
  charset: 'ascii',
});
await bundle.close();
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
await recordInputs(path.join(outputFolder, 'inputs.json'), modules);
