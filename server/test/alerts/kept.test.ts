// Rules and states outlive the process; damage is said and fails no start.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { AGAIN_MS, EVENTS_MAX } from '../../src/alerts/alerts.js'
import { CheckedFile } from '../../src/files/checked-file.js'
import { defaultRules } from '../../src/alerts/rules/defaults.js'
import type { AlertRuleSpec } from '../../src/schemas/alerts/rules.js'
import { keepAside } from '../../src/files/keep-aside.js'
import { Bench, newFolder } from './source.js'

const rule: AlertRuleSpec = {
  name: 'Large',
  severity: 'warning',
  threshold: { metric: 'namespace.bytes', when: 'above', value: 20, forSeconds: 0 },
}
const large = { sizes: [{ namespace: 'shop', records: 1, bytes: 21 }] }
const file = (it: Bench, name: string): string => join(it.folder, 'alerts', name)

async function bench(): Promise<Bench> {
  const it = await new Bench().start()
  await it.alerts.rules.add(rule, 'token')
  it.run(1, [], large)
  await it.alerts.settled()
  return it
}

test('a new server has rules; deleted ones stay deleted', async () => {
  const it = new Bench()
  await it.alerts.start(it.source)
  expect(it.alerts.rules.list().map(({ id, who }) => [id, who])).toEqual(
    Object.keys(defaultRules).map((id) => [id, 'default']),
  )
  await it.alerts.rules.remove('reads-within-1-ms', () => undefined)
  await it.restart()
  expect(it.alerts.rules.list()).toHaveLength(Object.keys(defaultRules).length - 1)
})

test('rules, states and events are the same after a restart', async () => {
  const it = await bench()
  const [rules, events] = [it.alerts.rules.list(), it.alerts.events()]
  await it.restart()
  it.run(1, [], large)
  expect([it.alerts.rules.list(), it.alerts.events(), it.states()]).toEqual([rules, events, ['firing']])
})

test('only the owner can read the files, because one has the secret', async () => {
  const it = await bench()
  expect(statSync(file(it, 'rules.json')).mode & 0o777).toBe(0o600)
})

test.each([
  ['cut off', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 40))],
  ['empty', (path: string) => writeFileSync(path, '')],
  ['changed', (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace('shop', 'shoe'))],
  ['of a later version', (path: string) => writeFileSync(path, '{"version":2,"sha256":"","body":{}}')],
  ['null', (path: string) => writeFileSync(path, 'null')],
  ['without a body', (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace('"body"', '"bodx"'))],
  ['a pipe', (path: string) => (rmSync(path), execFileSync('mkfifo', [path]))],
  ['too long', (path: string) => appendFileSync(path, Buffer.alloc(17 * 1024 * 1024, ' '))],
])('a state file that is %s is set aside and reported', async (_how, damage) => {
  const it = await bench()
  damage(file(it, 'state.json'))
  await it.restart()
  expect(it.alerts.problems()).toMatchObject([
    { code: 'alerts_damaged', message: expect.stringContaining('state.json') as string },
  ])
  expect(existsSync(file(it, 'state.json.damaged'))).toBe(true)
  it.run(1, [], large)
  expect([it.states(), it.alerts.rules.list()[0]?.name]).toEqual([['firing'], 'Large'])
})

test('a link to nothing in the place of a file is reported, and replaced by the next change', async () => {
  const it = await bench()
  rmSync(file(it, 'rules.json'))
  symlinkSync('nowhere', file(it, 'rules.json'))
  await it.restart()
  expect(it.alerts.problems()).toMatchObject([
    { code: 'alerts_damaged', message: expect.stringContaining('rules.json is damaged: it is a link') as string },
  ])
  await it.alerts.rules.add(rule, 'token')
  expect(lstatSync(file(it, 'rules.json')).isFile()).toBe(true)
})

test('a second damage keeps the copy of the first, and a start finds the same damage once', async () => {
  const it = await bench()
  const whole = readFileSync(file(it, 'rules.json'), 'utf8')
  for (const damaged of [whole.replace('Large', 'Lange'), 'none', 'none']) {
    writeFileSync(file(it, 'rules.json'), damaged)
    await it.restart()
    await it.restart()
    await it.alerts.rules.add(rule, 'token')
  }
  expect(readFileSync(file(it, 'rules.json.damaged'), 'utf8')).toContain('Lange')
  expect([2, 3, 4].map((n) => existsSync(file(it, `rules.json.damaged-${n}`)))).toEqual([true, true, false])
})

test('nothing is written over a damaged file, however many copies there are', async () => {
  const it = await bench()
  const names = ['', ...Array.from({ length: 8 }, (_, n) => `-${n + 2}`)]
  for (const name of names) writeFileSync(file(it, `rules.json.damaged${name}`), 'older')
  writeFileSync(file(it, 'rules.json'), 'newest')
  await it.restart()
  await it.alerts.rules.add(rule, 'token')
  expect(readFileSync(file(it, 'rules.json.damaged-10'), 'utf8')).toBe('newest')
  expect(it.alerts.problems()[0]?.message).toContain('rules.json.damaged-10')
  for (const name of names) expect(readFileSync(file(it, `rules.json.damaged${name}`), 'utf8')).toBe('older')
})

test('a folder in the place of a file is moved aside, and the file is written', async () => {
  const it = await bench()
  rmSync(file(it, 'state.json'))
  mkdirSync(file(it, 'state.json'))
  await it.restart()
  await it.alerts.settled()
  expect(statSync(file(it, 'state.json.damaged')).isDirectory()).toBe(true)
  expect(statSync(file(it, 'state.json')).isFile()).toBe(true)
  expect(it.alerts.problems()).toMatchObject([{ code: 'alerts_damaged' }])
})

const isRoot = process.getuid?.() === 0

test.skipIf(isRoot)('a file that may not be read is kept, whatever is written', async () => {
  const it = await bench()
  const whole = readFileSync(file(it, 'rules.json'), 'utf8')
  chmodSync(file(it, 'rules.json'), 0)
  await it.restart()
  await it.alerts.rules.add({ ...rule, name: 'Other' }, 'token')
  chmodSync(file(it, 'rules.json.damaged'), 0o600)
  expect(readFileSync(file(it, 'rules.json.damaged'), 'utf8')).toBe(whole)
})

test('what cannot be set aside is not written over', async () => {
  const path = join(newFolder(), 'alerts', 'rules.json')
  mkdirSync(path, { recursive: true })
  let denied = true
  const keep = (at: string) => (denied ? Promise.reject(new Error('denied')) : keepAside(at))
  const kept = new CheckedFile<object>(join(path, '..', '..'), 'alerts', 'rules.json', keep)
  const damage = `${path} is damaged: it is no file; nothing is written over it until it can be set aside`
  expect(await kept.load((body): body is object => body !== null)).toEqual({ damage })
  await expect(kept.save({})).rejects.toMatchObject({ code: 'data_directory_unavailable' })
  expect(statSync(path).isDirectory()).toBe(true)
  denied = false
  await kept.save({})
  expect([statSync(`${path}.damaged`).isDirectory(), statSync(path).isFile()]).toEqual([true, true])
})

test.each([
  ['rules.json', 'rules.json is missing'],
  ['state.json', 'state.json is missing'],
])('a missing %s is reported', async (name, words) => {
  const it = await bench()
  rmSync(file(it, name))
  await it.restart()
  expect(it.alerts.problems()).toMatchObject([
    { code: 'alerts_damaged', message: expect.stringContaining(words) as string },
  ])
})

test('a first start reports nothing, also after one whose write was cut off', async () => {
  const it = new Bench()
  mkdirSync(join(it.folder, 'alerts'))
  writeFileSync(file(it, 'rules.json.new'), '{"versi')
  await it.alerts.start(it.source)
  expect(it.alerts.problems()).toEqual([])
  await it.restart()
  expect(it.alerts.problems()).toEqual([])
})

interface Content {
  watches: { standing: object }[]
  events: object[]
  rules: object[]
}

/** Writes the file again with another content and a right checksum. */
function rewrite(path: string, change: (body: Content) => unknown): void {
  const { body } = JSON.parse(readFileSync(path, 'utf8')) as { body: Content }
  change(body)
  const text = JSON.stringify(body)
  const sha256 = createHash('sha256').update(text).digest('hex')
  writeFileSync(path, `{"version":1,"sha256":"${sha256}","body":${text}}`)
}

test.each<[string, string, (body: Content) => unknown]>([
  [
    'a time that no date has',
    'state.json',
    ({ watches }) => Object.assign(watches[0]?.standing ?? {}, { sinceMs: 1e308 }),
  ],
  ['an unknown state', 'state.json', ({ watches }) => Object.assign(watches[0]?.standing ?? {}, { state: 'weird' })],
  ['an event without fields', 'state.json', ({ events }) => (events[0] = {})],
  [
    'a text as a value',
    'rules.json',
    ({ rules }) => Object.assign(rules[0] ?? {}, { threshold: { metric: 'process.cpu', value: 'x' } }),
  ],
  ['a rule without a condition', 'rules.json', ({ rules }) => Object.assign(rules[0] ?? {}, { threshold: undefined })],
])('%s counts as damage, although the checksum is right', async (_what, name, change) => {
  const it = await bench()
  rewrite(file(it, name), change)
  await it.restart()
  it.run(1, [], large)
  expect(it.alerts.list().length).toBeGreaterThan(0)
  expect(it.alerts.problems()).toMatchObject([
    { code: 'alerts_damaged', message: expect.stringContaining(`${name} is damaged: its content`) as string },
  ])
})

test('what could not be written is written as soon as it can be, without a change', async () => {
  const it = await bench()
  await it.alerts.rules.add({ ...rule, name: 'Other' }, 'token')
  renameSync(it.folder, `${it.folder}.gone`)
  it.run(1, [], large)
  const [event] = it.alerts.events()
  await it.alerts.settled()
  expect(it.alerts.problems()).toMatchObject([{ code: 'alerts_not_written' }])
  it.clock.pass(AGAIN_MS)
  await it.alerts.settled()
  expect(it.alerts.problems()).toMatchObject([{ code: 'alerts_not_written' }])
  renameSync(`${it.folder}.gone`, it.folder)
  it.clock.pass(AGAIN_MS)
  await it.alerts.settled()
  expect(it.alerts.problems()).toEqual([])
  expect(readFileSync(file(it, 'state.json'), 'utf8')).toContain(event?.id)
})

test('the rules of a new server are written too once they can be', async () => {
  const it = new Bench()
  renameSync(it.folder, `${it.folder}.gone`)
  await it.alerts.start(it.source)
  expect(it.alerts.problems()).toMatchObject([{ code: 'alerts_not_written' }])
  renameSync(`${it.folder}.gone`, it.folder)
  it.clock.pass(AGAIN_MS)
  await it.alerts.settled()
  expect([existsSync(file(it, 'rules.json')), existsSync(file(it, 'state.json'))]).toEqual([true, true])
})

test('what fired is told to be over, although the server stopped between', async () => {
  const it = await bench()
  expect(it.kinds()).toEqual(['firing'])
  await it.alerts.rules.remove(it.ruleId, () => undefined)
  await it.restart()
  expect([it.states(), it.alerts.health().tone]).toEqual([['firing'], 'warn'])
  it.run(1, [], large)
  expect([it.states(), it.kinds()]).toEqual([[], ['firing', 'resolved']])
  expect(it.alerts.events()[0]).toMatchObject({ rule: 'Large', namespace: 'shop' })
})

test('a rule that was switched off before a stop has no alert after it', async () => {
  const it = await bench()
  await it.alerts.rules.replace(it.ruleId, { ...rule, enabled: false }, 'token', () => undefined)
  await it.restart()
  it.run(1, [], large)
  expect([it.states(), it.kinds()]).toEqual([[], ['firing', 'resolved']])
})

test('without whole rules, those of a new server are used', async () => {
  const it = await bench()
  writeFileSync(file(it, 'rules.json'), '[]')
  await it.restart()
  expect(it.alerts.rules.list()).toHaveLength(Object.keys(defaultRules).length)
  expect(it.alerts.problems()).toMatchObject([{ code: 'alerts_damaged' }])
})

test('a file that cannot be written stops no evaluation, and a rule that cannot be kept does not hold', async () => {
  const it = await bench()
  renameSync(it.folder, `${it.folder}.gone`)
  mkdirSync(it.folder)
  const id = it.ruleId
  await expect(it.alerts.rules.add({ ...rule, name: 'Other' }, 'token')).rejects.toMatchObject({
    code: 'data_directory_unavailable',
  })
  await expect(it.alerts.rules.mute(id, '2026-11-26T13:00:00Z', () => undefined)).rejects.toMatchObject({
    code: 'data_directory_unavailable',
  })
  it.run(61, [], { sizes: [{ namespace: 'shop', records: 1, bytes: 1 }] })
  await it.alerts.settled()
  expect([it.states(), it.alerts.rules.list()]).toMatchObject([['resolved'], [{ name: 'Large' }]])
  expect(it.alerts.problems()).toMatchObject([{ code: 'alerts_not_written' }])
  rmSync(it.folder, { recursive: true })
  renameSync(`${it.folder}.gone`, it.folder)
  it.run(1, [], large)
  await it.alerts.settled()
  expect(it.alerts.problems()).toEqual([])
})

test('one write waits at most, and it has everything', async () => {
  const it = await bench()
  const writes = vi.spyOn(CheckedFile.prototype, 'save')
  await Promise.all(Array.from({ length: 50 }, () => it.alerts.test(it.ruleId, () => undefined)))
  expect(writes.mock.calls.length).toBeLessThanOrEqual(2)
  writes.mockRestore()
  const events = it.alerts.events()
  await it.restart()
  expect(it.alerts.events()).toEqual(events)
})

test('events are bounded; the oldest go', async () => {
  const it = await bench()
  const id = it.ruleId
  const tests = await Promise.all(Array.from({ length: EVENTS_MAX + 5 }, () => it.alerts.test(id, () => undefined)))
  expect(it.alerts.events()).toHaveLength(EVENTS_MAX)
  expect(it.alerts.events()[0]).toBe(tests.at(-1))
})
