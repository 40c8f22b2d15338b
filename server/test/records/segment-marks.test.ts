// Scans that say of each segment when its last record has come, and go on by segment.
import { describe, expect, test } from 'vitest'
import { storeCounted } from '../counted.js'
import { useGateway } from '../gateway.js'

interface Line {
  key?: number
  segmentDone?: number
}

describe('segment marks', () => {
  const gateway = useGateway({ defaultThreads: 2 })
  const scan = 'POST /api/v1/namespaces/n/scan'
  const ndjson = { accept: 'application/x-ndjson', 'content-type': 'application/json' }

  async function lines(body: object): Promise<Line[]> {
    const answer = await gateway().send(scan, {
      body: JSON.stringify({ set: 's', bins: [], ...body }),
      headers: ndjson,
    })
    expect(answer.status).toBe(200)
    return answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
  }

  const marks = (all: Line[]) => all.flatMap(({ segmentDone }) => segmentDone ?? [])
  const keys = (all: Line[]) => all.flatMap(({ key }) => key ?? [])
  const upTo = (count: number) => [...Array.from({ length: count }).keys()]
  const inOrder = (numbers: Iterable<number>) => [...numbers].toSorted((a, b) => a - b)

  test('a stream that broke half-way goes on with the segments that were not through', async () => {
    await storeCounted(gateway(), 'x'.repeat(200))
    for (const threads of [1, 4]) {
      const whole = await lines({ threads, segmentMarks: true })
      expect(inOrder(marks(whole))).toEqual(upTo(16))
      expect(inOrder(keys(whole))).toEqual(upTo(3000))

      const cut = whole.slice(0, whole.length / 2)
      const done = marks(cut)
      expect(done.length).toBeGreaterThan(0)
      expect(done.length).toBeLessThan(16)
      const rest = upTo(16).filter((segment) => !done.includes(segment))
      const others = await lines({ threads, segmentMarks: true, segments: rest })
      expect(inOrder(marks(others))).toEqual(rest)
      // What was through came whole; of the others everything comes again.
      const again = new Set(keys(others))
      expect(again.size).toBe(keys(others).length)
      const kept = keys(cut).filter((key) => !again.has(key))
      expect(inOrder([...kept, ...again])).toEqual(upTo(3000))
    }
  })

  test('they stand behind the records of their segments', async () => {
    const whole = await lines({ threads: 1, segmentMarks: true })
    const [first, second] = [whole.findIndex((line) => line.segmentDone !== undefined), whole.at(-1)]
    expect(second?.segmentDone).toBeDefined()
    const segment = whole[first]?.segmentDone ?? -1
    expect(inOrder(keys(await lines({ segments: [segment] })))).toEqual(inOrder(keys(whole.slice(0, first))))
  })

  test('batches by cursor bring each key once', async () => {
    const { ok } = gateway()
    const seen: number[] = []
    let cursor: string | undefined
    do {
      const body = { set: 's', bins: [], limit: 700, ...(cursor !== undefined && { cursor }) }
      const page = await ok<{ records: { key: number; bins: object }[]; summary: { cursor?: string } }>(scan, { body })
      for (const { key, bins } of page.records) {
        expect(bins).toEqual({})
        seen.push(key)
      }
      cursor = page.summary.cursor
    } while (cursor !== undefined)
    expect(inOrder(seen)).toEqual(upTo(3000))
  })

  test('a flat container is through with all segments at once', async () => {
    const { ok, send } = gateway()
    await ok('POST /api/v1/namespaces', {
      body: { name: 'flat', storage: { engine: 'memory' }, container: 'flat', segments: 4 },
    })
    await Promise.all([1, 2, 3].map((key) => gateway().put(`flat/sets/s/records/${key}`, '{"n":1}')))
    const body = '{"segmentMarks":true,"bins":[],"segments":[3,0,1,2]}'
    const answer = await send('POST /api/v1/namespaces/flat/scan', { body, headers: ndjson })
    const all = answer.text.trimEnd().split('\n')
    expect(all).toHaveLength(7)
    expect(all.slice(3)).toEqual([0, 1, 2, 3].map((segment) => `{"segmentDone":${segment}}`))
  })

  test('pages and figures have no place for them', async () => {
    const { send } = gateway()
    const figures = { aggregate: { n: { op: 'count' } } }
    for (const body of [{ limit: 5 }, { cursor: 'abc' }, figures]) {
      const headers = ndjson
      const answer = await send(scan, { body: JSON.stringify({ set: 's', segmentMarks: true, ...body }), headers })
      expect([answer.status, answer.json()]).toMatchObject([400, { code: 'config_invalid', field: 'segmentMarks' }])
    }
    for (const body of [{}, { sample: { first: 5 } }]) {
      const answer = await send(scan, { body: { set: 's', segmentMarks: true, ...body } })
      expect([answer.status, answer.json()]).toMatchObject([400, { code: 'config_invalid', field: 'segmentMarks' }])
    }
  })
})
