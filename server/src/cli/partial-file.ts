// The last whole row of a file that an export was written to. An export can go on behind it.
import { type FileHandle, open } from 'node:fs/promises'
import { unpack } from '../msgpack/decode.js'
import { Walk } from '../msgpack/walk.js'
import { inputFailure } from './failure.js'

export type Format = 'ndjson' | 'csv' | 'msgpack'

export interface LastRow {
  /** Bytes up to the end of it. Undefined fields: there is no whole row. */
  bytes: number
  /** The parameters with which an export goes on behind it. */
  after?: Record<string, string>
}

interface Piece {
  from: number
  to: number
}

const PIECE = 1024 * 1024
const [NEWLINE, QUOTE] = ['\n', '"'].map((character) => character.charCodeAt(0)) as [number, number]
const METADATA = '$key'

/**
 * @param columns CSV: those that the export was asked for
 * @throws CliFailure `input_invalid` if the file is no export in this format
 */
export async function lastRowOf(path: string, format: Format, columns?: string): Promise<LastRow> {
  const file = await open(path, 'r')
  try {
    return await { ndjson: lastLine, csv: (from: FileHandle) => lastCells(from, columns), msgpack: lastValue }[format](
      file,
    )
  } finally {
    await file.close()
  }
}

const NONE: LastRow = { bytes: 0 }

async function lastLine(file: FileHandle): Promise<LastRow> {
  let end = await newlineBefore(file, (await file.stat()).size)
  while (end !== undefined) {
    const before = await newlineBefore(file, end)
    const from = before === undefined ? 0 : before + 1
    const digest = digestIn(parsed((await read(file, { from, to: end })).toString()))
    if (digest !== undefined) return { bytes: end + 1, after: { after: digest } }
    // The line of a server that gave up.
    end = before
  }
  return NONE
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw foreign('a line is no JSON')
  }
}

/** Where the last newline before an offset is. */
async function newlineBefore(file: FileHandle, end: number): Promise<number | undefined> {
  for (let to = end; to > 0; to -= PIECE) {
    const from = Math.max(to - PIECE, 0)
    const at = (await read(file, { from, to })).lastIndexOf(NEWLINE)
    if (at !== -1) return from + at
  }
  return undefined
}

async function read(file: FileHandle, { from, to }: Piece): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from)
  return buffer.subarray(0, bytesRead)
}

async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer> {
  const { size } = await file.stat()
  for (let from = 0; from < size; from += PIECE) yield read(file, { from, to: Math.min(from + PIECE, size) })
}

/** A row has its digest; a record that could not be read has it in `error`. */
function digestIn(row: unknown): string | undefined {
  const { digest, error } = (row ?? {}) as { digest?: unknown; error?: { digest?: unknown } }
  const found = digest ?? error?.digest
  return typeof found === 'string' ? found : undefined
}

async function lastValue(file: FileHandle): Promise<LastRow> {
  const walk = new Walk()
  for await (const piece of piecesOf(file)) walk.step(piece)
  for (const [from, to] of [walk.last, walk.lastButOne]) {
    const digest = to === 0 ? undefined : digestIn(unpack(await read(file, { from, to })))
    if (digest !== undefined) return { bytes: to, after: { after: digest } }
  }
  return NONE
}

async function lastCells(file: FileHandle, columns: string | undefined): Promise<LastRow> {
  let [quoted, at] = [false, 0]
  let head: Piece | undefined
  let last: Piece | undefined
  for await (const piece of piecesOf(file)) {
    for (let place = 0; place < piece.length; place += 1) {
      const byte = piece[place]
      at += 1
      if (byte === QUOTE) quoted = !quoted
      if (byte !== NEWLINE || quoted) continue
      if (head === undefined) head = { from: 0, to: at }
      else last = { from: last?.to ?? head.to, to: at }
    }
  }
  if (head === undefined || last === undefined) return NONE
  const names = cellsOf(await read(file, head)).map(({ text }) => text)
  const [key, set] = cellsOf(await read(file, last))
  if (key === undefined) throw foreign('a row has no key')
  const metadata = names[0] === METADATA
  const own = names.slice(metadata ? 5 : 1)
  if (own.some((name) => name.includes(',')))
    throw inputFailure('a column has a comma in its name, so this table cannot be resumed: use --format ndjson')
  const after = { ...keyOf(key, metadata), ...(metadata && { afterSet: set?.text ?? '' }) }
  const others = metadata && columns === undefined ? { otherBins: 'true' } : {}
  return { bytes: last.to, after: { ...after, ...others, columns: own.join(',') } }
}

interface Cell {
  text: string
  quoted: boolean
}

/** The cells of one row with its newline. */
function cellsOf(row: Buffer): Cell[] {
  const cells = /(?:"((?:[^"]|"")*)"|([^",\n]*))[,\n]/g
  return Array.from(row.toString().matchAll(cells), ([, quoted, plain]) => ({
    text: quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
    quoted: quoted !== undefined,
  }))
}

function keyOf({ text, quoted }: Cell, escaped: boolean): Record<string, string> {
  if (!quoted && /^-?\d+$/.test(text)) return { afterKey: text, keytype: 'integer' }
  const bytes = quoted ? /^\{"bytes":"([^"]*)"\}$/.exec(text) : null
  if (bytes !== null) return { afterKey: bytes[1] ?? '', keytype: 'bytes' }
  return { afterKey: escaped && text.startsWith('\\') ? text.slice(1) : text, keytype: 'string' }
}

const foreign = (why: string) => inputFailure(`the file is no export in this format: ${why}`)
