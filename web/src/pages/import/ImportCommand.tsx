import { shellQuote } from '../../api/curl'
import { Card } from '../../ui/Card'
import { CodeBlock } from '../../ui/Copy'
import { mediaType } from './mapping'
import type { Sample } from './sample'

/** The same import from a terminal. */
export function ImportCommand({ path, sample, fileName }: { path: string; sample: Sample; fileName: string }) {
  const headers = [
    `Content-Type: ${mediaType(sample.format)}`,
    ...(sample.compression === 'identity' ? [] : [`Content-Encoding: ${sample.compression}`]),
  ]
  const text = `curl -s -T ${shellQuote(fileName)} -X POST -H "Authorization: Bearer $(cat data/admin.token)" ${headers.map((header) => `-H ${shellQuote(header)}`).join(' ')} ${shellQuote(location.origin + path)}`
  return (
    <Card title="From the command line">
      <CodeBlock label="The same import as curl" text={text} />
    </Card>
  )
}
