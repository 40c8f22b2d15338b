import { useQuery } from '@tanstack/react-query'
import { toCurl, type CurlParts } from '../api/curl'
import { statusQuery } from '../api/queries'
import type { Status } from '../api/types'

const directoryOf = ({ dataDirectory }: Status): string => dataDirectory

/** Calls of this server as lines of curl. Every page reads the status, which says where the token is. */
export function useCurl(): (call: Omit<CurlParts, 'origin' | 'dataDirectory'>) => string {
  const { data: dataDirectory } = useQuery({ ...statusQuery(), select: directoryOf, enabled: false })
  return (call) => toCurl({ ...call, origin: location.origin, dataDirectory })
}
