// A schedule whose backups go to a bucket: made, built on and deleted there, also by the gateway that comes next.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BackupSchedules } from '../../src/backups/schedules.js'
import { openNativeEngine } from '../../src/engines/native.js'
import type { Engine } from '../../src/engines/engine.js'
import { HandClock } from '../hand-clock.js'
import { S3, targetOf } from '../s3.js'

const s3 = new S3()
let directory: string
let engine: Engine

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-scheduled-'))
  const backupTargetsFile = join(directory, 'targets.json')
  const { secretKeyVariable: _, ...target } = targetOf(await s3.start())
  await writeFile(join(directory, 'secret'), 'hunter2-hunter2')
  const offsite = { ...target, secretKeyFile: join(directory, 'secret') }
  await writeFile(backupTargetsFile, JSON.stringify({ offsite, other: { ...offsite, prefix: 'other' } }))
  engine = await openNativeEngine({ dataDirectory: directory, backupTargetsFile })
  await engine.createNamespace({ name: 'n', storage: { engine: 'memory' }, segments: 4 })
})

afterAll(async () => {
  await engine.close()
  await s3.stop()
  await rm(directory, { recursive: true })
})

test('a schedule with a target makes, builds on and deletes backups there', async () => {
  const clock = new HandClock()
  const begin = async () => {
    const schedules = new BackupSchedules({ dataDirectory: directory, clock, warn: () => undefined })
    await schedules.start(engine)
    await schedules.settled()
    return schedules
  }
  let schedules = await begin()
  const run = async () => {
    clock.pass(Date.parse(schedules.get('n').nextAt) - clock.now())
    await schedules.settled()
    return schedules.get('n')
  }
  const there = async () => (await engine.backups('offsite')).map(({ id }) => id)
  await schedules.set(engine, 'n', { everyHours: 1, fullEvery: 2, keepFull: 1, target: 'offsite' })
  const first = (await run()).lastBackup ?? ''
  schedules.close()

  schedules = await begin()
  expect(schedules.get('n')).toMatchObject({ target: 'offsite', backups: [first] })
  const second = (await run()).lastBackup ?? ''
  expect(await engine.backup(second, 'offsite')).toMatchObject({ state: 'complete', base: first })
  expect(await there()).toEqual([first, second])
  const third = await run()
  expect(await there()).toEqual([third.lastBackup])
  expect([...s3.objects.keys()].filter((key) => !key.startsWith(third.lastBackup ?? ''))).toEqual([])
  expect(await engine.backups()).toEqual([])

  // What is in the first target stays there, and is not built on from another one.
  await schedules.set(engine, 'n', { everyHours: 1, fullEvery: 2, keepFull: 1, target: 'other' })
  const moved = await run()
  expect(moved.lastFailure).toBeUndefined()
  expect((await engine.backup(moved.lastBackup ?? '', 'other')).base).toBeUndefined()
  expect(await there()).toEqual([third.lastBackup])
  schedules.close()
})

test('a schedule says if its target is away, leaves no torn backup, and makes a whole one when it is back', async () => {
  const clock = new HandClock()
  const schedules = new BackupSchedules({ dataDirectory: directory, clock, warn: () => undefined })
  await schedules.start(engine)
  const before = await schedules.set(engine, 'n', { everyHours: 1, fullEvery: 1, keepFull: 9, target: 'offsite' })
  const file = join(directory, 'secret')
  await rm(file)
  clock.pass(Date.parse(before.nextAt) - clock.now())
  await schedules.settled()
  const failed = schedules.get('n')
  expect(failed.lastFailure).toMatchObject({ code: 'config_invalid' })
  expect(failed.backups).toEqual(before.backups)
  await writeFile(file, 'hunter2-hunter2')
  clock.pass(Date.parse(failed.nextAt) - clock.now())
  await schedules.settled()
  const good = schedules.get('n')
  expect(good.lastFailure).toBeUndefined()
  expect(await engine.backup(good.lastBackup ?? '', 'offsite')).toMatchObject({ state: 'complete' })
  schedules.close()
})
