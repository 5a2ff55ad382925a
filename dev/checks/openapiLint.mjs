/**
 * Lints docs/openapi.json with Spectral and Redocly. Both report nothing, not even hints. The linters have a
 * lock file of their own, and are installed when they first run: a clone without them is smaller by 83 MB.
 *
 *     node dev/checks/openapiLint.mjs
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const linters = path.join(import.meta.dirname, 'openapi/linters');
const document = path.resolve(import.meta.dirname, '../../docs/openapi.json');
const installed = path.join(linters, 'node_modules/.installed');

/**
 * Runs a program, and ends this one if it fails.
 * @param {string} program
 * @param {string[]} options
 */
function run(program, options) {
  const { status, stdout, stderr, error } = spawnSync(program, options, {
    cwd: linters,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  if (status === 0) return;
  console.error(error?.message ?? `${stdout}${stderr}`);
  process.exit(1);
}

function install() {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(linters, 'package-lock.json')))
    .digest('hex');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  // The linters are programs of their own, so that none of their scripts has to run.
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  writeFileSync(installed, lock);
}

/** @param {string} name */
const binary = (name) => path.join('node_modules/.bin', name);

install();
run(binary('redocly'), ['lint', document, '--config', 'redocly.yaml']);
run(binary('spectral'), ['lint', document, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint']);
