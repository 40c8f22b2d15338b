// A backup that is cut off is resumed or refused, never restored in part: a gateway that is killed at each request to a bucket, and
// a file system that is full in the middle of a job.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { S3, targetOf } from '../../server/test/s3.ts'
import { call, createNamespace, finish, type Job, send } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { isLong } from '../gateway/long.ts'

const RECORDS = 4000
const API = '/api/v1'
/** The gateway is killed at one request of so many: they repeat, since each file is sent in pieces and read back. */
const EVERY = isLong ? 1 : 3

interface Backup {
  id: string
  state: string
}

/** About 12 MB: a part of it goes to a bucket in pieces. On a device: a kill must not take the records. */
async function fill(gateway: Gateway): Promise<void> {
  await createNamespace(gateway, { name: 'vault', storage: { engine: 'device' }, segments: 4 })
  for (let from = 0; from < RECORDS; from += 1000) {
    const rows = Array.from({ length: 1000 }, (_, at) => {
      return JSON.stringify({ op: 'put', key: from + at, bins: { n: from + at, filling: 'x'.repeat(3000) } })
    })
    const answer = await fetch(`${gateway.url}${API}/namespaces/vault/sets/s/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/x-ndjson' },
      body: rows.join('\n'),
    })
    expect(answer.status).toBe(200)
  }
}

async function exported(gateway: Gateway, namespace: string): Promise<string[]> {
  const answer = await send(gateway, 'GET', `${API}/namespaces/${namespace}/export`, undefined, 'application/x-ndjson')
  return (await answer.text()).split('\n').sort()
}

/** Status and code of a refusal. */
async function refused(gateway: Gateway, method: string, path: string, body?: unknown): Promise<[number, unknown]> {
  const answer = await send(gateway, method, path, body)
  return [answer.status, ((await answer.json()) as { code?: string }).code]
}

/** A restore brings every record, as it is in `vault`. */
async function restoresAll(gateway: Gateway, id: string, query: string, expected: string[]): Promise<void> {
  const job = await call<Job>(gateway, 'POST', `${API}/backups/${id}/restore${query}`, { namespace: 'again' })
  await finish(gateway, job)
  expect(await exported(gateway, 'again')).toEqual(expected)
  await call(gateway, 'DELETE', `${API}/namespaces/again?forGood=true`)
}

describe('a gateway that is killed while parts are sent to a bucket', () => {
  const query = '?target=offsite'
  const home = newHome()
  const s3 = new S3()
  let settings: Record<string, string> = {}
  let gateway: Gateway

  beforeAll(async () => {
    const file = join(home, 'targets.json')
    writeFileSync(file, JSON.stringify({ offsite: { ...targetOf(await s3.start()), timeoutSeconds: 3600 } }))
    settings = { TESSERA_BACKUP_TARGETS: file, S3_SECRET: 'hunter2-hunter2' }
    gateway = await startGateway(home, [], settings)
    await fill(gateway)
  })

  afterAll(async () => {
    await gateway.stop()
    await s3.stop()
    removeHome(home)
  })

  const killedAndBack = async (): Promise<void> => {
    await gateway.stop('SIGKILL')
    s3.release()
    gateway = await startGateway(home, [], settings)
  }

  const listed = async () => (await call<{ items: Backup[] }>(gateway, 'GET', `${API}/backups${query}`)).items

  test('leaves no backup, or one that is resumed and restores every record, whichever request it was', async () => {
    const expected = await exported(gateway, 'vault')
    const [seen, refusals] = [new Set<string>(), new Set<string>()]
    let [requests, whole] = [1 - EVERY, false]
    while (!whole) {
      requests += EVERY
      const held = s3.hold(requests)
      const body = { target: 'offsite' }
      const begun = send(gateway, 'POST', `${API}/namespaces/vault/backups?wait=60s`, body).then(
        async (answer) => ((await answer.json()) as Job).state === 'done',
        () => false, // The kill takes its connection.
      )
      whole = await Promise.race([held.then(() => false), begun])
      await killedAndBack()
      await begun
      const backups = await listed()
      expect(backups.length).toBeLessThanOrEqual(1)
      for (const { id, state } of backups) {
        seen.add(state)
        if (state === 'unfinished') {
          refusals.add(
            String([
              await refused(gateway, 'POST', `${API}/backups/${id}/restore${query}`, { namespace: 'again' }),
              await refused(gateway, 'GET', `${API}/namespaces/again`),
            ]),
          )
          await finish(gateway, await call<Job>(gateway, 'POST', `${API}/backups/${id}/resume${query}`))
        }
        await restoresAll(gateway, id, query, expected)
        await call(gateway, 'DELETE', `${API}/backups/${id}${query}`)
      }
      expect([...s3.objects.keys()]).toEqual([])
    }
    expect([...seen].sort()).toEqual(['complete', 'unfinished'])
    expect([...refusals]).toEqual(['409,backup_unfinished,404,namespace_not_found'])
    // The plan, the part in pieces, the manifest, and each of them read back.
    expect(requests).toBeGreaterThan(8)
  })

  test('leaves nothing of a restore', async () => {
    const job = await call<Job>(gateway, 'POST', `${API}/namespaces/vault/backups`, { target: 'offsite' })
    await finish(gateway, job)
    const [backup] = await listed()
    const held = s3.hold(6)
    const begun = await call<Job>(gateway, 'POST', `${API}/backups/${backup?.id}/restore${query}`, {
      namespace: 'again',
    })
    await held
    expect(await call<Job>(gateway, 'GET', `${API}/jobs/${begun.id}`)).toMatchObject({ state: 'running' })
    await killedAndBack()
    expect(await refused(gateway, 'GET', `${API}/namespaces/again`)).toEqual([404, 'namespace_not_found'])
    expect(await call(gateway, 'GET', `${API}/orphans`)).toMatchObject({ items: [] })
    await restoresAll(gateway, backup?.id ?? '', query, await exported(gateway, 'vault'))
  })
})

/** A user may be forbidden to mount. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0

describe.skipIf(!canMount)('a file system that is full in the middle of a backup', () => {
  const home = newHome()
  const backups = join(home, 'backups')
  let gateway: Gateway

  beforeAll(async () => {
    mkdirSync(backups)
    const mounts = `mount -t tmpfs -o size=16m none ${backups} && head -c 10000000 /dev/zero > ${backups}/other`
    gateway = await startGateway(home, [], { TESSERA_BACKUP_DIR: backups }, mounts)
    await fill(gateway)
  })

  afterAll(async () => {
    await gateway.stop()
    removeHome(home)
  })

  const ended = async (job: Job): Promise<Job> => {
    let last = job
    while (last.state === 'running') last = await call<Job>(gateway, 'GET', `${API}/jobs/${job.id}?wait=10s`)
    return last
  }

  test('fails the job with a code, leaves an unfinished backup, and is resumed when there is room', async () => {
    const begun = await call<Job>(gateway, 'POST', `${API}/namespaces/vault/backups`)
    const failed = await ended(begun)
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'device_full' } })
    const { items } = await call<{ items: Backup[] }>(gateway, 'GET', `${API}/backups`)
    expect(items.map(({ state }) => state)).toEqual(['unfinished'])
    const id = items[0]?.id ?? ''
    const refusal = await refused(gateway, 'POST', `${API}/backups/${id}/restore`, { namespace: 'again' })
    expect(refusal).toEqual([409, 'backup_unfinished'])
    // As often as one likes: a job on a full disk leaves no more behind than the one before.
    const again = await ended(await call<Job>(gateway, 'POST', `${API}/backups/${id}/resume`))
    expect(again).toMatchObject({ state: 'failed', error: { code: 'device_full' } })
    // The namespace is on another disk, and goes on.
    await call(gateway, 'PUT', `${API}/namespaces/vault/sets/s/records/more`, { n: 1 })

    rmSync(join(`/proc/${gateway.pid}/root`, backups, 'other'))
    await finish(gateway, await call<Job>(gateway, 'POST', `${API}/backups/${id}/resume`))
    await restoresAll(gateway, id, '', await exported(gateway, 'vault'))
    await call(gateway, 'DELETE', `${API}/backups/${id}`)
  })
})
