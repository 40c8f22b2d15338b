import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { askOsv, judged, type Advisory } from './advisories.mjs'
import { fromCopy } from './copy.mjs'
import { refused } from './licences.mjs'

let server: Server | undefined

afterEach(() => {
  server?.close()
  server = undefined
})

interface Query {
  package: { ecosystem: string; name: string }
  version: string
}

/** A stand-in of OSV: which advisories a package has, and what is said of each. */
async function osv(of: (query: Query) => string[], about: Record<string, object>): Promise<string> {
  const answerTo = async (path: string, body: string): Promise<object> => {
    if (path !== '/v1/querybatch') return about[path.replace('/v1/vulns/', '')] ?? {}
    const { queries } = JSON.parse(body) as { queries: Query[] }
    return { results: queries.map((query) => ({ vulns: of(query).map((id) => ({ id })) })) }
  }
  server = createServer(async (request, response) => {
    response.end(JSON.stringify(await answerTo(request.url ?? '', await text(request))))
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const packages = [
  { ecosystem: 'npm', name: 'left', version: '1.0.0' },
  { ecosystem: 'npm', name: 'left', version: '1.0.0' },
  { ecosystem: 'crates.io', name: 'right', version: '2.0.0' },
]

test('advisories of both ecosystems are found, with how bad they are', async () => {
  const url = await osv(
    ({ package: { name } }) => (name === 'left' ? ['GHSA-1', 'GHSA-2'] : ['RUSTSEC-1', 'RUSTSEC-2']),
    {
      'GHSA-1': { summary: 'a hole', database_specific: { severity: 'MODERATE' } },
      'GHSA-2': { summary: 'no hole', withdrawn: '2026-01-01T00:00:00Z' },
      'RUSTSEC-1': { details: 'says no severity\nand more' },
      'RUSTSEC-2': { summary: 'nobody is there', affected: [{ database_specific: { informational: 'unmaintained' } }] },
    },
  )
  expect(await askOsv(packages, url)).toEqual([
    { id: 'GHSA-1', package: 'npm:left@1.0.0', summary: 'a hole', severity: 'moderate' },
    { id: 'RUSTSEC-1', package: 'crates.io:right@2.0.0', summary: 'says no severity', severity: 'high' },
    { id: 'RUSTSEC-2', package: 'crates.io:right@2.0.0', summary: 'nobody is there', severity: 'notice' },
  ])
})

test('an answer of another kind is a failure, not a clean bill', async () => {
  server = createServer((_request, response) => response.end('{"results":[]}'))
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(askOsv(packages, url)).rejects.toThrow('answered 0 results to 2 questions')
})

const advisory = (id: string, severity: Advisory['severity']): Advisory => ({
  id,
  package: 'npm:left@1.0.0',
  summary: 's',
  severity,
})

test('what is high or critical fails, unless somebody has excepted it until a day', () => {
  const all = [advisory('A', 'high'), advisory('B', 'critical'), advisory('C', 'moderate'), advisory('D', 'high')]
  const exceptions = [
    { id: 'B', reason: 'not reached', until: '2026-12-31' },
    { id: 'D', reason: 'not reached', until: '2026-11-30' },
    { id: 'E', reason: 'gone', until: '2026-12-31' },
  ]
  const { failures, notices } = judged(all, exceptions, '2026-12-01')
  expect(failures.map((line) => line.slice(0, 2))).toEqual(['A ', 'D '])
  expect(failures[1]).toContain('ended on 2026-11-30')
  expect(notices).toEqual([
    expect.stringContaining('excepted until 2026-12-31: not reached'),
    expect.stringContaining('C (moderate)'),
    'the exception of E is not needed any more',
  ])
  const unsaid = judged([advisory('A', 'high')], [{ id: 'A', reason: ' ', until: 'soon' }], '2026-12-01')
  expect(unsaid.failures).toContain('the exception of A needs a reason and a day such as 2027-01-31')
})

test('a copy says its age and what it does not know, and nothing of what has gone', () => {
  const copy = {
    askedAt: '2026-11-01T00:00:00Z',
    packages: ['npm:left@1.0.0', 'npm:old@1.0.0'],
    advisories: [advisory('A', 'high'), { ...advisory('B', 'high'), package: 'npm:old@1.0.0' }],
  }
  const { advisories, trust } = fromCopy(copy, packages, Date.parse('2026-11-11T12:00:00Z'))
  expect(advisories.map(({ id }) => id)).toEqual(['A'])
  expect(trust).toBe('a copy of 10 days; it does not know 1 of 2 packages')
})

test.each([
  ['MIT', true],
  ['Apache-2.0/MIT', true],
  ['GPL-2.0-only OR Apache-2.0', true],
  ['MIT AND GPL-3.0-only', false],
  ['MPL-2.0', false],
  ['SEE LICENSE IN LICENSE.txt', false],
  [null, false],
])('the licence %j may go to users: %s', (license, may) => {
  expect(refused([{ name: 'left', version: '1.0.0', license }], true)).toHaveLength(may ? 0 : 1)
})

test('a tool may have a licence that users would not get', () => {
  expect(refused([{ name: 'left', version: '1.0.0', license: 'MPL-2.0' }], false)).toEqual([])
})
