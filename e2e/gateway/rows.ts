import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Gateway } from './gateway.ts'

type Rows = Iterable<unknown> | AsyncIterable<unknown>

/**
 * Sends rows as an NDJSON import into one set and answers the report's text; `rows` is read as fast as the gateway takes
 * them. By `node:http`: `fetch` goes on reading an endless body for ever after its connection has broken.
 */
export async function importRows(gateway: Gateway, namespace: string, set: string, rows: Rows): Promise<string> {
  const upload = request(`${gateway.url}/api/v1/namespaces/${namespace}/import?set=${set}&key=key`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/x-ndjson' },
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upload.once('response', resolve)
    upload.once('error', reject)
  })
  const [response] = await Promise.all([answered, pipeline(Readable.from(chunks(rows)), upload)])
  const report = await text(response)
  if (response.statusCode !== 200) throw new Error(`the import answered ${response.statusCode}: ${report}`)
  return report
}

async function* chunks(rows: Rows): AsyncGenerator<string> {
  let lines: string[] = []
  for await (const row of rows) {
    lines.push(JSON.stringify(row))
    if (lines.length < 500) continue
    yield `${lines.join('\n')}\n`
    lines = []
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`
}
