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

// What is slow the first time is done before a run is timed.
await runSteps([
  { sql: 'create table first (id integer)' },
  {
    sql: 'insert into first select * from jsonb_populate_recordset(null::first, $1::jsonb)',
    values: ['[{"id": 1}]'],
  },
  { sql: 'select to_jsonb(r) as row from first r limit 1' },
]);
const send = (message) => parentPort.postMessage(message, []);
parentPort.on('message', (steps) => {
  void runSteps(steps).then(send);
});
send('ready');
