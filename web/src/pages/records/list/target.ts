import { send } from '../../../api/client'
import { readPage } from '../../../records/client'
import { foundBody, queryPath, readFound } from '../../../records/found'
import { isExactObject, LosslessNumber, parseExact } from '../../../records/json'
import { requestBody } from '../../../records/body'
import { type Chosen, chosenOf } from './use-selection'

/** Records that are read, and then changed, before the next ones are. */
const PART = 500

/** The records that a change is for. */
export interface Target {
  /** how many there were when they were selected */
  total: number
  /** whether those that stay as they were stay selected */
  stays: boolean
  parts: (signal: AbortSignal) => AsyncIterable<readonly Chosen[]>
}

/** The records that were selected one by one. */
export const chosenTarget = (chosen: readonly Chosen[]): Target => ({
  total: chosen.length,
  stays: true,
  parts: async function* () {
    yield chosen
  },
})

/** All records of a set that pass a filter, those too that no page has shown. They are read while they are changed. */
export const wholeTarget = (ns: string, set: string, where: string, total: number): Target => ({
  total,
  stays: false,
  parts: (signal) => wholeParts(ns, set, where, signal),
})

async function* wholeParts(ns: string, set: string, where: string, signal: AbortSignal) {
  const nobody = { onPart: () => undefined, onJob: () => undefined }
  let cursor: string | undefined
  do {
    const asked = { where, by: undefined, desc: false }
    const page =
      where === ''
        ? await readPage(ns, set, PART, cursor, signal)
        : await readFound(ns, foundBody(set, asked, PART, cursor), signal, nobody)
    yield page.items.flatMap((record) => chosenOf(record) ?? [])
    cursor = page.cursor
  } while (cursor !== undefined && !signal.aborted)
}

/** How many records of a set pass a filter now. */
export async function countFound(ns: string, set: string, where: string, signal: AbortSignal): Promise<number> {
  const body = requestBody({ set }, { where, aggregate: '{"records":{"op":"count"}}' })
  const headers = { 'Content-Type': 'application/json' }
  const answer = parseExact(await (await send('POST', queryPath(ns), { headers, body, signal })).text())
  const figures = isExactObject(answer) ? answer['aggregate'] : undefined
  const records = isExactObject(figures) ? figures['records'] : undefined
  const value = isExactObject(records) ? records['value'] : undefined
  return value instanceof LosslessNumber ? Number(value.value) : 0
}
