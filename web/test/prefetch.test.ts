import { queryOptions } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { prefetch } from '../src/api/prefetch'
import { queryClient } from '../src/api/query-client'

afterEach(() => queryClient.clear())

test('a page gets what its route began to read, in one call', async () => {
  const queryFn = vi.fn<() => Promise<string>>(async () => 'shop')
  const read = queryOptions({ queryKey: ['namespaces'], queryFn })
  prefetch(read)
  await expect(queryClient.fetchQuery(read)).resolves.toBe('shop')
  expect(queryFn).toHaveBeenCalledTimes(1)
})

test('a read that fails stops neither the page nor the reads beside it', async () => {
  const failing = queryOptions({ queryKey: ['sets'], queryFn: () => Promise.reject(new Error('no such namespace')) })
  const other = queryOptions({ queryKey: ['status'], queryFn: () => Promise.resolve('ok') })
  prefetch(failing, other)
  await expect.poll(() => queryClient.getQueryState(failing.queryKey)?.status).toBe('error')
  await expect.poll(() => queryClient.getQueryData(other.queryKey)).toBe('ok')
  await expect(queryClient.fetchQuery(failing)).rejects.toThrow('no such namespace')
})
