import { type CurlParts, toCurl } from '../api/curl'
import { CodeBlock } from '../ui/Copy'

/** The same call for the command line. */
export function CurlLine(parts: Omit<CurlParts, 'origin'>) {
  return <CodeBlock label="The same call with curl" text={toCurl({ ...parts, origin: location.origin })} />
}
