import { waitJob } from '../../api/actions'
import { send } from '../../api/client'
import { type FileFormat, mediaTypes } from '../../api/export-path'
import type { CsvLeftOut } from '../../api/types'

/** A query answers `application/msgpack` as one value. */
const types: Readonly<Record<FileFormat, string>> = { ...mediaTypes, msgpack: 'application/msgpack-seq' }

interface Options {
  format: FileFormat
  signal: AbortSignal
  onBytes: (bytes: number) => void
}

export interface Exported {
  file: Blob
  /** the job of the export; it reports values missing from the file */
  jobId: string | undefined
}

/** Runs the request for the whole result. Returns the file; the browser keeps a large one on disk. */
export async function exportQuery(path: string, body: string, { format, signal, onBytes }: Options): Promise<Exported> {
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
  const whole = new Response(response.body?.pipeThrough(counting), { headers: { 'Content-Type': type } })
  return { file: await whole.blob(), jobId: response.headers.get('X-Job-Id') ?? undefined }
}

/** Values missing from a CSV file. The job reports them, because a page cannot read trailers. */
export async function leftOutOf(jobId: string): Promise<CsvLeftOut | undefined> {
  const { result } = await waitJob(jobId)
  return result?.['csvLeftOut'] as CsvLeftOut | undefined
}
