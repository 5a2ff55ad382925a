/**
 * Worker thread that creates the demo database in the folder `workerData`. The creation takes several times
 * the memory of the database, which the system gets back with the end of the thread.
 */
import { rename, rm } from 'node:fs/promises';
import { workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { CREATE_TABLES } from './tables.js';

const folder = workerData as string;
// A process that dies in between leaves this folder, and never an incomplete database.
const partial = `${folder}.partial`;
await rm(partial, { recursive: true, force: true });
const database = await PGlite.create(partial);
await database.exec(CREATE_TABLES);
await database.close();
await rename(partial, folder);
