// Queries in an order: the first of all, page by page, and as the walk of an index.
import { beforeAll, describe, expect, test } from 'vitest'
import { plans } from '../contract.js'
import { type Records, storeCounted } from '../counted.js'
import { useGateway } from '../gateway.js'

describe('an order', () => {
  const gateway = useGateway({ defaultThreads: 2 })

  beforeAll(async () => {
    await storeCounted(gateway())
    await gateway().ok('POST /api/v1/namespaces/n/indexes?wait=30s', {
      body: { name: 'by-i', kind: 'range', set: 's', bin: 'i' },
    })
  })

  test('an order brings the first of all, page by page', async () => {
    const { ok } = gateway()
    const body = { set: 's', select: ['i'], order: { bin: 'i', desc: true }, limit: 4, useIndex: 'never' }
    const query = 'POST /api/v1/namespaces/n/query'
    const first = await ok<Records>(query, { body })
    expect(first.records.map(({ key }) => key)).toEqual([2999, 2998, 2997, 2996])
    expect(first.summary).toMatchObject({ returned: 4, scanned: 3000, truncated: true })
    const second = await ok<Records>(query, { body: { ...body, cursor: first.summary.cursor } })
    expect(second.records.map(({ key }) => key)).toEqual([2995, 2994, 2993, 2992])
    const last = await ok<Records>(query, {
      body: { set: 's', order: { meta: 'key' }, where: { bin: 'i', op: 'gt', value: 2997 } },
    })
    expect(last.records.map(({ key }) => key)).toEqual([2998, 2999])
    expect(last.summary).toMatchObject({ returned: 2, truncated: false })
  })

  test.runIf(plans.followsOrder)(
    'an index that has the order is walked, as the plan says, and the pages are the same',
    async () => {
      const { ok, send } = gateway()
      const query = 'POST /api/v1/namespaces/n/query'
      const where = { bin: 'i', op: 'lt', value: 2990 }
      for (const filter of [{}, { where }]) {
        const body = { set: 's', select: ['i'], order: { bin: 'i', desc: true }, limit: 7, ...filter }
        let cursor: string | undefined
        for (let number = 0; number < 3; number++) {
          const page = { ...body, ...(cursor !== undefined && { cursor }) }
          const plain = await ok<Records>(query, { body: { ...page, useIndex: 'never' } })
          const walked = await ok<Records>(query, { body: { ...page, useIndex: 'by-i' } })
          expect(walked.records).toEqual(plain.records)
          expect(walked.summary.cursor).toBe(plain.summary.cursor)
          expect(walked.summary).toMatchObject({ method: 'range-order', returned: 7, truncated: true })
          expect(walked.summary.scanned).toBeLessThan(200)
          cursor = walked.summary.cursor
        }
      }
      const body = { set: 's', where, order: { bin: 'i', desc: true }, limit: 7 }
      expect(await ok(query, { body: { ...body, explain: 'analyze' } })).toMatchObject({
        method: 'range-order',
        index: 'by-i',
        actual: { returned: 7 },
        tree: {
          node: 'limit',
          children: [{ node: 'filter', children: [{ node: 'range-order', index: 'by-i', on: 'i, descending' }] }],
        },
      })
      const other = await send(query, { body: { ...body, where: undefined, order: { meta: 'key' }, useIndex: 'by-i' } })
      expect([other.status, other.json()]).toMatchObject([400, { code: 'config_invalid', field: 'useIndex' }])
    },
  )
})
