// Folders that the manifest does not list: after an older manifest was restored, and strangers.
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openNativeEngine } from '../../src/engines/native.js'
import { useGateway } from '../gateway.js'

const write = { exists: 'upsert', shape: 'record' } as const

/** `first`, and `later` that the manifest does not know; a stranger's folder. */
async function fill(directory: string): Promise<void> {
  for (const name of ['first', 'later']) {
    const engine = await openNativeEngine({ dataDirectory: directory })
    await engine.settled()
    await engine.createNamespace({ name, storage: { engine: 'device', writeBlockBytes: 16_384 } })
    await engine.putRecord(name, 's', { type: 'string', value: '1' }, Buffer.from('{"a":1}'), write)
    await engine.close()
    if (name === 'first') await cp(join(directory, 'manifest'), join(directory, 'older'))
  }
  await cp(join(directory, 'older'), join(directory, 'manifest'))
  await mkdir(join(directory, 'namespaces/99'))
  await writeFile(join(directory, 'namespaces/99/work'), 'of years')
}

async function copy(directory: string): Promise<void> {
  await fill(directory)
  for (const name of ['2', '99']) await rm(join(directory, 'namespaces', name), { recursive: true })
  await cp(join(directory, 'namespaces/1'), join(directory, 'namespaces/98'), { recursive: true })
}

describe('folders without a namespace', () => {
  const gateway = useGateway({}, undefined, fill)

  test('are listed with what they say of themselves', async () => {
    const { ok } = gateway()
    expect(await ok('GET /api/v1/status')).toMatchObject({ namespaces: 1, orphans: ['2', '99'] })
    expect(await ok('GET /api/v1/orphans')).toMatchObject({
      items: [
        { id: '2', adoptable: true, namespace: { config: { name: 'later', storage: { engine: 'device' } } } },
        { id: '99', adoptable: false, bytes: 8, files: 1, reason: expect.stringContaining('not one of ours') },
      ],
    })
  })

  test('are adopted under a name that is free', async () => {
    const { ok, send } = gateway()
    const taken = await send('POST /api/v1/orphans/2/adopt', { body: { name: 'first' } })
    expect([taken.status, taken.json()]).toMatchObject([409, { code: 'namespace_exists', field: 'name' }])
    const stranger = await send('POST /api/v1/orphans/99/adopt')
    expect([stranger.status, stranger.json()['code']]).toEqual([409, 'orphan_not_adoptable'])
    const missing = await send('POST /api/v1/orphans/7/adopt')
    expect([missing.status, missing.json()['code']]).toEqual([404, 'orphan_not_found'])
    expect(await ok('POST /api/v1/orphans/2/adopt')).toMatchObject({ name: 'later', state: 'ready', records: 1 })
    expect(await ok('GET /api/v1/namespaces/later/sets/s/records/1')).toMatchObject({ bins: { a: 1 } })
  })

  test('are removed by whoever types their name', async () => {
    const { directory, ok, send } = gateway()
    expect(await ok('DELETE /api/v1/orphans/99?dryRun=true')).toMatchObject({ bytes: 8 })
    const refused = await send('DELETE /api/v1/orphans/99')
    expect([refused.status, refused.json()['code']]).toEqual([428, 'confirm_required'])
    expect(await readdir(join(directory, 'namespaces'))).toContain('99')
    await ok('DELETE /api/v1/orphans/99', { headers: { 'x-confirm': '99' } })
    expect(await readdir(join(directory, 'namespaces'))).toEqual(['1', '2'])
    expect(await ok('GET /api/v1/status')).toMatchObject({ orphans: [] })
  })
})

describe('a folder that cannot be adopted', () => {
  const gateway = useGateway({}, undefined, copy)

  test('a copy of a namespace says so, with what its reason is made of', async () => {
    const { ok, send } = gateway()
    const reasonSaid = {
      message: 'it is a copy of the namespace "{name}", which is in folder {number}',
      values: { name: 'first', number: 1 },
    }
    const reason = 'it is a copy of the namespace "first", which is in folder 1'
    expect(await ok('GET /api/v1/orphans')).toMatchObject({
      items: [{ id: '98', adoptable: false, reason, reasonSaid }],
    })
    const refused = await send('POST /api/v1/orphans/98/adopt')
    expect(refused.json()).toMatchObject({
      code: 'orphan_not_adoptable',
      said: { values: { id: '98', why: reasonSaid } },
    })
  })
})
