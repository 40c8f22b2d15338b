import type { Gateway } from './gateway.ts'

/** Sends rows as an NDJSON import into one set and answers the report's text; `rows` is read as fast as the gateway takes them. */
export async function importRows(
  gateway: Gateway,
  namespace: string,
  set: string,
  rows: Iterable<unknown>,
): Promise<string> {
  const response = await fetch(`${gateway.url}/api/v1/namespaces/${namespace}/import?set=${set}&key=key`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/x-ndjson' },
    body: asLines(rows),
    duplex: 'half',
  } as RequestInit)
  const text = await response.text()
  if (!response.ok) throw new Error(`the import answered ${response.status}: ${text}`)
  return text
}

function asLines(rows: Iterable<unknown>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = rows[Symbol.iterator]()
  return new ReadableStream({
    pull(controller) {
      let text = ''
      for (let i = 0; i < 500; i += 1) {
        const next = iterator.next()
        if (next.done === true) break
        text += `${JSON.stringify(next.value)}\n`
      }
      if (text === '') controller.close()
      else controller.enqueue(encoder.encode(text))
    },
  })
}
