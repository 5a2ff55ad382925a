import { startMariaDb } from '@gatehouse/testing';
import mysql from 'mysql2/promise';
import { expect, it } from 'vitest';
import { NameIndex, nameRulesOf } from './logic/identifiers.js';

/** The capitals of one UTF-16 unit, except ASCII, whose lower case is one unit too. */
const CAPITALS = Array.from({ length: 0xffff - 0x80 }, (_, index) =>
  String.fromCharCode(index + 0x80),
).filter((letter) => letter.toLowerCase() !== letter && letter.toLowerCase().length === 1);
const COLUMNS = 400;

it('finds a column of MariaDB by another case only where the server does', async () => {
  await using server = await startMariaDb();
  const { port, user, password } = server;
  const place = { host: '127.0.0.1', port, user, password, charset: 'utf8mb4' };
  const connection = await mysql.createConnection(place);
  await connection.query('CREATE DATABASE cased');
  await connection.query('USE cased');
  const rules = nameRulesOf({ schemas: [] }, 'mysql');
  const wrong: string[] = [];
  let found = 0;
  for (let from = 0; from < CAPITALS.length; from += COLUMNS) {
    const columns = CAPITALS.slice(from, from + COLUMNS).map((letter, index) => `${letter}_${index}`);
    const list = columns.map((name) => `${connection.escapeId(name)} int`).join(', ');
    await connection.query(`CREATE TABLE t${from} (${list})`);
    for (const name of columns) {
      const written = name.toLowerCase();
      const isFound = new NameIndex([[name, name]], rules, 'columns').find(written) !== null;
      if (!isFound) continue;
      found += 1;
      const reading = connection.query(`SELECT ${connection.escapeId(written)} FROM t${from}`);
      await reading.catch(() => wrong.push(name));
    }
  }
  await connection.end();
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThan(600);
});
