// Takes the profile of a set: two scans of the same sample, one for the bins and one for sizes and times to live.
import type { Engine, RecordStream, ScanSpec } from '../engines/engine.js'
import { GatewayError } from '../errors.js'
import type { SetProfile } from '../schemas/namespaces/profiles.js'
import { SampleStats } from './sample-stats.js'
import { bucketsOf, binProfileOf } from './view.js'
import { say } from '../sentences/sentence.js'

/** A sample beyond one of these ends early. */
const BYTES_MAX = 64 * 1024 * 1024
const TIME_MAX_MS = 10_000
/** A share brings about as many records as wanted, hardly ever twice as many. */
const RECORDS_FACTOR = 2
const RECORDS_SPARE = 100
/** Profiles at work at once. */
const AT_ONCE = 2

const NEWLINE = 0x0a
const KIB = 1024
const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]
const SIZES = [0, 64, 256, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, KIB * KIB]
const LIVES = [0, MINUTE, HOUR, DAY, 7 * DAY, 30 * DAY, 365 * DAY]
/** Beyond any size and life. */
const FAR = 2 ** 40

export interface Wanted {
  namespace: string
  /** Empty: records without a set. Undefined: all. */
  set: string | undefined
  sample: number
  seed: number
  threads: number
}

/** What a profile needs of the request that asks for it. */
export interface Around {
  /** Starts a scan that ends if the client goes. */
  open: (start: () => Promise<RecordStream>) => Promise<RecordStream>
  giveWay: (bytes: number) => Promise<void> | undefined
  /** Whether the engine of a namespace counts its records. */
  isCounted: (namespace: string) => Promise<boolean>
}

type Sampling = Pick<SetProfile['sample'], 'method' | 'share' | 'seed' | 'of'>
type Stopped = NonNullable<SetProfile['sample']['stopped']>

let atWork = 0

/** @throws `too_many_streams`, `set_not_found`, and as a scan */
export async function takeProfile(engine: Engine, wanted: Wanted, around: Around): Promise<SetProfile> {
  if (atWork >= AT_ONCE)
    throw new GatewayError(
      'too_many_streams',
      say('{count} profiles are being made; wait until one ends', { count: AT_ONCE }),
    )
  atWork += 1
  try {
    return await profileOf(engine, wanted, around)
  } finally {
    atWork -= 1
  }
}

async function profileOf(engine: Engine, wanted: Wanted, around: Around): Promise<SetProfile> {
  const { namespace, set } = wanted
  const began = performance.now()
  const at = new Date().toISOString()
  const sampling = await samplingOf(engine, wanted, around.isCounted)
  const spec = scanOf(wanted, sampling)
  const stats = new SampleStats()
  const read = await readSample(
    stats,
    await around.open(() => engine.scan(namespace, spec)),
    wanted.sample,
    around,
    began,
  )
  const figures = await figuresOf(await around.open(() => engine.scan(namespace, { ...spec, aggregate: FIGURES })))
  const total = Math.max(sampling.of, stats.records)
  const scale = { sampled: stats.records - stats.tooLarge, total }
  return {
    namespace,
    ...(set !== undefined && { set }),
    at,
    sample: {
      ...sampling,
      of: total,
      records: stats.records,
      damaged: stats.damaged,
      tooLarge: stats.tooLarge,
      ...read,
      elapsedMs: Math.round((performance.now() - began) * 10) / 10,
    },
    bins: stats.bins().map((bin) => binProfileOf(bin, scale)),
    otherBins: stats.otherBins,
    sizes: bucketsOf(SIZES, countsOf(SIZES, figures.sizes)),
    lives: { never: figures.lives.missing ?? 0, buckets: bucketsOf(LIVES, countsOf(LIVES, figures.lives)) },
  }
}

/** A share of a set of known size, and the first records of one that only a scan could count. */
async function samplingOf(engine: Engine, wanted: Wanted, isCounted: Around['isCounted']): Promise<Sampling> {
  const { sample, seed } = wanted
  const of = await recordsOf(engine, wanted, isCounted)
  if (of === undefined) return { method: 'first', of: 0 }
  if (of <= sample) return { method: 'all', of }
  return { method: 'share', share: Math.min(1, Math.ceil((sample / of) * 1e9) / 1e9), seed, of }
}

/** Undefined: nobody has counted them. */
async function recordsOf(
  engine: Engine,
  { namespace, set }: Wanted,
  isCounted: Around['isCounted'],
): Promise<number | undefined> {
  // Asked first: it refuses those who may not read the set.
  const found = set === undefined || set === '' ? undefined : await engine.set(namespace, set)
  if (!(await isCounted(namespace))) return undefined
  return found?.records ?? engine.size(namespace, set)
}

function scanOf({ set, sample, threads }: Wanted, { method, share = 1, seed = 0 }: Sampling): ScanSpec {
  return {
    ...(set !== undefined && { set }),
    threads,
    shape: 'record',
    ...(method === 'share' && { sample: { share, seed } }),
    ...(method === 'first' && { sample: { first: sample } }),
  }
}

async function readSample(
  stats: SampleStats,
  stream: RecordStream,
  wanted: number,
  { giveWay }: Around,
  began: number,
): Promise<{ bytes: number; stopped?: Stopped }> {
  const most = wanted * RECORDS_FACTOR + RECORDS_SPARE
  let bytes = 0
  for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) {
    for (const line of linesOf(chunk)) {
      // A line is long at times, so the loop has its turn after each.
      await giveWay(line.length)
      bytes += line.length
      stats.add(line)
      const stopped = boundOf({ records: stats.records >= most, bytes: bytes >= BYTES_MAX, began })
      if (stopped === undefined) continue
      stream.abort()
      return { bytes, stopped }
    }
  }
  return { bytes }
}

function boundOf({ records, bytes, began }: { records: boolean; bytes: boolean; began: number }): Stopped | undefined {
  if (records) return 'records'
  if (bytes) return 'bytes'
  return performance.now() - began >= TIME_MAX_MS ? 'time' : undefined
}

function* linesOf(chunk: Buffer): Generator<Buffer> {
  for (let at = 0; at < chunk.length;) {
    const newline = chunk.indexOf(NEWLINE, at)
    const end = newline === -1 ? chunk.length : newline
    if (end > at) yield chunk.subarray(at, end)
    at = end + 1
  }
}

const FIGURES = Buffer.from(
  JSON.stringify({
    sizes: { op: 'histogram', meta: 'size', bounds: [...SIZES, FAR] },
    lives: { op: 'histogram', meta: 'ttl', bounds: [...LIVES, FAR] },
  }),
)

interface Counted {
  buckets: readonly { from: number; count: number }[]
  missing?: number
}

async function figuresOf(stream: RecordStream): Promise<{ sizes: Counted; lives: Counted }> {
  const chunks: Buffer[] = []
  for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString()) as { sizes: Counted; lives: Counted }
}

function countsOf(bounds: readonly number[], { buckets }: Counted): number[] {
  const at = new Map(buckets.map(({ from, count }) => [from, count]))
  return bounds.map((from) => at.get(from) ?? 0)
}
