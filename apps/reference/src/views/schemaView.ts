import type { JsonSchema } from '@gatehouse/contract';
import { componentOf, propertiesOf, resolveSchema, type Reference } from '../operations.js';
import { describeSchema, objectsIn, sampleOf } from '../schemas.js';
import { code, element, lazyDetails, preformatted, type Child } from './elements.js';

function renderField(reference: Reference, field: { name: string; schema: JsonSchema; isRequired: boolean }) {
  const { name, schema, isRequired } = field;
  const line: Child[] = [code(name), ' ', element('span', { class: 'kind' }, [describeSchema(schema)])];
  if (isRequired) line.push(' ', element('span', { class: 'must' }, ['required']));
  if (schema.deprecated === true) line.push(' ', element('span', { class: 'must' }, ['deprecated']));
  const objects = objectsIn(reference, schema);
  const description = schema.description ?? resolveSchema(reference, schema).description;
  const below = description === undefined ? [] : [element('div', { class: 'kind' }, [description])];
  if (objects.length === 0) return element('li', {}, [...line, ...below]);
  return element('li', {}, [
    lazyDetails(line, () =>
      element(
        'div',
        {},
        objects.map((object) => renderFields(reference, object)),
      ),
    ),
    ...below,
  ]);
}

/** The fields of an object, each with what is below it, made when it is opened: records may hold themselves. */
function renderFields(reference: Reference, schema: JsonSchema): HTMLElement {
  const required = new Set(schema.required);
  const fields = propertiesOf(schema).map(([name, property]) =>
    renderField(reference, { name, schema: property, isRequired: required.has(name) }),
  );
  return element('ul', { class: 'fields' }, fields);
}

/** A schema: its name where it has one, its fields, and a sample. */
export function renderSchema(reference: Reference, schema: JsonSchema, label: string): HTMLElement {
  const name = componentOf(schema);
  const heading =
    name === null ? [] : [element('p', {}, [element('a', { href: `#schema-${name}` }, [name])])];
  const objects = objectsIn(reference, schema);
  const fields =
    objects.length > 0
      ? objects.map((object) => renderFields(reference, object))
      : [element('p', {}, [describeSchema(schema)])];
  const sample = lazyDetails(['Sample'], () =>
    preformatted(JSON.stringify(sampleOf(reference, schema), null, 2), `Sample of the ${label}`),
  );
  return element('div', {}, [...heading, ...fields, sample]);
}
