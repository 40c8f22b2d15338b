// Points in time in requests: one rule, the same as in the core, on every route.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseMoment } from '../src/requests/moment.js'
import { useGateway } from './gateway.js'

const cases = readFileSync(new URL('../../native/crates/record/src/json/times.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.includes('|'))
  .map((line) => [line.slice(0, line.indexOf('|')), line.slice(line.indexOf('|') + 1)] as const)

test('the core has cases of every kind', () => {
  expect(cases.length).toBeGreaterThan(40)
})

test.each(cases)('%o is %s', (text, expected) => {
  expect(parseMoment(text) ?? 'none').toBe(expected === 'none' ? 'none' : Number(expected))
})

describe('every route takes the same times', () => {
  const gateway = useGateway()
  const far = 'from=0001-01-01T00:00:00Z&step=100000000h'
  const routes: [string, (time: string) => [line: string, body?: object]][] = [
    ['history, from', (time) => [`GET metrics/history?from=${encodeURIComponent(time)}&step=100000000h`]],
    ['history, to', (time) => [`GET metrics/history?to=${encodeURIComponent(time)}&${far}`]],
    ['jobs, from', (time) => [`GET jobs?from=${encodeURIComponent(time)}`]],
    ['jobs, to', (time) => [`GET jobs?to=${encodeURIComponent(time)}`]],
    ['runs, from', (time) => [`GET workloads?from=${encodeURIComponent(time)}`]],
    ['slow, since', (time) => [`GET slow?since=${encodeURIComponent(time)}`]],
    ['slow, until', (time) => [`GET slow?until=${encodeURIComponent(time)}`]],
    ['a set, before', (time) => [`DELETE namespaces/n/sets/s?before=${encodeURIComponent(time)}`]],
    ['a job, before', (time) => ['POST jobs', { kind: 'truncate', namespace: 'n', before: time }]],
    ['a mute, until', (time) => ['PUT alerts/rules/reads-within-1-ms/mute', { until: time }]],
    ['a filter', (time) => ['POST namespaces/n/scan', { where: { meta: 'updatedAt', op: 'lt', value: time } }]],
  ]

  test.each(routes)('%s', async (_, request) => {
    const { app, memoryNamespace, send } = gateway()
    if (!app.engine.namespaceNames().includes('n')) await memoryNamespace.call(gateway(), 'n')
    await gateway().put('n/sets/s/records/a', { i: 1 })
    const refused: string[] = []
    for (const [text] of cases.filter(([text]) => text !== '')) {
      const [line, body] = request(text)
      const answer = await send(line.replace(' ', ' /api/v1/'), body && { body })
      // Some are refused for another reason: a mute ends in the future.
      if (answer.status === 400 && answer.text.includes('RFC 3339')) refused.push(text)
    }
    expect(refused).toEqual(cases.filter(([text, ms]) => text !== '' && ms === 'none').map(([text]) => text))
  })
})
