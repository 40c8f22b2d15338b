// Exports to standard output, or to a file that goes on where it broke off.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { CSV, MSGPACK, NDJSON, wholePieces } from '../answer.js'
import { type Context, does, jsonText, part, search } from '../context.js'
import { CliFailure, inputFailure } from '../failure.js'
import { tell } from '../output.js'
import { type Format, lastRowOf } from '../partial-file.js'

interface ExportOptions {
  set?: string
  format?: string
  columns?: string
  metadata?: boolean
  where?: string
  resume?: string
}

type Asked = Omit<ExportOptions, 'resume'>

const TYPES = [NDJSON, CSV, MSGPACK] as const

export function exportCommand(program: Command): void {
  does<ExportOptions>(
    program
      .command('export')
      .summary('print all records of a namespace or a set, to keep or to import')
      .argument('<namespace>')
      .option('--set <name>', 'only of this set')
      .option('--format <format>', 'ndjson (the default), csv or msgpack')
      .option('--columns <names>', 'columns of CSV, separated by ","')
      .option('--metadata', 'CSV with set, generation and expiry, which an import reads as the same records')
      .option('--no-metadata', 'CSV with the key and the bins alone')
      .option('--where <json>', 'only those that match this filter')
      .option('--resume <file>', 'write to this file; if that breaks off, the same command goes on'),
    async (context, { resume, ...asked }, namespace = '') => {
      if (asked.where !== undefined) jsonText(asked.where, '--where')
      if (resume === undefined) await context.pass(await begin(context, namespace, { ...asked }), ...TYPES)
      else await toFile(context, namespace, asked, resume)
    },
  )
}

function begin(context: Context, namespace: string, query: Record<string, string | boolean | undefined>) {
  const path = `/api/v1/namespaces/${part(namespace)}/export${search(query)}`
  return context.client.open('GET', path, { headers: { accept: '*/*' } })
}

/** What is kept beside a file that is not whole. */
interface Kept {
  namespace: string
  asked: Asked
  exportId: string
}

async function toFile(context: Context, namespace: string, asked: Asked, file: string): Promise<void> {
  const beside = `${file}.resume`
  const kept = await keptIn(beside)
  const size = await stat(file)
    .then(({ size: bytes }) => bytes)
    .catch(() => undefined)
  if (size !== undefined && kept === undefined)
    throw inputFailure(`${file} is there, and is no export that broke off: remove it, or name another file`)
  let from = 0
  let query: Record<string, string | boolean | undefined> = { ...asked, resumable: true }
  if (size !== undefined && kept !== undefined) {
    if (JSON.stringify([kept.namespace, kept.asked]) !== JSON.stringify([namespace, asked]))
      throw inputFailure(`${file} is of another export: give the same namespace and options, or name another file`)
    const { bytes, after } = await lastRowOf(file, (asked.format ?? 'ndjson') as Format, asked.columns)
    if (after !== undefined) {
      from = bytes
      query = { ...query, ...after, exportId: kept.exportId }
    }
    tell(after === undefined ? `${file} has no whole row: begin anew` : `go on behind byte ${from} of ${file}`)
  }
  const answer = await begin(context, namespace, query)
  // Begun at once: what has come would be lost if the connection broke first.
  const pieces = wholePieces(answer, TYPES)
  const first = pieces.next()
  first.catch(() => undefined)
  const exportId = String(answer.headers['x-export-id'] ?? '')
  await writeFile(beside, `${JSON.stringify({ namespace, asked, exportId } satisfies Kept)}\n`)
  if (size !== undefined) await truncate(file, from)
  await append(first, pieces, file)
  await rm(beside)
}

async function keptIn(path: string): Promise<Kept | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Kept
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw inputFailure(`${path} cannot be read: ${(error as Error).message}`)
  }
}

async function append(
  first: Promise<IteratorResult<Buffer>>,
  pieces: AsyncGenerator<Buffer>,
  file: string,
): Promise<void> {
  const to = createWriteStream(file, { flags: 'a' })
  const failed = new Promise<never>((_, reject) => {
    to.once('error', (error) => reject(inputFailure(`${file} cannot be written: ${error.message}`)))
  })
  failed.catch(() => undefined)
  try {
    for (let next = await first; next.done !== true; next = await pieces.next())
      if (!to.write(next.value)) await Promise.race([once(to, 'drain'), failed])
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error
    throw new CliFailure(error.code, `${error.message}; run the same command again to go on`, error.exit)
  } finally {
    to.end()
    await Promise.race([once(to, 'close'), failed])
  }
}
