// The history of metrics: what it answers, what a start does with files that it cannot read.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MetricsFrame } from '../../src/schemas/server/metrics.js'
import type { Status } from '../../src/schemas/server/status.js'
import { useGateway } from '../gateway.js'

/** A file of a later version: its header is whole to nobody, and its name is ours. */
const later = Buffer.concat([Buffer.from('TESSHIST'), Buffer.from([3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])])

const gateway = useGateway({}, undefined, async (directory) => {
  await mkdir(join(directory, 'history'))
  await writeFile(join(directory, 'history', '00001-0000000000000001'), later)
})

interface History {
  items: MetricsFrame[]
  stepSeconds: number
}

const range = (query = ''): Promise<History> => gateway().ok<History>(`GET /api/v1/metrics/history?${query}`)

test('files that cannot be read are told, and nothing fails', async () => {
  const { healthy, history, gatewayNotices, startedAt } = await gateway().ok<Status>('GET /api/v1/status')
  expect(history).toMatchObject({ damaged: 0, mostBytes: 256 * 2 ** 20 })
  expect(history.unreadable).toEqual([
    expect.stringContaining('it has version 3, and this build reads versions 1 to 2'),
  ])
  expect({ healthy, gatewayNotices }).toMatchObject({
    healthy: true,
    gatewayNotices: [
      {
        code: 'history_damaged',
        message: expect.stringContaining('is not shown, and can be a gap in charts: ') as string,
        since: startedAt,
      },
    ],
  })
})

test('frames have the sizes of namespaces, and the sums of longer steps are those of seconds', async () => {
  await gateway().memoryNamespace('shop')
  for (const key of ['a', 'b', 'c']) await gateway().put(`shop/sets/s/records/${key}`, { text: 'x'.repeat(100) })
  await expect
    .poll(async () => (await range('step=1s')).items.at(-1)?.sizes)
    .toMatchObject([{ namespace: 'shop', records: 3 }])
  const to = (await range('step=1s')).items.at(-1)?.time
  const puts = async (step: string): Promise<number[][]> => {
    const { items } = await range(`step=${step}&to=${to}&namespace=shop&op=put`)
    const series = items.flatMap(({ latency }) => latency).filter(({ side }) => side === 'engine')
    return [['count', 'sumNs', 'maxNs'].map((name) => series.reduce((sum, one) => sum + one[name as 'count'], 0))]
  }
  const [[count = 0, sum = 0] = []] = await puts('1s')
  expect(count).toBe(3)
  for (const step of ['5s', '1m', '10m', '1h']) expect((await puts(step))[0]?.slice(0, 2)).toEqual([count, sum])
})

test.each([
  ['1s', 1],
  ['1001ms', 2],
  ['1499ms', 2],
  ['2499ms', 3],
  ['61499ms', 62],
])('a step of %s is answered in steps of %d s', async (step, seconds) => {
  expect((await range(`step=${step}`)).stepSeconds).toBe(seconds)
})

test('30 days are read in one answer, and what is too much is refused', async () => {
  const from = new Date(Date.now() - 30 * 86_400_000).toISOString()
  const month = await range(`from=${from}`)
  expect(month.stepSeconds).toBe((30 * 86_400) / 300)
  expect(month.items.length).toBeGreaterThan(0)
  const refused = await gateway().send(`GET /api/v1/metrics/history?from=${from}&step=10s`)
  expect(refused.json()).toMatchObject({ code: 'field_invalid', field: 'step' })
})

test.each([
  'metrics/history?from=2026-11-26T23:59:60Z',
  'metrics/history?to=0000-01-01T00:00:00Z',
  'jobs?from=2026-11-26T23:59:60Z',
  'slow?until=2026-11-26T23:59:60Z',
])('%s has a time that cannot be read', async (path) => {
  const refused = await gateway().send(`GET /api/v1/${path}`)
  expect([refused.status, refused.json()]).toMatchObject([400, { code: 'field_invalid' }])
})
