import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AssignmentScope,
  ClsConfig,
  InlinePolicies,
  Params,
  ParamValue,
  RlsConfig,
  SlsConfig,
  UserRole,
  ValueSource,
} from '@gatehouse/contract';
import { parse } from 'yaml';
import { z } from 'zod';

/** A name inside its case. */
const Name = z.string().regex(/^[A-Za-z][A-Za-z0-9]*$/, 'must be letters and digits');

/** The kinds of actor that have a name, as `TENANT acme`; `ALL_TENANTS` has none. */
const SUBJECT = new RegExp(`^(${AssignmentScope.options.join('|')})(?: ([A-Za-z][A-Za-z0-9]*))?$`);
const Subject = z.string().transform((value, context) => {
  const [, kind, name] = SUBJECT.exec(value) ?? [];
  if (kind !== undefined && (kind === 'ALL_TENANTS') === (name === undefined))
    return { kind: AssignmentScope.parse(kind), name: name ?? null };
  context.addIssue({
    code: 'custom',
    message: 'must be ALL_TENANTS, or a kind and a name as in TENANT acme',
  });
  return z.NEVER;
});

const Definition = z.strictObject({
  cls: ClsConfig.optional(),
  sls: SlsConfig.optional(),
  rls: RlsConfig.optional(),
});
const Assignment = z.strictObject({
  definition: Name,
  to: Subject,
  params: Params.default({}),
  draft: z.boolean().default(false),
});
const ExpectedRule = z.strictObject({
  name: z.string(),
  /** The definition that it belongs to, or `token`. */
  of: z.string(),
  values: z.record(z.string(), ParamValue).default({}),
  sources: z.record(z.string(), ValueSource).optional(),
  missing: z.array(z.string()).default([]),
});
const Expected = z.strictObject({
  refused: z.array(z.string()).default([]),
  /**
   * The assignments that apply, as `base to TENANT acme`; `token` for the token's own policies. Not checked
   * if it is absent.
   */
  applies: z.array(z.string()).optional(),
  cls: z
    .strictObject({
      by: z.string(),
      connection: z.string().nullable().default(null),
      files: z.record(z.string(), z.string()).nullable().default(null),
      params: Params.optional(),
    })
    .nullable()
    .default(null),
  sls: z
    .strictObject({
      by: z.string(),
      schema: z.string().nullable().default(null),
      allowed: z.array(z.string()).nullable().default(null),
    })
    .nullable()
    .default(null),
  rules: z.array(ExpectedRule).default([]),
  /** Texts that the response must not contain anywhere. */
  hidden: z.array(z.string()).default([]),
});

const CaseBody = z.strictObject({
  name: z.string().min(1),
  why: z.string().regex(/^[A-Z].{20,}\.$/s, 'must be a sentence'),
  actor: Subject,
  tenant: Name.optional(),
  role: UserRole.optional(),
  email: z.string().optional(),
  definitions: z.record(Name, Definition).default({}),
  assignments: z.array(Assignment).default([]),
  token: InlinePolicies.optional(),
  tokenParams: Params.default({}),
  runtimeParams: Params.default({}),
  onlyTokenPolicies: z.boolean().default(false),
  isGoverned: z.boolean().default(true),
  unassignedActors: z.enum(['deny', 'allow']).default('deny'),
  expect: Expected.prefault({}),
});
const CaseFile = z.strictObject({
  given: z.strictObject({ definitions: z.record(Name, Definition).default({}) }).prefault({}),
  cases: z.array(CaseBody).min(1),
});

/** One case: the stored records and the request, and the expected resolution. */
export type PolicyCase = z.infer<typeof CaseBody> & { file: string };

/**
 * Reads every case of the folder's YAML files, each with the definitions of its file.
 *
 * @throws Error that names the file, the case and the fault if one violates apps/policy/cases/README.md
 */
export async function loadPolicyCases(dir: string): Promise<PolicyCase[]> {
  const files = (await readdir(dir)).filter((name) => name.endsWith('.yaml')).toSorted();
  const read = files.map(async (file) => readPolicyCases(file, await readFile(join(dir, file), 'utf8')));
  const cases = (await Promise.all(read)).flat();
  const names = cases.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two cases are named "${twice}"`);
  return cases;
}

function readPolicyCases(file: string, source: string): PolicyCase[] {
  const parsed = CaseFile.safeParse(parse(source));
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
  const { given, cases } = parsed.data;
  return cases.map((own) => {
    const definitions = { ...given.definitions, ...own.definitions };
    const unknown = own.assignments.find(({ definition }) => !definitions[definition]);
    if (unknown) throw new Error(`${file}: "${own.name}": ${unknown.definition} is assigned but unknown`);
    if ((own.tenant !== undefined) !== (own.actor.kind === 'TENANT_USER'))
      throw new Error(`${file}: "${own.name}": an actor has a tenant exactly if it is a TENANT_USER`);
    return { ...own, definitions, file };
  });
}
