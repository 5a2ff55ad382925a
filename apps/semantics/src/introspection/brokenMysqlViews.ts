import type { Connection } from 'mysql2';

/**
 * The errors of a view that no statement can read: MariaDB denies access, and MySQL names the definer, if the
 * definer does not exist; a table or a right of the definer is missing.
 */
const BROKEN: ReadonlySet<unknown> = new Set([1045, 1449, 1356]);

/** A server far away has thousands of views: each statement is one round trip. */
const VIEWS_AT_ONCE = 30;

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``;

/** Whether one of the views is broken. Preparing a statement reads no rows, and calls no functions. */
function holdBroken(connection: Connection, views: readonly string[]): Promise<boolean> {
  const sql = views.map((name) => `SELECT 1 FROM ${quote(name)}`).join(' UNION ALL ');
  return new Promise((resolve, reject) => {
    connection.prepare(sql, (error, statement) => {
      if (error === null) {
        statement.close();
        resolve(false);
      } else if (BROKEN.has(error.errno)) resolve(true);
      else if ('sqlState' in error) resolve(false);
      else reject(error);
    });
  });
}

async function findAmong(connection: Connection, views: readonly string[]): Promise<string[]> {
  if (views.length === 0 || !(await holdBroken(connection, views))) return [];
  if (views.length === 1) return [...views];
  const half = Math.ceil(views.length / 2);
  const first = await findAmong(connection, views.slice(0, half));
  return [...first, ...(await findAmong(connection, views.slice(half)))];
}

/** Finds the views of the database that the server lists with columns, and refuses to read. */
export async function findBrokenViews(
  connection: Connection,
  views: readonly string[],
): Promise<ReadonlySet<string>> {
  const broken = new Set<string>();
  for (let from = 0; from < views.length; from += VIEWS_AT_ONCE) {
    for (const name of await findAmong(connection, views.slice(from, from + VIEWS_AT_ONCE))) broken.add(name);
  }
  return broken;
}
