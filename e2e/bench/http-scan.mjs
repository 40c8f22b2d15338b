// A scan streamed to curl as NDJSON: bytes a second on loopback, memory of the gateway meanwhile, and which of its threads
// the time goes to. The gateway and curl are processes of their own and share the processors.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway } from './gateway.mjs'

const namespace = 'bench'
const batch = 10_000

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('./gateway.mjs').Gateway} Gateway */

/**
 * @param {string} scratch
 * @param {string[]} options `--records <n>`, `--rounds <n>`, `--threads <n>`, `--cpu-prof <directory>`
 * @returns {Promise<Figures>}
 */
export async function httpScan(scratch, options) {
  const records = option(options, '--records', 1_500_000)
  const rounds = option(options, '--rounds', 5)
  const threads = option(options, '--threads', 2)
  const profile = options.indexOf('--cpu-prof')
  const nodeOptions = profile < 0 ? [] : ['--cpu-prof', `--cpu-prof-dir=${options[profile + 1]}`]
  const gateway = await startGateway(scratch, nodeOptions)
  try {
    await fill(gateway, records)
    const restBytes = resident(gateway, 'VmRSS')
    /** @type {Figures[]} */
    const runs = []
    for (let round = 0; round < rounds; round += 1) {
      runs.push(await scan(gateway, join(scratch, 'head'), records, threads))
      console.error(`round ${round + 1} of ${rounds}: ${JSON.stringify(runs.at(-1))}`)
    }
    return {
      ...medians(runs),
      records,
      restMiB: restBytes / 2 ** 20,
      peakMiB: Math.max(...runs.map(({ peakMiB = 0 }) => peakMiB)),
      afterMiB: resident(gateway, 'VmRSS') / 2 ** 20,
    }
  } finally {
    await gateway.stop()
  }
}

/** Orders: some 400 bytes as a line, of ten bins of all sorts. @param {number} n */
function order(n) {
  const items = [1, 2].map((line) => ({
    sku: `SKU-${(n * 7919 * line) % 99991}`,
    quantity: (n % 5) + line,
    price: ((n * 31) % 9973) / 100,
  }))
  return {
    key: `order-${n}`,
    bins: {
      customer: (n * 2654435761) % 1_000_003,
      state: ['placed', 'paid', 'sent', 'delivered', 'returned'][n % 5],
      total: ((n * 37) % 99_991) / 100,
      paid: n % 3 > 0,
      placed_at: 1_700_000_000_000 + n * 61_000,
      country: ['DE', 'FR', 'NL', 'PL', 'ES', 'IT'][n % 6],
      note: n % 4 === 0 ? 'Please leave it with the neighbours at number 12, "Müller".' : '',
      tags: ['web', `campaign-${n % 40}`],
      items,
      address: { street: `${n % 300} Long Street`, city: 'Springfield', zip: `${10_000 + (n % 80_000)}` },
    },
  }
}

/** @param {Gateway} gateway @param {number} records */
async function fill(gateway, records) {
  await sent(gateway, '', 'application/json', JSON.stringify({ name: namespace, storage: { engine: 'memory' } }))
  for (let first = 0; first < records; first += batch) {
    let lines = ''
    for (let n = first; n < Math.min(first + batch, records); n += 1) lines += `${JSON.stringify(order(n))}\n`
    await sent(gateway, `/${namespace}/sets/orders/records`, 'application/x-ndjson', lines)
  }
}

/** @param {Gateway} gateway @param {string} path @param {string} type @param {string} body */
async function sent({ url, token }, path, type, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  const response = await fetch(`${url}/api/v1/namespaces${path}`, { method: 'POST', headers, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
}

/** One scan, and what it took. @param {Gateway} gateway @param {string} head @param {number} records @param {number} threads @returns {Promise<Figures>} */
async function scan(gateway, head, records, threads) {
  writeFileSync(`/proc/${gateway.pid}/clear_refs`, '5') // the peak is of this scan
  const before = processor(gateway)
  const [bytes, seconds] = await curl(gateway, head, threads)
  const after = processor(gateway)
  const returned = await returnedBy(gateway, head)
  if (returned !== records) throw new Error(`the scan returned ${returned} of ${records} records`)
  return {
    megabytesPerSecond: bytes / seconds / 1e6,
    recordsPerSecond: records / seconds,
    bytesARecord: bytes / records,
    mainThreadShare: (after.main - before.main) / seconds,
    otherThreadsShare: (after.others - before.others) / seconds,
    peakMiB: resident(gateway, 'VmHWM') / 2 ** 20,
  }
}

/** @param {Gateway} gateway @param {string} head @param {number} threads @returns {Promise<[number, number]>} bytes of the body, and seconds */
function curl({ url, token }, head, threads) {
  const headers = [`authorization: Bearer ${token}`, 'content-type: application/json', 'accept: application/x-ndjson']
  const options = ['-sNf', '-o', '/dev/null', '-D', head, '-w', '%{size_download} %{time_total}']
  const body = ['-d', JSON.stringify({ threads })]
  const target = `${url}/api/v1/namespaces/${namespace}/scan`
  const child = spawn('curl', [...options, ...headers.flatMap((line) => ['-H', line]), ...body, target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (text += chunk))
    child.once('error', reject)
    child.once('close', (code) => {
      const [bytes, seconds] = text.split(' ').map(Number)
      if (code !== 0 || bytes === undefined || seconds === undefined)
        return reject(new Error(`curl ended with ${code}`))
      resolve([bytes, seconds])
    })
  })
}

/** Records that the job of the scan says it returned. @param {Gateway} gateway @param {string} head */
async function returnedBy({ url, token }, head) {
  const id = /^x-job-id: (\S+)/im.exec(readFileSync(head, 'utf8'))?.[1]
  const response = await fetch(`${url}/api/v1/jobs/${id}`, { headers: { authorization: `Bearer ${token}` } })
  const { result } = /** @type {{ result?: { returned: number } }} */ (await response.json())
  return result?.returned
}

/** Bytes, as the kernel counts them. @param {Gateway} gateway @param {'VmRSS' | 'VmHWM'} field */
function resident({ pid }, field) {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) * 1024
}

/** Seconds of processor time that the JavaScript thread and all the others have had. @param {Gateway} gateway */
function processor({ pid }) {
  const spent = { main: 0, others: 0 }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    // The first figure is nanoseconds on a processor.
    const seconds = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e9
    spent[Number(thread) === pid ? 'main' : 'others'] += seconds
  }
  return spent
}

/** @param {Figures[]} runs @returns {Figures} */
function medians(runs) {
  const middle = (/** @type {number[]} */ values) =>
    values.sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0
  return Object.fromEntries(Object.keys(runs[0] ?? {}).map((name) => [name, middle(runs.map((run) => run[name] ?? 0))]))
}

/** @param {string[]} options @param {string} name @param {number} otherwise */
function option(options, name, otherwise) {
  const at = options.indexOf(name)
  return at < 0 ? otherwise : Number(options[at + 1])
}
