import type { CurlParts } from '../api/curl'
import type { CallPlace } from '../api/snippets'
import { CodeBlock } from '../ui/Copy'
import { useCurl } from './use-curl'
import { t } from '../language/text'

/** The same call for the command line. */
export function CurlLine(call: Omit<CurlParts, keyof CallPlace>) {
  return <CodeBlock label={t('The same call with curl')} text={useCurl()(call)} />
}
