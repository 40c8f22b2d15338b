// Backups by schedule: what is made, kept and deleted; a missed one; damage.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Clock } from '../../src/alerts/clock.js'
import { BackupSchedules } from '../../src/backups/schedules.js'
import { openNativeEngine } from '../../src/engines/native.js'
import type { Engine } from '../../src/engines/engine.js'
import { HandClock } from '../hand-clock.js'

const HOUR = 3_600_000

describe('backups by schedule', () => {
  let directory: string
  let engine: Engine

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tessera-schedules-'))
    engine = await openNativeEngine({ dataDirectory: directory })
    await engine.createNamespace({ name: 'n', storage: { engine: 'memory' }, segments: 4 })
  })

  afterAll(async () => {
    await engine.close()
    await rm(directory, { recursive: true })
  })

  const begin = async (clock: Clock) => {
    const schedules = new BackupSchedules({ dataDirectory: directory, clock, warn: () => undefined })
    await schedules.start(engine)
    await schedules.settled()
    return schedules
  }

  const ids = async () => (await engine.backups()).map(({ id }) => id)

  test('are made, in chains, and whole chains are deleted', async () => {
    const clock = new HandClock()
    const schedules = await begin(clock)
    expect(() => schedules.get('n')).toThrow('no schedule')
    await expect(schedules.set(engine, 'none', { everyHours: 1 })).rejects.toThrow('no namespace')
    const set = await schedules.set(engine, 'n', { everyHours: 1, fullEvery: 2, keepFull: 1 })
    expect(set).toMatchObject({ at: '00:00', fullEvery: 2, keepFull: 1, backups: [] })
    const run = async () => {
      clock.pass(Date.parse(schedules.get('n').nextAt) - clock.now())
      await schedules.settled()
      return schedules.get('n')
    }
    const first = (await run()).lastBackup ?? ''
    const second = (await run()).lastBackup ?? ''
    expect(await engine.backup(second)).toMatchObject({ state: 'complete', base: first })
    expect(await ids()).toEqual([first, second].sort())
    const third = await run()
    expect(third).toMatchObject({ backups: [third.lastBackup] })
    expect((await engine.backup(third.lastBackup ?? '')).base).toBeUndefined()
    expect(await ids()).toEqual([third.lastBackup])
    expect(Date.parse(third.nextAt)).toBeGreaterThan(clock.now())
    expect(third.missedAt).toBeUndefined()
    schedules.close()

    // It was off for a day.
    clock.pass(24 * HOUR)
    const again = await begin(clock)
    const missed = again.get('n')
    expect(missed.missedAt).toBe(third.nextAt)
    expect(missed.backups).toHaveLength(2)
    expect(await again.remove('n')).toMatchObject({ namespace: 'n' })
    expect(() => again.get('n')).toThrow('no schedule')
    again.close()
  })

  test('that somebody has built on stay, and keep no other one', async () => {
    const clock = new HandClock()
    const schedules = await begin(clock)
    await schedules.set(engine, 'n', { everyHours: 1, fullEvery: 1, keepFull: 1 })
    const run = async () => {
      clock.pass(Date.parse(schedules.get('n').nextAt) - clock.now())
      await schedules.settled()
      return schedules.get('n').lastBackup ?? ''
    }
    const first = await run()
    const byHand = await engine.startBackup('n', { base: first })
    await engine.waitJob(byHand.id, 10_000)
    const second = await run()
    const third = await run()
    expect(schedules.get('n').backups).toEqual([first, third])
    const there = await ids()
    expect([first, String(byHand.parameters['backup']), third].filter((id) => !there.includes(id))).toEqual([])
    expect(there).not.toContain(second)
    await schedules.remove('n')
    schedules.close()
  })

  test('end with their namespace, and say why one failed', async () => {
    const clock = new HandClock()
    const schedules = await begin(clock)
    await engine.createNamespace({ name: 'm', storage: { engine: 'memory' }, segments: 4 })
    await engine.writeRecords(
      'm',
      's',
      Buffer.from('{"key":1,"bins":{"a":1}}\n'.repeat(2) + '{"key":2,"bins":{"a":1}}\n'),
      { atomic: false, exists: 'upsert' },
    )
    await schedules.set(engine, 'm', { everyHours: 1 })
    await schedules.set(engine, 'n', { everyHours: 744 })
    const listed = () => schedules.list().map(({ namespace }) => namespace)
    expect(listed()).toEqual(['m', 'n'])
    const busy = await engine.startBackup('m', { recordsPerSecond: 1 })
    clock.pass(HOUR)
    await schedules.settled()
    expect(schedules.get('m').lastFailure).toMatchObject({ code: 'backup_in_use' })
    engine.abortJob(busy.id)
    await engine.waitJob(busy.id, 60_000)
    clock.pass(HOUR)
    await schedules.settled()
    expect(schedules.get('m').lastFailure).toBeUndefined()
    expect(schedules.get('m').backups).toHaveLength(1)
    await engine.dropNamespace('m', {})
    expect(listed()).toEqual(['n'])
    clock.pass(HOUR)
    await schedules.settled()
    expect(() => schedules.get('m')).toThrow('no schedule')
    schedules.close()
  })

  test('a damaged file is told, and set aside by the next change', async () => {
    const path = join(directory, 'schedules/backups.json')
    const whole = await readFile(path, 'utf8')
    await writeFile(path, whole.replace('sha256":"', 'sha256":"0'))
    const schedules = await begin(new HandClock())
    expect(schedules.notices()).toMatchObject([{ code: 'backup_schedules_damaged' }])
    await schedules.set(engine, 'n', { everyHours: 24 })
    expect(schedules.notices()).toEqual([])
    schedules.close()
  })
})
