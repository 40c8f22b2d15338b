import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ApiProblem, unreachable } from '../src/api/problem'
import type { ImportProgress, Job } from '../src/api/types'
import { exportKey } from '../src/pages/import/mapping/exported'
import {
  columnsOf,
  emptyMapping,
  guessMapping,
  importPath,
  isMapped,
  type Mapping,
  mappingProblem,
  plainRows,
  sampleRows,
} from '../src/pages/import/mapping/mapping'
import {
  archivePreset,
  columnTypes,
  type MapRow,
  mapProblem,
  mapText,
  readMap,
  withRest,
} from '../src/pages/import/mapping/mapping-rows'
import { type Sample, sampleOf } from '../src/pages/import/mapping/sample'
import { sourceValue } from '../src/pages/import/mapping/source-value'
import { arrivedWords, endOf, goneWords, restProblem, waitingImports } from '../src/pages/import/upload/waiting'

const csv: Sample = {
  format: 'csv',
  compression: 'identity',
  columns: ['id', 'payload'],
  rows: [['1', '{"a":{"b":9007199254740993}}']],
}
const archive: Sample = {
  format: 'ndjson',
  compression: 'identity',
  columns: ['id', 'type', 'actor', 'repo', 'payload', 'public', 'created_at'],
  rows: [['2489651045', 'PushEvent', '{}', '{"id":7}', '{}', 'true', '2015-01-01T00:00:00Z']],
}

const mappingOf = (name: string, sample: Sample): Mapping => ({ ...emptyMapping, ...guessMapping(name, sample) })
const path = (sample: Sample, mapping: Mapping, dryRun = false): string =>
  decodeURIComponent(importPath('shop', sample, mapping, 2, dryRun).replace('/api/v1/namespaces/shop/import?', ''))

describe('a request', () => {
  test('leaves plain columns to the file, and says their types', () => {
    const mapping = mappingOf('events.2015.csv', csv)
    expect(mapping).toMatchObject({ set: 'events', key: 'id' })
    expect(isMapped(csv, mapping)).toBe(false)
    expect(path(csv, mapping, true)).toBe('format=csv&set=events&key=id&threads=2&types=payload:json&dryRun=true')
  })

  test('says the mapping where a bin is renamed, left out, added or of a path', () => {
    const mapping = mappingOf('events.csv', csv)
    const [id, payload] = mapping.rows as [MapRow, MapRow]
    const said = (rows: MapRow[]) => new URLSearchParams(path(csv, { ...mapping, rows })).get('map')
    expect(said([{ ...id, bin: 'event' }, payload])).toBe('event:id,payload:payload:json')
    expect(said([{ ...id, keep: false }, payload])).toBe('payload:payload:json')
    expect(said([id, payload, { bin: 'b', source: 'payload.a.b', type: 'integer', keep: true }])).toBe(
      'id:id,payload:payload:json,b:payload.a.b:integer',
    )
    expect(path(csv, { ...mapping, rows: [{ ...id, keep: false }, payload] })).not.toContain('types=')
  })

  test('of NDJSON says a type as a mapping, since it has types of its own', () => {
    const rows = plainRows(archive, true).map((row) =>
      row.source === 'id' ? { ...row, type: 'integer' as const } : row,
    )
    expect(path(archive, { ...emptyMapping, rows })).toContain('map=id:id:integer,type:type')
  })

  test('names an hour of the Archive by its preset, until that is changed', () => {
    const mapping = mappingOf('2015-01-01-0.json', archive)
    expect(path(archive, { ...mapping, distributionBin: 'repo_id' })).toBe(
      'format=github-archive&set=2015-01-01-0&threads=2&distributionBin=repo_id',
    )
    const fewer = mapping.rows.map((row) => ({ ...row, keep: row.bin !== 'org' }))
    expect(path(archive, { ...mapping, rows: fewer })).toMatch(
      /^format=ndjson&.*&key=id&.*map=event_id:id,.*repo_id:repo.id/,
    )
    expect(path(archive, { ...mapping, key: 'repo.id' })).toContain('format=ndjson')
  })

  test('calls columns without a header line by their places', () => {
    expect(columnsOf(csv, false)).toEqual(['column1', 'column2'])
    expect(sampleRows(csv, false)).toEqual([['id', 'payload'], ...csv.rows])
    const rows = plainRows(csv, false)
    expect(path(csv, { ...emptyMapping, header: false, rows })).toBe(
      'format=csv&threads=2&header=false&columns=column1,column2',
    )
  })

  test('is not sent while a mapping cannot be said', () => {
    const mapping = mappingOf('events.csv', csv)
    const [id, payload] = mapping.rows as [MapRow, MapRow]
    const problem = (rows: MapRow[], distributionBin = '') => mappingProblem(csv, { ...mapping, rows, distributionBin })
    expect(problem([id, payload])).toBeUndefined()
    expect(
      problem([
        { ...id, keep: false },
        { ...payload, keep: false },
      ]),
    ).toBe('Keep at least one bin')
    expect(problem([id, { ...payload, bin: 'id' }])).toBe('The bin id is mapped twice')
    expect(problem([{ ...id, bin: '' }, payload])).toBe('Enter a bin')
    expect(problem([{ ...id, source: '' }, payload])).toBe('Enter a column or path')
    expect(problem([{ ...id, bin: 'a:b' }, payload])).toContain('comma or a colon')
    expect(problem([{ ...id, keep: false }, payload], 'id')).toContain('Keep id')
    const many = Array.from({ length: 257 }, (_, n): MapRow => ({
      bin: `b${n}`,
      source: 'id',
      type: 'auto',
      keep: true,
    }))
    expect(mapProblem(many)).toBe('Map at most 256 bins')
  })
})

test('types of columns are those of the API', () => {
  const { paths } = JSON.parse(readFileSync(new URL('../../server/openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, { post: { parameters: { name: string; description?: string }[] } }>
  }
  const types = paths['/api/v1/namespaces/{ns}/import']?.post.parameters.find(({ name }) => name === 'types')
  expect(types?.description).toContain(`one of ${columnTypes.join(', ')}`)
})

describe('a mapping as text', () => {
  test.each(['event_id:id,repo_id:repo.id:integer', 'a:b:c', 'a:b:integer:auto', mapText(archivePreset.rows)])(
    '%s is read and written again',
    (text) => expect(mapText(readMap(text) ?? [])).toBe(text),
  )

  test.each(['', 'a', 'a:', ':b', 'a:b,', 'a:b,a:c'])('%s is none', (text) => expect(readMap(text)).toBeUndefined())

  test('leaves out the columns that it does not name, and they stay to be kept', () => {
    const rows = withRest(readMap('who:payload.actor.login') ?? [], ['id', 'payload'])
    expect(rows.map(({ bin, keep }) => [bin, keep])).toEqual([
      ['who', true],
      ['id', false],
      ['payload', false],
    ])
  })
})

test('the first value of a source is shown, exactly', () => {
  const value = (source: string) => sourceValue(source, csv.columns, csv.rows[0])
  expect(['id', 'payload.a.b', 'payload.a', 'payload.x', 'id.a', 'other'].map(value)).toEqual([
    '1',
    '9007199254740993',
    '{"b":9007199254740993}',
    undefined,
    undefined,
    undefined,
  ])
})

describe('an upload that broke off', () => {
  const waiting: ImportProgress = {
    jobId: 'j1',
    namespace: 'shop',
    state: 'waiting',
    receivedBytes: 1024,
    storedRows: 1200,
    totalBytes: 4096,
  }
  const problem = (status: number, code: string) => new ApiProblem(status, code, '', '', undefined, false, undefined)

  test('is told from one that failed', () => {
    expect(endOf(unreachable(), false)).toBe('broken')
    expect(endOf(unreachable(), true)).toBe('failed')
    expect(endOf(problem(408, 'body_timeout'), false)).toBe('broken')
    expect(endOf(problem(503, 'closed'), false)).toBe('broken')
    expect(endOf(problem(503, 'closed'), true)).toBe('failed')
    expect(endOf(problem(507, 'memory_full'), false)).toBe('failed')
    expect(endOf(new DOMException('', 'AbortError'), false)).toBe('broken')
    expect(endOf(new DOMException('', 'AbortError'), true)).toBe('stopped')
  })

  test('goes on from the same file only', () => {
    expect(arrivedWords(waiting)).toBe('1.00 KiB of 4.00 KiB arrived, 1,200 rows stored')
    expect(restProblem(waiting, { size: 4096 })).toBeUndefined()
    expect(restProblem(waiting, undefined)).toContain('Choose the same file')
    expect(restProblem(waiting, { size: 4095 })).toContain('Choose the same file.')
    expect(restProblem({ ...waiting, state: 'uploading' }, { size: 4096 })).toContain('not noticed')
    const { totalBytes: _, ...unknown } = waiting
    expect(restProblem(unknown, { size: 2000 })).toBeUndefined()
    expect(restProblem(unknown, { size: 1000 })).toContain('Choose the same file.')
  })

  test('is asked for again while the gateway is away, and is gone when it says so', () => {
    expect(goneWords(unreachable())).toBeUndefined()
    expect(goneWords(undefined)).toBeUndefined()
    expect(goneWords(problem(404, 'job_not_found'))).toContain('the gateway no longer waits')
    expect(goneWords(problem(409, 'job_finished'))).toContain('the import has ended, see its job')
  })

  test('is found among the jobs', () => {
    const job = (part: Partial<Job>) =>
      ({ id: 'j', kind: 'import', state: 'paused', reason: 'upload broke off', ...part }) as Job
    const jobs = [job({}), job({ state: 'running' }), job({ kind: 'scan' }), job({ reason: 'asked for' })]
    expect(waitingImports(jobs)).toHaveLength(1)
    const cutOff = job({ state: 'failed', reason: '', error: { code: 'closed', message: '' } })
    const full = job({ state: 'failed', reason: '', error: { code: 'memory_full', message: '' } })
    expect(waitingImports([cutOff, full])).toEqual([cutOff])
  })
})

describe('an export', () => {
  const fields = ['set', 'key', 'digest', 'generation', 'expiresAt', 'updatedAt', 'bins']
  const lines: Sample = { format: 'ndjson', compression: 'identity', columns: fields, rows: [] }
  const table: Sample = {
    format: 'csv',
    compression: 'identity',
    columns: ['$key', '$set', '$generation', '$expiresAt', '$otherBins', 'n'],
    rows: [['ada', 's', '3', '', '', '1']],
  }

  test.each([
    ['lines', lines, true],
    ['lines with one that could not be read', { ...lines, columns: ['error', ...fields] }, true],
    ['a key and bins alone', { ...lines, columns: ['key', 'bins'] }, true],
    ['a table', table, true],
    ['a table of an earlier release', { ...table, columns: ['$key', '$set', '$expiresAt', '$otherBins', 'n'] }, true],
    ['MessagePack', { ...lines, format: 'msgpack' }, true],
    ['a field that record objects lack', { ...lines, columns: [...fields, 'name'] }, false],
    ['no bins', { ...lines, columns: ['key', 'set'] }, false],
    ['no key', { ...lines, columns: ['set', 'bins'] }, false],
    ['a table in another order', { ...table, columns: ['$set', '$key', '$expiresAt', '$otherBins'] }, false],
    ['a table of a set', { ...table, columns: ['key', 'n'] }, false],
  ] as const)('is recognised by its fields: %s', (_, sample, recognised) => {
    expect(mappingOf('demo.ndjson', sample as Sample).asExport).toBe(recognised)
  })

  test.each([
    [{}, 'format=ndjson&threads=2'],
    [{ keepSets: false }, 'format=ndjson&threads=2&keepSets=false'],
    [{ set: 's' }, 'format=ndjson&set=s&threads=2&keepSets=true'],
    [{ set: 's', keepSets: false }, 'format=ndjson&set=s&threads=2'],
    [{ keepGenerations: true }, 'format=ndjson&threads=2&keepGenerations=true'],
    [{ keepExpiry: false, mode: 'insert' }, 'format=ndjson&threads=2&mode=insert&keepExpiry=false'],
  ] as const)('is imported with no key and no mapping, so that the server recognises it: %j', (part, query) => {
    const mapping = { ...mappingOf('demo.ndjson', lines), ...part }
    expect(path(lines, mapping)).toBe(query)
    expect(mappingProblem(lines, mapping)).toBeUndefined()
  })

  test('is imported as any other file if one says so', () => {
    const of = (sample: Sample) =>
      path(sample, { ...mappingOf('demo', sample), asExport: false, key: exportKey(sample) })
    expect(of(table)).toBe('format=csv&key=$key&threads=2')
    expect(of(lines)).toBe('format=ndjson&key=key&threads=2')
    expect(of({ ...lines, columns: ['digest', 'bins'] })).toBe('format=ndjson&key=digest&threads=2')
  })
})

test.each(['{"id":1,"name":"ada"}', '{"id":1,"name":"ada"}\n', '{"id":1,"name":"ada"}\n{"id":2,"na'])(
  'a file of one whole line is recognised, with a newline or without: %j',
  async (text) => {
    const { format, columns, rows } = await sampleOf(new File([text], 'people'))
    expect([format, columns, rows]).toEqual(['ndjson', ['id', 'name'], [['1', 'ada']]])
  },
)
