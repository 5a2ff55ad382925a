/** Kubernetes manifests as data: rendered from a folder by kustomize, or parsed from a file. */
import { spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';

/**
 * @typedef {object} ManifestBase
 * @property {string} apiVersion
 * @property {string} kind
 * @property {{ name: string, namespace?: string, labels?: Record<string, string> }} metadata
 * @typedef {ManifestBase & Record<string, any>} Manifest
 */

/** Whether `kubectl`, which carries kustomize, is on the PATH. */
export function canRender() {
  return spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;
}

/**
 * The objects of a kustomization.
 * @param {string} folder
 * @returns {Manifest[]}
 */
export function renderFolder(folder) {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${folder}: ${stderr}`);
  return parseManifests(stdout).map(unfoldSecret);
}

/**
 * kustomize folds long lines of base64, which the cluster accepts and the schema does not. @param {Manifest}
 * manifest
 */
function unfoldSecret(manifest) {
  if (manifest.kind !== 'Secret') return manifest;
  const entries = Object.entries(manifest['data'] ?? {}).map(([key, text]) => [
    key,
    text.replaceAll(/\s/g, ''),
  ]);
  return { ...manifest, data: Object.fromEntries(entries) };
}

/**
 * The objects of a YAML text.
 * @throws on invalid YAML, and on a duplicate key
 * @param {string} text
 * @returns {Manifest[]}
 */
export function parseManifests(text) {
  return parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const manifest = document.toJS();
    return manifest === null ? [] : [manifest];
  });
}
