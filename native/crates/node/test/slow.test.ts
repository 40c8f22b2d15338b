// Slow operations: what crosses, and what is refused.
import { expect, test } from 'vitest'
import type { SlowPatch } from '../dist/index.js'
import { failure, open, put } from './store.js'

const all = { sort: 'newest', limit: 100 } as const

test('settings change one by one, and what cannot be is refused by field', async () => {
  const store = await open()
  const first = store.slowSettings()
  expect(first).toMatchObject({ thresholdMs: 100, keepKeys: true, namespaces: [], seen: 0, mostBytes: 2 ** 20 })
  expect(await store.changeSlowSettings({ thresholdMs: 0.1, namespaces: { ns: 2.5 } })).toMatchObject({
    thresholdMs: 0.1,
    namespaces: [{ namespace: 'ns', thresholdMs: 2.5 }],
  })
  expect(await store.changeSlowSettings({ namespaces: { ns: null } })).toMatchObject({
    thresholdMs: 0.1,
    namespaces: [],
  })
  const refused: [SlowPatch, string, string?][] = [
    [{ thresholdMs: 0 }, 'config_invalid', 'thresholdMs'],
    [{ thresholdMs: -1 }, 'config_invalid', 'thresholdMs'],
    [{ thresholdMs: Number.NaN }, 'config_invalid', 'thresholdMs'],
    [{ thresholdMs: Number.POSITIVE_INFINITY }, 'config_invalid', 'thresholdMs'],
    [{ namespaces: { ns: 0.01 } }, 'config_invalid', 'namespaces'],
    [{ namespaces: { absent: 5 } }, 'namespace_not_found'],
  ]
  for (const [patch, code, field] of refused) {
    const error = await failure(() => store.changeSlowSettings(patch))
    expect({ code: error.code, field: error.field }, JSON.stringify(patch)).toEqual({ code, field })
  }
  expect(store.slowSettings()).toMatchObject({ thresholdMs: 0.1, namespaces: [] })
})

test('queries are checked, and clearing counts what was there', async () => {
  const store = await open()
  await put(store, 'k', { a: 1 })
  expect(await failure(() => store.slowOperations({ ...all, ops: ['get', 'fly'] }))).toMatchObject({
    code: 'config_invalid',
  })
  expect(await failure(() => store.slowOperations({ ...all, sinceMs: -1 }))).toMatchObject({ field: 'since' })
  expect(await failure(() => store.slowGroups({ ...all, minMs: Number.NaN }))).toMatchObject({ field: 'minMs' })
  expect(await failure(() => store.slowGroups({ ...all, belowMs: -1 }))).toMatchObject({ field: 'belowMs' })
  expect(await failure(() => store.slowGroups({ ...all, minEngineMs: -1 }))).toMatchObject({ field: 'minEngineMs' })
  expect(await failure(() => store.slowGroups({ ...all, belowEngineMs: -1 }))).toMatchObject({ field: 'belowEngineMs' })
  expect(await store.slowOperations({ ...all, minEngineMs: 3_600_000 })).toEqual({ items: [], truncated: false })
  expect(await store.slowOperations({ ...all, minMs: 3_600_000 })).toEqual({ items: [], truncated: false })
  expect(await store.slowOperations({ ...all, belowMs: 0.1 })).toEqual({ items: [], truncated: false })
  expect(await store.slowGroups({ ...all, namespace: 'absent' })).toEqual({ items: [], truncated: false })
  const { kept } = store.slowSettings()
  expect(await store.clearSlowOperations()).toBeGreaterThanOrEqual(kept)
})
