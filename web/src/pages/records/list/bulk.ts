import { send } from '../../../api/client'
import { ApiProblem, problemText } from '../../../api/problem'
import { deleteRecord } from '../../../records/client'
import { type Exact, isExactObject, parseExact, printExact } from '../../../records/json'
import { recordPath, recordsPath } from '../../../records/key'
import type { Chosen } from './use-selection'

/** Records of one batch. */
const BATCH = 500
/** Deletions on their way at once. */
const AT_ONCE = 6

/** Why a record stayed as it was. */
export interface Failure {
  digest: string
  key: string
  code: string
  message: string
}

/** Where the records are, and who hears about them. */
export interface Bulk {
  ns: string
  set: string
  signal: AbortSignal
  /** `done` more records were tried, and these of them failed */
  onDone: (done: number, failures: readonly Failure[]) => void
}

/** What concerns all records alike, such as a server that is gone: the others are not tried. */
const isForAll = (error: unknown): boolean =>
  !(error instanceof ApiProblem) || [0, 401, 403, 429, 503].includes(error.status)

function failureOf({ digest, key }: Chosen, error: unknown): Failure {
  const known = error instanceof ApiProblem
  return {
    digest,
    key: key.text,
    code: known ? error.code : 'failed',
    message: problemText(error),
  }
}

/**
 * Deletes each record that still has the generation that was selected, a few at a time. A batch would delete what
 * somebody has changed since.
 */
export async function deleteEach(chosen: readonly Chosen[], bulk: Bulk): Promise<void> {
  const { ns, set } = bulk
  await eachOf(chosen, bulk, ({ key, generation }) => deleteRecord(ns, set, key, `"${generation}"`))
}

/** Sets one bin of each record, or removes it (`value` null). The other bins and the time to live stay. */
export async function editEach(chosen: readonly Chosen[], bin: string, value: Exact, bulk: Bulk): Promise<void> {
  const { ns, set, signal, onDone } = bulk
  const bins = { [bin]: value }
  const keyed = chosen.filter(({ stored }) => stored !== undefined)
  for (let at = 0; at < keyed.length; at += BATCH) {
    if (signal.aborted) return
    const part = keyed.slice(at, at + BATCH)
    const body = part.map(({ stored }) => `${printExact({ key: stored ?? null, bins })}\n`).join('')
    const response = await send('POST', `${recordsPath(ns, set)}?exists=update`, {
      headers: { 'Content-Type': 'application/x-ndjson' },
      body,
      signal,
    })
    onDone(part.length, rejectsOf(parseExact(await response.text()), part))
  }
  // A batch names records by their keys. Those without one are changed one by one.
  const others = chosen.filter(({ stored }) => stored === undefined)
  await eachOf(others, bulk, async ({ key, generation }) => {
    await send('PATCH', recordPath(ns, set, key), {
      headers: { 'Content-Type': 'application/json', 'If-Match': `"${generation}"` },
      body: printExact(bins),
    })
  })
}

async function eachOf(
  chosen: readonly Chosen[],
  { signal, onDone }: Bulk,
  act: (one: Chosen) => Promise<void>,
): Promise<void> {
  const left = chosen.values()
  const work = async (): Promise<void> => {
    for (const one of left) {
      if (signal.aborted) return
      try {
        await act(one)
        onDone(1, [])
      } catch (error) {
        if (isForAll(error)) throw error
        onDone(1, [failureOf(one, error)])
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** The lines that a batch has rejected, as the records that they were. */
function rejectsOf(report: Exact, part: readonly Chosen[]): Failure[] {
  const rejected = isExactObject(report) ? report['rejected'] : undefined
  if (!Array.isArray(rejected)) return []
  return rejected.flatMap((reject) => {
    const one = isExactObject(reject) ? part[Number(reject['line']) - 1] : undefined
    if (one === undefined || !isExactObject(reject)) return []
    const { code, message } = reject
    return [{ digest: one.digest, key: one.key.text, code: String(code), message: String(message) }]
  })
}

/** The selected records as they are now, a line of JSON each, and how many are gone. */
export async function exportEach(ns: string, set: string, chosen: readonly Chosen[]) {
  const lines: string[] = []
  const keyed = chosen.filter(({ stored }) => stored !== undefined)
  for (let at = 0; at < keyed.length; at += BATCH) {
    const keys = keyed.slice(at, at + BATCH).map(({ stored }) => printExact(stored ?? null))
    const response = await send('POST', `${recordsPath(ns, set).replace(/records$/, 'read')}`, {
      headers: { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' },
      body: `[${keys.join()}]`,
    })
    lines.push(...(await response.text()).split('\n').filter((line) => line !== '' && !isMissing(line)))
  }
  for (const { key } of chosen.filter(({ stored }) => stored === undefined)) {
    try {
      lines.push(await (await send('GET', recordPath(ns, set, key))).text())
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 404) throw error
    }
  }
  return { lines, missing: chosen.length - lines.length }
}

function isMissing(line: string): boolean {
  const value = parseExact(line)
  return isExactObject(value) && value['missing'] === true
}
