import { beforeEach, describe, expect, test, vi } from 'vitest'
import { putKept } from '../src/kept'

beforeEach(() => vi.resetModules())

async function serverTextIn(tag: string): Promise<typeof import('../src/language/server-text').serverText> {
  putKept('localStorage', 'tessera.language', tag)
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
    const serverText = await serverTextIn('de')
    expect(serverText('English', said)).toBe('Eigene Regel: die p99-Latenz von shop liegt bei 1,50 ms, über 1,00 ms')
  })

  test('without values is its own message', async () => {
    const serverText = await serverTextIn('de')
    expect(serverText('there is no filter')).toBe('es gibt keinen Filter')
  })

  test('has numbers and plurals of the language', async () => {
    const message = 'the index {index} proposes {records, plural, one {# record} other {# records}}'
    const serverText = await serverTextIn('de')
    expect(serverText('English', { message, values: { index: '"a"', records: 1 } })).toContain('1 Datensatz vor')
    expect(serverText('English', { message, values: { index: '"a"', records: 1234 } })).toContain('1.234 Datensätze')
  })

  test('is English in English', async () => {
    const serverText = await serverTextIn('en')
    expect(serverText('as it is', { message: 'there is no filter' })).toBe('as it is')
  })

  test('a message that the catalogue lacks is shown as the server says it', async () => {
    for (const tag of ['de', 'en-XA']) {
      const serverText = await serverTextIn(tag)
      expect(serverText('a newer one of shop', { message: 'a newer one of {name}', values: { name: 'shop' } })).toBe(
        'a newer one of shop',
      )
      expect(serverText('a newer constant')).toBe('a newer constant')
    }
  })

  test('a message without one of its values is shown as the server says it', async () => {
    const serverText = await serverTextIn('de')
    expect(serverText('there is no job', { message: 'there is no job "{id}"', values: {} })).toBe('there is no job')
  })

  test('a value is never read as a message', async () => {
    const serverText = await serverTextIn('de')
    const said = { message: 'there is no job "{id}"', values: { id: '{id} <b># {' } }
    expect(serverText('English', said)).toBe('es gibt keinen Job "{id} <b># {"')
  })
})
