// Plans of queries, and what came of them.
import { beforeAll, describe, expect, test } from 'vitest'
import { plans } from '../contract.js'
import { type Records, storeCounted } from '../counted.js'
import { useGateway } from '../gateway.js'

describe('plans', () => {
  const gateway = useGateway({ defaultThreads: 2 })

  beforeAll(async () => {
    await storeCounted(gateway())
  })

  test('a query is planned over its indexes, and analysed without its records', async () => {
    const { ok, send } = gateway()
    const query = 'POST /api/v1/namespaces/n/query'
    const spec = { name: 'by-i', kind: 'range', set: 's', bin: 'i' }
    await ok('POST /api/v1/namespaces/n/indexes?wait=60s', { body: spec })
    const where = {
      or: [
        { bin: 'i', op: 'in', value: [5, 7, 9999] },
        { bin: 'i', op: 'le', value: 2 },
      ],
    }
    const plan = await ok(`${query}?explain=true`, { body: { set: 's', where } })
    expect(plan).toMatchObject({ method: 'range-index', index: 'by-i', estimatedCandidates: 5 })
    expect(plan['actual']).toBeUndefined()
    const others: unknown = expect.arrayContaining([expect.objectContaining({ method: plans.wholeSet })])
    for (const analysed of [
      await ok(query, { body: { set: 's', where, explain: 'analyze' } }),
      await ok(`${query}?explain=analyze`, { body: { set: 's', where } }),
    ]) {
      expect(analysed).toMatchObject({
        actual: { candidates: 5, scanned: 5, returned: 5 },
        ...(plans.hasAlternatives && { alternatives: others }),
        tree: {
          node: 'limit',
          actual: 5,
          children: [
            {
              node: 'filter',
              actual: 5,
              children: [
                {
                  node: 'or',
                  actual: 5,
                  children: expect.arrayContaining([expect.objectContaining({ index: 'by-i' })]) as unknown,
                },
              ],
            },
          ],
        },
      })
    }
    const keys = async (rest: object) => {
      const page = await ok<Records>(query, { body: { set: 's', where, ...rest } })
      return { keys: page.records.map(({ key }) => key).toSorted((a, b) => a - b), summary: page.summary }
    }
    for (const useIndex of ['auto', 'by-i'])
      expect(await keys({ useIndex })).toMatchObject({
        keys: [0, 1, 2, 5, 7],
        summary: { method: 'range-index', scanned: 5, estimatedCandidates: 5 },
      })
    expect(await keys({ useIndex: 'never' })).toMatchObject({
      keys: [0, 1, 2, 5, 7],
      summary: { method: plans.wholeSet, scanned: 3000 },
    })
    const unused = await send(query, {
      body: { set: 's', where: { bin: 'pad', op: 'eq', value: 1 }, useIndex: 'by-i' },
    })
    expect([unused.status, unused.json()]).toMatchObject([400, { code: 'config_invalid', field: 'useIndex' }])
  })

  test.runIf(plans.showsValues)('a plan shows the numbers that it looks up with every digit', async () => {
    const { ok, send } = gateway()
    await gateway().put('n/sets/wide/records/w', '{"d":9007199254740993}')
    await ok('POST /api/v1/namespaces/n/indexes?wait=30s', {
      body: { name: 'by-d', kind: 'document', set: 'wide', bin: 'd' },
    })
    const where = '{"bin":"d","op":"eq","value":9007199254740993}'
    for (const explain of ['true', '"analyze"']) {
      const { text, headers } = await send('POST /api/v1/namespaces/n/query', {
        body: `{"set":"wide","where":${where},"useIndex":"by-d","explain":${explain}}`,
        headers: { 'content-type': 'application/json' },
      })
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(text).toContain('"value":9007199254740993,')
    }
  })

  test('unnest and group are steps of a plan', async () => {
    await gateway().put('n/sets/table/records/a', '{"n":1,"l":[1.50,"é"]}')
    const met = plans.meetsOnlyTheSet ? { actual: 1 } : {}
    const body = { set: 'table', unnest: { bin: 'l', as: 'item' }, group: { by: ['item'] }, explain: 'analyze' }
    expect(await gateway().ok('POST /api/v1/namespaces/n/query', { body })).toMatchObject({
      tree: {
        node: 'group',
        on: 'item',
        actual: 2,
        children: [{ node: 'unnest', on: 'l as item', actual: 2, children: [met] }],
      },
    })
  })
})
