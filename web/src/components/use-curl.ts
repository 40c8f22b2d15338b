import { useQuery } from '@tanstack/react-query'
import { toCurl, type CurlParts } from '../api/curl'
import { statusQuery } from '../api/queries'
import type { Status } from '../api/types'
import { useMay } from '../api/use-may'
import { basePath } from '../base-path'

const directoryOf = ({ dataDirectory }: Status): string => dataDirectory

/**
 * Calls of this server as lines of curl. Every page reads the status, which says where the administrator token is. Who is
 * no administrator has an API token.
 */
export function useCurl(): (call: Omit<CurlParts, 'origin' | 'dataDirectory' | 'token'>) => string {
  const token = useMay()('createToken') ? undefined : '$TESSERA_TOKEN'
  const { data: dataDirectory } = useQuery({ ...statusQuery(), select: directoryOf, enabled: false })
  return (call) => toCurl({ ...call, origin: location.origin + basePath, dataDirectory, token })
}
