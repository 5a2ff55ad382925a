/**
 * `npm start` runs all of Gatehouse in one process; `npm run mesh` runs the gateway and each service in
 * separate processes.
 */
import './requireNode.mjs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { preparePlatform, root } from './prepare.mjs';

const [form, ...rest] = process.argv.slice(2);
const isMesh = form === 'mesh';
const entry = path.join(root, 'apps/standalone/dist/bundle', isMesh ? 'mesh.js' : 'main.js');

await preparePlatform({ withServices: isMesh, following: 'Starting Gatehouse' });

// In this process rather than in a child, so that a signal reaches the servers themselves. The scripts in
// package.json use `exec` for the same reason, because npm signals only the shell that it starts.
process.argv.splice(1, Infinity, entry, ...(isMesh ? rest : process.argv.slice(2)));
await import(pathToFileURL(entry).href);
