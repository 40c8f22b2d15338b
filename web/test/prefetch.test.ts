import { queryOptions } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { awaitFirstReads, firstReads, prefetch, readsEnded } from '../src/api/prefetch'
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

test('the end of all reads is known, also if one of them fails', async () => {
  let fail: (reason: Error) => void = () => undefined
  let answer: (value: string) => void = () => undefined
  const failing = new Promise<string>((_, reject) => (fail = reject))
  const answered = new Promise<string>((resolve) => (answer = resolve))
  const read = (name: string, value: Promise<string>) => queryOptions({ queryKey: [name], queryFn: () => value })
  prefetch(read('status', failing), read('sets', answered))
  const ended = vi.fn<() => void>()
  const end = readsEnded(60_000).then(ended)
  fail(new Error('no'))
  await expect.poll(() => queryClient.getQueryState(['status'])?.status).toBe('error')
  expect(ended).not.toHaveBeenCalled()
  answer('ok')
  await end
  expect(queryClient.isFetching()).toBe(0)
})

test('reads that do not end are waited for only so long', async () => {
  prefetch(queryOptions({ queryKey: ['status'], queryFn: () => new Promise<string>(() => undefined) }))
  await readsEnded(1)
  expect(queryClient.isFetching()).toBe(1)
})

test('reads that begin later are not waited for', async () => {
  const read = (name: string, value: Promise<string>) => queryOptions({ queryKey: [name], queryFn: () => value })
  prefetch(read('status', Promise.resolve('ok')))
  const end = readsEnded(60_000)
  prefetch(read('sets', new Promise<string>(() => undefined)))
  await end
  expect(queryClient.getQueryData(['status'])).toBe('ok')
  expect(queryClient.isFetching()).toBe(1)
})

test('the first page waits for its reads, and no page after it', async () => {
  let answer: (value: string) => void = () => undefined
  const answered = new Promise<string>((resolve) => (answer = resolve))
  prefetch(queryOptions({ queryKey: ['status'], queryFn: () => answered }))
  awaitFirstReads(60_000)
  const end = firstReads()
  expect(end).toBeInstanceOf(Promise)
  answer('ok')
  await end
  expect(queryClient.getQueryData(['status'])).toBe('ok')
  expect(firstReads()).toBeUndefined()
})
