import { fieldPath, type ClsConfig, type RlsConfig, type SlsConfig } from '@gatehouse/contract';
import { isBuiltInName, parseTemplate } from '@gatehouse/contract/placeholders';
import { isSchemaText } from '../../preview/logic/renderTemplate.js';
import type { PolicyConfigs } from '../../secrets/logic/secretParams.js';

/** A fault of a definition and its path, such as `rlsConfig.rules[0].expression`. */
export interface PathFault {
  path: string;
  message: string;
}

type Path = readonly (string | number)[];

/**
 * The faults of a definition that do not depend on SQL: templates that do not parse, placeholders where none
 * are filled, and params with the name of a built-in value.
 */
export function templateFaults({ clsConfig, slsConfig, rlsConfig }: PolicyConfigs): PathFault[] {
  return [
    ...(clsConfig ? clsFaults(clsConfig) : []),
    ...(slsConfig ? slsFaults(slsConfig) : []),
    ...(rlsConfig?.rules ?? []).flatMap((rule, index) => ruleFaults(rule, ['rlsConfig', 'rules', index])),
  ];
}

/** The faults of the params of an assignment. */
export function paramFaults(params: Record<string, unknown>, path: Path): PathFault[] {
  return Object.keys(params)
    .filter(isBuiltInName)
    .map((name) => ({
      path: fieldPath([...path, name]),
      message: 'is a built-in value, which nothing can override',
    }));
}

function clsFaults({ connectionTemplate, filePathTemplates, params }: ClsConfig): PathFault[] {
  return [
    ...parseFaults(connectionTemplate, ['clsConfig', 'connectionTemplate']),
    ...Object.entries(filePathTemplates ?? {}).flatMap(([name, template]) =>
      parseFaults(template, ['clsConfig', 'filePathTemplates', name]),
    ),
    ...paramFaults(params ?? {}, ['clsConfig', 'params']),
  ];
}

function slsFaults({ schema, schemaTemplate, allowedSchemas, defaultSchema }: SlsConfig): PathFault[] {
  return [
    ...plainFaults(schema, ['slsConfig', 'schema']),
    ...schemaTemplateFaults(schemaTemplate),
    ...(allowedSchemas ?? []).flatMap((name, index) =>
      plainFaults(name, ['slsConfig', 'allowedSchemas', index]),
    ),
    ...plainFaults(defaultSchema, ['slsConfig', 'defaultSchema']),
  ];
}

function schemaTemplateFaults(template: string | null | undefined): PathFault[] {
  const path = ['slsConfig', 'schemaTemplate'];
  const faults = parseFaults(template, path);
  const parts = parseTemplate(template ?? '').parts ?? [];
  const isFit = parts.every((part) => part.kind === 'placeholder' || isSchemaText(part.text));
  if (!isFit) faults.push({ path: fieldPath(path), message: SCHEMA_TEXT });
  return faults;
}

const SCHEMA_TEXT = 'has characters beside its placeholders that are not letters, digits, "_", "$" or "-"';

function ruleFaults({ matcher, expression, params }: RlsConfig['rules'][number], path: Path): PathFault[] {
  return [
    ...matcherFaults(matcher, [...path, 'matcher']),
    ...parseFaults(expression, [...path, 'expression']),
    ...paramFaults(params ?? {}, [...path, 'params']),
  ];
}

function matcherFaults(matcher: RlsConfig['rules'][number]['matcher'], path: Path): PathFault[] {
  switch (matcher.type) {
    case 'ALL_TABLES_WITH_COLUMN':
      return plainFaults(matcher.column, [...path, 'column']);
    case 'SCHEMA':
      return (['schema', 'database', 'column'] as const).flatMap((field) =>
        plainFaults(matcher[field], [...path, field]),
      );
    case 'TABLE_LIST':
      return matcher.tables.flatMap((table, index) =>
        (['table', 'schema', 'database'] as const).flatMap((field) =>
          plainFaults(table[field], [...path, 'tables', index, field]),
        ),
      );
  }
}

/** The fault of a literal name. A placeholder in it would not be filled, so the name would match nothing. */
function plainFaults(name: string | null | undefined, path: Path): PathFault[] {
  if (name == null) return [];
  if (name.trim() === '') return [{ path: fieldPath(path), message: 'must not be blank' }];
  if (!name.includes('{{')) return [];
  return [{ path: fieldPath(path), message: 'takes no placeholders' }];
}

function parseFaults(template: string | null | undefined, path: Path): PathFault[] {
  const fault = template == null ? undefined : parseTemplate(template).fault;
  if (fault === undefined) return [];
  return [{ path: fieldPath(path), message: `${fault.message} (at character ${fault.position + 1})` }];
}
