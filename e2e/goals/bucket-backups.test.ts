// Backups in a bucket of a real S3 server: made, built on, verified, restored by another gateway, resumed, deleted.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { hasPython } from '../gateway/python.ts'
import { type S3Server, startS3 } from '../gateway/s3.ts'

const SECRET = 'hunter2-hunter2'
const BUCKET = 'tessera-backups'
const RECORDS = 3000
const canPython = await hasPython()

interface Job {
  state: string
  parameters: { backup: string; target?: string }
  error?: { code: string }
}

describe.skipIf(!canPython)('backups in a bucket', () => {
  const homes = [newHome(), newHome()]
  const gateways: Gateway[] = []
  let s3: S3Server

  beforeAll(async () => {
    s3 = await startS3()
    await fetch(`${s3.url}/${BUCKET}`, { method: 'PUT' })
    for (const home of homes) gateways.push(await startGateway(home, [], settings(home)))
  })

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()))
    await s3.stop()
    homes.forEach(removeHome)
  })

  function settings(home: string): Record<string, string> {
    const target = { endpoint: s3.url, accessKey: 'someone', secretKeyVariable: 'S3_SECRET', pathStyle: true }
    const file = join(home, 'targets.json')
    const offsite = { ...target, bucket: BUCKET, prefix: 'goal' }
    writeFileSync(file, JSON.stringify({ offsite, missing: { ...target, bucket: 'no-such-bucket' } }))
    return { TESSERA_BACKUP_TARGETS: file, S3_SECRET: SECRET }
  }

  async function call<T>(
    at: number,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: T }> {
    const gateway = gateways[at]
    if (gateway === undefined) throw new Error(`there is no gateway ${at}`)
    const answer = await fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${gateway.token}`,
        ...(body !== undefined && {
          'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json',
        }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as T }
  }

  async function write(from: number, to: number, value: string): Promise<void> {
    const lines = Array.from({ length: to - from }, (_, index) => {
      return JSON.stringify({ op: 'put', key: from + index, bins: { v: value, filling: 'x'.repeat(4000) } })
    })
    const answer = await call(0, 'POST', '/namespaces/vault/sets/s/records', lines.join('\n'))
    expect(answer.status).toBe(200)
  }

  async function exported(at: number, namespace: string): Promise<string[]> {
    const gateway = gateways[at]
    const answer = await fetch(`${gateway?.url}/api/v1/namespaces/${namespace}/export`, {
      headers: { authorization: `Bearer ${gateway?.token}` },
    })
    return (await answer.text()).split('\n').sort()
  }

  async function backUp(body: object): Promise<string> {
    const { body: job } = await call<Job>(0, 'POST', '/namespaces/vault/backups?wait=60s', {
      target: 'offsite',
      ...body,
    })
    expect(job).toMatchObject({ state: 'done', parameters: { target: 'offsite' } })
    return job.parameters.backup
  }

  test('are made, built on, verified and restored by another gateway', async () => {
    await call(0, 'POST', '/namespaces', { name: 'vault', storage: { engine: 'memory' }, segments: 4 })
    await write(0, RECORDS, 'one')
    const full = await backUp({})
    await write(0, 10, 'two')
    const next = await backUp({ base: full })
    const listed = await call<{ items: { id: string; state: string }[] }>(1, 'GET', '/backups?target=offsite')
    expect(listed.body.items.map(({ id, state }) => [id, state])).toEqual([
      [full, 'complete'],
      [next, 'complete'],
    ])
    const verified = await call<Job>(1, 'POST', `/backups/${next}/verify?target=offsite&wait=60s`)
    expect(verified.body).toMatchObject({ state: 'done' })
    const restored = await call<Job>(1, 'POST', `/backups/${next}/restore?target=offsite&wait=60s`, {
      namespace: 'again',
      storage: { engine: 'paged' },
    })
    expect(restored.body).toMatchObject({ state: 'done' })
    expect(await exported(1, 'again')).toEqual(await exported(0, 'vault'))
    expect((await call(0, 'GET', `/backups/${next}`)).status).toBe(404)
    for (const id of [next, full]) expect((await call(0, 'DELETE', `/backups/${id}?target=offsite`)).status).toBe(200)
    const left = await (await fetch(`${s3.url}/${BUCKET}?list-type=2`)).text()
    expect(left).not.toContain('<Key>')
  })

  test('tell what is wrong without a secret', async () => {
    const answers = [
      await call(0, 'GET', '/backups?target=missing'),
      await call(0, 'GET', '/backups?target=nowhere'),
      await call(0, 'POST', '/namespaces/vault/backups', { target: 'missing' }),
    ]
    expect(answers.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual([
      [502, 'backup_target_refused'],
      [404, 'backup_target_not_found'],
      [502, 'backup_target_refused'],
    ])
    const everything = JSON.stringify([
      answers,
      (await call(0, 'GET', '/jobs')).body,
      (await call(0, 'GET', '/audit')).body,
    ])
    expect(everything + gateways[0]?.output()).not.toContain(SECRET)
  })
})
