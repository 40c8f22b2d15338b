// Clients that take the records of a set for registers: what they ask of them at random, and what they are told, as a
// history that `history.ts` checks.
import { expect } from 'vitest'
import { send, type StoredRecord } from './client.ts'
import type { Gateway } from './gateway.ts'
import type { History, Outcome, Step } from './history.ts'
import type { Random } from './random.ts'

/** A namespace, by its path, and the histories of the records of its set `r`. */
export interface Place {
  readonly path: string
  readonly keys: ReadonlyMap<string, History>
  /** A scan comes so much more rarely than a batch of reads. Default: 1, as often. */
  readonly scanOneIn?: number
}

/** What a client counts, so that no value is written twice. */
let values = 0

/** One step of a client; a read may be of all keys at once, by a batch or a scan. */
export async function act(target: Gateway, place: Place, client: number, random: Random): Promise<void> {
  const kind = random.below(20)
  if (kind === 0 || (kind === 1 && random.below(place.scanOneIn ?? 1) === 0))
    return readAll(target, place, client, kind === 0)
  const [key, history] = random.of([...place.keys])
  const step = stepOf(kind, history, random)
  const operation = history.begin(client, step)
  history.end(operation, await perform(target, `${place.path}/sets/r/records/${key}`, step))
}

function stepOf(kind: number, history: History, random: Random): Step {
  if (kind < 8) return { kind: 'read' }
  // A generation that somebody has seen lately, or one that is off.
  const seen = history.operations.findLast(({ outcome }) => outcome !== undefined && 'generation' in outcome)?.outcome
  const expected = (seen !== undefined && 'generation' in seen ? seen.generation : 1) + (random.below(8) === 0 ? 1 : 0)
  if (kind === 8) return { kind: 'delete' }
  if (kind === 9) return { kind: 'delete', expected }
  values += 1
  if (kind < 13) return { kind: 'put', value: values }
  return kind < 15 ? { kind: 'create', value: values } : { kind: 'swap', value: values, expected }
}

export async function perform(target: Gateway, path: string, step: Step): Promise<Outcome> {
  const headers: Record<string, string> = { authorization: `Bearer ${target.token}` }
  if (step.kind === 'create') headers['if-none-match'] = '*'
  if ('expected' in step && step.expected !== undefined) headers['if-match'] = `"${step.expected}"`
  const method = step.kind === 'read' ? 'GET' : step.kind === 'delete' ? 'DELETE' : 'PUT'
  const body =
    'value' in step ? JSON.stringify({ value: step.value, filling: 'x'.repeat(step.value % 3000) }) : undefined
  if (body !== undefined) headers['content-type'] = 'application/json'
  const response = await fetch(target.url + path, { method, headers, ...(body !== undefined && { body }) })
  const text = await response.text()
  if (!response.ok) return refusal(response.status, text)
  if (step.kind === 'delete') return { is: 'removed' }
  if (step.kind === 'read') return found(JSON.parse(text) as StoredRecord)
  const { generation, created } = JSON.parse(text) as { generation: number; created: boolean }
  return { is: 'written', generation, created }
}

function found({ generation, bins }: StoredRecord): Outcome {
  const { value, filling } = bins as { value: number; filling: string }
  expect(filling).toBe('x'.repeat(value % 3000))
  return { is: 'found', value, generation }
}

/** An answer that leaves open what has become of the operation. */
export class Uncertain extends Error {}

function refusal(status: number, text: string): Outcome {
  const { code } = JSON.parse(text) as { code: string }
  // Before the first write there is no set either.
  if (code === 'record_not_found' || code === 'set_not_found') return { is: 'absent' }
  if (code === 'record_exists') return { is: 'exists' }
  if (code === 'generation_mismatch') return { is: 'mismatch' }
  // A scan is aborted by an orderly stop: it has read nothing.
  if (code === 'write_uncertain' || code === 'aborted') throw new Uncertain()
  if (status === 503 || status === 507 || status === 429) return { is: 'refused' }
  throw new Error(`${status}: ${text}`)
}

async function readAll(target: Gateway, { path, keys }: Place, client: number, batch: boolean): Promise<void> {
  const reads = [...keys].map(([key, history]) => ({ key, history, read: history.begin(client, { kind: 'read' }) }))
  const response = batch
    ? await send(target, 'POST', `${path}/sets/r/read`, [...keys.keys()], 'application/x-ndjson')
    : await send(target, 'POST', `${path}/scan`, { set: 'r', threads: 2 }, 'application/x-ndjson')
  const text = await response.text()
  const lines = text.split('\n').filter((line) => line !== '')
  const rows = response.ok ? lines.map((line) => JSON.parse(line) as StoredRecord) : []
  for (const { key, history, read } of reads) {
    if (!response.ok) history.end(read, refusal(response.status, text))
    // A record that is deleted and written anew meanwhile may come twice: each is a read of its own.
    const met = rows.filter((row) => row.key === key && 'bins' in row)
    met.slice(1).forEach((row) => history.answerAgain(read, found(row)))
    if (response.ok) history.end(read, met[0] === undefined ? { is: 'absent' } : found(met[0]))
  }
}
