import { afterEach, expect, test, vi } from 'vitest'
import { namespacesQuery, setsQuery } from '../../src/api/queries'
import { queryClient } from '../../src/api/query-client'

afterEach(() => {
  queryClient.clear()
  vi.unstubAllGlobals()
})

test('the sets of an engine that lists none are not asked for', async () => {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(new URL(request.url).pathname)
    return Response.json({ items: [{ name: 's', records: 1 }] })
  })
  const items = [
    { name: 'far', capabilities: { missing: ['count', 'sets'] } },
    { name: 'near', capabilities: { missing: [] } },
  ]
  queryClient.setQueryData(namespacesQuery().queryKey, { items } as never)
  expect((await queryClient.fetchQuery(setsQuery('far'))).items).toEqual([])
  expect(asked).toEqual([])
  expect((await queryClient.fetchQuery(setsQuery('near'))).items).toMatchObject([{ name: 's' }])
  expect(asked).toEqual(['/api/v1/namespaces/near/sets'])
})
