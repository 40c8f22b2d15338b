// What the console says about alerts: the same words and figures as the rules, never better ones.
import { describe, expect, test } from 'vitest'
import type { Alert, AlertPage, AlertRuleSpec } from '../src/api/types'
import { alertHeadline, notable, shareText } from '../src/components/alerts/alert-words'
import { conditionWords, errorsOf, formOf, specOf } from '../src/pages/alerts/rule-form'
import { targetTile } from '../src/pages/overview/target-tile'

const alert = (more: Partial<Alert>): Alert => ({
  ruleId: 'r',
  rule: 'Reads',
  severity: 'warning',
  state: 'ok',
  since: '2026-11-26T12:00:00.000Z',
  text: 'Reads: …',
  muted: false,
  ...more,
})

function target(namespace: string, minute: number, hour: number, operations = 10_000): Alert {
  const figures = (window: 'minute' | 'hour', sharePercent: number) => ({
    window,
    operations,
    within: Math.round((operations * sharePercent) / 100),
    sharePercent,
    enough: operations >= 1000,
  })
  const windows = [figures('minute', minute), figures('hour', hour)]
  const missed = windows.some(({ enough, sharePercent }) => enough && sharePercent < 99)
  return alert({ namespace, target: { percent: 99, withinUs: 1000, op: 'get', missed, windows, burnRates: [] } })
}

describe('the tile of the Overview', () => {
  test('shows a missed target before one that has a lower share but few operations', () => {
    const tile = targetTile([target('few', 10, 10, 50), target('shop', 98.999, 99.5), target('logs', 99.9, 99.9)])
    expect(tile).toMatchObject({
      name: 'Within 1 ms',
      value: '98.99%',
      note: 'get of shop, last minute · target 99%',
      tone: 'bad',
      namespace: 'shop',
      op: 'get',
    })
  })

  test('shows the hour if only that misses', () => {
    expect(targetTile([target('shop', 99.9, 97)])).toMatchObject({
      value: '97.00%',
      note: 'get of shop, last hour · target 99%',
    })
  })

  test('does not judge few operations, and says when it knows nothing', () => {
    expect(targetTile([target('shop', 50, 50, 100)]).tone).toBeUndefined()
    expect(targetTile([target('shop', 99.5, 99.5)]).tone).toBe('good')
    expect(targetTile([])).toMatchObject({ value: '–', note: 'no operations with a target in the last hour' })
    expect(targetTile(undefined)).toMatchObject({ value: '–', note: 'not known yet' })
  })
})

test('a share just below its target never looks met', () => {
  expect([shareText(98.9999, 99), shareText(99, 99), shareText(99.8999, 99.9), shareText(undefined, 99)]).toEqual([
    '98.99%',
    '99.00%',
    '99.89%',
    '–',
  ])
})

test('what needs a look comes first, and a missed target is among it', () => {
  const all = [
    alert({ ruleId: 'ok' }),
    target('shop', 98, 98),
    alert({ ruleId: 'pending', state: 'pending' }),
    alert({ ruleId: 'firing', state: 'firing' }),
  ]
  expect(notable(all).map(({ ruleId, state }) => [ruleId, state])).toEqual([
    ['firing', 'firing'],
    ['pending', 'pending'],
    ['r', 'ok'],
  ])
})

test('the headline has the one problem, or how many there are', () => {
  const page = (reasons: string[], firing: number, missed: number): AlertPage => ({
    items: [],
    truncated: false,
    limit: 500,
    health: { tone: 'bad', text: reasons[0] ?? 'Healthy', reasons },
    firing,
    pending: 0,
    missed,
    webhook: false,
    problems: [],
  })
  expect(alertHeadline(page([], 0, 0))).toBe('Healthy')
  expect(alertHeadline(page(['Reads: 98% …'], 0, 1))).toBe('Reads: 98% …')
  expect(alertHeadline(page(['a', 'b', 'c'], 2, 1))).toBe('2 alerts fire, 1 target is missed')
})

describe('the form of a rule', () => {
  const threshold: AlertRuleSpec = {
    name: 'Slow',
    severity: 'critical',
    enabled: false,
    namespace: 'shop',
    threshold: {
      metric: 'latency.p99',
      op: 'writes',
      side: 'gateway',
      windowSeconds: 30,
      when: 'above',
      value: 2.5,
      forSeconds: 10,
      resolveValue: 2,
      resolveForSeconds: 5,
    },
  }
  const reads: AlertRuleSpec = {
    name: 'Reads',
    severity: 'warning',
    target: { op: 'get', side: 'engine', percent: 99.9, withinUs: 500 },
  }
  const windowed = { scope: 'namespace', windowed: true } as const
  const ofServer = { scope: 'server', windowed: false } as const

  test.each([threshold, reads])('keeps all of $name', (rule) => {
    expect(specOf(formOf(rule), windowed)).toEqual(rule)
    expect(errorsOf(formOf(rule), true)).toEqual({})
  })

  test('leaves out what a metric of the server has not', () => {
    const { namespace: _, ...spec } = specOf({ ...formOf(threshold), metric: 'process.cpuPercent' }, ofServer)
    expect(_).toBeUndefined()
    expect(Object.keys(spec.threshold ?? {}).sort()).toEqual(
      ['forSeconds', 'metric', 'resolveForSeconds', 'resolveValue', 'value', 'when'].sort(),
    )
  })

  test('says what is wrong', () => {
    const form = formOf(threshold)
    expect(errorsOf({ ...form, name: '', value: 'x', forSeconds: '-1', windowSeconds: '301' }, true)).toMatchObject({
      name: 'A name',
      value: 'A number',
      forSeconds: 'A whole number from 0 to 86,400',
      windowSeconds: 'A whole number from 1 to 300',
    })
    expect(errorsOf({ ...form, resolveValue: '3' }, true)).toEqual({ resolveValue: '2.5 or less' })
    expect(errorsOf({ ...form, when: 'below', resolveValue: '2' }, true)).toEqual({ resolveValue: '2.5 or more' })
    expect(errorsOf({ ...formOf(reads), percent: '100' }, true)).toEqual({ percent: 'A number from 50 to 99.999' })
    // A window is only asked for where there is one.
    expect(errorsOf({ ...form, windowSeconds: '' }, false)).toEqual({})
  })

  test('has its condition in a few words', () => {
    const rule = (spec: AlertRuleSpec) => ({ id: 'r', ...spec, createdAt: '', updatedAt: '', who: 'token' })
    expect(conditionWords(rule(threshold))).toBe('latency.p99 of writes above 2.5 for 10 s')
    const metric = { metric: 'latency.p99', unit: 'ms', scope: 'namespace', windowed: true, description: '' } as const
    expect(conditionWords(rule(threshold), metric)).toBe('latency.p99 of writes above 2.5 ms for 10 s')
    const flag: AlertRuleSpec = {
      name: 'Failed',
      severity: 'critical',
      threshold: { metric: 'namespace.failed', when: 'above', value: 0.5, forSeconds: 0 },
    }
    expect(conditionWords(rule(flag), { ...metric, unit: 'flag' })).toBe('namespace.failed is 1')
    expect(conditionWords(rule(reads))).toBe('99.9% of get within 500 µs, by burn rate')
  })
})
