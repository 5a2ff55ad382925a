/**
 * The differences between two documents that break a caller of the first one. Within a version, changes only
 * add: all former requests stay valid, and responses contain all former fields.
 */

/**
 * @typedef {import('@gatehouse/contract').OpenApiDocument} Document
 * @typedef {import('@gatehouse/contract').OpenApiOperation} Operation
 * @typedef {import('@gatehouse/contract').OpenApiResponseOrRef} Response
 * @typedef {Pick<import('@gatehouse/contract').OpenApiResponse, 'content'>} Content
 * @typedef {import('@gatehouse/contract').JsonSchema} Schema
 * @typedef {'request' | 'response'} Direction
 */

const LOWER_LIMITS = /** @type {const} */ (['minLength', 'minimum', 'minItems']);
const UPPER_LIMITS = /** @type {const} */ (['maxLength', 'maximum', 'maxItems']);

class Comparison {
  /** @type {string[]} */
  faults = [];
  /** Pairs of components that are being compared, so that schemas that refer to themselves end. */
  #visited = new Set();

  /**
   * @param {Document} before
   * @param {Document} after
   */
  constructor(before, after) {
    this.before = before;
    this.after = after;
  }

  compareDocuments() {
    for (const [path, operations] of Object.entries(this.before.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const place = `${method.toUpperCase()} ${path}`;
        const now = this.after.paths[path]?.[method];
        if (now === undefined) this.faults.push(`${place}: the route is removed`);
        else this.#compareOperations(place, operation, now);
      }
    }
  }

  /**
   * @param {string} place
   * @param {Operation} before
   * @param {Operation} after
   */
  #compareOperations(place, before, after) {
    if (before.operationId !== after.operationId) {
      this.faults.push(`${place}: operationId ${before.operationId} became ${after.operationId}`);
    }
    if (before.security !== undefined && after.security === undefined) {
      this.faults.push(`${place}: an access token is needed now`);
    }
    this.#compareParameters(place, before, after);
    this.#compareBodies(place, before, after);
    for (const [status, response] of Object.entries(before.responses)) {
      const now = after.responses[status];
      if (now === undefined) this.faults.push(`${place}: status ${status} is removed`);
      else this.#compareResponses(`${place} ${status}`, response, now);
    }
  }

  /**
   * @param {string} place
   * @param {Operation} before
   * @param {Operation} after
   */
  #compareParameters(place, before, after) {
    const find = (
      /** @type {Operation} */ { parameters },
      /** @type {string} */ name,
      /** @type {string} */ where,
    ) => parameters.find((parameter) => parameter.name === name && parameter.in === where);
    for (const { name, in: where, schema } of before.parameters) {
      const now = find(after, name, where);
      if (now === undefined) this.faults.push(`${place}: ${where} parameter ${name} is removed`);
      else
        this.compareSchemas(`${place} ${name}`, { before: schema, after: now.schema, direction: 'request' });
    }
    for (const { name, in: where, required } of after.parameters) {
      if (required && !find(before, name, where)?.required) {
        this.faults.push(`${place}: ${where} parameter ${name} is required now`);
      }
    }
  }

  /**
   * @param {string} place
   * @param {Operation} before
   * @param {Operation} after
   */
  #compareBodies(place, before, after) {
    if (after.requestBody?.required && !before.requestBody?.required) {
      this.faults.push(`${place}: a body is required now`);
    }
    if (before.requestBody === undefined) return;
    if (after.requestBody === undefined) this.faults.push(`${place}: the body is removed`);
    else
      this.#compareContents(`${place} body`, {
        before: before.requestBody,
        after: after.requestBody,
        direction: 'request',
      });
  }

  /**
   * @param {string} place
   * @param {Response} before
   * @param {Response} after
   */
  #compareResponses(place, before, after) {
    const then = '$ref' in before ? this.before.components.responses[nameOf(before.$ref)] : before;
    const now = '$ref' in after ? this.after.components.responses[nameOf(after.$ref)] : after;
    if (then !== undefined && now !== undefined) {
      this.#compareContents(place, { before: then, after: now, direction: 'response' });
    }
  }

  /**
   * @param {string} place
   * @param {{ before: Content, after: Content, direction: Direction }} pair
   */
  #compareContents(place, { before, after, direction }) {
    for (const [type, { schema }] of Object.entries(before.content ?? {})) {
      const now = after.content?.[type];
      if (now === undefined) this.faults.push(`${place}: ${type} is removed`);
      else this.compareSchemas(place, { before: schema, after: now.schema, direction });
    }
  }

  /**
   * @param {string} place
   * @param {{ before: Schema, after: Schema, direction: Direction }} pair
   */
  compareSchemas(place, { before, after, direction }) {
    const visit = `${before.$ref ?? ''} ${after.$ref ?? ''} ${direction}`;
    if (before.$ref !== undefined && after.$ref !== undefined) {
      if (this.#visited.has(visit)) return;
      this.#visited.add(visit);
    }
    const then = alternativesOf(this.before, before);
    const now = alternativesOf(this.after, after);
    if (then.length === 1 && now.length === 1 && then[0] && now[0]) {
      this.#compareSingle(place, { before: then[0], after: now[0], direction });
      return;
    }
    // One alternative must accept all former requests; all new responses must have been possible before.
    const [given, known] = direction === 'request' ? [then, now] : [now, then];
    for (const schema of given) {
      const fits = known.some((other) => {
        const trial = new Comparison(this.before, this.after);
        const [old, fresh] = direction === 'request' ? [schema, other] : [other, schema];
        trial.#visited = new Set(this.#visited);
        trial.#compareSingle(place, { before: old, after: fresh, direction });
        return trial.faults.length === 0;
      });
      if (!fits) {
        const what = direction === 'request' ? 'no longer accepted' : 'new among the answers';
        this.faults.push(
          `${place}: ${JSON.stringify(schema.const ?? schema.type ?? schema.enum)} is ${what}`,
        );
      }
    }
  }

  /**
   * @param {string} place
   * @param {{ before: Schema, after: Schema, direction: Direction }} pair
   */
  #compareSingle(place, { before, after, direction }) {
    this.#compareTypes(place, { before, after, direction });
    for (const [name, field] of Object.entries(before.properties ?? {})) {
      const now = after.properties?.[name];
      if (now === undefined) this.faults.push(`${place}.${name}: the field is removed`);
      else {
        const pair = { before: /** @type {Schema} */ (field), after: /** @type {Schema} */ (now), direction };
        this.compareSchemas(`${place}.${name}`, pair);
      }
    }
    const [wanted, promised] = direction === 'request' ? [after, before] : [before, after];
    for (const name of wanted.required ?? []) {
      if (promised.required?.includes(name) || !before.properties) continue;
      const what = direction === 'request' ? 'required now' : 'no longer always there';
      this.faults.push(`${place}.${name}: the field is ${what}`);
    }
    if (before.items !== undefined && after.items !== undefined) {
      const pair = {
        before: /** @type {Schema} */ (before.items),
        after: /** @type {Schema} */ (after.items),
        direction,
      };
      this.compareSchemas(`${place}[]`, pair);
    }
  }

  /**
   * @param {string} place
   * @param {{ before: Schema, after: Schema, direction: Direction }} pair
   */
  #compareTypes(place, { before, after, direction }) {
    const [given, known] = direction === 'request' ? [before, after] : [after, before];
    if (!isWithin(typesOf(given), typesOf(known))) {
      this.faults.push(
        `${place}: type ${String(before.type ?? 'any')} became ${String(after.type ?? 'any')}`,
      );
    }
    // A response may be narrower than before: one of several former values.
    const isNarrower =
      direction === 'response' &&
      before.const === undefined &&
      (before.enum?.includes(after.const ?? null) ?? true);
    if (before.const !== after.const && !isNarrower)
      this.faults.push(`${place}: ${before.const} became ${after.const}`);
    if (direction === 'response') return;
    const gone = (before.enum ?? []).filter(
      (value) => after.enum !== undefined && !after.enum.includes(value),
    );
    if (gone.length > 0) this.faults.push(`${place}: ${gone.join(', ')} is no longer accepted`);
    if (before.enum === undefined && after.enum !== undefined)
      this.faults.push(`${place}: not every value is accepted`);
    for (const limit of LOWER_LIMITS) {
      if ((after[limit] ?? -Infinity) > (before[limit] ?? -Infinity))
        this.faults.push(`${place}: ${limit} went up`);
    }
    for (const limit of UPPER_LIMITS) {
      if ((after[limit] ?? Infinity) < (before[limit] ?? Infinity))
        this.faults.push(`${place}: ${limit} went down`);
    }
    if (after.pattern !== undefined && after.pattern !== before.pattern) {
      this.faults.push(`${place}: the pattern changed`);
    }
  }
}

/** @param {string} reference */
function nameOf(reference) {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/**
 * The types that a schema allows; null for any.
 * @param {Schema} schema
 * @returns {string[] | null}
 */
function typesOf({ type }) {
  if (type === undefined) return null;
  return Array.isArray(type) ? type : [type];
}

/**
 * @param {string[] | null} types
 * @param {string[] | null} others
 */
function isWithin(types, others) {
  if (others === null) return true;
  if (types === null) return false;
  return types.every((type) => others.includes(type) || (type === 'integer' && others.includes('number')));
}

/**
 * @param {Document} document
 * @param {Schema} schema
 * @returns {Schema[]}
 */
function alternativesOf(document, schema) {
  if (schema.$ref !== undefined) {
    const found = document.components.schemas[nameOf(schema.$ref)];
    if (found === undefined) throw new Error(`No component ${schema.$ref}`);
    return alternativesOf(document, found);
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives === undefined) return [schema];
  return alternatives.flatMap((alternative) => alternativesOf(document, alternative));
}

/**
 * All incompatible changes of the second document, as sentences.
 * @param {Document} before
 * @param {Document} after
 * @returns {string[]}
 */
export function findBreakingChanges(before, after) {
  const comparison = new Comparison(before, after);
  comparison.compareDocuments();
  return comparison.faults;
}
