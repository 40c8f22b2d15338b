// Methods that a path has no route for: which there are, with OPTIONS and in every refusal.
import { beforeAll, describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'
import { type Document, makeDocument } from '../openapi/document.js'

const ALL = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'TRACE']

/** The methods in Allow, without HEAD: some reads have none, because it would run them. */
const namedIn = (allow = '') =>
  allow
    .split(', ')
    .filter((one) => one !== 'HEAD')
    .toSorted()

describe('methods', () => {
  const gateway = useGateway()
  let document: Document

  beforeAll(async () => {
    document = await makeDocument()
  })

  /** Each path of the document, with the methods that it has. */
  const paths = () =>
    Object.entries(document.paths).map(([path, methods]) => {
      const own = Object.keys(methods).map((method) => method.toUpperCase())
      return { path, url: path.replaceAll(/\{[^}]+\}/g, 'x'), allowed: own }
    })

  test('OPTIONS of every path names those that it has, without a token', async () => {
    for (const { path, url, allowed } of paths()) {
      const answer = await gateway().send(`OPTIONS ${url}`, { anonymous: true })
      const named = namedIn(answer.headers['allow'])
      expect([path, answer.status, answer.text, named]).toEqual([path, 204, '', [...allowed, 'OPTIONS'].toSorted()])
    }
  })

  test('all others of every path are refused, and told the same', async () => {
    for (const { path, url, allowed } of paths())
      for (const method of ALL.filter((one) => !['HEAD', 'OPTIONS'].includes(one) && !allowed.includes(one))) {
        const answer = await gateway().send(`${method} ${url}`, { anonymous: true })
        const named = namedIn(answer.headers['allow'])
        const told = answer.text.includes('"code":"method_not_allowed"')
        expect([method, path, answer.status, named, told]).toEqual([
          method,
          path,
          405,
          [...allowed, 'OPTIONS'].toSorted(),
          true,
        ])
      }
  })

  test.each(['/', '/namespaces', '/login', '/no-such-page'])('%s is a page, which can be read', async (url) => {
    const answer = await gateway().send(`OPTIONS ${url}`, { anonymous: true })
    expect([answer.status, answer.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS'])
    for (const method of ['POST', 'DELETE', 'QUERY', 'TRACE']) {
      const refused = await gateway().send(`${method} ${url}`, { anonymous: true })
      expect(refused.json()).toMatchObject({ status: 405, code: 'method_not_allowed' })
      expect(refused.headers['allow']).toBe('GET, HEAD, OPTIONS')
    }
  })

  test.each(ALL.filter((method) => method !== 'HEAD'))('%s of what is not there is not found', async (method) => {
    const answer = await gateway().send(`${method} /api/v1/none`, { anonymous: true })
    expect(answer.json()).toMatchObject({ status: 404, code: 'route_not_found' })
  })
})
