// Who has a role for one namespace learns nothing of the backups of others, not even that one is there.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Job } from '../../src/schemas/jobs/jobs.js'
import { useGateway } from '../gateway.js'

const GONE = '20200101T000000Z-00000000'
const DAMAGED = '20200101T000000Z-00000001'

describe('the base of a backup', () => {
  const gateway = useGateway()
  let token = ''
  let theirs = ''

  const backUp = async (namespace: string, base?: string): Promise<string> => {
    const body = { ...(base !== undefined && { base }) }
    const job = await gateway().ok<Job>(`POST /api/v1/namespaces/${namespace}/backups?wait=60s`, { body })
    expect(job).toMatchObject({ state: 'done' })
    return String(job.parameters['backup'])
  }

  const asked = (base: string) =>
    gateway().send('POST /api/v1/namespaces/mine/backups?wait=60s', {
      body: { base },
      headers: { authorization: `Bearer ${token}` },
    })

  beforeAll(async () => {
    for (const name of ['mine', 'theirs']) {
      await gateway().memoryNamespace(name)
      await gateway().put(`${name}/sets/s/records/1`, { a: 1 })
    }
    theirs = await backUp('theirs')
    const folder = join(gateway().directory, 'backups')
    await mkdir(join(folder, DAMAGED))
    await writeFile(join(folder, DAMAGED, 'manifest.json'), '{')
    const grants = [{ role: 'operator', namespace: 'mine' }]
    ;({ token } = await gateway().ok<{ token: string }>('POST /api/v1/tokens', { body: { name: 'of-mine', grants } }))
  })

  test('of another namespace is as unknown as one that is not there', async () => {
    const unknown = await asked(GONE)
    expect([unknown.status, unknown.json()['code']]).toEqual([404, 'backup_not_found'])
    const words = (text: string, id: string): string =>
      text.replaceAll(id, 'ID').replaceAll(/"requestId":"[^"]*"/g, '"requestId"')
    for (const base of [theirs, DAMAGED]) {
      const answer = await asked(base)
      expect(words(answer.text, base)).toBe(words(unknown.text, GONE))
      expect(answer.status).toBe(404)
    }
  })

  test('of another namespace is so, too, while a job is at work with it', async () => {
    const slow = await gateway().ok<Job>('POST /api/v1/namespaces/theirs/backups', { body: { recordsPerSecond: 1 } })
    const answer = await asked(String(slow.parameters['backup']))
    expect([answer.status, answer.json()['code']]).toEqual([404, 'backup_not_found'])
    await gateway().ok(`GET /api/v1/jobs/${slow.id}?wait=60s`)
  })

  test('of the own namespace is taken, and told if it cannot be built on', async () => {
    const own = await backUp('mine')
    expect((await asked(own)).json()).toMatchObject({ state: 'done' })
    const folder = join(gateway().directory, 'backups', own)
    for (const name of await readdir(folder)) if (name === 'manifest.json') await rm(join(folder, name))
    expect((await asked(own)).json()['code']).toBe('backup_unfinished')
  })

  test('is told to an administrator as it is', async () => {
    const answer = await gateway().send('POST /api/v1/namespaces/mine/backups', { body: { base: theirs } })
    expect([answer.status, answer.json()['code']]).toEqual([409, 'backup_base_invalid'])
  })
})
