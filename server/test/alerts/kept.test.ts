// Rules and states outlive the process; damage is said and fails no start.
import {
  appendFileSync,
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
import { expect, test, vi } from 'vitest'
import { EVENTS_MAX } from '../../src/alerts/alerts.js'
import { CheckedFile } from '../../src/files/checked-file.js'
import { defaultRules } from '../../src/alerts/rules/defaults.js'
import type { AlertRuleSpec } from '../../src/schemas/alerts/rules.js'
import { Bench } from './source.js'

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
  await expect(it.alerts.rules.mute(id, '2026-11-26T13:00:00Z')).rejects.toMatchObject({
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
  for (let n = 0; n < 50; n += 1) it.alerts.test(it.ruleId)
  await it.alerts.settled()
  expect(writes.mock.calls.length).toBeLessThanOrEqual(2)
  writes.mockRestore()
  const events = it.alerts.events()
  await it.restart()
  expect(it.alerts.events()).toEqual(events)
})

test('events are bounded; the oldest go', async () => {
  const it = await bench()
  const id = it.ruleId
  const tests = Array.from({ length: EVENTS_MAX + 5 }, () => it.alerts.test(id))
  expect(it.alerts.events()).toHaveLength(EVENTS_MAX)
  expect(it.alerts.events()[0]).toBe(tests.at(-1))
  await it.alerts.settled()
})
