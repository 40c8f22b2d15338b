import { expect, test } from 'vitest'
import { failure, open } from './store.js'

test('a workload runs from its JSON to its figures, and bad ones are refused by field', async () => {
  const store = await open()
  const [{ name: namespace } = { name: '' }] = await store.namespaces()
  const spec = { namespace, keys: 50, threads: 2, operations: 200, fill: true, object: 'I,S:5', bins: 2 }
  const { id } = JSON.parse(await store.startWorkload(JSON.stringify(spec))) as { id: string }
  expect(await store.waitJob(id, 30_000)).toMatchObject({ kind: 'workload', unit: 'operations', state: 'done' })
  const { run, frames } = JSON.parse(await store.workload(id)) as {
    run: { state: string; result: { operations: number } }
    frames: object[]
  }
  expect([run.state, run.result.operations]).toEqual(['done', 200])
  expect(frames.length).toBeGreaterThan(0)
  expect(JSON.parse(await store.workloads({ limit: 9 }))).toMatchObject({ runs: [{ id }], more: false })
  for (const [text, code, field] of [
    ['{', 'workload_invalid', undefined],
    ['[]', 'workload_invalid', undefined],
    ['{"namespace":"x","workload":"W"}', 'workload_invalid', 'workload'],
    ['{"namespace":"x","threads":0}', 'threads_invalid', 'threads'],
    ['{"namespace":"absent"}', 'namespace_not_found', undefined],
  ] as const) {
    expect(await failure(() => store.startWorkload(text)), text).toMatchObject({ code, ...(field && { field }) })
  }
  expect((await failure(() => store.compareWorkloads([id]))).code).toBe('workload_invalid')
  await store.removeWorkload(id)
  expect((await failure(() => store.workload(id))).code).toBe('workload_not_found')
})
