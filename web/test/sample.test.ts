import { describe, expect, test } from 'vitest'
import { emptyForm } from '../src/pages/namespaces/new/form'
import { binsOf, needsOf, sampleQuery } from '../src/pages/namespaces/new/sample'
import { uses, withUse } from '../src/pages/namespaces/new/uses'

const GIB = 1024 ** 3

describe('a sample record', () => {
  test('is measured as the engine stores it', () => {
    const text = `{"s":"é","i":9007199254740993,"d":1.0,"b":true,"n":null,"y":{"$bytes":"AAECAw=="},
      "l":[1,200,-2147483649,1.5,"a",null,{"$bytes":"AA=="}],"m":{"key":[],"t":{}}}`
    expect(binsOf(text)).toEqual({
      bins: [
        { type: 'string', nameBytes: 1, bytes: 2 },
        { type: 'integer', nameBytes: 1 },
        { type: 'double', nameBytes: 1 },
        { type: 'boolean', nameBytes: 1 },
        { type: 'boolean', nameBytes: 1 },
        { type: 'bytes', nameBytes: 1, bytes: 4 },
        // 2 + 5 + 9 for integers, 9 for a double, 3 for a text, 1 for null, 6 for bytes.
        { type: 'list', nameBytes: 1, bytes: 35 },
        // Names of 5 and 3, an empty list and an empty map of 5 each.
        { type: 'map', nameBytes: 1, bytes: 18 },
      ],
    })
    expect(binsOf(`{"long":["${'x'.repeat(256)}"]}`)).toMatchObject({ bins: [{ bytes: 261 }] })
  })

  test.each([
    ['{"a":', /no JSON/],
    ['[1]', /JSON object/],
    ['7', /JSON object/],
    ['{"a":9223372036854775808}', /integer in a/],
  ])('%s is refused with a reason', (text, reason) => {
    expect(binsOf(text)).toEqual({ problem: expect.stringMatching(reason) })
  })
})

describe('an estimate', () => {
  const plan = {
    record: { stored: 100, header: 0, setName: 0, key: 0, binNames: 0, binValues: 0, padding: 0 },
    dram: { records: GIB, primaryIndex: 0, setIndexes: 0, sets: 0, buffers: 0, total: 1.5 * GIB, perRecord: 0 },
  }
  const flash = { live: 0, blocks: 0, total: 2.01 * GIB, perRecord: 0 }

  test('asks for the settings of the form', () => {
    const bins = [{ type: 'string' as const, nameBytes: 4, bytes: 9 }]
    const device = { ...emptyForm, engine: 'device' as const, writeBlockKib: '1024', segments: '16' }
    expect(sampleQuery(device, bins, 7)).toMatchObject({
      engine: 'device',
      writeBlockBytes: 1024 ** 2,
      segments: 16,
      bins,
    })
    expect(sampleQuery({ ...emptyForm, singleBin: true }, bins, 7)).toMatchObject({
      engine: 'memory',
      singleBin: true,
      bins: [{ type: 'string', bytes: 9 }],
    })
  })

  test('says which medium the records take, and which limit would hold them', () => {
    expect(needsOf(emptyForm, plan, 1)).toMatchObject({ memory: 1.5 * GIB, limit: { maxMemoryGib: '1' } })
    const device = { ...emptyForm, engine: 'device' as const }
    expect(needsOf(device, { ...plan, flash }, 1)).toMatchObject({ disk: flash.total, limit: { capacityGib: '2.1' } })
    expect(needsOf({ ...device, devices: '/dev/sdb' }, { ...plan, flash }, 1).limit).toEqual({})
    const pages = { ...emptyForm, engine: 'paged' as const }
    const paged = needsOf(pages, plan, 1e6)
    expect(paged).toMatchObject({ memory: undefined, recordsPerPage: 121, limit: { capacityGib: '0.3' } })
    expect(needsOf(pages, plan, 1).disk).toBe(64 * 1024 ** 2)
  })
})

test('a use sets what suits it, and takes back what the one before it has set', () => {
  const [cache, values] = uses
  if (cache === undefined || values === undefined) throw new Error('there are several uses')
  const cached = { ...emptyForm, ...withUse(cache, emptyForm) }
  expect(cached).toMatchObject({ engine: 'memory', ttlSeconds: '3600', evictAtPercent: '80', maxMemoryGib: '1' })
  expect({ ...cached, ...withUse(values, emptyForm) }).toEqual({ ...emptyForm, engine: 'device' })
})
