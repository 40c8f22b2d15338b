import { toCurl } from '../api/curl'
import { CodeBlock } from '../ui/Copy'

interface Props {
  method: string
  path: string
  body?: string | undefined
  headers?: Record<string, string>
  stream?: boolean
}

/** The same call for the command line. */
export function CurlLine({ method, path, body, headers, stream }: Props) {
  return (
    <CodeBlock
      label="The same call as curl"
      text={toCurl({ method, path, origin: location.origin, body, headers, stream })}
    />
  )
}
