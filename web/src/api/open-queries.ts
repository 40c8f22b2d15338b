import * as api from '@tessera/client'
import { here } from '../base-path'
import { callVersioned } from './client'
import { sendLast } from './http'
import type { OpenQuery } from './types'

// The queries that a person has open, in each browser. The sync of the Query page reads and writes them.

export const openQueries = () => callVersioned(api.getOpenQueries)

/** `etag` guards against a lost race: 412 when another browser was faster. */
export const sendOpenQueries = (items: readonly OpenQuery[], etag: string) =>
  callVersioned(api.setOpenQueries, { headers: { 'if-match': etag }, body: { items: [...items] } })

/** As `sendOpenQueries`, by a page that is being left: nobody gets the answer. */
export const sendOpenQueriesLast = (items: readonly OpenQuery[], etag: string): void =>
  sendLast('PUT', here('/api/v1/queries/open'), { 'if-match': etag }, JSON.stringify({ items }))
