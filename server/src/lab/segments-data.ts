// The entries of experiment segments, sent where a client that routes sends them: to the nodes that own their segments.
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { ImportReport } from '../schemas/load.js'
import type { Segment } from '../schemas/namespaces.js'
import type { Bench } from './experiment.js'
import { inNamespace } from './namespace.js'

const SET = 'entries'
const NDJSON = 'application/x-ndjson'
const STRING_KEY = 3
/** The low 12 bits of a digest's first two bytes, little-endian, are its partition. */
const PARTITION_MASK = 0xfff
/** Entries between two looks at what else there is to do. */
const BREATH = 5000
/** Lines that are sent together. */
const CHUNK = 500

const keyOf = (entry: number): string => `entry-${entry}`

/** Of a record with a string as key; see `docs/internals/memory.md`. */
function digestOf(set: string, key: string): Buffer {
  return createHash('ripemd160').update(set).update(Uint8Array.of(STRING_KEY)).update(key).digest()
}

/** The segment of each entry. */
export async function segmentsOf(entries: number, segments: number): Promise<Uint16Array> {
  const found = new Uint16Array(entries)
  for (let entry = 0; entry < entries; entry += 1) {
    found[entry] = (digestOf(SET, keyOf(entry)).readUInt16LE(0) & PARTITION_MASK) % segments
    if (entry % BREATH === 0) await setImmediate()
  }
  return found
}

/** @throws Error where the server computes other digests: entries would go to nodes that do not own them */
export async function checkDigests(bench: Bench): Promise<void> {
  await inNamespace(bench, 'probe', { storage: { engine: 'memory' }, segments: 1 }, async (namespace) => {
    const place = `/namespaces/${namespace}/sets/${SET}/records/${keyOf(0)}`
    const { digest } = await bench.api.call<{ digest: string }>('PUT', place, { value: 0 })
    const own = digestOf(SET, keyOf(0)).toString('hex')
    if (digest !== own) throw new Error(`the digest of ${keyOf(0)} in ${SET} is ${digest}, and not ${own}`)
  })
}

/**
 * Loads a node's namespace with the entries that it owns, by its own map.
 *
 * @returns how many of them are in segments of which it is primary
 * @throws CallError, the reason of the signal, or Error where the node counts otherwise
 */
export async function loadOwned(
  bench: Bench,
  namespace: string,
  node: number,
  segments: Uint16Array,
  valueBytes: number,
): Promise<number> {
  const { items } = await bench.api.call<{ items: Segment[] }>('GET', `/namespaces/${namespace}/segments?limit=4096`)
  const owned = new Set<number>()
  const primary = new Set<number>()
  for (const { segment, owners = [] } of items) {
    if (owners.includes(node)) owned.add(segment)
    if (owners[0] === node) primary.add(segment)
  }
  const count = (of: ReadonlySet<number>): number => segments.reduce((sum, segment) => sum + Number(of.has(segment)), 0)
  const [own, first] = [count(owned), count(primary)]
  const lines = Readable.from(linesOf(bench, segments, owned, valueBytes))
  const report = await bench.api.upload<ImportReport>(`/namespaces/${namespace}/import?set=${SET}`, NDJSON, lines)
  if (report.inserted !== own) throw new Error(`of ${own} entries node ${node} stored ${report.inserted}`)
  const { records } = await bench.api.call<{ records: number }>('GET', `/namespaces/${namespace}/size`)
  if (records !== first) throw new Error(`node ${node} is primary of ${first} entries, and counts ${records}`)
  return first
}

function* linesOf(
  { signal }: Bench,
  segments: Uint16Array,
  owned: ReadonlySet<number>,
  valueBytes: number,
): Generator<string> {
  const value = JSON.stringify({ $bytes: randomBytes(valueBytes).toString('base64') })
  let lines: string[] = []
  for (const [entry, segment] of segments.entries()) {
    if (!owned.has(segment)) continue
    lines.push(`{"key":"${keyOf(entry)}","bins":{"value":${value}}}\n`)
    if (lines.length < CHUNK) continue
    signal.throwIfAborted()
    yield lines.join('')
    lines = []
  }
  yield lines.join('')
}
