/**
 * `npm run screenshots` takes the pictures of README.md and docs/console.md, from the demo organization of a
 * platform that it starts for them and stops again.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '@gatehouse/client';
import { startBrowser } from '@gatehouse/testing';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'docs/images');
const viewport = { width: 1280, height: 860 };
const SIGN_IN = /(http:\S+\/console\?project=\S+#sign-in=\S+)/;
const STATEMENT = 'SELECT id, amount FROM orders WHERE amount > 100';

const dataDir = await mkdtemp(path.join(tmpdir(), 'gatehouse-screenshots-'));
const environment = {
  ...process.env,
  DATA_DIR: dataDir,
  PORT: '0',
  HOST: '127.0.0.1',
  DEMO: '1',
  LOG_LEVEL: 'error',
};

/** Starts the platform, and resolves to its process and to the sign-in link that it prints. */
async function start() {
  const program = path.join(root, 'apps/standalone/dist/bundle/main.js');
  const child = spawn(process.execPath, [program], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [, link] = SIGN_IN.exec(line) ?? [];
    if (link !== undefined) return { child, link };
  }
  throw new Error('The platform did not start');
}

/** The connection of the demo, one of its tenants, and a dashboard that many people can open. */
async function readIds() {
  const file = await readFile(path.join(dataDir, 'credentials.json'), 'utf8');
  const { baseUrl, projectId, projectSecret, adminOrgUserId: orgUserId } = JSON.parse(file);
  const project = { projectId, projectSecret };
  const { accessToken } = await createClient({ baseUrl }).issueToken({ ...project, orgUserId });
  const client = createClient({ baseUrl, accessToken });
  const { connections } = await client.listConnections();
  const { tenants } = await client.listTenants();
  const { dashboards } = await client.listDashboards({ search: 'Welcome', scope: 'organization' });
  return { connectionId: connections[0]?.id, tenantId: tenants[0]?.id, dashboardId: dashboards[0]?.id };
}

/**
 * Signs in once and takes the pictures.
 * @param {import('@gatehouse/testing').Page} page
 * @param {string} address of the console
 * @param {'light' | 'dark'} colorScheme
 */
async function takePictures(page, address, colorScheme) {
  const { connectionId, tenantId, dashboardId } = await readIds();
  /** @param {string} name */
  const save = async (name) => {
    await page.mouse.move(0, 0);
    await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`), animations: 'disabled' });
  };
  await page.goto(`${address}/policies/workbench?connection=${connectionId}&actor=TENANT:${tenantId}`);
  const statement = page.getByRole('textbox', { name: 'Statement', exact: true });
  await statement.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(STATEMENT);
  await page.locator('mark').first().waitFor();
  await save('console');
  if (colorScheme === 'dark') return;
  await page.goto(`${address}/access?resource=${dashboardId}&view=graph`);
  await page.getByRole('figure').waitFor();
  await page.waitForLoadState('networkidle');
  await save('console-access');
  await page.goto(`${address}/validation`);
  await page
    .getByRole('button', { name: /^Validate/ })
    .first()
    .click();
  await page
    .getByText(/causes$/)
    .first()
    .waitFor();
  await page.waitForLoadState('networkidle');
  await save('console-validation');
}

const { child, link } = await start();
const browser = await startBrowser();
try {
  const page = await browser.newPage(link, { colorScheme: 'light', viewport });
  await page.getByRole('heading', { level: 1 }).waitFor();
  const address = `${new URL(link).origin}/console`;
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await takePictures(page, address, colorScheme);
  }
} finally {
  await browser[Symbol.asyncDispose]();
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  await rm(dataDir, { recursive: true, force: true });
}
