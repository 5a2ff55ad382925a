import { commandNameOf } from '../commandNames.js';
import { routes } from '../index.js';
import { inputFieldsOf, pathParameters, type Route } from '../route.js';
import type { SampleInput } from './sampleInput.js';

/** The commands for frequent tasks, which have options of their own. */
const FREQUENT: Readonly<Record<string, string>> = {
  listDashboards: 'gatehouse dashboards list --organization --sort title --limit 20',
  getDashboard: 'gatehouse dashboards get d_sales',
  createDashboard:
    "gatehouse dashboards create --title 'Example dashboard' --tag example --secret-file dashboard.secret",
  updateDashboard: "gatehouse dashboards update d_sales --tag example --message 'Tag the example'",
  duplicateDashboard:
    "gatehouse dashboards duplicate d_sales --title 'Example copy' --secret-file copy.secret",
  deleteDashboard: 'gatehouse dashboards delete d_sales --yes',
};

/** The operations whose responses contain a secret or a token, which a command writes to a file. */
const SECRETS: readonly string[] = [
  'issueToken',
  'createProject',
  'rotateProjectSecret',
  'rotateDashboardSecret',
  'createWebhook',
  'rotateWebhookSecret',
];

/** The fields that select a page; a command reads page by page. */
const PAGE_FIELDS: readonly string[] = ['cursor', 'page', 'pageSize', 'offset', 'limit'];
/** The fields that the signed-in account has. */
const ACCOUNT_FIELDS: readonly string[] = ['projectId', 'projectSecret'];

/** The command of a request; two operations with one procedure have one command. */
export function writeCommand(route: Route, { parameters, body }: SampleInput): string {
  const frequent = FREQUENT[route.operationId];
  if (frequent !== undefined) return frequent;
  const first = routes.find(({ procedure }) => procedure === route.procedure) ?? route;
  const name = commandNameOf(first.operationId);
  const words = ['gatehouse', name];
  const isOfProjects = name.startsWith('projects ');
  for (const parameter of pathParameters(route.path)) {
    if (parameter !== 'projectId' || isOfProjects) words.push(String(parameters[parameter]));
  }
  const { query } = inputFieldsOf(route);
  const { limit } = parameters;
  if (typeof limit === 'number') words.push(`--limit ${limit}`);
  if (SECRETS.includes(route.operationId)) words.push('--secret-file secret.txt');
  if (route.method === 'DELETE') words.push('--yes');
  const fields = Object.entries({ ...parameters, ...body }).filter(
    ([field]) =>
      (query.includes(field) || (body !== undefined && field in body)) &&
      !PAGE_FIELDS.includes(field) &&
      !ACCOUNT_FIELDS.includes(field),
  );
  if (fields.length === 0) return words.join(' ');
  const json = JSON.stringify(Object.fromEntries(fields), null, 2);
  return `${words.join(' ')} --input - <<'JSON'\n${json}\nJSON`;
}
