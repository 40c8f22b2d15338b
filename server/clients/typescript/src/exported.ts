// The records of an export as an iterator that goes on where its connection broke off.
import type { Client } from './client.js'
import { linesOf } from './lines.js'
import type { Args } from './operation.js'
import { exportRecords } from './operations.gen.js'
import { ApiProblem } from './problem.js'
import { LONGEST_WAIT_MS, RETRIES_DEFAULT, waitBefore, waitFor } from './retry.js'
import type { components } from './schema.gen.js'

type Query = NonNullable<Args<'exportRecords'>['query']>

export interface ExportOptions {
  path: { ns: string }
  query?: Pick<Query, 'set' | 'where' | 'columns' | 'threads'>
  signal?: AbortSignal
  /** How often it goes on without a record in between. Default: 4. */
  retries?: number
  /** Waits before it goes on, or rejects once the signal is aborted. */
  wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** A record, or what stands for one that cannot be read. */
export type Exported =
  | components['schemas']['DataRecord']
  | { error: { code: string; message: string; set: string; digest: string } }

/**
 * Yields each record of a namespace or a set. If the connection breaks off, it goes on behind the last record. Each record
 * that nobody writes meanwhile comes exactly once.
 *
 * @throws ApiProblem if the server refuses, or breaks off too often; `cursor_invalid` if the namespace was replaced
 */
export async function* exported(client: Client, options: ExportOptions): AsyncGenerator<Exported, void, undefined> {
  const { path, query, signal, retries = RETRIES_DEFAULT, wait = waitFor } = options
  let begun: { after?: string; exportId?: string } = {}
  for (let again = 0; ; again += 1) {
    try {
      const asked = { path, query: { ...query, ...begun, format: 'ndjson', resumable: true } as const }
      const response = await client.open(exportRecords, { ...asked, ...(signal && { signal }) })
      const exportId = response.headers.get('x-export-id') ?? undefined
      for await (const record of linesOf<Exported>(response, signal)) {
        again = 0
        const { digest } = 'error' in record ? record.error : record
        begun = { after: digest, ...(exportId !== undefined && { exportId }) }
        yield record
      }
      return
    } catch (error) {
      if (!(error instanceof ApiProblem) || !isBroken(error) || again >= retries) throw error
    }
    await wait(waitBefore(again, LONGEST_WAIT_MS, 0), signal)
  }
}

/** The connection, or the server, ended before the work did. */
const isBroken = ({ status, code, retryable }: ApiProblem): boolean =>
  status === 0 ? retryable || code === 'closed' || code === 'aborted' || code === 'reader_stalled' : retryable
