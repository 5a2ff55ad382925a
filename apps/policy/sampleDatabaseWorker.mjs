/**
 * PostgreSQL in a thread of its own. Once it runs, it says `ready`. Asked for the steps of a run, `[{sql, values}]`, it does them
 * in one transaction, answers `{rows}` of the last, or `{step, code}`: the one that failed and its SQLSTATE, and rolls back.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';

const database = await PGlite.create();
await database.exec(workerData.setup);

async function runSteps(steps) {
  let step = 0;
  try {
    await database.exec('begin');
    let result = { rows: [] };
    for (; step < steps.length; step += 1) {
      result = await database.query(steps[step].sql, steps[step].values);
    }
    return { rows: result.rows };
  } catch (error) {
    return { step, code: error.code ?? null };
  } finally {
    await database.exec('rollback');
  }
}

const send = (message) => parentPort.postMessage(message, []);
parentPort.on('message', (steps) => {
  void runSteps(steps).then(send);
});
send('ready');
