// Targets of backups: what the operator's file must be, and what callers are told of it.
import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'

const SECRET = 'hunter2-hunter2'
const GONE = '20200101T000000Z-00000000'
const BACKUPS = '/api/v1/backups'

describe('without a file', () => {
  const gateway = useGateway()

  test('no target is known', async () => {
    const answer = await gateway().send(`GET ${BACKUPS}?target=offsite`)
    expect([answer.status, answer.json()['code']]).toEqual([404, 'backup_target_not_found'])
    expect(answer.json()['detail']).toContain('TESSERA_BACKUP_TARGETS')
  })

  test('none is listed', async () => {
    expect((await gateway().send('GET /api/v1/backup-targets')).json()).toMatchObject({ items: [] })
  })

  test('no schedule is set for a target that is not known', async () => {
    await gateway().memoryNamespace('n')
    const schedule = '/api/v1/namespaces/n/backup-schedule'
    const answer = await gateway().send(`PUT ${schedule}`, { body: { everyHours: 24, target: 'offsite' } })
    expect([answer.status, answer.json()['code']]).toEqual([404, 'backup_target_not_found'])
    expect((await gateway().send(`GET ${schedule}`)).json()['code']).toBe('schedule_not_found')
  })
})

describe('with a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-targets-'))
  const file = join(folder, 'targets.json')
  beforeAll(async () => {
    await writeFile(join(folder, 'secret'), SECRET)
    const target = { bucket: 'b', accessKey: 'key', secretKeyFile: join(folder, 'secret') }
    await writeFile(
      file,
      JSON.stringify({
        plain: { ...target, endpoint: 'http://192.0.2.1:9000' },
        loud: { ...target, endpoint: `https://u:${SECRET}@example.com` },
      }),
    )
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const gateway = useGateway({ backupTargetsFile: file })

  test('names them to operators, and tells nothing else', async () => {
    const answer = await gateway().send('GET /api/v1/backup-targets')
    expect(answer.json()).toEqual({ items: [{ name: 'loud' }, { name: 'plain' }], truncated: false, limit: 500 })
  })

  test.each([
    ['plain HTTP to another machine', `GET ${BACKUPS}?target=plain`, 400, 'config_invalid'],
    ['a secret in the address', `GET ${BACKUPS}?target=loud`, 400, 'config_invalid'],
    ['another name', `GET ${BACKUPS}?target=other`, 404, 'backup_target_not_found'],
    ['a name that is none', `GET ${BACKUPS}?target=a/b`, 400, 'name_invalid'],
    ['showing one', `GET ${BACKUPS}/${GONE}?target=other`, 404, 'backup_target_not_found'],
    ['resuming one', `POST ${BACKUPS}/${GONE}/resume?target=other`, 404, 'backup_target_not_found'],
    ['verifying one', `POST ${BACKUPS}/${GONE}/verify?target=other`, 404, 'backup_target_not_found'],
    ['deleting one', `DELETE ${BACKUPS}/${GONE}?target=other`, 404, 'backup_target_not_found'],
  ])('refuses %s', async (_, line, status, code) => {
    const answer = await gateway().send(line)
    expect([answer.status, answer.json()['code']]).toEqual([status, code])
    expect(answer.text).not.toContain(SECRET)
  })
})

describe('with a file that is none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-targets-'))
  const file = join(folder, 'targets.json')
  beforeAll(() => writeFile(file, '{}'))
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const gateway = useGateway({ backupTargetsFile: file })

  test.each([
    ['is not JSON', `{"secret":"${SECRET}`],
    ['is not one JSON object', `["${SECRET}"]`],
  ])('says that it %s, and repeats nothing of it', async (words, text) => {
    await writeFile(file, text)
    const answer = await gateway().send('GET /api/v1/backup-targets')
    expect([answer.status, answer.json()['code']]).toEqual([400, 'config_invalid'])
    expect(answer.json()['detail']).toContain(words)
    expect(answer.text).not.toContain(SECRET)
  })
})
