import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { serverText } from '../src/language/server-text'

beforeEach(() => vi.resetModules())
afterEach(() => vi.unstubAllGlobals())

async function serverTextIn(tag: string): Promise<typeof serverText> {
  // As in a worker, which has no storage.
  vi.stubGlobal('name', `texts ${tag}`)
  return (await import('../src/language/server-text')).serverText
}

describe('a sentence of the server', () => {
  test('is said with its values, however deep they stand', async () => {
    const said = {
      message: '{rule}: {standing}',
      values: {
        rule: 'Eigene Regel',
        standing: {
          message: '{what} is {value}, above {limit}',
          values: {
            what: { message: '{metric} of {whose}', values: { metric: { message: 'the p99 latency' }, whose: 'shop' } },
            value: { amount: 1.5, unit: 'ms' },
            limit: { amount: 1, unit: 'ms' },
          },
        },
      },
    }
    const say = await serverTextIn('de')
    expect(say('English', said)).toBe('Eigene Regel: die p99-Latenz von shop liegt bei 1,50 ms, über 1,00 ms')
  })

  test('without values is its own message', async () => {
    const say = await serverTextIn('de')
    expect(say('there is no filter')).toBe('es gibt keinen Filter')
  })

  test('has numbers and plurals of the language', async () => {
    const message = 'the index {index} proposes {records, plural, one {# record} other {# records}}'
    const say = await serverTextIn('de')
    expect(say('English', { message, values: { index: '"a"', records: 1 } })).toContain('1 Datensatz vor')
    expect(say('English', { message, values: { index: '"a"', records: 1234 } })).toContain('1.234 Datensätze')
  })

  test('is English in English', async () => {
    const say = await serverTextIn('en')
    expect(say('as it is', { message: 'there is no filter' })).toBe('as it is')
  })

  test('a message that the catalogue lacks is shown as the server says it', async () => {
    for (const tag of ['de', 'en-XA']) {
      vi.resetModules()
      const say = await serverTextIn(tag)
      expect(say('a newer one of shop', { message: 'a newer one of {name}', values: { name: 'shop' } })).toBe(
        'a newer one of shop',
      )
      expect(say('a newer constant')).toBe('a newer constant')
    }
  })

  test('a message without one of its values is shown as the server says it', async () => {
    const say = await serverTextIn('de')
    expect(say('there is no job', { message: 'there is no job "{id}"', values: {} })).toBe('there is no job')
  })

  test('a value is never read as a message', async () => {
    const say = await serverTextIn('de')
    const said = { message: 'there is no job "{id}"', values: { id: '{id} <b># {' } }
    expect(say('English', said)).toBe('es gibt keinen Job "{id} <b># {"')
  })
})
