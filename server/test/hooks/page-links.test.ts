// Lists link to their next page and to their first.
import { beforeAll, describe, expect, test } from 'vitest'
import { bearer, useGateway } from '../gateway.js'

interface List {
  items: { name: string }[]
  cursor?: string
}

describe('Link', () => {
  const gateway = useGateway()

  beforeAll(async () => {
    for (const name of ['a', 'b', 'c']) await gateway().memoryNamespace(name)
  })

  const ask = async (url: string, method: 'GET' | 'HEAD' = 'GET') => {
    const { statusCode, headers, body } = await gateway().app.inject({ method, url, headers: bearer })
    const links = Object.fromEntries(
      Array.from(String(headers.link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g), ([, to = '', rel = '']) => [
        rel,
        new URL(to, `http://localhost${url}`),
      ]),
    )
    return { statusCode, links, has: headers.link !== undefined, body }
  }
  const pathOf = ({ pathname, search }: URL): string => `${pathname}${search}`

  test('who follows the next page sees each item once', async () => {
    const seen: string[] = []
    let next: string | undefined = '/api/v1/namespaces?limit=1'
    while (next !== undefined) {
      const { statusCode, links, body } = await ask(next)
      expect(statusCode).toBe(200)
      const { items, cursor } = JSON.parse(body) as List
      seen.push(...items.map(({ name }) => name))
      expect(links['next']?.searchParams.get('cursor')).toBe(cursor)
      expect(links['first']?.search).toBe(next.includes('cursor') ? '?limit=1' : undefined)
      next = links['next'] && pathOf(links['next'])
    }
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('a list that is one page has none, nor has a refusal', async () => {
    expect((await ask('/api/v1/namespaces')).has).toBe(false)
    const refused = await ask('/api/v1/namespaces?cursor=MDAwMQ')
    expect([refused.statusCode, refused.has]).toEqual([400, false])
  })

  test('HEAD has the links of GET, with the parameters of the request', async () => {
    const url = '/api/v1/namespaces?limit=2'
    const [head, get] = [await ask(url, 'HEAD'), await ask(url)]
    expect(head.links).toEqual(get.links)
    expect(head.links['next']?.searchParams.get('limit')).toBe('2')
  })
})
