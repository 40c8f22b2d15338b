// Arguments that the types forbid: whatever comes, the process lives and the caller gets a StoreError or an answer.
import { expect, test } from 'vitest'
import { openStore, StoreError } from '../dist/index.js'
import { asRecord, open, put, text } from './store.js'

const hostile = {
  get name(): string {
    throw new Error('a getter that throws')
  },
}
const garbage: unknown[] = [
  undefined,
  null,
  true,
  -1,
  0.5,
  Number.NaN,
  Infinity,
  2 ** 60,
  10n ** 30n,
  '',
  '\0',
  '\ud800',
  'x'.repeat(100_000),
  Symbol('s'),
  [],
  {},
  [[]],
  () => {},
  new Uint8Array(0),
  new Float64Array(3),
  Buffer.alloc(70_000, 0xff),
  new Proxy({}, {}),
  hostile,
  new Date(Number.NaN),
]

/** Whatever the call does, it does it with an answer or a `StoreError`. */
async function survives(call: () => unknown): Promise<void> {
  try {
    await call()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
}

/** Methods that would end the store or start something that outlives the call. */
const left = new Set(['close', 'onFrame'])

test('every method survives garbage in every place', async () => {
  const store = await open()
  await put(store, 'k', { a: 1 })
  const methods = Object.keys(store).filter((name) => !left.has(name))
  expect(methods.length).toBeGreaterThan(20)
  const valid = ['ns', 's', text('k'), Buffer.from('{}'), asRecord]
  for (const name of methods) {
    const method = (store as unknown as Record<string, (...args: unknown[]) => unknown>)[name]
    if (method === undefined) continue
    for (const junk of garbage) {
      await survives(() => method.call(store, ...Array.from({ length: 6 }, () => junk)))
      for (let place = 0; place < valid.length; place += 1) {
        await survives(() => method.call(store, ...valid.map((value, at) => (at === place ? junk : value))))
      }
    }
  }
  for (const junk of garbage.slice(0, 8)) await survives(() => openStore(junk as never))
  await survives(() => openStore({ dataDirectory: '/dev/null/x' }))
  expect((await store.status()).healthy).toBe(true)
})
