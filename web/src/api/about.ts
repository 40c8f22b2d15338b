import { queryOptions } from '@tanstack/react-query'
import * as api from '@tessera/client'
import { call } from './client'

/** Versions, the last start, and what the gateway adds to requests, which goes on. */
export const aboutQuery = () =>
  queryOptions({ queryKey: ['about'], queryFn: () => call(api.getAbout), refetchInterval: 5000 })

export const licencesQuery = () =>
  queryOptions({ queryKey: ['licences'], queryFn: () => call(api.listLicences), staleTime: Infinity })
