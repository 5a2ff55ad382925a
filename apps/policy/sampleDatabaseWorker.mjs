/**
 * Runs PostgreSQL in a worker thread. Sends `ready` after the start. For a message with the steps of a run,
 * `[{sql, values}]`, it runs them in one transaction and rolls back. It replies with `{rows}` of the last
 * step, or with `{step, code}`: the failed step and its SQLSTATE.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { compileWebAssemblySynchronously } from '@gatehouse/service/synchronousWebAssembly';

// Before PGlite is imported, because the thread may be terminated while it compiles.
compileWebAssemblySynchronously();
const { PGlite } = await import('@electric-sql/pglite');

/** PostgreSQL reports that it is out of memory if the memory cannot grow. */
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function growWithinLimit(pages) {
  if (this.buffer.byteLength + pages * 65_536 > workerData.memoryMax)
    throw new RangeError('The memory is full');
  return grow.call(this, pages);
};

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

// Warms up code that is slow on first use, so that it does not count in the time of a run.
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
