/** `npm run gatehouse -- <command>` runs the command line of this clone, which needs no installation. */
import './requireNode.mjs';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { preparePlatform, root } from './prepare.mjs';

const entry = path.join(root, 'packages/cli/dist/main.js');
// A start builds it as well. To check that for each command would take longer than the command.
if (!existsSync(entry)) await preparePlatform();

process.argv.splice(1, 1, entry);
await import(pathToFileURL(entry).href);
