// The files of the audit log: what is on the disk and when, and what is found of what was done to them.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { command } from '../../src/audit/command.js'
import { AuditLog, type LogOptions } from '../../src/audit/log.js'
import { verifyLog } from '../../src/audit/verify.js'

let data: string
let opened: AuditLog[]
const folder = (name = ''): string => join(data, 'audit', name)
const open = async (options: Partial<LogOptions> = {}): Promise<AuditLog> => {
  const log = new AuditLog(data, { warn: () => undefined, ...options })
  opened.push(log)
  await log.load()
  return log
}
const texts = async (name = '000001.log'): Promise<string[]> =>
  (await readFile(folder(name), 'utf8')).split('\n').slice(0, -1)
const parsed = async (name?: string): Promise<Record<string, unknown>[]> =>
  (await texts(name)).map((line) => JSON.parse(line) as Record<string, unknown>)
const kinds = async (name?: string): Promise<unknown[]> => (await parsed(name)).map(({ kind }) => kind)
const verify = (): ReturnType<typeof verifyLog> => verifyLog(folder())
/** A log of a few entries, closed. */
async function small(options: Partial<LogOptions> = {}, entries = 3): Promise<void> {
  const log = await open(options)
  for (let n = 0; n < entries; n += 1) {
    const intent = await log.intent({ operation: 'updateSet', object: `n${n}` })
    await log.note('outcome', { intent, operation: 'updateSet', outcome: 'ok' })
  }
  await log.close({})
}
/** What the command says, and its exit status. */
async function told(...more: string[]): Promise<[number, string]> {
  const lines: string[] = []
  const code = await command(['--data', data, ...more], (line) => lines.push(line))
  return [code, lines.join('\n')]
}

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'tessera-audit-'))
  opened = []
})
afterEach(async () => {
  vi.useRealTimers()
  for (const log of opened) await log.close({})
  await rm(data, { recursive: true, force: true })
})

describe('the chain', () => {
  test('each line has the hash of the one before it, and goes on after a restart', async () => {
    await small()
    await small()
    const lines = await parsed()
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, at) => at + 1))
    expect(lines.slice(1).map(({ prev }) => prev)).toEqual(lines.slice(0, -1).map(({ hash }) => hash))
    expect(await verify()).toMatchObject({ ok: true, entries: 15, segments: 1 })
  })

  test('a clock that jumps back is kept as it is', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const log = await open()
    for (const at of ['2030-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z']) {
      vi.setSystemTime(at)
      await log.note('single', {})
    }
    expect((await parsed()).slice(1).map(({ at }) => at)).toEqual([
      '2030-01-01T00:00:00.000Z',
      '2020-01-01T00:00:00.000Z',
    ])
    expect((await verify()).ok).toBe(true)
  })

  test('each flipped byte of the log is found, and told with its line', async () => {
    await small({}, 2)
    const path = folder('000001.log')
    const whole = await readFile(path)
    const unseen: number[] = []
    const misplaced: number[] = []
    let line = 1
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole)
      changed.writeUInt8(whole.readUInt8(at) ^ 1, at)
      await writeFile(path, changed)
      const { ok, fault } = await verify()
      if (ok) unseen.push(at)
      // A line feed that is gone makes one line of two; at the end of the file, it cuts the last one.
      else if (fault?.line !== line && whole.readUInt8(at) !== 0x0a) misplaced.push(at)
      if (whole.readUInt8(at) === 0x0a) line += 1
    }
    expect([unseen, misplaced]).toEqual([[], []])
  })

  test('each flipped byte of the file with the newest hash is found', async () => {
    await small({}, 1)
    const whole = await readFile(folder('head'))
    const unseen: number[] = []
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole)
      changed.writeUInt8(whole.readUInt8(at) ^ 1, at)
      await writeFile(folder('head'), changed)
      if ((await verify()).ok) unseen.push(at)
    }
    expect(unseen).toEqual([])
  })

  const damages: [how: string, change: (lines: string[]) => string[], line: number, seq: number][] = [
    ['a line is removed', (lines) => lines.toSpliced(2, 1), 3, 3],
    ['the first line is removed', (lines) => lines.slice(1), 1, 1],
    ['two lines are swapped', ([a = '', b = '', c = '', ...rest]) => [a, c, b, ...rest], 2, 2],
    ['a line is there twice', ([a = '', ...rest]) => [a, a, ...rest], 2, 2],
    ['the last line is cut off', (lines) => lines.slice(0, -1), 0, 8],
    ['all lines are cut off', () => [], 0, 1],
    ['an empty line is added', (lines) => [...lines, ''], 9, 9],
  ]
  test.each(damages)('%s: it is found', async (_how, change, line, seq) => {
    await small()
    const changed = change(await texts())
    await writeFile(folder('000001.log'), changed.map((one) => `${one}\n`).join(''))
    expect(await verify()).toMatchObject({ ok: false, fault: { file: 'audit/000001.log', line, seq } })
    expect((await told())[0]).toBe(1)
  })
})

describe('files', () => {
  const many = { segmentBytes: 1500 }

  test('a full file is followed by the next, which carries the chain on', async () => {
    await small(many, 10)
    const names = (await readdir(folder())).filter((name) => name.endsWith('.log'))
    expect(names.length).toBeGreaterThan(3)
    expect((await kinds(names[1]))[0]).toBe('segment')
    expect(await verify()).toMatchObject({ ok: true, segments: names.length, entries: 21 + names.length })
  })

  test.each([
    ['the first one is removed', '000001.log', 'rm', 'audit/000002.log'],
    ['one between is removed', '000002.log', 'rm', 'audit/000002.log'],
    ['one is replaced by an older copy', '000003.log', 'copy', 'audit/000003.log'],
  ])('%s: it is found, and the start tells it', async (_how, name, what, file) => {
    await small(many, 10)
    await (what === 'rm' ? rm(folder(name)) : copyFile(folder('000001.log'), folder(name)))
    expect(await verify()).toMatchObject({ ok: false, fault: { file } })
    expect((await told())[1]).toContain(file)
  })

  test('the last one is removed: the start tells it, and goes on in a new one', async () => {
    await small(many, 10)
    const last = (await readdir(folder())).findLast((name) => name.endsWith('.log')) ?? ''
    await rm(folder(last))
    const log = await open(many)
    expect(log.notices()).toMatchObject([{ code: 'audit_damaged', message: expect.stringContaining('was written') }])
    await log.intent({ operation: 'later' })
    expect(log.position().kept.seq).toBeGreaterThan(20)
    expect((await verify()).ok).toBe(false)
  })

  test('one that is missing at the start is told', async () => {
    await small(many, 10)
    await rm(folder('000002.log'))
    const log = await open(many)
    expect(log.notices()).toMatchObject([{ message: expect.stringContaining('audit/000002.log is missing') }])
  })

  test('old ones are removed only by the setting, and an entry says so before', async () => {
    await small(many, 10)
    const before = await readdir(folder())
    const kept = await open({ ...many })
    await kept.expire(Date.now() + 1e12)
    expect((await readdir(folder())).length).toBe(before.length)
    await kept.close({})
    const log = await open({ ...many, keepDays: 30 })
    await log.expire(Date.now() + 29 * 86_400_000)
    expect((await readdir(folder())).length).toBe(before.length)
    await log.expire(Date.now() + 31 * 86_400_000)
    await log.close({})
    const after = (await readdir(folder())).filter((name) => name.endsWith('.log'))
    expect(after.length).toBeLessThan(4)
    const report = await verify()
    expect(report).toMatchObject({ ok: true, removedSegments: expect.any(Number) })
    expect((await told())[1]).toContain('older files were removed')
    // One more than the retention has removed is missing.
    await rm(folder(after[0]))
    expect((await verify()).ok).toBe(false)
  })

  test('a cut end is told by each start, until the retention has removed the file that tells it', async () => {
    await small()
    await truncate(folder('000001.log'), (await stat(folder('000001.log'))).size - 40)
    const damage = { code: 'audit_damaged', message: expect.stringContaining('was written') }
    for (let start = 0; start < 3; start += 1) {
      const log = await open({ segmentBytes: 400 })
      expect(log.notices(), `start ${start}`).toMatchObject([damage])
      for (let n = 0; n < 5; n += 1) await log.note('single', { n })
      await log.close({})
    }
    const old = await open({ segmentBytes: 400, keepDays: 1 })
    await old.expire(Date.now() + 2 * 86_400_000)
    await old.close({})
    expect((await readdir(folder())).includes('000002.log')).toBe(false)
    expect((await open()).notices()).toEqual([])
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('an empty file between others is found', async () => {
    await small(many, 10)
    await truncate(folder('000002.log'))
    expect(await verify()).toMatchObject({ ok: false, fault: { file: 'audit/000002.log', message: 'it is empty' } })
  })

  test('a first line is missed, also in a file that the retention was about to remove', async () => {
    await small(many, 10)
    const logs = async (): Promise<string[]> => (await readdir(folder())).filter((name) => name.endsWith('.log'))
    const before = new Map<string, string>()
    for (const name of await logs()) before.set(name, await readFile(folder(name), 'utf8'))
    const log = await open({ ...many, keepDays: 1 })
    await log.expire(Date.now() + 2 * 86_400_000)
    await log.close({})
    const left = await logs()
    const [removed = ''] = [...before.keys()].filter((name) => !left.includes(name)).slice(-1)
    // As if the server had ended before it removed the last of them.
    const text = before.get(removed) ?? ''
    await writeFile(folder(removed), text)
    expect(await verify()).toMatchObject({ ok: true })
    await writeFile(folder(removed), text.slice(text.indexOf('\n') + 1))
    expect(await verify()).toMatchObject({ ok: false, fault: { file: `audit/${removed}`, line: 1 } })
  })

  test.each(['notes.txt', '0000001.log', '000000.log', '000001.log.bak'])(
    'a file %s of somebody else is found, and the log goes on',
    async (name) => {
      await small()
      await writeFile(folder(name), 'x')
      expect(await verify()).toMatchObject({ ok: false, fault: { file: `audit/${name}`, line: 0 } })
      const log = await open()
      await log.intent({})
      expect(log.notices()).toEqual([])
      await rm(folder(name))
      expect((await verify()).ok).toBe(true)
    },
  )

  test('a file of somebody else in the place of the next one is left, told and skipped', async () => {
    const log = await open({ segmentBytes: 400 })
    await writeFile(folder('000002.log'), 'x')
    for (let n = 0; n < 5; n += 1) await log.intent({ n })
    expect(log.notices()).toMatchObject([
      { message: expect.stringContaining('audit/000002.log is of another program') },
    ])
    expect(await readFile(folder('000002.log'), 'utf8')).toBe('x')
    expect((await kinds('000003.log'))[0]).toBe('segment')
    expect(await verify()).toMatchObject({ ok: false, fault: { file: 'audit/000002.log' } })
  })

  const places: readonly [string, (path: string) => Promise<unknown>, string][] = [
    ['a pipe', async (path) => execFileSync('mkfifo', [path]), 'it is no regular file'],
    ['a folder', (path) => mkdir(path), 'it is a folder'],
    ['a link to nothing', (path) => symlink('/nowhere', path), 'it is a link'],
    ['a link to a log', (path) => rename(path, folder('kept')).then(() => symlink(folder('kept'), path)), 'a link'],
  ]
  test.each(places)('%s in the place of a log is told, and the log goes on', async (name, make, why) => {
    await small()
    const path = folder('000001.log')
    if (name !== 'a link to a log') await rm(path)
    await make(path)
    expect((await told())[1]).toContain(why)
    for (let start = 0; start < 3; start += 1) {
      const log = await open()
      await log.intent({ operation: 'after' })
      expect(log.notices()).toMatchObject([{ code: 'audit_damaged', message: expect.stringContaining(why) }])
      await log.close({})
    }
    expect((await readdir(folder())).filter((one) => one.endsWith('.log'))).toEqual(['000001.log', '000002.log'])
    expect((await told())[1]).toContain(why)
  })

  test('a link in the place of the newest hash is told', async () => {
    await small()
    await rename(folder('head'), folder('kept'))
    await symlink(folder('kept'), folder('head'))
    expect(await told()).toEqual([1, expect.stringContaining('it is a link')])
  })

  test('a log that became a link while the server runs is told, and a new one is begun', async () => {
    const log = await open()
    await log.intent({ operation: 'before' })
    await rename(folder('000001.log'), folder('kept'))
    await symlink(folder('kept'), folder('000001.log'))
    await log.intent({ operation: 'after' })
    expect(log.notices()).toMatchObject([{ code: 'audit_damaged' }])
    expect(await kinds('000002.log')).toEqual(['segment', 'intent'])
  })

  test('above a size there is a notice', async () => {
    await small(many, 10)
    const log = await open({ ...many, noticeBytes: 1000 })
    expect(log.notices()).toMatchObject([{ code: 'audit_large', message: expect.stringContaining('bytes') }])
  })

  test('a hash that was kept elsewhere is found again, and one of another log is not', async () => {
    await small()
    const kept = (await parsed()).at(-1)?.['hash'] as string
    await small()
    expect(await told('--head', kept)).toEqual([0, expect.stringContaining('that of entry 8')])
    // Somebody makes the log anew, whole in itself.
    await rm(folder(), { recursive: true })
    await small({}, 9)
    expect((await told())[0]).toBe(0)
    expect(await told('--head', kept)).toEqual([1, expect.stringContaining('no entry has the hash')])
  })

  test('the command tells wrong arguments, and a directory without a log', async () => {
    expect((await told('--head', 'short'))[0]).toBe(2)
    expect(await command([], () => undefined)).toBe(2)
    expect(await told()).toEqual([1, expect.stringContaining('audit/head')])
  })
})

describe('a crash', () => {
  test('a torn line is set aside and told, and the chain goes on', async () => {
    await small()
    await appendFile(folder('000001.log'), '{"seq":9,"at":"20')
    expect((await told())[1]).toContain('17 bytes')
    const log = await open()
    await log.intent({ operation: 'after' })
    expect(log.notices()).toEqual([])
    expect(await readFile(folder('000001.log.torn'), 'utf8')).toBe('{"seq":9,"at":"20')
    expect((await parsed()).slice(-2)).toMatchObject([
      { kind: 'torn', file: 'audit/000001.log.torn', bytes: 17 },
      { kind: 'intent', operation: 'after' },
    ])
    expect((await verify()).ok).toBe(true)
  })

  test('a line that was set aside and not told, as its server ended then, is told by the next start', async () => {
    await small()
    await writeFile(folder('000001.log.torn'), '{"seq":9,"at":"20')
    expect(await told()).toEqual([1, expect.stringContaining('000001.log.torn')])
    await (await open()).close({})
    expect((await parsed()).at(-2)).toMatchObject({ kind: 'torn', file: 'audit/000001.log.torn', bytes: 17 })
    expect((await verify()).ok).toBe(true)
    await writeFile(folder('000001.log.torn'), '{"seq":9,"at":"19')
    expect((await told())[1]).toContain('it is not what a crash cut off')
  })

  test('a copy of it that was made before the crash went on is not made twice', async () => {
    await small()
    await appendFile(folder('000001.log'), '{"seq":9,"at":"20')
    await writeFile(folder('000001.log.torn'), '{"seq":9,"at":"20')
    await (await open()).close({})
    expect((await readdir(folder())).toSorted()).toEqual(['000001.log', '000001.log.torn', 'head', 'reserve'])
    expect((await verify()).ok).toBe(true)
  })

  test('a file with a torn line that no entry tells is found', async () => {
    const log = await open({ segmentBytes: 1000 })
    for (let n = 0; n < 20; n += 1) await log.intent({ operation: 'updateSet', object: `n${n}` })
    await log.close({})
    await writeFile(folder('000001.log.torn'), '{"seq":2')
    await (await open()).close({})
    expect((await verify()).fault).toMatchObject({
      file: 'audit/000001.log.torn',
      message: 'no entry tells that a crash cut it off',
    })
  })

  test('anything else that is damaged is left as it is, and a new file goes on', async () => {
    await small()
    const path = folder('000001.log')
    const text = (await readFile(path, 'utf8')).replace('"n1"', '"n9"')
    await writeFile(path, text)
    const log = await open()
    expect(log.notices()).toMatchObject([{ code: 'audit_damaged', message: expect.stringContaining('line 4') }])
    await log.intent({ operation: 'after' })
    expect(await readFile(path, 'utf8')).toBe(text)
    expect((await parsed('000002.log'))[0]).toMatchObject({
      kind: 'segment',
      damages: [expect.stringContaining('line 4')],
    })
    // Numbers are not used again.
    expect(log.position().kept.seq).toBeGreaterThan(8)
  })

  test('a cut end is found for good, also if the newest hash is gone and starts have written it anew', async () => {
    await small()
    const path = folder('000001.log')
    const lines = await texts()
    await writeFile(
      path,
      lines
        .slice(0, -4)
        .map((line) => `${line}\n`)
        .join(''),
    )
    await rm(folder('head'))
    for (let starts = 0; starts < 2; starts += 1) {
      await small()
      const { ok, fault } = await verify()
      expect([ok, fault]).toMatchObject([false, { file: 'audit/000002.log', line: 1 }])
      expect(fault?.message).toContain('head')
    }
    expect((await told())[0]).toBe(1)
  })

  test('a change that has begun and not ended is told as unknown', async () => {
    const log = await open()
    const intent = await log.intent({ operation: 'dropNamespace', namespace: 'shop', who: 'token' })
    // No stop: the process was killed.
    const again = await open()
    await again.note('single', {})
    expect((await parsed()).filter(({ kind }) => kind === 'outcome')).toMatchObject([
      { intent, operation: 'dropNamespace', namespace: 'shop', who: 'token', outcome: 'unknown' },
    ])
    expect(again.isRunning(intent)).toBe(false)
    expect(log.isRunning(intent)).toBe(true)
  })

  test('a change that began in an earlier file is known, too', async () => {
    const log = await open({ segmentBytes: 600 })
    const intent = await log.intent({ operation: 'importRecords', before: 'secret'.repeat(10) })
    for (let n = 0; n < 5; n += 1) await log.note('single', { n })
    const again = await open()
    await again.note('single', {})
    const name = (await readdir(folder())).findLast((one) => one.endsWith('.log'))
    expect((await parsed(name)).filter(({ kind }) => kind === 'outcome')).toMatchObject([
      { intent, operation: 'importRecords', outcome: 'unknown' },
    ])
  })

  test('kill -9 at any moment loses no entry that was acknowledged, and damages nothing', async () => {
    const script = `
      import { AuditLog } from ${JSON.stringify(new URL('../../dist/audit/log.js', import.meta.url).href)}
      const log = new AuditLog(process.argv[1], { warn: () => undefined, segmentBytes: 20000 })
      await log.load()
      const work = async () => {
        for (;;) {
          const intent = await log.intent({ operation: 'updateSet', filler: 'x'.repeat(300) })
          process.stdout.write(intent + '\\n')
          await log.note('outcome', { intent, outcome: 'ok' })
        }
      }
      await Promise.all(Array.from({ length: 8 }, work))`
    let acknowledged = 0
    for (let round = 0; round < 3; round += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, data])
      let seen = 0
      for await (const chunk of child.stdout) {
        const numbers = String(chunk)
          .split('\n')
          .filter((line) => /^\d+$/.test(line))
        seen += numbers.length
        acknowledged = Math.max(acknowledged, ...numbers.slice(0, -1).map(Number))
        if (seen > 50 * (round + 1)) child.kill('SIGKILL')
      }
      await once(child, 'close').catch(() => undefined)
      const report = await verify()
      expect(report.fault).toBeUndefined()
      expect(report.head.seq).toBeGreaterThanOrEqual(acknowledged)
    }
    const log = await open()
    await log.note('single', {})
    expect(log.notices()).toEqual([])
    expect(await verify()).toMatchObject({ ok: true })
  })
})

describe('a log that cannot be written', () => {
  test('refuses changes, keeps outcomes, and tells both when it works again', async () => {
    let full = false
    const { write } = new WritesFor(() => full)
    const log = await open({ write })
    const begun = await log.intent({ operation: 'updateSet' })
    full = true
    await expect(log.intent({ operation: 'dropIndex' })).rejects.toMatchObject({ code: 'audit_unavailable' })
    await log.note('outcome', { intent: begun, outcome: 'ok' })
    expect(log.notices()).toMatchObject([{ code: 'audit_not_written', message: expect.stringContaining('no space') }])
    full = false
    await log.intent({ operation: 'createSet' })
    expect(log.notices()).toEqual([])
    expect((await parsed()).slice(2)).toMatchObject([
      { kind: 'gap', refused: 1, lost: 0 },
      { kind: 'outcome', intent: begun },
      { kind: 'intent', operation: 'createSet' },
    ])
    expect((await verify()).ok).toBe(true)
  })

  test('takes entries of what makes room, from room that it has kept', async () => {
    const isReserved = (): boolean => existsSync(folder('reserve'))
    let full = false
    // As on a full disk: the room that is given up is all there is.
    const { write } = new WritesFor(() => full && isReserved(), 40)
    const log = await open({ write })
    expect((await stat(folder('reserve'))).size).toBe(1024 * 1024)
    full = true
    await expect(log.intent({ operation: 'updateSet' })).rejects.toMatchObject({ code: 'audit_unavailable' })
    expect(isReserved()).toBe(true)
    const intent = await log.intent({ operation: 'dropNamespace' }, true)
    await log.note('outcome', { intent, outcome: 'ok' })
    expect(isReserved()).toBe(false)
    expect(log.notices()).toEqual([])
    expect(await kinds()).toEqual(['segment', 'gap', 'intent', 'outcome'])
    expect((await verify()).ok).toBe(true)
    await open()
    expect(isReserved()).toBe(true)
  })

  test('refuses what makes room, too, if it has kept none', async () => {
    const { write } = new WritesFor(() => true)
    const log = await open({ write })
    await rm(folder('reserve'))
    await expect(log.intent({ operation: 'dropNamespace' }, true)).rejects.toMatchObject({ code: 'audit_unavailable' })
    expect(log.notices()).toMatchObject([{ code: 'audit_not_written' }])
  })

  test('refuses it, too, if something that cannot be removed is in the place of the room', async () => {
    const { write } = new WritesFor(() => true)
    const log = await open({ write })
    await rm(folder('reserve'))
    await mkdir(folder('reserve'))
    await expect(log.intent({ operation: 'dropNamespace' }, true)).rejects.toMatchObject({ code: 'audit_unavailable' })
  })

  test('a write that fails in the middle of a line leaves nothing behind', async () => {
    let full = false
    const { write } = new WritesFor(() => full, 40)
    const log = await open({ write })
    await log.note('single', { n: 1 })
    const { size } = await stat(folder('000001.log'))
    full = true
    await expect(log.intent({})).rejects.toMatchObject({ code: 'audit_unavailable' })
    expect((await stat(folder('000001.log'))).size).toBe(size + 40)
    full = false
    await log.intent({})
    expect((await verify()).ok).toBe(true)
    expect(await kinds()).toEqual(['segment', 'single', 'gap', 'intent'])
  })

  test('memory stays bounded, and what is lost is counted', async () => {
    let full = true
    const { write } = new WritesFor(() => full)
    const log = await open({ write })
    for (let n = 0; n < 1500; n += 1) await log.note('single', { n })
    full = false
    await log.intent({})
    const lines = await parsed()
    expect(lines[1]).toMatchObject({ kind: 'gap', lost: 500 })
    expect(lines.filter(({ kind }) => kind === 'single')).toHaveLength(1000)
  })

  test('a data directory that was replaced is not written to', async () => {
    await small()
    const log = await open()
    await rename(data, `${data}-away`)
    await expect(log.intent({})).rejects.toMatchObject({ code: 'data_directory_unavailable' })
    await rename(`${data}-away`, data)
    await expect(log.intent({})).resolves.toBeGreaterThan(8)
  })

  test('a folder that was taken away refuses changes', async () => {
    const log = await open()
    await log.note('single', {})
    await rename(folder(), join(data, 'gone'))
    await expect(log.intent({})).rejects.toMatchObject({ code: 'audit_unavailable' })
    await rename(join(data, 'gone'), folder())
    await expect(log.intent({})).resolves.toBeGreaterThan(2)
  })

  test('a file that somebody removed while the server runs is told, and a new one is begun', async () => {
    const log = await open()
    await log.note('single', {})
    await rm(folder('000001.log'))
    await log.intent({ operation: 'after' })
    expect(log.notices()).toMatchObject([
      { code: 'audit_damaged', message: expect.stringContaining('audit/000001.log was removed') },
    ])
    expect(await kinds('000002.log')).toEqual(['segment', 'intent'])
    expect(await verify()).toMatchObject({ ok: false, fault: { file: 'audit/000002.log' } })
  })

  test('a file that somebody cut while the server runs is told, and left as it is', async () => {
    const log = await open()
    await log.note('single', {})
    const { size } = await stat(folder('000001.log'))
    await truncate(folder('000001.log'), size - 10)
    await log.intent({ operation: 'after' })
    expect(log.notices()).toMatchObject([{ code: 'audit_damaged' }])
    expect((await stat(folder('000001.log'))).size).toBe(size - 10)
    expect(await kinds('000002.log')).toEqual(['segment', 'intent'])
    expect((await verify()).ok).toBe(false)
  })
})

/** Writes as a disk does that is full at times: after `some` bytes. */
class WritesFor {
  readonly write: NonNullable<LogOptions['write']>

  constructor(isFull: () => boolean, some = 0) {
    this.write = async (file, bytes, at) => {
      await file.write(bytes, 0, isFull() ? some : bytes.length, at)
      if (isFull()) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      await file.datasync()
    }
  }
}
