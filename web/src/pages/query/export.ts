import { send } from '../../api/http'

export type ExportFormat = 'ndjson' | 'csv'

const types: Record<ExportFormat, string> = { ndjson: 'application/x-ndjson', csv: 'text/csv' }

interface Options {
  format: ExportFormat
  signal: AbortSignal
  onBytes: (bytes: number) => void
}

/** Asks once more, for the whole result, and answers with the file: the browser keeps a large one on disk. */
export async function exportQuery(path: string, body: string, { format, signal, onBytes }: Options): Promise<Blob> {
  const type = types[format]
  const headers = { 'Content-Type': 'application/json', Accept: type }
  const response = await send('POST', path, { headers, body, signal })
  let bytes = 0
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.length
      onBytes(bytes)
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body?.pipeThrough(counting), { headers: { 'Content-Type': type } }).blob()
}
