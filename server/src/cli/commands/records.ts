// Records: one by its key, many by a request, files in and out.
import type { Command } from 'commander'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CSV, JSON_TYPE, MSGPACK, NDJSON } from '../answer.js'
import { type Context, does, jsonText, part, search, whole } from '../context.js'
import { inputFailure } from '../failure.js'
import { exportCommand } from './export.js'

export function recordCommands(program: Command): void {
  const one = (name: string, summary: string): Command =>
    program
      .command(name)
      .summary(summary)
      .argument('<namespace>')
      .argument('<set>', 'name of the set; "" for records without a set')
      .argument('<key>')
      .option('--key-type <type>', 'string, integer, bytes or digest (unset: a string)')

  does<{ keyType?: string; bins?: string }>(
    one('get', 'print a record').option('--bins <names>', 'only these bins, separated by ","'),
    async (context, { keyType, bins }, ...key) => {
      const answer = await context.client.open('GET', recordPath(key) + search({ keytype: keyType, bins }))
      await context.pass(answer, JSON_TYPE)
    },
  )
  does<{ keyType?: string; ttl?: number }>(
    one('put', 'write a record')
      .argument('[bins]', 'JSON object of its bins; "-" or nothing: from standard input')
      .option('--ttl <seconds>', 'seconds until it expires', whole('--ttl')),
    async (context, { keyType, ttl }, namespace = '', set = '', key = '', bins = '-') => {
      const path = recordPath([namespace, set, key]) + search({ keytype: keyType, ttlSeconds: ttl })
      const headers = { 'content-type': JSON_TYPE }
      await context.show(await context.client.call('PUT', path, { body: await requestOf(bins, 'bins'), headers }))
    },
  )
  does<{ keyType?: string }>(one('delete', 'delete a record'), async (context, { keyType }, ...key) => {
    await context.client.call('DELETE', recordPath(key) + search({ keytype: keyType }))
  })

  does<{ explain?: true }>(
    program
      .command('query')
      .summary('print the records that a query finds, one JSON object per line')
      .argument('<namespace>')
      .argument('[request]', 'JSON of the query; "-" or nothing: from standard input')
      .option('--explain', 'only print the plan'),
    async (context, { explain }, namespace = '', request = '-') => {
      const body = await requestOf(request, 'the query')
      const accept = explain === true ? JSON_TYPE : NDJSON
      await lines(context, `/api/v1/namespaces/${part(namespace)}/query${search({ explain })}`, body, accept)
    },
  )
  does<{ set?: string; where?: string; bins?: string; limit?: number }>(
    program
      .command('scan')
      .summary('print all records, or those that match, one JSON object per line')
      .argument('<namespace>')
      .option('--set <name>', 'only of this set')
      .option('--where <json>', 'only those that match this filter')
      .option('--bins <names>', 'only these bins, separated by ","')
      .option('--limit <number>', 'at most so many', whole('--limit')),
    async (context, { set, where, bins, limit }, namespace = '') => {
      // The filter is put in as it is typed, so that its integers stay exact.
      const fields = { set, bins: bins?.split(','), limit }
      const rest = JSON.stringify(fields).slice(1, -1)
      const filter = where === undefined ? '' : `"where":${jsonText(where, '--where')}`
      const body = `{${[rest, filter].filter((piece) => piece !== '').join(',')}}`
      await lines(context, `/api/v1/namespaces/${part(namespace)}/scan`, body, NDJSON)
    },
  )
  exportCommand(program)
  importCommand(program)
}

interface ImportOptions {
  set?: string
  format?: string
  key?: string
  keyType?: string
  columns?: string
  types?: string
  threads?: number
  mode?: string
  keepSets?: boolean
  keepExpiry?: boolean
  keepGenerations?: true
  dryRun?: true
}

function importCommand(program: Command): void {
  does<ImportOptions>(
    program
      .command('import')
      .summary('store the rows of a file')
      .argument('<namespace>')
      .argument('[file]', 'CSV, NDJSON or MessagePack; "-" or nothing: from standard input')
      .option('--set <name>', 'set of the records')
      .option('--format <format>', 'csv, ndjson or msgpack (unset: by the name of the file)')
      .option('--key <column>', 'column with the key')
      .option('--key-type <type>', 'string, integer or auto (the default)')
      .option('--columns <names>', 'only these columns, separated by ","')
      .option('--types <types>', 'types of columns, such as "age:integer,tags:json"')
      .option('--threads <number>', 'threads of the server', whole('--threads'))
      .option('--mode <mode>', 'what happens to records that exist already')
      .option('--keep-sets', 'an export: put each record into the set that it names (unset: without --set)')
      .option('--no-keep-sets', 'an export: put all records into --set')
      .option('--keep-expiry', 'an export: let records live as long as before (the default)')
      .option('--no-keep-expiry', 'an export: give records the time to live of the namespace')
      .option('--keep-generations', 'an export: give records the generations that they had')
      .option('--dry-run', 'only check the rows'),
    async (context, options, namespace = '', file = '-') => {
      const format = options.format ?? formatOf(file)
      const path = `/api/v1/namespaces/${part(namespace)}/import${search({ ...options, format })}`
      const [body, bytes] = await openFile(file)
      const headers = {
        'content-type': mediaTypes[format] ?? CSV,
        ...(bytes !== undefined && { 'content-length': String(bytes) }),
      }
      await context.show(await context.client.call('POST', path, { body, headers }))
    },
  )
}

/** By the name of a file, packed or not. */
function formatOf(file: string): string {
  const name = file.replace(/\.(gz|zst|zstd)$/i, '')
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson'
  return /\.(msgpack|mp)$/i.test(name) ? 'msgpack' : 'csv'
}

const mediaTypes: Readonly<Record<string, string>> = { ndjson: NDJSON, msgpack: MSGPACK }

function recordPath([namespace = '', set = '', key = '']: readonly string[]): string {
  const within = set === '' ? '' : `/sets/${part(set)}`
  return `/api/v1/namespaces/${part(namespace)}${within}/records/${part(key)}`
}

async function lines(context: Context, path: string, body: string, accept: string): Promise<void> {
  const headers = { accept, 'content-type': JSON_TYPE }
  await context.pass(await context.client.open('POST', path, { body, headers }), NDJSON, JSON_TYPE)
}

/** A request that was typed, or standard input. */
async function requestOf(given: string, what: string): Promise<string> {
  return jsonText(given === '-' ? await text(process.stdin) : given, what)
}

async function openFile(path: string): Promise<[Readable, number?]> {
  if (path === '-') return [process.stdin]
  try {
    const found = await stat(path)
    if (found.isDirectory()) throw new Error('it is a directory')
    const file = createReadStream(path)
    // A pipe has no length.
    return found.isFile() ? [file, found.size] : [file]
  } catch (error) {
    throw inputFailure(`${path} cannot be read: ${(error as Error).message}`)
  }
}
