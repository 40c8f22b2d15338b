import { queryOptions } from '@tanstack/react-query'
import { client, unwrap } from './client'

// Every read of the console, one function a route; the key is the path with its parameters, so that a change
// invalidates by prefix. Lists that jobs change are read again by what changes them, or on an interval where shown.

export const statusQuery = () =>
  queryOptions({
    queryKey: ['status'],
    queryFn: async ({ signal }) => unwrap(await client.GET('/api/v1/status', { signal })),
    refetchInterval: 5000,
  })

export const meQuery = () =>
  queryOptions({
    queryKey: ['me'],
    queryFn: async ({ signal }) => unwrap(await client.GET('/api/v1/auth/me', { signal })),
    staleTime: 60_000,
  })

export const namespacesQuery = () =>
  queryOptions({
    queryKey: ['namespaces'],
    queryFn: async ({ signal }) =>
      unwrap(await client.GET('/api/v1/namespaces', { params: { query: { limit: 1000 } }, signal })),
  })

export const namespaceQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns],
    queryFn: async ({ signal }) =>
      unwrap(await client.GET('/api/v1/namespaces/{ns}', { params: { path: { ns } }, signal })),
  })

export const segmentsQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'segments'],
    queryFn: async ({ signal }) =>
      unwrap(
        await client.GET('/api/v1/namespaces/{ns}/segments', {
          params: { path: { ns }, query: { limit: 4096 } },
          signal,
        }),
      ),
  })

export const setsQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'sets'],
    queryFn: async ({ signal }) =>
      unwrap(
        await client.GET('/api/v1/namespaces/{ns}/sets', { params: { path: { ns }, query: { limit: 1000 } }, signal }),
      ),
    enabled: ns !== '',
  })

export const indexesQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'indexes'],
    queryFn: async ({ signal }) =>
      unwrap(
        await client.GET('/api/v1/namespaces/{ns}/indexes', {
          params: { path: { ns }, query: { limit: 1000 } },
          signal,
        }),
      ),
    enabled: ns !== '',
  })

export const jobsQuery = () =>
  queryOptions({
    queryKey: ['jobs'],
    queryFn: async ({ signal }) =>
      unwrap(await client.GET('/api/v1/jobs', { params: { query: { limit: 500 } }, signal })),
  })

export const jobQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['jobs', id],
    queryFn: async ({ signal }) =>
      unwrap(await client.GET('/api/v1/jobs/{id}', { params: { path: { id: id ?? '' } }, signal })),
    enabled: id !== undefined,
  })
