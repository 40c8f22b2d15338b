// The document describes everything a reader meets, and its examples are true.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { closed, type Document, makeDocument, type Media, nameOf, operationsOf, type Schema, walk } from './document.js'
import { parseMoment } from '../../src/requests/moment.js'
import { useGateway } from '../gateway.js'

let document: Document

beforeAll(async () => {
  document = await makeDocument()
})

/** What is said in a document about bodies, parameters and schemas, by place. */
const bodies = (): [string, Media][] =>
  operationsOf(document).flatMap(({ operationId = '', requestBody, responses }) => [
    ...Object.entries(requestBody?.content ?? {}).map(([type, media]): [string, Media] => [
      `${operationId} request ${type}`,
      media,
    ]),
    ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).map(([type, media]): [string, Media] => [`${operationId} ${status} ${type}`, media]),
    ),
  ])
const sharedBodies = (): [string, Media][] =>
  Object.entries(document.components.responses).flatMap(([name, { content }]) =>
    Object.entries(content).map(([type, media]): [string, Media] => [`${name} ${type}`, media]),
  )
const parameters = () =>
  operationsOf(document).flatMap(({ operationId = '', parameters: all = [] }) =>
    all.map((one) => ({ place: `${operationId} ${one.in} ${one.name}`, ...one })),
  )

/** A whole sentence. */
const isSentence = (text = '') => /^[A-Z`0-9"[{*'a-z].*[.:`"]$/s.test(text) && text.length > 2

const examplesOf = ({ schema, example, examples = {} }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ $ref, value }) =>
    $ref === undefined ? value : document.components.examples[nameOf($ref)]?.value,
  ),
  ...(schema.examples ?? []),
]

describe('every text is there', () => {
  test('operations have a short summary and a description', () => {
    const lacking = operationsOf(document)
      .filter(({ summary = '', description }) => !/^[A-Z].{3,58}[^.]$/.test(summary) || !isSentence(description))
      .map(({ operationId }) => operationId)
    expect(lacking).toEqual([])
  })

  test('parameters have a description and an example', () => {
    const lacking = parameters().filter((one) => !isSentence(one.description) || one.example === undefined)
    expect(lacking.map(({ place }) => place)).toEqual([])
  })

  test('schemas and their properties have a description', () => {
    const lacking: string[] = []
    const note = (path: string, schema: Schema) => {
      const named = /^\w+$|\.\w+$/.test(path)
      if (named && schema.$ref === undefined && !isSentence(schema.description)) lacking.push(path)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) walk(name, schema, note)
    for (const [place, { schema }] of bodies())
      walk(`${place}[]`, schema, (path, one) => {
        if (path.startsWith(`${place}[].`)) note(path, one)
      })
    expect(lacking).toEqual([])
  })

  test('bodies have an example', () => {
    const lacking = [...bodies(), ...sharedBodies()].filter(([, media]) => examplesOf(media).length === 0)
    expect(lacking.map(([place]) => place)).toEqual([])
  })
})

test('every example is valid, and has no field that its schema does not name', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, formats: { binary: true } })
  ajv.addFormat('date-time', (text) => parseMoment(text) !== undefined)
  const wrong: string[] = []
  const seen = new Set<string>()
  const check = (place: string, schema: Schema, examples: readonly unknown[]) => {
    const key = JSON.stringify([schema, examples])
    if (examples.length === 0 || seen.has(key)) return
    seen.add(key)
    const valid = ajv.compile(closed(schema, document.components))
    for (const example of examples) if (!valid(example)) wrong.push(`${place}: ${ajv.errorsText(valid.errors)}`)
  }
  for (const [place, media] of [...bodies(), ...sharedBodies()]) {
    check(place, media.schema, examplesOf(media))
    walk(place, media.schema, (path, schema) => check(path, schema, schema.examples ?? []))
  }
  for (const { place, schema, example } of parameters()) check(place, schema, [example])
  for (const [name, schema] of Object.entries(document.components.schemas))
    walk(name, schema, (path, one) => check(path, one, one.examples ?? []))
  expect(wrong).toEqual([])
})

describe('examples of requests', () => {
  const gateway = useGateway()

  /** Sends the example of an operation's body, with the examples of the named query parameters. */
  const send = async (operationId: string, names: readonly string[] = [], type = 'application/json') => {
    const [path = '', method = ''] =
      Object.entries(document.paths).flatMap(([url, methods]) =>
        Object.entries(methods)
          .filter(([, operation]) => operation.operationId === operationId)
          .map(([verb]) => [url, verb]),
      )[0] ?? []
    const { parameters: all = [], requestBody } = document.paths[path]?.[method] ?? { responses: {} }
    const exampleOf = (name: string) => all.find((one) => one.name === name)?.example
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(exampleOf(name))))
    const query = names
      .flatMap((name) => [exampleOf(name)].flat().map((value) => `${name}=${encodeURIComponent(String(value))}`))
      .join('&')
    const body = requestBody === undefined ? undefined : examplesOf(requestBody.content[type] as Media)[0]
    const answer = await gateway().send(`${method.toUpperCase()} ${url}${query && `?${query}`}`, {
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(body !== undefined && { headers: { 'content-type': type } }),
    })
    return answer.status < 300 ? 'taken' : answer.text
  }

  test('are taken by the engine', async () => {
    expect(await send('createNamespace'), 'createNamespace').toBe('taken')
    expect(await send('createSet'), 'createSet').toBe('taken')
    expect(await send('importRecords', ['key'], 'text/csv'), 'importRecords').toBe('taken')
    expect(await send('createIndex', ['wait']), 'createIndex').toBe('taken')
    expect(await send('writeRecords', ['exists'], 'application/x-ndjson'), 'writeRecords').toBe('taken')
    expect(await send('readRecords'), 'readRecords').toBe('taken')
    for (const path of ['ada', 'c1']) await gateway().put(`shop/sets/events/records/${path}`, { items: 3, price: 1.5 })
    for (const operation of ['putRecord', 'patchRecord'])
      expect(await send(operation, ['ttlSeconds']), operation).toBe('taken')
    expect(await send('query'), 'query').toBe('taken')
    expect(await send('scan'), 'scan').toBe('taken')
    expect(await send('stream'), 'stream').toBe('taken')
    expect(await send('startJob', ['wait']), 'startJob').toBe('taken')
    expect(await send('exportRecords', ['set', 'format', 'columns', 'where', 'threads']), 'exportRecords').toBe('taken')
    expect(await send('planCapacity'), 'planCapacity').toBe('taken')
    expect(await send('updateNamespace'), 'updateNamespace').toBe('taken')
    expect(await send('updateSet', ['wait']), 'updateSet').toBe('taken')
    expect(await send('saveQuery'), 'saveQuery').toBe('taken')
    expect(await send('setOpenQueries'), 'setOpenQueries').toBe('taken')
    expect(await send('listSegments', ['limit', 'cursor']), 'listSegments').toBe('taken')
    expect(await send('sampleEvents', ['first', 'seed', 'format']), 'sampleEvents').toBe('taken')
    expect(await send('getHistory', ['from', 'to', 'step', 'namespace', 'op']), 'getHistory').toBe('taken')
  })

  test('of filters and their like, too', async () => {
    await gateway().put('shop/sets/events/records/c1', { items: 3, price: 1.5 })
    const properties = document.components.schemas['QueryRequest']?.properties ?? {}
    for (const [name, { examples = [] }] of Object.entries(properties)) {
      for (const example of examples) {
        if (name === 'route') continue
        const body = { set: 'events', ...(name === 'order' && { limit: 10 }), [name]: example }
        const answer = await gateway().send('POST /api/v1/namespaces/shop/query', { body })
        expect(answer.status, `${name}: ${answer.text}`).toBe(200)
      }
    }
  })

  test('of the compatible API are taken, too', async () => {
    expect(await send('createKv', ['recordExistsAction', 'expiration']), 'createKv').toBe('taken')
    expect(await send('createCompatibleIndex'), 'createCompatibleIndex').toBe('taken')
    await expect.poll(async () => (await gateway().send('GET /v1/index/shop/items')).json()['load_pct']).toBe('100')
    expect(await send('operateSet'), 'operateSet').toBe('taken')
    expect(await send('operateV2Set'), 'operateV2Set').toBe('taken')
    expect(await send('operateReadSet', ['key']), 'operateReadSet').toBe('taken')
    expect(await send('operateV2ReadSet', ['key']), 'operateV2ReadSet').toBe('taken')
    expect(await send('compatibleBatch'), 'compatibleBatch').toBe('taken')
    expect(
      await send('compatibleQuerySet', ['maxRecords', 'getToken', 'indexName', 'recordBins']),
      'compatibleQuerySet',
    ).toBe('taken')
    expect(
      await send('compatibleScanSet', ['maxRecords', 'recordsPerSecond', 'includeBinData', 'filterexp']),
      'compatibleScanSet',
    ).toBe('taken')
    expect(await send('info'), 'info').toBe('taken')
    expect(await send('compatibleTruncateSet', ['date']), 'compatibleTruncateSet').toBe('taken')
  })
})
