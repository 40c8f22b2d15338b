import type { CurlParts } from '../api/curl'
import { CodeBlock } from '../ui/Copy'
import { useCurl } from './use-curl'

/** The same call for the command line. */
export function CurlLine(call: Omit<CurlParts, 'origin' | 'dataDirectory' | 'token'>) {
  return <CodeBlock label="The same call with curl" text={useCurl()(call)} />
}
