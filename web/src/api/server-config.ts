import { queryOptions } from '@tanstack/react-query'
import * as api from '@tessera/client'
import { call, callVersioned } from './client'
import type { ServerConfigPatch } from './types'

// The settings of the server: reads and changes.

export const serverConfigQuery = () =>
  queryOptions({ queryKey: ['config'], queryFn: () => callVersioned(api.getServerConfig) })

/** Who changed the settings of the server, newest first: all that are kept. */
export const serverRevisionsQuery = () =>
  queryOptions({ queryKey: ['config', 'revisions'], queryFn: () => call(api.listServerRevisions) })

export const serverRevisionQuery = (revision: number) =>
  queryOptions({
    queryKey: ['config', 'revisions', revision],
    queryFn: () => call(api.getServerRevision, { path: { revision } }),
    staleTime: Infinity,
  })

/** What a roll back would change; its ETag is that of the settings now. */
export const serverRollBackQuery = (revision: number) =>
  queryOptions({
    queryKey: ['config', 'revisions', revision, 'plan'],
    queryFn: () => callVersioned(api.restoreServerRevision, { path: { revision }, query: { dryRun: true }, body: {} }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

/** Changes settings of the server, unless somebody has changed them since `etag`. */
export const updateServerConfig = (body: ServerConfigPatch, etag: string) =>
  callVersioned(api.updateServerConfig, { headers: { 'if-match': etag }, body })

export const planServerConfig = (body: ServerConfigPatch, etag: string) =>
  call(api.updateServerConfig, { query: { dryRun: true }, headers: { 'if-match': etag }, body })

export const restoreServerRevision = (revision: number, reason: string | undefined, etag: string) =>
  callVersioned(api.restoreServerRevision, {
    path: { revision },
    headers: { 'if-match': etag },
    body: reason === undefined ? {} : { reason },
  })

export const reloadServerConfig = () => call(api.reloadServerConfig)
