import { useQuery } from '@tanstack/react-query'
import { toCurl, type CurlParts } from '../api/curl'
import { statusQuery } from '../api/queries'
import type { CallPlace } from '../api/snippets'
import type { Status } from '../api/types'
import { useMay } from '../api/use-may'
import { basePath } from '../base-path'

const directoryOf = ({ dataDirectory }: Status): string => dataDirectory

/** Every page reads the status, which says where the administrator token is. Who is no administrator has an API token. */
export function useCallPlace(): CallPlace {
  const isAdmin = useMay()('createToken')
  const { data: dataDirectory = 'data' } = useQuery({ ...statusQuery(), select: directoryOf, enabled: false })
  return { origin: location.origin + basePath, tokenFile: isAdmin ? `${dataDirectory}/admin.token` : undefined }
}

/** Calls of this server as lines of curl. */
export function useCurl(): (call: Omit<CurlParts, keyof CallPlace>) => string {
  const place = useCallPlace()
  return (call) => toCurl({ ...call, ...place })
}
