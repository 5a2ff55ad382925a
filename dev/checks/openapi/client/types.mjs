/**
 * Writes JSON Schema as TypeScript: each component as a type of its own, each field with its description.
 * It supports the keywords that the OpenAPI document has, and fails for others, so that no type is wrong.
 */

/**
 * @typedef {import('@gatehouse/contract').JsonSchema} Schema
 * @typedef {{ name: string, schema: Schema, isRequired: boolean }} Field
 */

const COMMENT_WIDTH = 100;
const PREFIX = '#/components/schemas/';
/** Without effect on the type: limits, texts, and rules between fields. */
const IGNORED = new Set(
  ['description', 'default', 'deprecated', 'discriminator', 'allOf', 'x-enum-descriptions', 'format']
    .concat(['pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'minItems'])
    .concat(['maxItems', 'minProperties', 'maxProperties', 'uniqueItems', 'required']),
);
const SUPPORTED = new Set([
  '$ref',
  'const',
  'enum',
  'anyOf',
  'oneOf',
  'not',
  'type',
  'items',
  'properties',
  'additionalProperties',
]);

/**
 * Breaks a text into lines at spaces.
 * @param {string} text
 */
function wrap(text) {
  const indent = text.startsWith('- ') ? '  ' : '';
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + word.length >= COMMENT_WIDTH) lines.push(indent + word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

/**
 * A comment for documentation.
 * @param {readonly string[]} paragraphs lines of Markdown
 */
export function writeComment(paragraphs) {
  const lines = paragraphs.flatMap((text) => text.split('\n')).flatMap(wrap);
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'));
  const [only = ''] = safe;
  if (safe.length === 1) return `/** ${only} */\n`;
  return `/**\n${safe.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

/**
 * @param {Schema} schema of an object
 * @returns {Field[]}
 */
export function fieldsOf({ properties = {}, required = [] }) {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: /** @type {Schema} */ (schema),
    isRequired: required.includes(name),
  }));
}

/** @param {Field} field */
function writeField({ name, schema, isRequired }) {
  if (schema.description === undefined) throw new Error(`The field ${name} has no description`);
  const comment = writeComment([
    schema.description,
    ...(schema.default === undefined ? [] : [`@default ${JSON.stringify(schema.default)}`]),
    ...(schema.deprecated === true ? ['@deprecated'] : []),
  ]);
  const type = writeType(schema);
  return `${comment}${name}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};\n`;
}

/**
 * An object type. It is a type alias, because an interface is not assignable to `Record<string, unknown>`.
 * @param {readonly Field[]} fields
 */
export function writeObject(fields) {
  return `{\n${fields.map(writeField).join('')}}`;
}

/** @param {Schema} schema of an object with or without known fields */
function writeObjectOrRecord({ properties, required, additionalProperties: others }) {
  if (properties === undefined)
    return `Record<string, ${typeof others === 'object' ? writeType(others) : 'unknown'}>`;
  if (typeof others === 'object') throw new Error('An object with named and with other fields has no type');
  return writeObject(fieldsOf({ properties, ...(required && { required }) }));
}

/** @param {string} type @param {Schema} schema @returns {string} */
function writeNamedType(type, schema) {
  if (type === 'object') return writeObjectOrRecord(schema);
  if (type === 'array') return `Array<${writeType(/** @type {Schema} */ (schema.items))}>`;
  return type === 'integer' ? 'number' : type;
}

/**
 * The type of a schema.
 * @param {Schema} schema
 * @returns {string}
 */
function writeType(schema) {
  const unknown = Object.keys(schema).find((key) => !IGNORED.has(key) && !SUPPORTED.has(key));
  if (unknown !== undefined) throw new Error(`The keyword ${unknown} has no type`);
  if (schema.$ref !== undefined) return schema.$ref.replace(PREFIX, '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.map((part) => writeType(part)).join(' | ');
  if (schema.not) return 'never';
  if (schema.type === undefined) return 'unknown';
  return [schema.type]
    .flat()
    .map((type) => writeNamedType(type, schema))
    .join(' | ');
}

/**
 * A component as an exported type.
 * @param {string} name
 * @param {Schema} schema
 * @param {readonly string[]} comment
 */
export function writeNamed(name, schema, comment) {
  const about = schema.description === undefined ? comment : [schema.description];
  return `${about.length > 0 ? writeComment(about) : ''}export type ${name} = ${writeType(schema)};\n`;
}
