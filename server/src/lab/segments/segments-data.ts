// The entries of experiment segments. Like a routing client, it sends each entry to the nodes that own its segment.
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { ImportReport } from '../../schemas/load/import.js'
import type { Segment } from '../../schemas/namespaces/namespaces.js'
import type { Bench } from '../experiment.js'
import { inNamespace } from '../measure/namespace.js'

const SET = 'entries'
const NDJSON = 'application/x-ndjson'
const STRING_KEY = 3
/** The low 12 bits of a digest's first two bytes, little-endian, are its partition. */
const PARTITION_MASK = 0xfff
/** Entries between two pauses for other work. */
const BREATH = 5000
/** Lines per request. */
const CHUNK = 500

const keyOf = (entry: number): string => `entry-${entry}`

/** Digest of a record with a string key; see `docs/internals/memory.md`. */
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

/** @throws Error if the server computes other digests, because entries would go to the wrong nodes */
export async function checkDigests(bench: Bench): Promise<void> {
  await inNamespace(bench, 'probe', { storage: { engine: 'memory' }, segments: 1 }, async (namespace) => {
    const place = `/namespaces/${namespace}/sets/${SET}/records/${keyOf(0)}`
    const { digest } = await bench.api.call<{ digest: string }>('PUT', place, { value: 0 })
    const own = digestOf(SET, keyOf(0)).toString('hex')
    if (digest !== own) throw new Error(`the digest of ${keyOf(0)} in ${SET} must be ${own}, got ${digest}`)
  })
}

/**
 * Loads the entries that a node owns, by its own map, into its namespace.
 *
 * @returns the number of entries in segments this node is the primary owner of
 * @throws CallError, the reason of the signal, or Error if the node counts differently
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
  if (report.inserted !== own) throw new Error(`node ${node} stored ${report.inserted} of ${own} entries`)
  const { records } = await bench.api.call<{ records: number }>('GET', `/namespaces/${namespace}/size`)
  if (records !== first) throw new Error(`node ${node} is the primary owner of ${first} entries, but counts ${records}`)
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
