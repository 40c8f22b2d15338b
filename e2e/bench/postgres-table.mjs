// PostgreSQL's side of the benchmark: the published table, its loads, GIN indexes and queries. Statements are timed by psql
// (`\timing`), queries by pgbench with prepared statements.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** @typedef {import('./postgres-server.mjs').Server} Server */
/** @typedef {'all' | 'one'} Query */

const index = 'events_payload'
const table = `CREATE TABLE events (event_id bigint, event_type text, event_public boolean, repo_id bigint,
  payload jsonb, repo jsonb, actor jsonb, org jsonb, created_at timestamp)`

const where = `event_type = 'PushEvent' AND payload @> '{"commits":[{"author":{"email":"test@gmail.com"}}]}'`
/** @type {Record<Query, string>} */
const queries = {
  all: `SELECT event_id, repo_id, jsonb_array_elements(payload->'commits') AS commit FROM events WHERE ${where}`,
  one: `SELECT event_id, repo_id, jsonb_array_elements(payload->'commits') AS commit FROM events WHERE ${where} AND repo_id = 17330407`,
}

/** Milliseconds that the last of the commands took. @param {Server} server @param {string[]} commands */
async function timed({ run }, ...commands) {
  const last = commands.at(-1) ?? ''
  const args = [...commands.slice(0, -1), '\\timing on', last].flatMap((command) => ['-c', command])
  const ms = /^Time: ([\d.]+) ms/m.exec(await run('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', ...args]))?.[1]
  if (ms === undefined) throw new Error(`psql did not say how long ${last} took`)
  return Number(ms)
}

/** @param {Server} server @param {string} sql @returns {Promise<string>} rows as text, one a line */
export function ask({ run }, sql) {
  return run('psql', ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', sql])
}

/** @param {Server} server */
export const createTable = (server) => ask(server, table)

/** Loads the file into the emptied table; seconds. @param {Server} server @param {string} file */
export async function load(server, file) {
  const took = await timed(server, 'TRUNCATE events', `\\copy events FROM '${file}' CSV HEADER`)
  // What it still has to write would go on beside what is measured next.
  await ask(server, 'CHECKPOINT')
  return took / 1000
}

/** Builds the index with the operator class; seconds. @param {Server} server @param {string} operators @param {'on' | 'off'} [fastupdate] */
export async function build(server, operators, fastupdate = 'on') {
  const sql = `CREATE INDEX ${index} ON events USING gin (payload ${operators}) WITH (fastupdate = ${fastupdate})`
  const took = await timed(server, sql)
  await ask(server, 'CHECKPOINT')
  return took / 1000
}

/** @param {Server} server */
export const drop = (server) => ask(server, `DROP INDEX ${index}`)

/** @param {Server} server */
export const indexBytes = async (server) => Number(await ask(server, `SELECT pg_relation_size('${index}')`))

/** @param {Server} server */
export const settle = (server) => ask(server, 'VACUUM ANALYZE events')

/** Rows of the query as JSON objects, one a line. @param {Server} server @param {Query} query */
export const rowsOf = (server, query) => ask(server, `SELECT row_to_json(found) FROM (${queries[query]}) AS found`)

/** Whether the planner takes the index. @param {Server} server @param {Query} query */
export const usesIndex = async (server, query) => (await ask(server, `EXPLAIN ${queries[query]}`)).includes(index)

/** Milliseconds of each run, as pgbench logs them. @param {Server} server @param {string} scratch @param {Query} query @param {number} times */
export async function times({ run }, scratch, query, times) {
  const [script, prefix] = [join(scratch, `${query}.sql`), join(scratch, 'pgbench_log')]
  writeFileSync(script, `${queries[query]};\n`)
  await run('pgbench', ['-n', '-M', 'prepared', '-t', String(times), '-l', '--log-prefix', prefix, '-f', script])
  const logs = readdirSync(scratch).filter((name) => name.startsWith('pgbench_log'))
  const lines = logs.flatMap((name) => readFileSync(join(scratch, name), 'utf8').trim().split('\n'))
  for (const name of logs) rmSync(join(scratch, name))
  // The third field is the time of a transaction in microseconds.
  return lines.map((line) => Number(line.split(' ')[2]) / 1000)
}
