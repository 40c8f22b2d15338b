import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { problemFrom } from '../src/api/problem'
import { CountFigure } from '../src/components/results/CountFigure'
import { addressOf, beginsWithFilter, emptyStream, keptMembers, requestProblem } from '../src/pages/streams/request'
import { examplesOf } from '../src/pages/streams/examples'
import { readStreamsSearch } from '../src/pages/streams/search'
import { stepProblemOf } from '../src/pages/streams/step-problem'
import { reducedOf } from '../src/records/request/aggregate'
import { askedOf } from '../src/records/request/groups'
import { parseExact } from '../src/records/json'
import { prettyRequest, readRequest } from '../src/records/request/request'
import { shapeOf } from '../src/records/request/shape'
import { fieldsShow, figureNames, groupingOf, groupingText, sortOf, sortText } from '../src/records/request/step-forms'
import { mayGo, namesAt, newStep, readSteps, type Step, stepProblem, stepsText } from '../src/records/request/steps'

const whole =
  '[{"filter":{"bin":"id","op":"eq","value":9223372036854775807}},{"map":["type",{"bin":"payload","path":"a.size","as":"n"}]},' +
  '{"flatMap":{"bin":"payload","path":"commits","as":"commit"}},{"distinct":true},{"sort":{"bin":"n","desc":true,"limit":10}},' +
  '{"limit":5},{"groupBy":{"by":["type"],"top":20,"aggregate":{"sum n":{"op":"sum","bin":"n"}}}}]'

const steps = readSteps(whole) as Step[]
const kinds = (of: readonly Step[]): string[] => of.map(({ kind }) => kind)

describe('the steps of a stream', () => {
  test('are read from a request, and written as they were, with every digit', () => {
    expect(kinds(steps)).toEqual(['filter', 'map', 'flatMap', 'distinct', 'sort', 'limit', 'groupBy'])
    expect(stepsText(steps)).toBe(whole)
    expect(stepsText([])).toBe('[]')
    expect(readSteps('')).toEqual([])
  })

  test('that rows cannot show are left to the JSON', () => {
    for (const text of ['{}', '[1]', '[{}]', '[{"peek":true}]', '[{"limit":1,"count":true}]', '["count"]'])
      expect(readSteps(text)).toBeUndefined()
    expect(keptMembers(readRequest('{"set":"a","segments":[1],"steps":[{"peek":true}]}') ?? {})).toEqual([
      'segments',
      'steps',
    ])
    expect(keptMembers(readRequest(`{"set":"a","threads":2,"recordsPerSecond":5,"steps":${whole}}`) ?? {})).toEqual([])
    expect(keptMembers(readRequest('{"recordsPerSecond":0,"steps":[]}') ?? {})).toEqual([])
    expect(keptMembers(readRequest('{"__defineGetter__":1,"steps":[]}') ?? {})).toEqual(['__defineGetter__'])
  })

  test('cannot be sent while one says nothing, or is no JSON', () => {
    expect(stepProblem(newStep('filter'))).toBe('Enter a condition')
    expect(stepProblem(newStep('limit', ''))).toBe('A whole number, 1 or more')
    expect(stepProblem(newStep('limit', '1.5'))).toBe('A whole number, 1 or more')
    expect(stepProblem(newStep('map', '["a"'))).toMatch(/^Not JSON yet/)
    expect(stepsText([...steps, newStep('reduce')])).toBeUndefined()
    expect(['distinct', 'count', 'limit'].map((kind) => stepProblem(newStep(kind as 'count')))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('address bins, or the columns made before them', () => {
    const names = (at: number): string[] => namesAt(steps, at, ['id', 'payload'])
    expect(names(1)).toEqual(['id', 'payload'])
    expect(names(2)).toEqual(['type', 'n'])
    expect(names(3)).toEqual(['type', 'n', 'commit'])
    const computed = readSteps('[{"map":[{"expr":{"add":[1,2]},"as":"three"}]},{"count":true}]') as Step[]
    expect(namesAt(computed, 1, ['id'])).toEqual(['three'])
  })

  test('are moved up to the one that all come to, and not past it', () => {
    expect(mayGo(steps, 0, -1)).toBe(false)
    expect(mayGo(steps, 0, 1)).toBe(true)
    expect(mayGo(steps, 5, 6)).toBe(false)
    expect(mayGo(steps, 6, 5)).toBe(false)
  })

  test('show as fields what fields can say', () => {
    expect(steps.map(fieldsShow)).toEqual([true, true, true, false, true, false, true])
    expect(fieldsShow(newStep('map', '[{"expr":{"add":[1,2]},"as":"n"}]'))).toBe(false)
    expect(fieldsShow(newStep('map', '["a"'))).toBe(false)
    expect(fieldsShow(newStep('reduce', '{"own name":{"op":"sum","bin":"n"}}'))).toBe(false)
    expect(fieldsShow(newStep('groupBy'))).toBe(true)
  })
})

describe('the fields of a step', () => {
  test('of a sort are its order and its limit', () => {
    const text = '{"meta":"size","desc":true,"limit":10}'
    expect(sortOf(text)).toEqual({ order: { bin: '@size', path: '', desc: true }, limit: '10' })
    expect(sortText({ order: { bin: '@size', path: '', desc: true }, limit: '10' })).toBe(text)
    expect(sortText({ order: { bin: 'a', path: '', desc: false }, limit: '' })).toBeUndefined()
    expect(sortText({ order: { bin: '', path: '', desc: false }, limit: '10' })).toBe('')
    expect(['[]', '{"limit":5}', '{"bin":"a","limit":1.5}', '{"expr":"a","limit":5}'].map(sortOf)).toEqual(
      Array(4).fill(undefined),
    )
  })

  test('of groups are what they are by, and figures', () => {
    const text = '{"by":["type"],"top":20,"desc":false,"aggregate":{"sum n":{"op":"sum","bin":"n"}}}'
    const grouping = groupingOf(text)
    expect(grouping && groupingText(grouping)).toBe(text)
    expect(figureNames(grouping?.figures ?? [])).toEqual(['sum n'])
    expect(figureNames([])).toEqual(['elements'])
    expect(groupingOf('{"by":[],"aggregate":{"mine":{"op":"count"}}}')).toBeUndefined()
    const incomplete = { op: 'sum', bin: '', buckets: '' } as const
    expect(grouping && groupingText({ ...grouping, figures: [incomplete] })).toBeUndefined()
  })
})

describe('the address of a stream', () => {
  const read = (raw: object) => readStreamsSearch(raw as Parameters<typeof readStreamsSearch>[0])

  test('carries the whole request, and gives it back', () => {
    const request = `{"set":"events","threads":4,"steps":${whole}}`
    const address = addressOf(prettyRequest(request))
    expect(address).toBe(request)
    expect(read({ ns: 'n', request: address })).toEqual({ ns: 'n', request })
  })

  test('has nothing of the empty request, nor of one that is too long', () => {
    expect(addressOf(emptyStream)).toBeUndefined()
    expect(addressOf(`{"steps":[{"filter":{"bin":"a","op":"eq","value":"${'x'.repeat(9000)}"}}]}`)).toBeUndefined()
  })

  test('may name a set alone', () => {
    expect(read({ set: 'orders' }).request).toBe('{"set":"orders","steps":[]}')
    expect(read({})).toEqual({ ns: undefined, request: undefined })
  })
})

describe('what is wrong', () => {
  const refusal = (field: string | undefined) =>
    problemFrom(400, { code: 'query_invalid', title: 'Invalid query', detail: `${field}: a name`, field })

  test('is told at the step that the engine names', () => {
    expect(stepProblemOf(refusal('steps[2].map[0].bin'))).toEqual({
      at: 2,
      code: 'query_invalid',
      message: 'steps[2].map[0].bin: a name',
    })
    expect(stepProblemOf(refusal('steps[11].limit'))?.at).toBe(11)
  })

  test('elsewhere is told as any problem', () => {
    expect(['steps', 'set', 'threads', undefined].map((field) => stepProblemOf(refusal(field)))).toEqual(
      Array(4).fill(undefined),
    )
    expect(stepProblemOf(new Error('steps[1]'))).toBeUndefined()
  })

  test('in the threads is told before anything is sent', () => {
    expect(requestProblem('{"steps":[],"threads":128}')).toBeUndefined()
    expect(requestProblem('{"steps":[],"threads":129}')).toBe('threads: A whole number from 1 to 128')
    expect(requestProblem('{"steps":[],"threads":"2"}')).toBe('threads: A whole number from 1 to 128')
    expect(requestProblem('{"steps":[')).toBe('Enter a valid JSON object.')
  })
})

describe('the answer', () => {
  const shape = (text: string): string => shapeOf(`{"steps":${text}}`)

  test('is what the last step says, whatever its columns are called', () => {
    expect(shape('[]')).toBe('records')
    expect(shape('[{"filter":{}},{"distinct":true}]')).toBe('records')
    expect(shape('[{"map":["count"]},{"limit":3}]')).toBe('rows')
    expect(shape('[{"flatMap":{"bin":"a"}}]')).toBe('rows')
    expect(shape('[{"map":["a"]},{"count":true}]')).toBe('count')
    expect(shape('[{"reduce":{}}]')).toBe('reduced')
    expect(shape(whole)).toBe('groups')
  })

  test('of scans and queries is what they ask', () => {
    expect(shapeOf('{"aggregate":{"n":{"op":"count"}}}')).toBe('figures')
    expect(shapeOf('{"group":{"by":["a"]},"aggregate":{"n":{"op":"count"}}}')).toBe('groups')
    expect(shapeOf('{"where":{"bin":"a","op":"exists"}}')).toBe('records')
  })

  test('of groups has the names that were asked for', () => {
    expect(askedOf('{"steps":[{"map":["a"]},{"groupBy":{"by":["a"],"order":"n"}}]}')).toEqual({ by: ['a'], order: 'n' })
  })

  test('of a reduce is its figures alone, whatever they are called', () => {
    expect(reducedOf('{"aggregate":{"value":7,"exact":"7","numbers":3}}')).toMatchObject([
      { name: 'aggregate', value: '7', numbers: 3 },
    ])
  })

  test('of a count is one figure, with every digit', () => {
    const told = renderToStaticMarkup(createElement(CountFigure, { row: '{"count":9007199254740993}' }))
    expect(told).toContain('9,007,199,254,740,993')
    expect(renderToStaticMarkup(createElement(CountFigure, { row: undefined }))).toBe('')
  })
})

describe('examples', () => {
  const sample = ['Oslo', 'Rome', 'Oslo', 'Rome'].map((city, n) =>
    parseExact(
      `{"bins":{"order_id":${n},"name":"n${n % 3}","word":"w${n}","city":"${city}","same":"x","qty":${n},"price":${n}.5}}`,
    ),
  )
  const titled = (title: string): unknown =>
    JSON.parse(examplesOf(sample).find((example) => example.title === title)?.steps ?? 'null')

  test('are of what the records hold', () => {
    expect(titled('records by city')).toEqual([{ groupBy: { by: ['city'], top: 20 } }])
    expect(titled('distinct name')).toEqual([{ map: ['name'] }, { distinct: true }, { limit: 100 }])
    expect(titled('top ten by price')).toEqual([{ sort: { bin: 'price', desc: true, limit: 10 } }])
    expect(titled('sum of price by city')).toEqual([
      { groupBy: { by: ['city'], top: 20, aggregate: { 'sum price': { op: 'sum', bin: 'price' } } } },
    ])
  })

  test('are of metadata where there are no such bins, and all can be shown as fields', () => {
    expect(examplesOf([]).map(({ title }) => title)).toEqual([
      'records by set',
      'distinct set',
      'top ten by size',
      'sum of size by set',
      'sum of size',
    ])
    for (const example of [...examplesOf(sample), ...examplesOf([])]) {
      const read = readSteps(example.steps) ?? []
      expect(stepsText(read)).toBe(example.steps)
      expect(read.filter(({ kind }) => kind !== 'distinct' && kind !== 'limit').every(fieldsShow)).toBe(true)
    }
  })

  test('of filters first are worth an index', () => {
    expect(beginsWithFilter(readRequest(`{"steps":${whole}}`))).toBe(true)
    expect(beginsWithFilter(readRequest('{"steps":[{"limit":1},{"filter":{}}]}'))).toBe(false)
    expect(beginsWithFilter(undefined)).toBe(false)
  })
})
