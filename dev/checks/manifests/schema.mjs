/**
 * Whether manifests are valid for the API of Kubernetes, as far as this can be checked without a cluster. The
 * field maps of the official client find unknown fields and wrong types; the JSON schemas of
 * `kubernetes-models` find missing fields, and wrong formats and enumerations. "Schema-validated", not
 * "cluster-tested".
 */
import { createRequire } from 'node:module';
import * as client from '@kubernetes/client-node';

/** @typedef {import('./render.mjs').Manifest} Manifest */
/** @typedef {{ at: string, report: (fault: string) => void }} Place */

const require = createRequire(import.meta.url);
const models = /** @type {Record<string, any>} */ (client);
const LIST = /^(?:Array|Set)<(.+)>$/;
const MAP = /^\{ \[key: string\]: (.+); \}$/;
const PLAIN = ['string', 'number', 'boolean'];

/**
 * Every fault of one manifest, with its place.
 * @param {Manifest} manifest
 * @returns {string[]}
 */
export function findSchemaFaults(manifest) {
  const { apiVersion, kind, metadata } = manifest;
  const name = `${kind} ${metadata?.name}`;
  const model = modelOf(apiVersion, kind);
  if (model === undefined) return [`${name}: no such kind in ${apiVersion}`];
  /** @type {string[]} */
  const faults = [];
  walk(manifest, model.name, { at: name, report: (fault) => faults.push(fault) });
  return [...faults, ...findRuleFaults(manifest, name)];
}

/** @param {string} apiVersion @param {string} kind */
function modelOf(apiVersion, kind) {
  const version = apiVersion?.split('/').at(-1) ?? '';
  const prefix = version.slice(0, 1).toUpperCase() + version.slice(1);
  return models[`${prefix}${kind}`] ?? models[`Core${prefix}${kind}`];
}

/** @param {Manifest} manifest @param {string} name */
function findRuleFaults(manifest, name) {
  try {
    const Model = require(`kubernetes-models/${manifest.apiVersion}`)[manifest.kind];
    new Model(structuredClone(manifest)).validate();
    return [];
  } catch (error) {
    const { errors, message } =
      /** @type {{ errors?: { instancePath: string, message: string }[], message: string }} */ (error);
    if (errors === undefined) return [`${name}: ${message}`];
    return errors.map((fault) => `${name}${fault.instancePath.replaceAll('/', '.')}: ${fault.message}`);
  }
}

/** @param {unknown} value @param {string} type @param {Place} place */
function walk(value, type, place) {
  if (value === undefined || value === null || type === 'any' || type === 'object') return;
  const element = LIST.exec(type)?.[1];
  if (element !== undefined) return walkList(value, element, place);
  const entry = MAP.exec(type)?.[1];
  if (entry !== undefined) return walkMap(value, () => entry, place);
  if (type === 'IntOrString' || type === 'number | string')
    return expectType(value, ['number', 'string'], place);
  if (PLAIN.includes(type)) return expectType(value, [type], place);
  if (type === 'Date' || type === 'V1MicroTime') return;
  const fields = fieldsOf(type);
  if (fields === undefined) return place.report(`${place.at}: the client has no ${type}`);
  walkMap(value, (key) => fields.get(key), place);
}

/** @param {unknown} value @param {string} type @param {Place} place */
function walkList(value, type, { at, report }) {
  if (!Array.isArray(value)) return report(`${at}: must be a list`);
  value.forEach((item, index) => walk(item, type, { at: `${at}[${index}]`, report }));
}

/** @param {unknown} value @param {(key: string) => string | undefined} typeOf @param {Place} place */
function walkMap(value, typeOf, { at, report }) {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return report(`${at}: must be an object`);
  for (const [key, child] of Object.entries(value)) {
    const type = typeOf(key);
    if (type === undefined) report(`${at}.${key}: is not a known field`);
    else walk(child, type, { at: `${at}.${key}`, report });
  }
}

/** @param {unknown} value @param {string[]} types @param {Place} place */
function expectType(value, types, { at, report }) {
  if (!types.includes(typeof value)) report(`${at}: must be ${types.join(' or ')}`);
}

/** @param {string} type @returns {Map<string, string> | undefined} */
function fieldsOf(type) {
  const map = models[type]?.getAttributeTypeMap?.();
  return (
    map &&
    new Map(
      map.map((/** @type {{ baseName: string, type: string }} */ field) => [field.baseName, field.type]),
    )
  );
}
