import { send } from '../../api/http'
import { csvHeader, csvLine, noteBins } from '../../records/csv'

/** Lines are put together to parts of about this many characters. */
const PART = 256 * 1024

export interface Exported {
  file: Blob
  lines: number
}

interface Options {
  format: 'ndjson' | 'csv'
  signal: AbortSignal
  onLines: (lines: number) => void
}

/** Asks once more, keeps no line in memory as text, and answers with the file. */
export async function exportQuery(path: string, body: string, { format, signal, onLines }: Options): Promise<Exported> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' }
  const response = await send('POST', path, { headers, body, signal })
  const [parts, bins]: [Blob[], Set<string>] = [[], new Set()]
  let lines = 0
  // The browser keeps large blobs on disk.
  await eachPart(response.body, (rows) => {
    if (format === 'csv') for (const row of rows) noteBins(row, bins)
    parts.push(new Blob([`${rows.join('\n')}\n`]))
    lines += rows.length
    onLines(lines)
  })
  if (format === 'ndjson') return { file: new Blob(parts, { type: 'application/x-ndjson' }), lines }

  // All columns are known only now.
  const names = [...bins]
  const written = [new Blob([csvHeader(names)])]
  lines = 0
  await eachPart(new Blob(parts).stream(), (rows) => {
    signal.throwIfAborted()
    const text = rows.map((row) => csvLine(row, names)).filter((line) => line !== undefined)
    written.push(new Blob(text))
    lines += text.length
  })
  return { file: new Blob(written, { type: 'text/csv' }), lines }
}

/** Reads lines, many at a time. */
async function eachPart(stream: ReadableStream<Uint8Array> | null, take: (lines: string[]) => void): Promise<void> {
  if (stream === null) return
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    rest += decoder.decode(value, { stream: !done })
    if (!done && rest.length < PART) continue
    const lines = rest.split('\n')
    rest = done ? '' : (lines.pop() ?? '')
    const whole = lines.filter((line) => line !== '')
    if (whole.length > 0) take(whole)
    if (done) return
  }
}
