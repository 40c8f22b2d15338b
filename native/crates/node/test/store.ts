import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import { openStore, StoreError, type KeyInput, type Store } from '../dist/index.js'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A folder that goes away with the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tessera-native-'))
  cleanups.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** An open store in a folder of its own, with a memory namespace `ns`. */
export async function open(dataDirectory = folder()): Promise<Store> {
  const store = await openStore({ dataDirectory })
  cleanups.push(() => store.close())
  await store.settled()
  if ((await store.namespaces()).length === 0)
    await store.createNamespace({ name: 'ns', storage: { engine: 'memory' } })
  return store
}

export const text = (value: string): KeyInput => ({ type: 'string', value })

export const asRecord = { shape: 'record' } as const
export const upsert = { exists: 'upsert', shape: 'record' } as const

export async function put(store: Store, key: string, bins: object, set = 's'): Promise<void> {
  await store.putRecord('ns', set, text(key), Buffer.from(JSON.stringify(bins)), upsert)
}

/** What a call that must fail fails with: always a `StoreError`. */
export async function failure(call: () => unknown): Promise<StoreError> {
  try {
    await call()
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError)
    return error as StoreError
  }
  throw new Error('the call did not fail')
}

interface Chunks {
  next(): Buffer | null | Promise<Buffer | null>
}

/** The lines of a stream. */
export async function lines(stream: Chunks): Promise<string[]> {
  const chunks: Buffer[] = []
  for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) chunks.push(chunk)
  return String(Buffer.concat(chunks)).split('\n').slice(0, -1)
}
