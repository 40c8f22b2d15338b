import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newHome, removeHome } from '../gateway/gateway.ts'
import { byScale, scale } from '../gateway/lab-scale.ts'
import { bash } from '../gateway/shell.ts'

interface Report {
  experiment: string
  scale: string
  machine: { cpus: number; memoryBytes: number; device: string }
  rows: Record<string, string | number>[]
  claims: { id: string; says: string; value: number; unit: string; bound: number; holds: boolean }[]
}

const cwd = fileURLToPath(new URL('../..', import.meta.url))
const lab = (words: string): ReturnType<typeof bash> => bash(`npm run --silent lab -- ${words}`, { cwd })

test('tps is repeated on a gateway of its own, and its claims follow from its rows', async () => {
  const { code, stdout, stderr } = await lab(`tps --scale ${scale} --json`)
  expect(code, stderr).toBe(0)
  const report = JSON.parse(stdout) as Report
  const { machine, rows, claims } = report
  expect(report).toMatchObject({ experiment: 'tps', scale })
  expect(machine.cpus).toBeGreaterThan(0)
  expect(rows.map(({ record, durability }) => `${record} ${durability}`)).toEqual([
    '1k relaxed',
    '2k relaxed',
    '4k relaxed',
    '1k commit',
  ])
  for (const row of rows) {
    expect(row['tps']).toBeGreaterThan(0)
    expect(row['readUnder1msPct']).toBeGreaterThan(0)
    expect(row['databaseBytes']).toBeGreaterThan(byScale(5_000_000, 10_000_000))
    expect(row['steadyAttempts']).toBeGreaterThanOrEqual(1)
    expect(row['steadySeconds']).toBeGreaterThanOrEqual(1)
    expect(row['queueDepth']).toBeGreaterThan(0)
    expect(row['deviceLatencyMs']).toBeGreaterThan(0)
  }
  for (const row of rows.filter(({ steadyTps }) => Number(steadyTps) > 0)) {
    expect(row['steadySeconds']).toBeGreaterThanOrEqual(byScale(1, 2))
    expect(row['readUnder1msPct']).toBeGreaterThanOrEqual(97)
    expect(row['writeUnder1msPct']).toBeGreaterThanOrEqual(99.5)
  }
  const share = (Number(rows[0]?.['steadyTps']) / Number(rows[0]?.['tps'])) * 100
  const steady = claims.find(({ id }) => id === 'steady-share-1k')
  expect(steady?.value).toBeCloseTo(share, 2)
  expect(steady?.holds).toBe(share >= 50)
  expect(stderr).toContain(`1k, relaxed: writing ${byScale(16_000, 64_000)} records`)
})

test('set-index is repeated, and its claims follow from its rows', async () => {
  const { code, stdout, stderr } = await lab(`set-index --scale ${scale} --json`)
  expect(code, stderr).toBe(0)
  const { experiment, rows, claims } = JSON.parse(stdout) as Report
  expect(experiment).toBe('set-index')
  const ms = (storage: string, set: string, threads: number, index: string): number => {
    const wanted = { storage, set, threads, index, plan: 'auto' }
    const row = rows.find((one) => Object.entries(wanted).every(([key, value]) => one[key] === value))
    return Number(row?.['elapsedMs'])
  }
  const gain = (storage: string, set: string, threads: number): number =>
    ms(storage, set, threads, 'off') / ms(storage, set, threads, 'on')
  for (const storage of ['memory', 'device'])
    for (const set of ['A', 'B', 'C', 'F'])
      for (const threads of [4, 128])
        expect(gain(storage, set, threads), `${storage} ${set} ${threads}`).toBeGreaterThan(0)
  const small = Math.min(gain('memory', 'F', 4), gain('memory', 'F', 128))
  const claim = claims.find(({ id }) => id === 'gain-of-100')
  expect(claim?.value).toBeCloseTo(small, 2)
  expect(claim?.holds).toBe(small >= 10)
  // At smoke the smaller sets fit into blocks that are not full yet.
  const large = byScale(['A'], ['A', 'B', 'C', 'F'])
  const disk = rows.filter(
    ({ storage, outcome, set }) => storage === 'device' && outcome === 'done' && large.includes(String(set)),
  )
  expect(disk.length).toBeGreaterThan(0)
  expect(disk.filter(({ bytesRead }) => !(Number(bytesRead) > 0))).toEqual([])
  expect(stderr).toContain(`memory, A: writing ${byScale(220_000, 2_000_000)} records`)
})

test('parallel-index is repeated, and finds the rows that were generated', async () => {
  const { code, stdout, stderr } = await lab(`parallel-index --scale ${scale} --json`)
  expect(code, stderr).toBe(0)
  const { rows, claims, machine } = JSON.parse(stdout) as Report
  const of = (kind: string) => rows.filter((row) => row['kind'] === kind)
  expect(new Set(of('build').map((row) => row['rows']))).toEqual(
    new Set([1, 2, 4, 8].map((multiple) => multiple * byScale(3_100, 27_000))),
  )
  expect(of('load').map((row) => row['indexed'])).toEqual(['no', 'yes'])
  expect(of('query').map((row) => row['matches'])).toEqual(byScale([2, 1, 2, 1], [13, 2, 13, 2]))
  for (const row of rows) expect(row['elapsedMs']).toBeGreaterThan(0)
  const [plain, indexed] = of('load').map((row) => Number(row['rowsPerSecond']))
  expect(claims.find(({ id }) => id === 'indexed-load')?.value).toBeCloseTo(Number(indexed) / Number(plain), 2)
  expect(claims.some(({ id }) => id === 'speedup')).toBe(machine.cpus >= 2)
})

test('segments is repeated, and its claims follow from its rows', async () => {
  const { code, stdout, stderr } = await lab(`segments --scale ${scale} --json`)
  expect(code, stderr).toBe(0)
  const { rows, claims } = JSON.parse(stdout) as Report
  expect(rows.map(({ container, operation, threads }) => `${operation} ${threads} ${container}`)).toEqual(
    ['size 1', 'iterate 1', 'get 1', 'put 1', 'get 2', 'put 2'].flatMap((task) => [
      `${task} flat`,
      `${task} segmented`,
    ]),
  )
  for (const { operation, opsPerSecond, ratio, low, high, pairs } of rows) {
    expect(opsPerSecond, String(operation)).toBeGreaterThan(0)
    expect([Number(low) <= Number(ratio), Number(ratio) <= Number(high)], String(operation)).toEqual([true, true])
    expect(pairs).toBeGreaterThanOrEqual(16)
  }
  const ratio = (operation: string) => Number(rows.find((row) => row['operation'] === operation)?.['ratio'])
  expect(claims.map(({ id }) => id)).toEqual(expect.arrayContaining(['get', 'put']))
  for (const { id, value, bound, holds } of claims) {
    const apart = ['get', 'put'].includes(id)
    expect(value, id).toBeCloseTo(apart ? Math.abs(ratio(id) - 1) * 100 : ratio(id), 2)
    expect(holds, id).toBe(apart ? value <= bound : value >= bound)
  }
  expect(stderr).toContain('node 3 of 4: loading its entries, segmented')
})

test('page-size begins, and leaves nothing where it is interrupted', async () => {
  const data = newHome()
  const run = spawn('node', ['server/lab.mjs', 'page-size', '--data', data], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(run, 'close')
  let [said, printed] = ['', '']
  run.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  run.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (!run.killed && said.includes('16 KiB: loading 1000000 records')) run.kill('SIGINT')
  })
  try {
    expect(await ended, said).toEqual([1, null])
    expect([said.includes('lab: '), printed, readdirSync(data)]).toEqual([true, '', []])
  } finally {
    run.kill('SIGKILL')
    removeHome(data)
  }
})

test('experiments are listed, and bad arguments refused', async () => {
  expect((await lab('list')).stdout).toMatch(/^page-size\t.+\nparallel-index\t.+\nsegments\t.+\nset-index\t.+\ntps\t/)
  for (const words of ['', 'none', 'tps --scale huge', 'tps --colour', 'tps list']) {
    const refused = await lab(words)
    expect([refused.code, refused.stdout], words).toEqual([2, ''])
    expect(refused.stderr).toContain('usage: ')
  }
})
