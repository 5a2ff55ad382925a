/** Every file that follows from the service manifest. */
import { gatewayManifest, SERVICE_NAMES, serviceManifest } from '@gatehouse/contract';
import { composeFiles } from './compose.mjs';
import { kubernetesFiles } from './kubernetes.mjs';

/**
 * @typedef {object} PlannedFile
 * @property {string} file relative to the root
 * @property {(present: string | null) => string} write the new text, before formatting
 */

/** @param {unknown} value */
const toJson = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** The manifest for programs that run before a build: the linter and `npm run secrets`. */
function manifestData() {
  const processes = Object.entries({ gateway: gatewayManifest, ...serviceManifest }).map(([name, entry]) => {
    const { contract: _contract, deployment: _deployment, ...facts } = { contract: null, ...entry };
    return [name, facts];
  });
  return toJson(Object.fromEntries(processes));
}

/** The only module that imports every service. */
function definitions() {
  const imports = [
    "import type { ServiceName } from '@gatehouse/contract';",
    "import type { ServiceDefinition } from '@gatehouse/service';",
    ...SERVICE_NAMES.map((name) => `import { ${name}Service } from '@gatehouse/${name}';`),
  ];
  const moduleOf = (/** @type {string} */ line) => line.slice(line.indexOf("'"));
  return `// Written by \`npm run manifest\` from the service manifest.
${imports.toSorted((one, other) => (moduleOf(one) < moduleOf(other) ? -1 : 1)).join('\n')}

/** Every service, in the order in which they start. */
export const DEFINITIONS: Record<ServiceName, ServiceDefinition> = {
${SERVICE_NAMES.map((name) => `  ${name}: ${name}Service,`).join('\n')}
};
`;
}

/**
 * The references of a TypeScript project, which keeps its other references.
 * @param {string} file
 * @param {(name: string) => string} pathOf
 */
function references(file, pathOf) {
  return {
    file,
    write: (/** @type {string | null} */ present) => {
      const text = present ?? '';
      const missing = SERVICE_NAMES.map(pathOf).filter((name) => !text.includes(`"path": "${name}"`));
      const added = missing.map((name) => `{ "path": "${name}" },`).join('\n    ');
      return added === '' ? text : text.replace(/"references": \[/, `$&\n    ${added}`);
    },
  };
}

const dependencies = {
  file: 'apps/standalone/package.json',
  write: (/** @type {string | null} */ present) => {
    const manifest = JSON.parse(present ?? '{}');
    for (const name of SERVICE_NAMES) manifest.dependencies[`@gatehouse/${name}`] ??= '*';
    const sorted = Object.entries(manifest.dependencies).toSorted(([one], [other]) => (one < other ? -1 : 1));
    return toJson({ ...manifest, dependencies: Object.fromEntries(sorted) });
  },
};

/** @returns {PlannedFile[]} */
export function planFiles() {
  return [
    { file: 'infra/services.json', write: manifestData },
    { file: 'apps/standalone/src/definitions.ts', write: definitions },
    dependencies,
    references('apps/standalone/tsconfig.build.json', (name) => `../${name}/tsconfig.build.json`),
    ...composeFiles(),
    ...kubernetesFiles(),
  ];
}
